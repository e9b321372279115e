#!/usr/bin/env python3
"""What somebody would write in a day in Python: orjson reads, dictionaries hold, psycopg copies binary rows.

usage: python_pipeline.py DATABASE-URL EVENTS.ndjson [--keep-events]      (pip install orjson 'psycopg[binary]')
Narrower than Sluice in the same ways as duckdb_pipeline.py, and all of it is held in memory.
"""
import sys, zlib
from datetime import datetime
from pathlib import Path

import orjson, psycopg

url, path, keeps_events = sys.argv[1], sys.argv[2], "--keep-events" in sys.argv
seen, sessions, events = set(), {}, []
with open(path, "rb") as lines:
    for line in lines:
        event = orjson.loads(line)
        if event["event_id"] in seen:
            continue
        seen.add(event["event_id"])
        params = event.get("params") or {}
        at = event["occurred_at"]  # one format and one zone: the texts are in the order of time
        sessions.setdefault((event["profile_id"], event["session_id"]), []).append((at, event["event_name"], params))
        if keeps_events:
            events.append((
                event["event_id"], event["event_name"], event["profile_id"], event["session_id"], datetime.fromisoformat(at),
                params.get("instanceId"), params.get("screen_order"), params.get("is_last_screen"), params.get("element_id"),
                params.get("value")))


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


runs = []
for (profile, session), told in sorted(sessions.items(), key=lambda item: item[0]):
    told.sort(key=lambda event: event[0])
    screens, last_screen, completed, answers = 0, None, False, {}
    for at, name, params in told:
        if name == "flow_screen_showed":
            screens, last_screen = screens + 1, params.get("instanceId")
            completed = completed or bool(params.get("is_last_screen"))
        elif name == "flow_user_input":
            answers[params.get("element_id")] = params.get("value")
    weight, height = number(answers.get("weight")), number(answers.get("height"))
    started, ended = datetime.fromisoformat(told[0][0]), datetime.fromisoformat(told[-1][0])
    runs.append((profile, session, started, ended, screens, last_screen, completed, weight, height))

latest = {profile: (None, None) for profile, *_ in runs}
for profile, _, _, ended, _, _, completed, weight, height in sorted(runs, key=lambda run: run[3]):
    if completed:
        known = latest[profile][1]
        latest[profile] = (ended, weight / (height / 100) ** 2 if weight and height else known)

attributes, members, decisions = [], [], []
for profile, (since, bmi) in latest.items():
    segment = None
    if bmi is not None and 8 <= bmi <= 210:
        segment = "underweight" if bmi < 18.5 else "normal" if bmi < 25 else "overweight" if bmi < 30 else "obese"
        attributes.append((profile, "bmi", bmi))
        members.append((profile, segment, since))
    drawn = "coach_b" if zlib.crc32(profile.encode()) % 2 else "coach_a"
    flow = {"obese": drawn, "underweight": "gain"}.get(segment, "standard")
    decisions.append((profile, "bmi_paywall", flow, "onboarding is done" if since else "onboarding is not done"))

tables = {
    "flow_runs": (runs, "text text timestamptz timestamptz int4 text bool float8 float8"),
    "attributes": (attributes, "text text float8"),
    "segment_members": (members, "text text timestamptz"),
    "placement_decisions": (decisions, "text text text text"),
    "events": (events, "text text text text timestamptz text int4 bool text text"),
}
with psycopg.connect(url) as connection:
    connection.execute((Path(__file__).parent / "pipeline.sql").read_text())
    for table, (rows, types) in tables.items():
        with connection.cursor().copy(f"copy {table} from stdin (format binary)") as copy:
            copy.set_types(types.split())
            for row in rows:
                copy.write_row(row)
