"""Cost of lines of Python: a loop of dpnp without a recorder, recorded without lines, and with them, by turns. Run it
where dpnp is;
``SYCLSCOPE_PROGRAM`` names the program.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TURNS = 7
ROUNDS = 5
OPERATIONS = 1_000


def loop() -> None:
    """Prints the processor time of an operation on its thread in microseconds: the best of some rounds."""
    import dpnp  # type: ignore[import-not-found]

    x = dpnp.ones(64)
    best = float("inf")
    for _ in range(ROUNDS + 1):
        begun = time.thread_time()
        for _ in range(OPERATIONS // 2):
            x = x * 0.5
            x = x + 1.0
        best = min(best, time.thread_time() - begun)
        x.sycl_queue.wait()
    print(best / OPERATIONS * 1e6)


def measure(options: "list[str] | None") -> float:
    """Runs the loop in a process of its own, recorded with options or not at all."""
    command = [sys.executable, __file__, "loop"]
    with tempfile.TemporaryDirectory() as folder:
        if options is not None:
            program = os.environ.get("SYCLSCOPE_PROGRAM", "syclscope")
            command = [program, "record", "--quiet", "-o", str(Path(folder) / "run.pftrace"), *options, "--", *command]
        return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def main() -> None:
    """Measures by turns and prints medians."""
    ways: "dict[str, list[str] | None]" = {"not recorded": None, "without lines": ["--no-python-lines"], "with lines": ["--stacks", "off"]}
    times: "dict[str, list[float]]" = {name: [] for name in ways}
    for _ in range(TURNS):
        for name, options in ways.items():
            times[name].append(measure(options))
    medians = {name: statistics.median(each) for name, each in times.items()}
    for name, each in times.items():
        print(f"{name}: {medians[name]:.1f} µs an operation ({min(each):.1f} to {max(each):.1f})")
    ratios = [with_lines / without for with_lines, without in zip(times["with lines"], times["without lines"])]
    print(f"with lines : without = {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})")


if __name__ == "__main__":
    loop() if sys.argv[1:] == ["loop"] else main()
