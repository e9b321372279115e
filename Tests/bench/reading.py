"""Rows without a database: `run --dry-run` and what it is measured against."""
import math, os, subprocess, sys
from pathlib import Path

import inputs
from measure import Command, Run, alternate, ratio
from report import Row
from setting import Setting

PEERS = {"duckdb": "DuckDB", "chdb": "chDB", "polars": "Polars"}


def dry(setting: Setting) -> Row:
    """Against DuckDB, chDB and Polars, each asked a narrower question."""
    path = inputs.events(setting.sessions)
    answers: dict[str, tuple[int, int, float]] = {}

    def remember(name: str):
        def after(run: Run) -> None:
            sessions, events, bmi, cpu, wall = run.output.split()
            answers[name] = int(sessions), int(events), float(bmi)
            # In their favour: the start of Python and of the library does not count, but for the memory.
            run.cpu, run.wall = float(cpu), float(wall)

        return after

    ours = setting.dry("sluice run --dry-run", path)
    peers = [
        Command(label, [sys.executable, str(inputs.here / f"peers/{name}_baseline.py"), str(path)], after=remember(label))
        for name, label in PEERS.items()]
    alternate(setting.runs, [ours, *peers])

    row = Row("dry", [ours, *peers])
    row.at_most("CPU, of the best peer's", max(ratio(ours, peer, "cpu") for peer in peers), 1 / 3)
    row.at_most("wall, of the best peer's", max(ratio(ours, peer, "wall") for peer in peers), 1 / 3)
    # Of the peer that is best in CPU: one that is slow may be small.
    best = min(peers, key=lambda peer: peer.median("cpu"))
    row.at_most(f"memory, of {best.name}'s", ratio(ours, best, "peak_mib"), 1)
    first = next(iter(answers.values()))
    same = all(answer[:2] == first[:2] and math.isclose(answer[2], first[2], rel_tol=1e-9) for answer in answers.values())
    row.notes.append(f"the peers agree: {first}" if same else f"THE PEERS DIFFER: {answers}")
    return row


def simdjson(setting: Setting) -> Row:
    """Against reading every field and nothing else."""
    path = inputs.events(setting.sessions)
    program, source = inputs.folder / "every_field", inputs.here / "peers/every_field.cpp"
    # For this very processor, which is more than a program that is shipped may ask for.
    compiler = os.environ.get("CXX", "g++")
    subprocess.run([compiler, "-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-o", program, source, "-lsimdjson"], check=True)
    ours, theirs = setting.dry("sluice run --dry-run", path), Command("simdjson, every field", [str(program), str(path)])
    alternate(setting.runs, [ours, theirs])
    row = Row("simdjson", [ours, theirs])
    row.at_most("CPU, of simdjson's", ratio(ours, theirs, "cpu"), 2.5)
    return row


def gzip(setting: Setting) -> Row:
    return _compressed(setting, "gzip", "zcat")


def zstd(setting: Setting) -> Row:
    return _compressed(setting, "zstd", "zstdcat")


def _compressed(setting: Setting, by: str, reader: str) -> Row:
    path = inputs.compressed(inputs.events(setting.sessions), by)
    ours, theirs = setting.dry(f"sluice run --dry-run, {by}", path), Command(f"{reader} to nowhere", f"exec {reader} {path} >/dev/null")
    alternate(setting.runs, [ours, theirs])
    row = Row(by, [ours, theirs])
    row.at_most(f"wall, of {reader}'s", ratio(ours, theirs, "wall"), 1.3)
    return row


def growth(setting: Setting) -> Row:
    """1, 2, 4, 8 and 16 times a quarter of the sessions: the slope of a line through the logarithms."""
    paths = inputs.pieces(setting.sessions // 4, 16)
    commands = [setting.dry(f"sluice run --dry-run, {count} ×", *paths[:count]) for count in (1, 2, 4, 8, 16)]
    alternate(setting.runs, commands)
    row = Row("growth", commands)
    sizes = [sum(path.stat().st_size for path in paths[:count]) for count in (1, 2, 4, 8, 16)]
    cpu = [command.median("cpu") for command in commands]
    # The start of the program flattens the slope of small inputs; the last doubling hardly feels it.
    row.figures["CPU a byte at 16 ×, of that at 8 ×"] = cpu[4] / sizes[4] / (cpu[3] / sizes[3])
    row.at_most("exponent of CPU over bytes", _slope([math.log(size) for size in sizes], [math.log(each) for each in cpu]), 1.05)
    return row


def memory(setting: Setting) -> Row:
    """Ten times the input, in a dry run and into a database; the latter once, since memory hardly varies.

    Flat says little of few sessions: an input that is smaller than the budget need not fill it.
    """
    paths = inputs.pieces(setting.sessions // 4, 10)
    dry = [setting.dry(f"sluice run --dry-run, {count} ×", *paths[:count]) for count in (1, 10)]
    alternate(setting.runs, dry)
    loads = [setting.load(f"sluice run, {count} ×", *paths[:count]) for count in (1, 10)]
    alternate(1, loads, setting.server.cpu, warm=False)
    row = Row("memory", dry + loads)
    for what, (once, tenfold) in {"dry run": dry, "load": loads}.items():
        row.at_most(f"{what}: MiB at 10 ×", tenfold.median("peak_mib"), 512)
        row.at_most(f"{what}: memory at 10 ×, of that at 1 ×", ratio(tenfold, once, "peak_mib"), 1.25)
    return row


def rules(setting: Setting) -> Row:
    """How many rules one core evaluates a second; built by run.sh."""
    row = Row("rules")
    program = Path(".build/bench/swift/release/bench-rules")
    row.notes = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    return row


def _slope(xs: list[float], ys: list[float]) -> float:
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys)) / sum((x - mean_x) ** 2 for x in xs)
