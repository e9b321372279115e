#!/usr/bin/env bash
# Figures side by side with peers, on generated events: `make bench`.
#
# usage: Tests/bench/run.sh [SESSIONS] [RUNS] [ROW ...]
#   SESSIONS  default 50000, about 450,000 events and 220 MB; 200000 make about 900 MB
#   RUNS      default 5: how often each command runs; figures are medians
#   ROW       default all: dry simdjson gzip zstd copy pipelines state again more recompute memory growth rules
# needs: a release build, and what `deploy/setup.sh --bench` installs
# prints: a table; .build/bench/results.json has the same and each single run
set -euo pipefail
cd "$(dirname "$0")/../.."

sessions=${1:-50000} runs=${2:-5} rows=("${@:3}")
if [ "${#rows[@]}" -eq 0 ] || [[ " ${rows[*]} " == *" rules "* ]]; then
  # A scratch folder of its own: the switch changes the manifest, and would build everything anew twice.
  SLUICE_BENCH=1 deploy/quietly.sh swift build -c release --scratch-path .build/bench/swift \
    --product bench-rules
fi
exec .build/bench/bin/python Tests/bench/bench.py --sessions "$sessions" --runs "$runs" "${rows[@]}"
