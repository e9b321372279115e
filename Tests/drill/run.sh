#!/usr/bin/env bash
# Breaks jobs at random moments, in every way that a machine can, and runs them again: `make drill`.
#
# usage: Tests/drill/run.sh        KILLS=200, SEED=…, SESSIONS=250, JOBS=4 in the environment
# needs: a release build, else a debug build; python3; for the disk, the right to mount a tmpfs (else that
#        part is left out, and said so); for dropped connections, pgbouncer (likewise)
# prints: the seed, a line a part, and whatever differs; SEED and KILLS again give the same moments
# exits: 0 where after each break one more run gave the dump of a run that nobody broke, else 1
set -euo pipefail
cd "$(dirname "$0")/../.."

kills=${KILLS:-200}
seed=${SEED:-$RANDOM}
jobs=${JOBS:-4}
RANDOM=$seed
sluice=$PWD/.build/release/sluice
[ -x "$sluice" ] || sluice=$PWD/.build/debug/sluice
[ -x "$sluice" ] || { echo "drill: nothing is built: make build" >&2; exit 69; }
echo "drill: seed $seed, $kills kills, $sluice"

for name in ${!PG@} ${!SLUICE_@}; do unset "$name"; done
work=$(mktemp -d /tmp/sluice-drill-XXXXXX)
chmod 755 "$work"
export SLUICE_HOME=$work/home
pooler=
cleanup() {
  kill "$pooler" 2>/dev/null || true
  "$sluice" db stop >/dev/null 2>&1 || true
  if [ -d "$work/small" ]; then
    SLUICE_HOME=$work/small/home "$sluice" db stop >/dev/null 2>&1 || true
    umount "$work/small" 2>/dev/null || true
  fi
  rm -rf "$work"
}
trap cleanup EXIT

python3 Tests/bench/generate.py "${SESSIONS:-250}" >"$work/all.ndjson"
split -n r/3 --additional-suffix=.ndjson "$work/all.ndjson" "$work/part-"
touch -d '1 hour ago' "$work"/part-*.ndjson
events=("$work"/part-*.ndjson)

"$sluice" db start 2>/dev/null
base=$("$sluice" db url)
url() { printf '%s' "${base/\/sluice\?//$1?}"; }
sql() { "$sluice" db psql -- -qAtX -v ON_ERROR_STOP=1 -c "$1" 2>/dev/null; }
fresh() {
  sql "drop database if exists $1 with (force)"
  sql "create database $1 template template0"
}
# The small budget makes many units of little; --as-of, since the dump is of an instant.
start() { # URL
  "$sluice" run --quiet --reread --jobs "$jobs" --memory 64MiB --as-of 2026-11-20 \
    --pipeline pipelines/bmi.yaml --database "$1" "${events[@]}" 2>>"$work/words"
}
dump() { "$sluice" export dump --as-of 2026-11-20 --database "$1"; }
milliseconds() { date +%s%3N; }
nap() { sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"; }

fresh clean
began=$(milliseconds)
start "$(url clean)"
length=$(($(milliseconds) - began))
dump "$(url clean)" >"$work/clean"
echo "drill: a run takes $length ms, the dump has $(wc -l <"$work/clean") lines"

failures=0
same() { # URL WHAT: one more run, then the dump must be the clean one
  local code=0
  start "$1" || code=$?
  if [ "$code" -ne 0 ]; then
    echo "drill: $2: the run after it ends with $code" >&2
    tail -n 3 "$work/words" >&2
    failures=$((failures + 1))
    return 0
  fi
  dump "$1" >"$work/dump" || true
  if ! cmp -s "$work/clean" "$work/dump"; then
    echo "drill: $2: the dump differs" >&2
    diff "$work/clean" "$work/dump" | cut -c1-200 | head -n 5 >&2 || true
    failures=$((failures + 1))
  fi
}
survives() { # CODE WHAT ALLOWED...
  local code=$1 what=$2
  shift 2
  for allowed in "$@"; do [ "$code" -ne "$allowed" ] || return 0; done
  echo "drill: $what: the run itself ends with $code, not with one of $*" >&2
  tail -n 3 "$work/words" >&2
  failures=$((failures + 1))
}
part() { echo "drill: $1: $2"; }

# 1. kill -9, at any moment from the first connection on; each database is broken one to four times.
done_kills=0
ended=0
while [ "$done_kills" -lt "$kills" ]; do
  fresh victim
  breaks=$((RANDOM % 4 + 1))
  for ((i = 0; i < breaks && done_kills < kills; i++)); do
    start "$(url victim)" &
    nap $((RANDOM * (length + 100) / 32768))
    kill -9 $! 2>/dev/null || ended=$((ended + 1))
    wait $! 2>/dev/null || true
    done_kills=$((done_kills + 1))
  done
  same "$(url victim)" "kill $done_kills"
done
part "kill -9" "$done_kills kills, $ended of them after the end"

few=$((kills / 20 + 3))
# 2. The server's process behind a connection: the run itself must survive.
for ((i = 0; i < few; i++)); do
  fresh victim
  start "$(url victim)" &
  for ((j = 0; j < 3; j++)); do
    nap $((RANDOM * (length + 100) / 32768 / 3))
    sql "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'victim'" >/dev/null
  done
  code=0
  wait $! || code=$?
  survives "$code" "backend $i" 0 75
  same "$(url victim)" "backend $i"
done
part "backends killed" "$few runs"

# 3. The whole server, as a power cut would.
for ((i = 0; i < few; i++)); do
  fresh victim
  start "$(url victim)" &
  nap $((RANDOM * (length + 100) / 32768))
  kill -9 "$(head -n 1 "$SLUICE_HOME/data/postmaster.pid")"
  "$sluice" db start 2>/dev/null
  code=0
  wait $! || code=$?
  survives "$code" "server $i" 0 69 75
  same "$(url victim)" "server $i"
done
part "server killed" "$few runs"

# 4. Stopped and continued.
for ((i = 0; i < few; i++)); do
  fresh victim
  start "$(url victim)" &
  for ((j = 0; j < 3; j++)); do
    nap $((RANDOM * (length + 100) / 32768 / 3))
    kill -STOP $! 2>/dev/null || true
    nap $((RANDOM % 700))
    kill -CONT $! 2>/dev/null || true
  done
  code=0
  wait $! || code=$?
  survives "$code" "stop $i" 0
  same "$(url victim)" "stop $i"
done
part "stopped and continued" "$few runs"

# 5. Connections that drop: the pooler between is killed and started anew.
if pgbouncer=$(command -v pgbouncer || command -v /usr/sbin/pgbouncer); then
  mkdir "$work/pool"
  as=()
  if [ "$(id -u)" -eq 0 ]; then
    chown postgres "$work/pool"
    as=(-u postgres)
  fi
  socket=$(sql "show unix_socket_directories")
  cat >"$work/pool/pgbouncer.ini" <<INI
[databases]
* = host=$socket port=5432 user=sluice
[pgbouncer]
listen_port = 6432
unix_socket_dir = $work/pool
auth_type = any
pool_mode = transaction
default_pool_size = 3
INI
  pool() {
    "$pgbouncer" -q "${as[@]}" "$work/pool/pgbouncer.ini" >/dev/null 2>&1 &
    pooler=$!
    disown
    for ((k = 0; k < 100; k++)); do [ -S "$work/pool/.s.PGSQL.6432" ] && break; sleep 0.05; done
  }
  pool
  for ((i = 0; i < few; i++)); do
    fresh victim
    start "host=$work/pool port=6432 user=sluice dbname=victim" &
    run=$!
    nap $((RANDOM * (length + 100) / 32768))
    kill -9 "$pooler" 2>/dev/null || true
    rm -f "$work/pool/.s.PGSQL.6432"
    pool
    code=0
    wait "$run" || code=$?
    survives "$code" "connection $i" 0 69 75
    same "$(url victim)" "connection $i"
  done
  kill "$pooler" 2>/dev/null || true
  pooler=
  part "connections dropped" "$few runs behind PgBouncer"
else
  part "connections dropped" "left out: pgbouncer is not installed"
fi

# 6. A disk that fills up, then is made larger.
mkdir "$work/small"
if mount -t tmpfs -o size=110m,mode=755 tmpfs "$work/small" 2>/dev/null; then
  export SLUICE_HOME=$work/small/home
  "$sluice" db start 2>/dev/null
  base=$("$sluice" db url)
  fresh victim
  # What is left is filled but for a little.
  left=$(df --output=avail -k "$work/small" | tail -n 1)
  head -c $(((left - 600) * 1024)) /dev/zero >"$work/small/fill"
  code=0
  start "$(url victim)" || code=$?
  [ "$code" -ne 0 ] || echo "drill: the disk was not full enough"
  survives "$code" "full disk" 0 69 73 74 75
  rm "$work/small/fill"
  mount -o remount,size=1g "$work/small"
  "$sluice" db start 2>/dev/null
  same "$(url victim)" "full disk"
  part "full disk" "the run ended with $code"
else
  part "full disk" "left out: a tmpfs may not be mounted here"
fi

if [ "$failures" -gt 0 ]; then
  echo "drill: $failures failures; again with SEED=$seed KILLS=$kills" >&2
  exit 1
fi
echo "drill: all dumps are the clean one"
