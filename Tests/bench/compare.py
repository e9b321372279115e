#!/usr/bin/env python3
"""Runs commands in turn, several times, and prints medians of CPU, wall time and peak memory, and ratios.

usage: compare.py RUNS NAME=COMMAND [NAME=COMMAND ...]     (each COMMAND is split as a shell would; the last one is the peer)

Alternating runs see the same machine: the ratio is taken pair by pair, then its median. What a command
prints is thrown away; one that fails ends the comparison.
"""
import os, shlex, statistics, subprocess, sys, time

runs = int(sys.argv[1])
commands = [argument.split("=", 1) for argument in sys.argv[2:]]
figures = {name: [] for name, _ in commands}


def measure(command: str) -> tuple[float, float, float]:
    begin = time.monotonic()
    process = subprocess.Popen(shlex.split(command), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"compare.py: `{command}` failed with status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - begin, usage.ru_maxrss / 1024


for name, command in commands:
    measure(command)  # a warm-up each, so that files are cached for all
for _ in range(runs):
    for name, command in commands:
        figures[name].append(measure(command))

print(f"{'':24}{'CPU s':>9}{'wall s':>9}{'MiB':>9}   medians of {runs}")
for name, _ in commands:
    print(f"{name:24}" + "".join(f"{statistics.median(run[i] for run in figures[name]):9.2f}" for i in range(3)))
peer = commands[-1][0]
for name, _ in commands[:-1]:
    ratios = [statistics.median(ours[i] / theirs[i] for ours, theirs in zip(figures[name], figures[peer])) for i in range(3)]
    print(f"{name + ' / ' + peer:24}" + "".join(f"{ratio:9.2f}" for ratio in ratios))
