#!/usr/bin/env bash
# What a job does beside the update itself. If something is to do, it ends with a title and the next step; the facts are in report.log.
#   restore            puts back what the machines of failed jobs knew, before anything is created
#   update             updates the stack. A person may have entered RESTORE, and the names of webhooks that are gone: REPLACE
#   record COMMAND …   after a failed update: writes what only this machine knows into the state, by the command that resolves webhooks
#   answer COMMAND …   does what a person has entered in Recover: NONE, UNLOCK
#   forget             deletes what was put back, if it is recorded by now, or KEPT again
# Variables: STACK; RECOVER and UP, which say how to start them. GitHub keeps what a job knew as the artifact NOTES; GitLab puts back
# its cache by itself.
set -euo pipefail
act=$1
shift
notes=${PULUMI_HOME:-$HOME/.pulumi}/webhooks
NONE=${NONE-}
NONE=${NONE#none: } # A line of the report may be pasted whole.

# Calls GitHub's API for this repository. The token is on no command line.
call() {
  curl --silent --show-error --fail --location --max-time 60 --header 'Accept: application/vnd.github+json' \
    --config - "${@:2}" "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/actions/$1" <<< "header = \"Authorization: Bearer $GITHUB_TOKEN\""
}

# Splits what a person has entered into names. Nothing in it is expanded or executed.
split() {
  IFS=, read -ra names <<< "$(sed -E 's/ *, */,/g; s/^ +| +$//g' <<< "$1")"
}

# Shows a title, the next step and the report, on GitHub also in the summary, an annotation and the text of the alert.
say() {
  printf '%s\n' "$1" "$2"
  cat report.log
  [ "${GITHUB_STEP_SUMMARY-}" ] || return 0
  # Indented: nothing in the report can end a code block of Markdown.
  printf '%s\n\n' "### $1" "$2" "$(tr '\r' '\n' < report.log | sed 's/^/    /')" >> "$GITHUB_STEP_SUMMARY"
  if [ "$act" = record ] || [ "${code-}" != 0 ]; then echo "::error title=$1::$2"; fi
  local end
  end=$(cat /proc/sys/kernel/random/uuid)
  { echo "alert<<$end"; printf '%s\n' "$1" "$2" "$(head -c 3000 report.log)"; echo "$end"; } >> "$GITHUB_OUTPUT"
}

case $act in
  restore)
    rm -f artifacts.log
    for ((page = 1; ; page++)); do
      call "artifacts?name=$NOTES&per_page=100&page=$page" > page.log
      # A pull request, also of a fork, can store an artifact of that name.
      jq --raw-output '.artifacts[] | select(.workflow_run | .head_branch == env.GITHUB_REF_NAME and .head_repository_id == .repository_id) |
        "\(.id) \(.expired) \(.workflow_run.id) \(.created_at)"' page.log >> artifacts.log
      [ "$(jq '.artifacts | length' page.log)" = 100 ] || break
    done
    touch restored.log expired.log
    # The oldest first: later jobs have added to what earlier ones knew.
    sort --numeric-sort artifacts.log | while read -r id expired run time; do
      call "runs/$run" > run.log
      [ "$(jq '(.event | IN("push", "workflow_dispatch")) and (.path | test("^.github/workflows/(deploy|up|recover)[.]yml(@|$)"))' run.log)" = true ] || continue
      if [ "$expired" = true ]; then
        echo "$id $time: $GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$run" >> expired.log
      else
        call "artifacts/$id/zip" > notes.zip
        mkdir -p "$notes"
        unzip -qo notes.zip -d "$notes"
        unzip -Z1 notes.zip | sed "s/^/$id /" >> restored.log
      fi
    done
    # Who unlocks, or has looked, goes on.
    [ -s expired.log ] && [ "$NONE" != all ] && [ "${UNLOCK-}" != true ] || exit 0
    sed 's/^[0-9]* /A job that ended at about /' expired.log > report.log
    pulumi stack export --stack "$STACK" | jq --raw-output '.deployment.resources[]? | select(.type | test("(^webhooks:index|/webhooks):Webhook$")) |
      "Keep webhook \(.id), which is that of \(.urn | split("::") | last)."' >> report.log || echo "The state could not be read." >> report.log
    say "What a failed job of $STACK knew has expired" "Look in the dashboard for webhooks that were created at about the time of that job, and that the list below does not keep. Delete them there. Then $RECOVER with ${NONE_FIELD:-none: }all. After that, $UP."
    exit 1 ;;
  forget)
    while read -r id file; do
      [ "${KEPT-}" = success ] || [ ! -f "$notes/$file" ] || exit 0
    done < restored.log
    cut -d ' ' -f 1 restored.log | sort -u | while read -r id; do
      # The next attempt of a run has overwritten its own.
      call "artifacts/$id" --request DELETE || echo "The artifact $id was not deleted."
    done
    exit ;;
  update)
    options=()
    [ -z "${RESTORE-}" ] || options=(--refresh --run-program)
    if [ "${REPLACE-}" ]; then
      options=(--refresh=false)
      state=$(pulumi stack export --stack "$STACK")
      split "$REPLACE"
      for name in "${names[@]}"; do
        # A name becomes the end of a URN. A star in it would mean any webhook.
        [[ $name == urn:* ]] || name=:Webhook::$name
        [[ $name != *\** && $state == *"$name\""* ]] || { echo "error: $STACK has no webhook ${name#:Webhook::}."; exit 2; }
        options+=("--replace=${name/#:Webhook/**:Webhook}")
      done
    fi
    # exec: if you cancel the run, pulumi gets the signal, and can save what it has done.
    exec pulumi up --yes --stack "$STACK" --color never --suppress-progress "${options[@]}" ;;
esac

touch up.log expired.log
code=0
case $act in
  record)
    "$@" --stack "$STACK" --record ;;
  answer)
    if [ "${UNLOCK-}" != true ]; then
      split "$NONE"
      if [ "$NONE" = all ]; then answer=(--none)
      elif [ "$NONE" ]; then answer=("${names[@]/#/--none=}")
      else answer=(--record); fi
      "$@" --stack "$STACK" "${answer[@]}"
    elif [ "$NONE" ]; then
      echo "Enter names, or unlock, not both. First unlock the stack, and read what is unresolved."
      (exit 2)
    else
      act=unlock
      pulumi cancel --yes --stack "$STACK" --color never
      "$@" --stack "$STACK" --record
    fi ;;
esac > resolve.log 2>&1 || code=$?
# Who answers all has looked for what has expired, too.
[ "$code" != 0 ] || [ "$NONE" != all ] || cut -d ' ' -f 1 expired.log >> restored.log

# Pulumi repeats its errors, indents them, and lists several below one.
errors=$(grep -E '^\s*(error:|\*) |: not set\. |: created by ' up.log | sed -E 's/^\s*(error:|\*) //; s/^.*: line [0-9]+: //' |
  grep -vE '^(update failed|[0-9]+ errors? occurred:)$' | awk '!seen[$0]++' | head -5 | cut -c 1-700) || true
status=$(grep -oEm 1 'failed: [1-5][0-9]{2}( [A-Z][A-Za-z-]*)*' <<< "$errors") || true
[ "$code" != 3 ] || unresolved=$(sed -nE 's/^([^ ].*): unresolved\.$/\1/p' resolve.log | sed -E 's/ \(webhook .*\)$//' | paste -sd ,)
printf '%s\n' "${unresolved+${NONE_FIELD:-none: }$unresolved}" "$errors" "$(cat resolve.log)" | sed '/^$/d; /^Logging in using access token/d' > report.log

logs=(up.log)
[ "$code" != 1 ] || logs+=(resolve.log) # Otherwise the lock was gone at the end.
if grep -qiE 'currently locked|another update is currently|stack \S+ is locked' "${logs[@]}"; then
  title="$STACK is locked"
  todo="Wait for the run that holds the lock. If that is gone, $RECOVER with ${UNLOCK_FIELD:-unlock}. After that, $UP."
elif [ "$code" = 3 ]; then
  title="$STACK has unresolved webhooks"
  todo="Look for each of them in the dashboard. If it is there, delete it there. Then $RECOVER with the first line below. After that, $UP."
elif [ "$act" = record ]; then
  # What this machine knows is not in the state.
  if grep -qE ': (unresolved|created, and not recorded yet)\.$' resolve.log; then UP=$RECOVER; fi
  if [ "$code" != 0 ]; then title="The update of $STACK failed and its state could not be read or written"
  elif grep -q '^Updating (' up.log; then title="The update of $STACK ${status:-failed}"
  else title="The update of $STACK failed before it changed anything"; fi
  todo="Correct what is named below. Then $UP."
elif [ "$code" = 0 ]; then
  title="Nothing is unresolved in $STACK"
  todo="To continue, $UP."
else
  title="Nothing was resolved in $STACK"
  # A create may take effect late.
  later=$(sed -nE 's/.*(Look again after [^ ,]+), and answer.*/\1/p' resolve.log | head -1)
  todo="${later:-Correct what is named below}. Then $RECOVER."
fi
# A provider that was killed notes its creates on its machine only.
[ "$act" != unlock ] || [ -s restored.log ] || todo="If the log of the lost run shows \`error reading from server: EOF\`, delete in the dashboard each webhook that failed this way: the state does not know it. $todo"
say "$title" "$todo"
[ "$act" = record ] || exit "$code"
