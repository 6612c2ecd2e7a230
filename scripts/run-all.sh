#!/bin/sh
# Runs npm scripts one after the other, also after one has failed, and names those that failed at the end.
failed=
for script; do npm run --silent "$script" || failed="$failed $script"; done
[ -z "$failed" ] || { echo "Failed:$failed" >&2; exit 1; }
