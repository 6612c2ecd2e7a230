#!/usr/bin/env bash
# After a failed `pulumi up`: writes what only this machine knows of it into the state, and says what to do, in Markdown.
# It reads up.log and up.pid, and sends nothing to the API.
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

pid=$(cat up.pid)
# A process that has ended, and that nobody has waited for, is a zombie.
is_running() { kill -0 "$pid" 2> /dev/null && ! grep -qs '^State:.Z' "/proc/$pid/status"; }

# A run that was cancelled waits for the requests in flight.
for _ in {1..60}; do
  is_running || break
  sleep 1
done

record() {
  code=0
  $resolve --record --json > unresolved.json 2> resolve.log || code=$?
  cat resolve.log >&2
}
record

# A killed run leaves the stack locked. Its lock may be removed, but only its own: that of its process on this machine.
if ! is_running && grep -q "is locked by [^ ]*@$(uname -n) (pid $pid) at [^ ]*, so" resolve.log; then
  pulumi cancel --stack "$STACK" --yes >&2
  record
fi

# Without the notes of this machine, a create that the provider was sending when it was killed is in no record.
if grep -q 'cannot be noted on this machine' up.log && grep -q 'error reading from server' up.log; then
  cat <<END
### pulumi up did not complete, and webhooks may be unknown

The provider was killed, and this machine could not note what it had sent. The next run would create it again.

1. Look in the dashboard for each webhook that failed with \`error reading from server\` in the log.
2. For each one that is there, set the option \`import\` to its id in the program, or delete it in the dashboard.
3. Also run \`$resolve\` in $clone.
4. Run this job again.
END
elif [ "$code" = 0 ] && ! is_running; then
  cat <<END
### pulumi up did not complete

No create is in doubt. Read the log, correct the error, and run this job again.
END
elif [ -s unresolved.json ]; then
  cat <<END
### pulumi up did not complete, and creates are in doubt

It is unknown whether the API created the webhooks below. Nothing more is sent for them until you decide.

1. Look for each of them in the dashboard, by its name and time. If its reason is "killed", it may be older than sentAt,
   and without a url its name here is that of its resource.
2. In $clone, enter what you found: \`$resolve\`
   It asks for each webhook. In a script, add \`--found NAME=ID\` or \`--none NAME\` for each of them.
3. Run this job again.

~~~~json
$(cat unresolved.json)
~~~~
END
else
  # What the state shows, and what this machine knows besides.
  known=$($resolve --json 2> /dev/null) || true
  cat <<END
### pulumi up did not complete, and the state could not be read or written

It is unknown whether creates are in doubt.

~~~~text
$(cat resolve.log)
~~~~

1. If another run is active, wait for it. If the stack is still locked then, unlock it in $clone:
   \`pulumi cancel --stack $STACK --yes\`
2. There, when the state can be read again, run \`$resolve\`
3. If a webhook has no result in the log, or is listed below, and step 2 did not ask for it, look for it in the dashboard.
   If it is there, set the option \`import\` to its id in the program, or delete it in the dashboard.
4. Run this job again.

~~~~json
$known
~~~~
END
fi
