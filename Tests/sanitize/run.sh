#!/usr/bin/env bash
# Runs tests under a sanitizer: `make sanitize`.
#
# usage: Tests/sanitize/run.sh address|thread [REGEX]
#   address: by default the suites that reach C libraries, raw bytes, damaged or hostile input
#   thread:  by default the suites in which workers, connections, leases and signals meet
# exits: 0 all passed and nothing was reported
set -euo pipefail
cd "$(dirname "$0")/../.."

sanitizer=${1:?address or thread}
# The whole of the tests takes several times as long under a sanitizer.
case $sanitizer in
  address) tests='Compression|HostileBytes|HostileFile|GuardPage|CSVTests|ValuesTests|LinesTests|CanonicalJSON|EventDecoder|YAMLDocument|PipelineFuzz|RuleFuzz|FieldEncoding|EventSetTests|BarredCopy|SourceFixture|UnitTests' ;;
  thread) tests='MainJob|UnitTests|OverlapTests|LockTests|SignalTests|ReconnectTests|JobTests' ;;
  *) echo "sanitize: address or thread" >&2; exit 64 ;;
esac
scratch=.build/$sanitizer

# Names of functions are enough for a report; indices and lines would take a third of the time.
deploy/quietly.sh swift build --build-tests --sanitize="$sanitizer" --scratch-path "$scratch" \
  --disable-index-store -debug-info-format none
# What Swift's runtime keeps for ever is no leak. A child that reports something ends with this code.
export ASAN_OPTIONS=detect_leaks=0:exitcode=86
export TSAN_OPTIONS=exitcode=86:halt_on_error=1
[ "$sanitizer" = address ] || unset ASAN_OPTIONS
swift test --skip-build --disable-xctest --quiet --sanitize="$sanitizer" --scratch-path "$scratch" \
  --filter "${2:-$tests}"
