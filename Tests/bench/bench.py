#!/usr/bin/env python3
"""Measures Sluice side by side with its peers, and says of each goal whether it is reached.

usage: bench.py [--sessions N] [--runs N] [--sluice PROGRAM] [ROW ...]      (default: all rows)
Runs alternate, figures are medians, ratios are medians of the ratios turn by turn. Nothing fails by being slow.
Prints a table; writes .build/bench/results.json. Starts a private server, which goes away in the end.
"""
import argparse, signal, sys

import inputs, reading, report, writing
from server import Server
from setting import Setting

ROWS = {function.__name__: function for function in [
    reading.dry, reading.simdjson, reading.gzip, reading.zstd, writing.copy, writing.pipelines, writing.state, writing.again,
    writing.more, writing.recompute, reading.memory, reading.growth, reading.rules]}

parser = argparse.ArgumentParser()
parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(ROWS))
parser.add_argument("--sessions", type=int, default=50_000)
parser.add_argument("--runs", type=int, default=5)
parser.add_argument("--sluice", default=".build/release/sluice")
options = parser.parse_args()
if unknown := [name for name in options.rows if name not in ROWS]:
    parser.error(f"no row {unknown[0]}: known are {', '.join(ROWS)}")

path = inputs.events(options.sessions)
with open(path, "rb") as lines:
    events = sum(1 for _ in lines)
about = {
    "machine": report.machine(), "versions": report.versions(options.sluice), "runs": options.runs,
    "input": {"sessions": options.sessions, "events": events, "bytes": path.stat().st_size}}
print(f"{options.sessions:,} sessions, {events:,} events, {path.stat().st_size / 1e6:,.0f} MB; medians of {options.runs}; "
      f"{about['machine']['cores']} cores, {about['machine']['model']}")
print(", ".join(f"{name} {version}" for name, version in about["versions"].items()))

print(f"\n{report.HEADER}")

# Stopped by others it stops its server, too.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
setting = Setting(options.sessions, options.runs, options.sluice, Server(options.sluice))
rows: list[report.Row] = []
try:
    for name in options.rows or ROWS:
        print(f"measuring {name}", file=sys.stderr)
        rows.append(ROWS[name](setting))
        rows[-1].print()
        report.write(inputs.folder / "results.json", about, rows)
finally:
    setting.server.stop()

goals = [goal for row in rows for goal in row.goals]
print(f"\n{sum(goal.reached for goal in goals)} of {len(goals)} goals reached; {inputs.folder / 'results.json'}")
