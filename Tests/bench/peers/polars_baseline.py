#!/usr/bin/env python3
"""The question of duckdb_baseline.py asked of Polars, with its streaming engine.

usage: polars_baseline.py EVENTS.ndjson      (pip install polars)
"""
import sys

import polars as pl
from question import ask

path = sys.argv[1]


def number(element: str) -> pl.Expr:
    """The last answer to an element, as a number; null if it is none."""
    given = (pl.col("event_name") == "flow_user_input") & (pl.col("element_id") == element)
    return pl.col("answer").filter(given).sort_by(pl.col("occurred_at").filter(given)).last().cast(pl.Float64, strict=False)


def answer():
    params = pl.Struct({"element_id": pl.String, "value": pl.String, "is_last_screen": pl.Boolean, "screen_order": pl.Int32})
    schema = {"event_id": pl.String, "event_name": pl.String, "profile_id": pl.String, "session_id": pl.String,
              "occurred_at": pl.String, "params": params}
    member = pl.col("params").struct.field
    events = (
        pl.scan_ndjson(path, schema=schema)
        .select(
            "event_id", "event_name", "profile_id", "session_id",
            pl.col("occurred_at").str.to_datetime("%Y-%m-%dT%H:%M:%S%.3fZ", time_unit="ms"),
            member("element_id"), member("value").alias("answer"), member("is_last_screen"), member("screen_order"))
        .unique(subset="event_id", keep="any"))
    sessions = events.group_by("session_id").agg(
        pl.col("profile_id").first(), number("weight").alias("weight"), number("height").alias("height"),
        pl.col("is_last_screen").any().alias("reached_last_screen"), pl.col("screen_order").max().alias("last_order"),
        pl.col("occurred_at").min().alias("started_at"), pl.col("occurred_at").max().alias("ended_at"),
        pl.len().alias("events"))
    reached = sessions.filter("reached_last_screen").select(
        pl.len().alias("sessions"), pl.col("events").sum(), (pl.col("weight") / (pl.col("height") / 100) ** 2).mean().alias("bmi"))
    return reached.collect(engine="streaming").row(0)


ask(answer)
