#!/usr/bin/env bash
# Runs a command and shows what it printed only if it failed.
#
# usage: deploy/quietly.sh COMMAND [ARGUMENT...]
# exits: what the command exits with
set -euo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
"$@" >"$log" 2>&1 || status=$?
if [ "$status" -ne 0 ]; then cat "$log" >&2; fi
exit "$status"
