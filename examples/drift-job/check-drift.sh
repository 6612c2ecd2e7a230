#!/bin/sh
# Checks whether someone changed a webhook in the dashboard. Run it on a schedule, in the program's directory.

if [ "${1:-}" = "--help" ]; then
  cat <<'HELP'
Usage: check-drift.sh [OPTIONS OF pulumi preview]

Compares the stack with the API, and changes nothing. It requires webhooks:drift to be probe.

Exit codes:
  0  no drift
  7  drift: read the output, then run pulumi up --refresh, or change the program to what you see
  1  the check failed: read the error; nothing is known about the webhooks that it names
HELP
  exit 0
fi

# Without --run-program, a refresh uses the settings and the key of the last up.
pulumi preview --refresh --run-program --expect-no-changes --diff --non-interactive "$@"
case $? in
  0) echo "No drift." ;;
  7)
    echo "Drift: see above. To undo it, run: pulumi up --refresh" >&2
    exit 7
    ;;
  *)
    echo "The check failed: see the error above." >&2
    exit 1
    ;;
esac
