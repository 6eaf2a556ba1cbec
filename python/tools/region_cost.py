"""What a region costs: without a recorder, and recorded. Run it where dpnp is, with ``PYTHONPATH=python``."""

import tempfile
import time
from pathlib import Path

import syclscope


def cost_ns(times: int = 20_000, rounds: int = 7) -> float:
    """The best of some rounds, less what an empty loop takes."""
    region = syclscope.region

    def empty() -> float:
        begun = time.perf_counter_ns()
        for _ in range(times):
            pass
        return (time.perf_counter_ns() - begun) / times

    def full() -> float:
        begun = time.perf_counter_ns()
        for _ in range(times):
            with region("cost"):
                pass
        return (time.perf_counter_ns() - begun) / times

    return min(full() for _ in range(rounds)) - min(empty() for _ in range(rounds))


if __name__ == "__main__":
    print(f"nobody records: {cost_ns():.0f} ns a region")
    # Its own file is elsewhere then, where nobody deletes it before the process has ended.
    syclscope.prepare()
    with tempfile.TemporaryDirectory() as folder, syclscope.record(Path(folder) / "cost.pftrace"):
        print(f"recorded: {cost_ns():.0f} ns a region")
