#!/usr/bin/env bash
# Feeds what libFuzzer invents to everything that reads what others wrote; properties hold, or it stops.
#
# usage: Tests/fuzz/run.sh [SECONDS [TARGET…]]   60 seconds each, one a core; ndjson csv yaml rule number codec
# exits: 0 nothing found; else 1, and what was found is kept in .build/fuzz/found
#
# Inputs that reach new places are kept in .build/fuzz/corpus, to go on from. To see one again:
#   SLUICE_FUZZ_TARGET=TARGET .build/fuzz/debug/fuzz FILE
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=${1:-60}
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=(ndjson csv yaml rule number codec)

export SLUICE_FUZZ=1
# With the address sanitizer, for the doors to C. Optimized, because Swift counts no edges otherwise.
# Of several `-sanitize` the compiler of Swift obeys the last, and SwiftPM gives them in any order.
deploy/quietly.sh swift build --product fuzz --sanitize=fuzzer --sanitize=address \
  -Xswiftc -sanitize=fuzzer,address -Xswiftc -O -Xswiftc -use-ld=lld --scratch-path .build/fuzz
mkdir -p .build/fuzz/found
# Where memory was allocated is known to nobody then, and inputs are read several times faster.
export ASAN_OPTIONS=malloc_context_size=0

search() { # TARGET
  local target=$1 words status=0
  mkdir -p ".build/fuzz/corpus/$target"
  # What it says is kept in memory: where a disk is full, a log tells nothing.
  # What the runtime of Swift keeps for ever is no leak. All options: -help=1.
  words=$(SLUICE_FUZZ_TARGET=$target .build/fuzz/debug/fuzz \
    -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -detect_leaks=0 -print_final_stats=1 \
    -max_len=3000 -artifact_prefix=".build/fuzz/found/$target-" \
    ".build/fuzz/corpus/$target" "Tests/fuzz/corpus/$target" 2>&1) || status=$?
  if [ "$status" -ne 0 ]; then
    tail -n 60 <<<"$words" >&2
    echo "fuzz: $target: found something, or could not go on" >&2
    return 1
  fi
  # Without edges to count in Swift it would feed random bytes, and find nothing: simdjson alone has 893.
  if ! [[ $words =~ \(([0-9]+)\ PCs\) && ${BASH_REMATCH[1]} -gt 10000 ]]; then
    head -n 12 <<<"$words" >&2
    echo "fuzz: $target: the edges of Swift code are not counted, so nothing was searched" >&2
    return 1
  fi
  echo "fuzz: $target: $seconds s," \
    "$(sed -n 's/^stat::number_of_executed_units: *//p' <<<"$words") inputs, nothing found" >&2
}

searches=()
for target in "${targets[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do sleep 0.2; done
  search "$target" &
  searches+=($!)
done
status=0
for search in "${searches[@]}"; do wait "$search" || status=1; done
exit "$status"
