#!/usr/bin/env bash
# Runs the sample events through pipelines/bmi.yaml and shows what came of it: `make run`.
#
# usage: deploy/try.sh
# needs: a release build; uses Sluice's own PostgreSQL whatever the environment names
# exits: what `sluice run` exits with
set -euo pipefail
cd "$(dirname "$0")/.."

named=${SLUICE_DATABASE:-}${PGHOST:-}${PGDATABASE:-}${PGSERVICE:-}
unset SLUICE_DATABASE PGHOST PGHOSTADDR PGPORT PGDATABASE PGUSER PGPASSWORD PGSERVICE PGSERVICEFILE PGOPTIONS
sluice=.build/release/sluice

# --activate: whoever changed the file and went back can start again.
"$sluice" run --activate --pipeline pipelines/bmi.yaml pipelines/samples
echo
"$sluice" report segments
cat <<'TEXT'

What to type next:
  .build/release/sluice explain 4497a85b-7096-52ac-b99a-db49c1e8ee3e   one person: values, segments, next placement
  .build/release/sluice report funnel                                  where people drop off
  .build/release/sluice db psql                                        the tables, in SQL

Before your own events and pipeline file, throw the samples away:
  .build/release/sluice db psql -- -qc 'drop schema sluice cascade'
  .build/release/sluice run --pipeline YOUR_PIPELINE.yaml YOUR_EVENTS
TEXT
if [ -n "$named" ]; then
  echo "Your environment names another database: these commands go to it unless you unset"
  echo "SLUICE_DATABASE, PGHOST, PGDATABASE and PGSERVICE first."
fi
