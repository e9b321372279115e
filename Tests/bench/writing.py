"""Rows with a database: `run` and `recompute`, and what they are measured against."""
import sys
from pathlib import Path

import inputs
from measure import Command, alternate, measure, ratio
from report import Row
from setting import PIPELINE, Setting


def copy(setting: Setting) -> Row:
    """A first load, against a bare COPY of the rows that it writes."""
    server, path = setting.server, inputs.events(setting.sessions)
    halves = _export(setting)
    counts = server.rows(setting.loaded(), server.tables("loaded"))

    def empty() -> None:
        server.create("work", "empty")
        # What the migration fills is among the rows that are copied.
        server.query("work", "truncate " + ", ".join(f"sluice.{table}" for table in server.tables("work")))

    psql = f"psql -Xq -v ON_ERROR_STOP=1 -d '{server.url('work')}'"
    ours = setting.load("sluice run", path)
    one = Command("bare COPY, 1 connection", f"{psql} -1 -f {halves[0]} -f {halves[1]}", before=empty)
    two = Command("bare COPY, 2 connections",
                  f"{psql} -1 -f {halves[0]} & first=$!; {psql} -1 -f {halves[1]} && wait $first", before=empty)

    def check(_) -> None:
        if server.rows("work", list(counts)) != counts:
            sys.exit("bench: COPY left other rows than the run")

    one.after = two.after = check
    alternate(setting.runs, [ours, one, two], server.cpu)
    row = Row("copy", [ours, one, two])
    row.at_most("wall, of COPY's over 1 connection", ratio(ours, one, "wall"), 1.5)
    row.at_most("wall, of COPY's over 2 connections", ratio(ours, two, "wall"), 1.5)
    return row


def _export(setting: Setting) -> list[Path]:
    """Writes all rows of the loaded database into files, and two scripts that copy half of each table back."""
    server, database = setting.server, setting.loaded()
    folder = inputs.folder / "rows"
    folder.mkdir(exist_ok=True)
    scripts, out = [[], []], []
    for table, count in server.rows(database, server.tables(database)).items():
        if count == 0:
            continue
        columns = server.query(database, f"""select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
            where attrelid = 'sluice.{table}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''""")
        # By place in the table, so that the rows of each half stay in the order they were written in.
        pages = int(server.query(database, f"select pg_relation_size('sluice.{table}') / 8192 / 2"))
        for half, condition in enumerate([f"ctid < '({pages},0)'", f"ctid >= '({pages},0)'"]):
            file = folder / f"{table}-{half}.rows"
            out.append(rf"\copy (select {columns} from sluice.{table} where {condition}) to '{file}' (format binary)")
            scripts[half].append(rf"\copy sluice.{table} ({columns}) from '{file}' (format binary)")
    paths = [folder / "first.sql", folder / "second.sql"]
    for path, lines in zip([folder / "out.sql", *paths], [out, *scripts]):
        path.write_text("\n".join(lines) + "\n")
    measure(["psql", "-Xq", "-v", "ON_ERROR_STOP=1", "-d", server.url(database), "-f", str(folder / "out.sql")])
    return paths


def pipelines(setting: Setting) -> Row:
    """A first load, against what somebody would write instead, with and without keeping the events."""
    server, path = setting.server, inputs.events(setting.sessions)
    ours = setting.load("sluice run", path)

    def peer(label: str, script: str, *options: str) -> Command:
        line = [sys.executable, str(inputs.here / f"peers/{script}_pipeline.py"), server.url("work"), str(path), *options]
        return Command(label, line, before=lambda: server.create("work"))

    duckdb, python = peer("DuckDB + COPY", "duckdb", "--keep-events"), peer("Python + orjson + psycopg", "python", "--keep-events")
    narrow_duckdb, narrow_python = peer("DuckDB + COPY, no events", "duckdb"), peer("Python + …, no events", "python")
    alternate(setting.runs, [ours, duckdb, python, narrow_duckdb, narrow_python], server.cpu)
    row = Row("pipelines", [ours, duckdb, python, narrow_duckdb, narrow_python])
    row.figures["times faster than DuckDB without events, which is narrower"] = ratio(narrow_duckdb, ours, "wall")
    row.figures["times faster than Python without events, which is narrower"] = ratio(narrow_python, ours, "wall")
    row.at_least("times faster than DuckDB + COPY", ratio(duckdb, ours, "wall"), 1.5)
    row.at_least("times faster than Python + orjson + psycopg", ratio(python, ours, "wall"), 4)
    return row


def state(setting: Setting) -> Row:
    """How many rows a profile takes, in all tables that have rows of profiles."""
    server, database = setting.server, setting.loaded()
    counts = server.rows(database, server.tables(database, having_column="profile_id"))
    row = Row("state")
    for table, count in counts.items():
        if count:
            row.figures[f"rows of {table} a profile"] = count / counts["profiles"]
    row.at_most("rows a profile", sum(counts.values()) / counts["profiles"], 6)
    return row


def again(setting: Setting) -> Row:
    """A second run of 1,000 files that were read."""
    server, folder = setting.server, inputs.split(inputs.events(setting.sessions), 1000)
    first = setting.load("sluice run, 1,000 files", folder)
    alternate(1, [first], server.cpu, warm=False)
    again = setting.run("sluice run, the same files again", "work", folder)
    before = server.written("work")
    alternate(setting.runs, [again], server.cpu, warm=False)
    written = {table: count - before[table] for table, count in server.written("work").items() if count > before[table]}
    row = Row("again", [first, again])
    row.at_most("wall seconds of the second run", again.median("wall"), 0.15)
    own = written.pop("job_runs", 0)
    row.figures["rows that a second run writes as the record of itself"] = own / setting.runs
    row.at_most("other rows that a second run writes", sum(written.values()) / setting.runs, 0)
    row.notes += [f"{count / setting.runs:g} of them in {table}" for table, count in written.items()]
    return row


def more(setting: Setting) -> Row:
    """What comes later: new sessions, and late events of people who are known."""
    server, sessions = setting.server, setting.sessions
    path, late_path, late_people = inputs.held_back(inputs.events(sessions))
    new_path = inputs.events(sessions // 100, seed=2, start="2026-11-09T07:00:00Z")
    first = setting.load("sluice run, first load", path)
    new, late = setting.run("1 % new sessions", "work", new_path), setting.run("late events", "work", late_path)
    people = 0

    def count_people() -> None:
        nonlocal people
        people = server.rows("work", ["profiles"])["profiles"]

    new.before = count_people
    alternate(setting.runs, [first, new, late], server.cpu, warm=False)
    row = Row("more", [first, new, late])
    row.notes.append(f"{late_people:,} of {people:,} profiles have a late event")
    row.at_most("wall of 1 % new sessions, of the first load's", ratio(new, first, "wall"), 0.03)
    row.at_most("wall of late events a profile, of the first load's", ratio(late, first, "wall") * people / late_people, 3)
    return row


def recompute(setting: Setting) -> Row:
    """All profiles after a changed rule, there and back; `plan` derives by both rules and writes nothing."""
    server = setting.server
    server.start()
    server.create("work", setting.loaded())
    changed = inputs.folder / "changed.yaml"
    changed.write_text(Path(PIPELINE).read_text().replace("bmi >= 18.5 and", "bmi >= 18.6 and"))
    database = ["--database", server.url("work")]
    plan = Command("sluice plan", [setting.sluice, "plan", *database, str(changed)])
    there, back = (
        Command(f"sluice recompute, {name}", [setting.sluice, "recompute", "--quiet", "--activate", *database, "--pipeline", str(path)])
        for name, path in {"a changed rule": changed, "changed back": PIPELINE}.items())
    before = sum(server.written("work").values())
    alternate(setting.runs, [plan, there, back], server.cpu, warm=False)
    written = sum(server.written("work").values()) - before
    people = server.rows("work", ["profiles"])["profiles"]
    row = Row("recompute", [plan, there, back])
    row.figures["rows that a recompute writes a profile"] = written / setting.runs / 2 / people
    row.figures["profiles a second, with the writes"] = people / there.median("wall")
    row.figures["profiles a second of plan's own CPU, by both rules each"] = people / plan.median("cpu")
    # The program's own CPU, without the server's, which writes; what it costs to send rows is still among it.
    row.at_least("profiles a second of recompute's own CPU", people / there.median("cpu"), 100_000)
    return row
