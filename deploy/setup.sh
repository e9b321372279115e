#!/usr/bin/env bash
# Installs what Sluice needs to be built and run on Debian 12: C libraries and a PostgreSQL server.
#
# usage: deploy/setup.sh [--test] [--lint] [--bench]
#   --test   also what the tests need: PgBouncer and openssl
#   --lint   also what the checks of .ci/run need
#   --bench  also what `make bench` needs (a C++ compiler, zstd, and the peers in a virtual environment under .build/)
# needs: a Swift 6.3 toolchain on PATH; apt-get, and sudo when not root
# exits: 0 done (silent when nothing was missing), 69 a package or the toolchain cannot be had
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(libpq-dev libsimdjson-dev libyaml-dev libssl-dev zlib1g-dev libzstd-dev libarchive-dev pkg-config tzdata)
bench=false
for option in "$@"; do
  case "$option" in
    --test) packages+=(pgbouncer openssl) ;;
    --lint) packages+=(shellcheck) ;;
    --bench) packages+=(g++ zstd python3-venv); bench=true ;;
    *) echo "deploy/setup.sh: unknown option $option: known are --test, --lint and --bench" >&2; exit 64 ;;
  esac
done

fail() { echo "deploy/setup.sh: $1" >&2; exit 69; }

command -v swift >/dev/null || fail "no swift on PATH: install a Swift 6.3 toolchain from swift.org"

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed \
    || missing+=("$package")
done
# Any server from 14 on will do; Debian 12 brings 15.
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)

if [ "${#missing[@]}" -gt 0 ]; then
  command -v apt-get >/dev/null || fail "missing ${missing[*]}, and this is no Debian: install them by hand"
  sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "missing ${missing[*]}: install them as root, there is no sudo"
    sudo=(sudo)
  fi
  echo "installing ${missing[*]}" >&2
  # Sluice runs a private server of its own: the package need not start one for the whole machine.
  if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
    "${sudo[@]}" install -d /etc/postgresql-common
    echo "create_main_cluster = false" \
      | "${sudo[@]}" tee /etc/postgresql-common/createcluster.conf >/dev/null
  fi
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  if ! { "${sudo[@]}" apt-get update \
    && "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    fail "apt-get could not install ${missing[*]}"
  fi
fi

if $bench; then
  python=.build/bench/bin/python
  if [ ! -x "$python" ]; then
    mkdir -p .build
    python3 -m venv .build/bench || fail "python3 -m venv failed: install python3-venv"
  fi
  if ! "$python" -c 'import sys, importlib.util as u; sys.exit(not all(map(u.find_spec, sys.argv[1:])))' \
    duckdb chdb polars orjson psycopg; then
    echo "installing the peers into .build/bench" >&2
    "$python" -m pip install --quiet duckdb chdb polars orjson 'psycopg[binary]' \
      || fail "pip could not install the peers: duckdb, chdb, polars, orjson, psycopg"
  fi
fi
