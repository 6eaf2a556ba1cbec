"""Cost of a region: without a recorder, and recorded. Run it where dpnp is, with ``PYTHONPATH=python``."""

import tempfile
import time
from pathlib import Path
from typing import Any, Callable

import syclscope


class Bare:
    """A block with a name that does nothing: what Python itself takes for one."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> "Bare":
        return self

    def __exit__(self, *error: object) -> None:
        pass


def costs_ns(times: int = 2_000, rounds: int = 200) -> "tuple[float, float]":
    """Of a region and of a bare block, less what an empty loop takes: the best of many short rounds, in which nobody else worked."""
    region: Callable[[str], Any] = syclscope.region

    def empty() -> float:
        begun = time.perf_counter_ns()
        for _ in range(times):
            pass
        return (time.perf_counter_ns() - begun) / times

    def bare() -> float:
        begun = time.perf_counter_ns()
        for _ in range(times):
            with Bare("cost"):
                pass
        return (time.perf_counter_ns() - begun) / times

    def full() -> float:
        begun = time.perf_counter_ns()
        for _ in range(times):
            with region("cost"):
                pass
        return (time.perf_counter_ns() - begun) / times

    best = [min(each) for each in zip(*((empty(), bare(), full()) for _ in range(rounds)))]
    return best[2] - best[0], best[1] - best[0]


def say(when: str) -> None:
    """Measures and prints."""
    region, bare = costs_ns()
    print(f"{when}: {region:.0f} ns a region, {region / bare:.1f} × a block that does nothing ({bare:.0f} ns)")


if __name__ == "__main__":
    say("nobody records")
    # The recorder's own file is then elsewhere, and not deleted before the process has ended.
    syclscope.prepare()
    with tempfile.TemporaryDirectory() as folder, syclscope.record(Path(folder) / "cost.pftrace"):
        say("recorded")
