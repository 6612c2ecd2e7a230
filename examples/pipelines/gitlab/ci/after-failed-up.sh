#!/usr/bin/env bash
# Says what to do after a failed `pulumi up`, in Markdown. It reads up.log and the state, and changes nothing.
set -euo pipefail

# Without a log, pulumi did not start. The error above says why.
[ -s up.log ] || exit 0

resolve="npx pulumi-webhooks resolve --stack $STACK"
clone="a clone of this repository, after \`npm ci\`, with the passphrase and access to the state"

# The first text is that of a bucket, the second that of Pulumi Cloud.
if grep -qE 'currently locked|\[409\] Conflict' up.log; then
  cat <<END
### Stack $STACK is locked

Another run is updating it, or a run was killed before it could unlock it. This run changed nothing.

1. Make sure that no other run is active, neither here nor on anyone's machine. If one is, wait for it, and go on with step 4.
2. In $clone, unlock the stack: \`pulumi cancel --stack $STACK --yes\`
3. There, resolve what the killed run left unfinished: \`$resolve\`
4. Run this job again.
END
  exit
fi

code=0
$resolve --json > unresolved.json || code=$?
if [ "$code" = 0 ]; then
  cat <<END
### pulumi up did not complete

No create is in doubt. Read the log, correct the error, and run this job again.
END
elif [ -s unresolved.json ]; then
  cat <<END
### pulumi up did not complete, and creates are in doubt

It is unknown whether the API created the webhooks below. Nothing more is sent for them until you decide.

1. Look for each of them in the dashboard, by its name and time. If its reason is "killed", it may be older than sentAt.
2. In $clone, enter what you found: \`$resolve\`
   It asks for each webhook. In a script, add \`--found NAME=ID\` or \`--none NAME\` for each of them.
3. Run this job again.

~~~~json
$(cat unresolved.json)
~~~~
END
else
  cat <<END
### pulumi up did not complete, and the state could not be read

It is unknown whether creates are in doubt. When the state can be read again, run \`$resolve\`
in $clone. Then run this job again.
END
fi
