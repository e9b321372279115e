#!/usr/bin/env bash
# Figures side by side, on generated events: `make bench`.
#
# usage: Tests/bench/run.sh [SESSIONS]      (default 50000, about 550,000 events and 260 MB)
# needs: a release build, and DuckDB in .build/bench (deploy/setup.sh --bench)
# prints: how many rules one core evaluates a second; then medians of 5 of CPU, wall time and memory
#         of `run --dry-run` and of DuckDB on the same file
set -euo pipefail
cd "$(dirname "$0")/../.."

# A scratch folder of its own: the switch changes the manifest, and would build everything anew twice.
SLUICE_BENCH=1 deploy/quietly.sh swift build -c release --scratch-path .build/bench/swift \
  --product bench-rules
.build/bench/swift/release/bench-rules

sessions=${1:-50000}
events=.build/bench/events-$sessions.ndjson
[ -s "$events" ] || python3 Tests/bench/generate.py "$sessions" >"$events"
echo "$sessions sessions, $(wc -l <"$events") events, $(($(stat -c %s "$events") / 1000000)) MB"
python3 Tests/bench/compare.py 5 \
  "sluice run --dry-run=.build/release/sluice run --dry-run --quiet --pipeline pipelines/bmi.yaml $events" \
  "DuckDB=.build/bench/bin/python Tests/bench/duckdb_baseline.py $events"
