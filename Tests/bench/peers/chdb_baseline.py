#!/usr/bin/env python3
"""The question of duckdb_baseline.py asked of ClickHouse, inside this process.

usage: chdb_baseline.py EVENTS.ndjson      (pip install chdb)
"""
import sys

import chdb
from question import ask

path = sys.argv[1]


def answer():
    text = chdb.query(f"""
with events as (
  select event_id, event_name, profile_id, session_id, occurred_at,
    params.element_id as element_id, params.value as answer,
    params.is_last_screen as is_last_screen, params.screen_order as screen_order
  from file('{path}', JSONEachRow, 'event_id UUID, event_name LowCardinality(String), profile_id UUID, session_id UUID,
    occurred_at DateTime64(3, \\'UTC\\'), params Tuple(element_id Nullable(String), value Nullable(String),
    is_last_screen Nullable(Bool), screen_order Nullable(Int32))')
  limit 1 by event_id
), sessions as (
  select session_id, any(profile_id) as profile_id,
    argMaxIf(answer, occurred_at, event_name = 'flow_user_input' and element_id = 'weight') as weight,
    argMaxIf(answer, occurred_at, event_name = 'flow_user_input' and element_id = 'height') as height,
    coalesce(max(is_last_screen), false) as reached_last_screen, max(screen_order) as last_order,
    min(occurred_at) as started_at, max(occurred_at) as ended_at, count(*) as events
  from events group by session_id)
select count(*), sum(events), avg(toFloat64OrNull(weight) / pow(toFloat64OrNull(height) / 100, 2))
from sessions where reached_last_screen
settings date_time_input_format = 'best_effort'
""", "TSV").bytes().decode()
    sessions, events, bmi = text.split()
    return int(sessions), int(events), float(bmi)


ask(answer)
