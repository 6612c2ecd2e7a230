#!/usr/bin/env bash
# Prints a title and the next step, after a failed update or when a person has started Recover. The facts are in report.log.
# Arguments: record or answer, and the command that resolves webhooks.
# Variables: STACK; RECOVER and UP, which say how to start them; what a person has entered: NONE, UNLOCK.
set -euo pipefail
act=$1
shift
touch up.log # The log of the update.
code=0
case $act in
  record) # Writes what only this machine knows into the state.
    "$@" --stack "$STACK" --record ;;
  answer)
    if [ "$UNLOCK" != true ]; then
      NONE=${NONE#none: } # A line of the report may be pasted whole.
      # Each name becomes one argument. Nothing in it is expanded or executed.
      IFS=, read -ra names <<< "$(sed -E 's/ *, */,/g; s/^ +| +$//g' <<< "$NONE")"
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
  later=$(grep -oE -m 1 'Look again after [^ ,]+' resolve.log) || true
  todo="${later:-Correct what is named below}. Then $RECOVER."
fi
# A provider that was killed notes its creates on its machine only.
[ "$act" != unlock ] || todo="If the log of the lost run shows \`error reading from server: EOF\`, delete in the dashboard each webhook that failed this way: the state does not know it. $todo"
printf '%s\n' "$title" "$todo"
[ "$act" = record ] || exit "$code"
