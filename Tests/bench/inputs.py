"""Generated events below .build/bench: whole, compressed, in pieces, with some held back.

They are made once and kept: whoever changes generate.py removes them.
"""
import os, subprocess, sys, time
from pathlib import Path

here = Path(__file__).parent
folder = Path(".build/bench")


def events(sessions: int, seed: int = 1, start: str = "2026-11-02T07:00:00Z") -> Path:
    path = folder / (f"events-{sessions}.ndjson" if seed == 1 else f"events-{sessions}-seed-{seed}.ndjson")
    return _made(path, f"{sys.executable} {here}/generate.py {sessions} --seed {seed} --start {start}")


def compressed(path: Path, by: str) -> Path:
    suffix = {"gzip": ".gz", "zstd": ".zst"}[by]
    return _made(path.with_name(path.name + suffix), f"{by} -c {path}")


def pieces(sessions: int, count: int) -> list[Path]:
    """Files of as many sessions each, of different people, a day after one another."""
    return [events(sessions, seed, f"2026-10-{seed - 100:02}T07:00:00Z") for seed in range(101, 101 + count)]


def split(path: Path, count: int) -> Path:
    """A folder with the events in so many files."""
    target = path.with_name(f"{path.stem}-in-{count}")
    if not target.exists():
        made = Path(f"{target}.part")
        made.mkdir(exist_ok=True)
        subprocess.run(["split", "-n", f"l/{count}", "-d", "-a", "4", "--additional-suffix=.ndjson", path, made / "part-"], check=True)
        made.rename(target)
        time.sleep(3)  # a file that was written a moment ago is not believed to be complete
    return target


def held_back(path: Path) -> tuple[Path, Path, int]:
    """The events without the weights of one session in five; these, to come late; and of how many people they are."""
    first, late = path.with_name(f"{path.stem}-first.ndjson"), path.with_name(f"{path.stem}-late.ndjson")
    if not (first.exists() and late.exists()):
        with open(path, "rb") as source, open(f"{first}.part", "wb") as kept, open(f"{late}.part", "wb") as held:
            for line in source:
                session = line.partition(b'"session_id":"')[2][:8]
                is_held = b'"element_id":"weight"' in line and int(session, 16) % 5 == 0
                (held if is_held else kept).write(line)
        os.rename(f"{first}.part", first)
        os.rename(f"{late}.part", late)
    with open(late, "rb") as source:
        people = {line.partition(b'"profile_id":"')[2][:36] for line in source}
    return first, late, len(people)


def _made(path: Path, command: str) -> Path:
    if not path.exists():
        print(f"making {path}", file=sys.stderr)
        # Under its name only when it is whole: one that was interrupted is made anew.
        subprocess.run(f"{command} > {path}.part", shell=True, check=True)
        os.rename(f"{path}.part", path)
    return path
