"""Measures commands: the one place that does.

A command's own figures come from `wait4`: CPU seconds of it and its children, and the peak memory of the largest of them.
What a server does for it is told apart by the CPU times of the server's processes before and after.
"""
import os, shlex, statistics, subprocess, sys, tempfile, time
from dataclasses import dataclass, field
from typing import Callable


@dataclass
class Run:
    cpu: float
    wall: float
    peak_mib: float
    server_cpu: float = 0.0
    output: str = ""


@dataclass
class Command:
    """What is measured under a name. `before` is called ahead of each run and is not measured."""

    name: str
    line: list[str] | str
    before: Callable[[], None] | None = None
    after: Callable[[Run], None] | None = None
    runs: list[Run] = field(default_factory=list)

    def median(self, figure: str) -> float:
        return statistics.median(getattr(run, figure) for run in self.runs)


def measure(line: list[str] | str, server_cpu: Callable[[], float] = lambda: 0.0) -> Run:
    """Runs one command, given as arguments or as a line of shell; what fails ends the benchmark."""
    arguments = ["sh", "-c", line] if isinstance(line, str) else line
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as words:
        served, begin = server_cpu(), time.monotonic()
        process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=output, stderr=words)
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()  # who stops the benchmark stops what it measures
            raise
        wall = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        words.seek(0)
        if status != 0:
            shown = line if isinstance(line, str) else shlex.join(line)
            sys.exit(f"{words.read().decode(errors='replace')}bench: `{shown}` ended with {process.returncode}")
        # A child's peak counts from the fork on, so none is told smaller than this process: it imports no peer.
        return Run(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, server_cpu() - served, output.read().decode())


def alternate(runs: int, commands: list[Command], server_cpu: Callable[[], float] = lambda: 0.0, warm: bool = True) -> None:
    """Runs the commands in turn, so that whatever else the machine does falls on all of them alike.

    With `warm` each runs once more ahead of that, uncounted: files are cached then for all.
    """
    for turn in range(-1 if warm else 0, runs):
        for command in commands:
            if command.before:
                command.before()
            run = measure(command.line, server_cpu)
            if command.after:
                command.after(run)
            if turn >= 0:
                command.runs.append(run)


def ratio(ours: Command, theirs: Command, figure: str) -> float:
    """The median of the ratios turn by turn: the two of a turn saw the same machine."""
    pairs = zip(ours.runs, theirs.runs)
    return statistics.median(getattr(mine, figure) / max(getattr(other, figure), 1e-9) for mine, other in pairs)
