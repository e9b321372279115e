"""Asks a peer its question, and prints the answer with what it cost without the start of Python and of the library."""
import resource, time


def ask(answer) -> None:
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    figures = answer()
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(*figures, round(cpu, 3), round(wall, 3))
