#!/usr/bin/env bash
# Runs tests under a sanitizer: `make sanitize`.
#
# What they say of pure code, `make fuzz` says as well: it runs under the address sanitizer.
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
  address) tests='Compression|HostileBytes|HostileFile|GuardPage|CSVTests|ValuesTests|LinesTests|CanonicalJSON|EventDecoder|YAMLDocument|FieldEncoding|SourceFixture|UnitTests' ;;
  thread) tests='MainJobTests|UnitTests|OverlapTests|LockTests|SignalTests' ;;
  *) echo "sanitize: address or thread" >&2; exit 64 ;;
esac
scratch=.build/$sanitizer

# Names of functions are enough for a report; lines would take a fifth of the time.
deploy/quietly.sh swift build --build-tests --sanitize="$sanitizer" --scratch-path "$scratch" \
  -debug-info-format none
# What Swift's runtime keeps for ever is no leak. A child that reports something ends with this code.
case $sanitizer in
  address) export ASAN_OPTIONS=detect_leaks=0:exitcode=86 ;;
  thread) export TSAN_OPTIONS=exitcode=86:halt_on_error=1 ;;
esac
swift test --skip-build --disable-xctest --quiet --sanitize="$sanitizer" --scratch-path "$scratch" \
  --filter "${2:-$tests}"
