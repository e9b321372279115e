#!/usr/bin/env bash
# Runs all tests that are built, in two halves at once: most of the time they wait for a database or a process.
#
# usage: Tests/run.sh
# exits: 0 all passed; else 1, and what the half printed that failed
set -euo pipefail
cd "$(dirname "$0")/.."

first='SluiceTests\.[A-N]'
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
# The lock is about building.
half() { # NAME OPTION PATTERN
  swift test --skip-build --ignore-lock --disable-xctest "$2" "$3" >"$logs/$1" 2>&1
}
half first --filter "$first" &
one=$!
half second --skip "$first" &
two=$!
status=0
for half in "$one first" "$two second"; do
  if ! wait "${half% *}"; then
    cat "$logs/${half#* }" >&2
    status=1
  fi
  grep 'Test run with' "$logs/${half#* }" >&2 || status=1
done
exit "$status"
