#!/bin/sh
# Looks for changes that someone made in the dashboard. Run it on a schedule, in the program's directory.

if [ "${1:-}" = "--help" ]; then
  cat <<'HELP'
Usage: check-drift.sh [OPTIONS OF pulumi preview]

Compares the stack with the API and changes nothing. It wants webhooks:drift set to probe.
Ends with
  0  nothing has changed
  7  something has changed: look at the output, then run pulumi up --refresh to put it right,
     or change the program to what you see
  1  the check itself failed: read the error, nothing is known of the webhooks that it names
HELP
  exit 0
fi

# --run-program: without it a refresh would use the settings and the key of the last up.
pulumi preview --refresh --run-program --expect-no-changes --diff --non-interactive "$@"
case $? in
  0) echo "No drift." ;;
  7)
    echo "Drift: see above. Put it right with: pulumi up --refresh" >&2
    exit 7
    ;;
  *)
    echo "The check failed: see the error above." >&2
    exit 1
    ;;
esac
