"""What the benchmark found, as lines while it runs and as one JSON document in the end."""
import json, os, platform, re, subprocess, time
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from measure import Command


HEADER = f"{'medians':53}{'CPU s':>9}{'server s':>9}{'wall s':>9}{'MiB':>9}"


@dataclass
class Goal:
    what: str
    value: float
    bound: float
    at_least: bool = False  # else at most

    @property
    def reached(self) -> bool:
        return self.value >= self.bound if self.at_least else self.value <= self.bound


@dataclass
class Row:
    name: str
    commands: list[Command] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    goals: list[Goal] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def at_most(self, what: str, value: float, bound: float) -> None:
        self.goals.append(Goal(what, value, bound))

    def at_least(self, what: str, value: float, bound: float) -> None:
        self.goals.append(Goal(what, value, bound, at_least=True))

    def print(self) -> None:
        """Medians of each command, then figures, then goals, in the columns of `HEADER`."""
        print(f"\n{self.name}")
        for command in self.commands:
            server = command.median("server_cpu")
            served = f"{server:9.2f}" if server else f"{'–':>9}"
            print(f"  {command.name:51}{command.median('cpu'):9.2f}{served}{command.median('wall'):9.2f}{command.median('peak_mib'):9.0f}")
        for what, value in self.figures.items():
            print(f"  {what:69}{value:18,.3f}")
        for goal in self.goals:
            sign = "≥" if goal.at_least else "≤"
            print(f"  {goal.what:69}{goal.value:18,.3f}  {sign} {goal.bound:<10,.6g}{'reached' if goal.reached else 'MISSED'}")
        for note in self.notes:
            print(f"  {note}")
        print(end="", flush=True)

    def json(self) -> dict:
        names = {"cpu": "cpu_s", "server_cpu": "server_cpu_s", "wall": "wall_s", "peak_mib": "peak_mib"}
        return {
            "row": self.name,
            "measured": [
                {"name": command.name, "runs": len(command.runs)}
                | {name: round(command.median(figure), 4) for figure, name in names.items()}
                | {"each": [{name: round(getattr(run, figure), 4) for figure, name in names.items()} for run in command.runs]}
                for command in self.commands],
            "figures": self.figures,
            "goals": [
                {"what": goal.what, "value": goal.value, "at_least" if goal.at_least else "at_most": goal.bound,
                 "reached": goal.reached} for goal in self.goals],
            "notes": self.notes,
        }


def machine() -> dict:
    model = next((line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    return {"cores": len(os.sched_getaffinity(0)), "model": model, "memory_gib": round(memory, 1), "system": platform.platform(),
            "load_before": os.getloadavg()[0]}


def versions(sluice: str) -> dict:
    told = {"python": platform.python_version()}
    for name in ["duckdb", "chdb", "polars", "orjson", "psycopg"]:
        told[name] = metadata.version(name)
    for name, command in {
        "sluice": [sluice, "version"], "commit": ["git", "describe", "--always", "--dirty"], "postgresql": ["psql", "--version"],
        "simdjson": ["pkg-config", "--modversion", "simdjson"], "compiler": ["g++", "--version"],
        "gzip": ["gzip", "--version"], "zstd": ["zstd", "--version"],
    }.items():
        try:
            lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
        except FileNotFoundError:
            lines = []
        version = re.search(r"\d+(\.\d+)+", lines[0] if lines else "")
        told[name] = version.group() if version else "".join(lines[:1]) or "unknown"
    return told


def write(path: Path, about: dict, rows: list[Row]) -> None:
    document = about | {"at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "rows": [row.json() for row in rows]}
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
