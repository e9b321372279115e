#!/usr/bin/env python3
"""What somebody would write in a day with DuckDB: one query a table, each copied into PostgreSQL as CSV.

usage: duckdb_pipeline.py DATABASE-URL EVENTS.ndjson [--keep-events]      (pip install duckdb 'psycopg[binary]')
Narrower than Sluice: a session is a run; no clearing of answers, units, spellings of numbers, paths, histories,
reasons, weights of variations or rejects; it cannot go on from what it stored.
"""
import sys, tempfile
from pathlib import Path

import duckdb, psycopg

url, path, keeps_events = sys.argv[1], sys.argv[2], "--keep-events" in sys.argv
duck = duckdb.connect()
duck.execute(f"""
create temp table events as
select distinct on (event_id) event_id, event_name, profile_id, session_id, occurred_at,
  params.instanceId as screen_id, params.screen_order as screen_order, params.is_last_screen as is_last_screen,
  params.element_id as element_id, params."value" as answer
from read_json('{path}', format = 'newline_delimited', columns = {{
  event_id: 'UUID', event_name: 'VARCHAR', profile_id: 'UUID', session_id: 'UUID', occurred_at: 'TIMESTAMPTZ',
  params: 'STRUCT(instanceId VARCHAR, screen_order INTEGER, is_last_screen BOOLEAN, element_id VARCHAR, "value" VARCHAR)' }});

create temp table flow_runs as
select profile_id, session_id, min(occurred_at) as started_at, max(occurred_at) as ended_at,
  count(*) filter (event_name = 'flow_screen_showed') as screens,
  arg_max(screen_id, occurred_at) filter (event_name = 'flow_screen_showed') as last_screen_id,
  coalesce(bool_or(is_last_screen), false) as completed,
  try_cast(arg_max(answer, occurred_at) filter (event_name = 'flow_user_input' and element_id = 'weight') as double) as weight,
  try_cast(arg_max(answer, occurred_at) filter (event_name = 'flow_user_input' and element_id = 'height') as double) as height
from events group by profile_id, session_id order by profile_id, session_id;

create temp table latest as
select profile_id, bool_or(completed) as completed, max(ended_at) filter (completed) as since,
  arg_max(weight / (height / 100) ^ 2, ended_at) filter (completed) as bmi
from flow_runs group by profile_id order by profile_id;

create temp table attributes as
select profile_id, 'bmi' as key, bmi as value from latest where bmi between 8 and 210;

create temp table segment_members as
select profile_id, case when value < 18.5 then 'underweight' when value < 25 then 'normal' when value < 30 then 'overweight'
  else 'obese' end as segment, since
from attributes join latest using (profile_id) order by profile_id;

create temp table placement_decisions as
select profile_id, 'bmi_paywall' as placement_id,
  case segment when 'obese' then case when hash(profile_id) % 2 = 0 then 'coach_a' else 'coach_b' end
    when 'underweight' then 'gain' else 'standard' end as flow_id,
  case when completed then 'onboarding is done' else 'onboarding is not done' end as because
from latest left join segment_members using (profile_id) order by profile_id;
""")

tables = ["flow_runs", "attributes", "segment_members", "placement_decisions"] + (["events"] if keeps_events else [])
with psycopg.connect(url) as connection, tempfile.TemporaryDirectory() as folder:
    connection.execute((Path(__file__).parent / "pipeline.sql").read_text())
    for table in tables:
        csv = f"{folder}/{table}.csv"
        duck.execute(f"copy {table} to '{csv}' (format csv, header false)")
        with open(csv, "rb") as rows, connection.cursor().copy(f"copy {table} from stdin (format csv)") as copy:
            while block := rows.read(1 << 18):
                copy.write(block)
