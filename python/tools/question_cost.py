"""Time of queries of a trace: the first, for which the trace is read, and others after it, once each, since answers
are cached. ``python python/tools/question_cost.py TRACE``; ``SYCLSCOPE_PROGRAM`` names the program.
"""

import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict

sys.path.insert(0, str(Path(__file__).parents[1]))

import syclscope


def timed(question: Callable[[], Any]) -> float:
    """Duration of a call in milliseconds."""
    begun = time.perf_counter()
    question()
    return (time.perf_counter() - begun) * 1e3


def main(path: str) -> None:
    """Asks, and prints a line a question."""
    trace = syclscope.open(path)
    first = timed(lambda: trace.info)
    slices = trace.info["counts"]["slices"]
    print(f"{slices} slices\n{first:10.1f} ms  info, the first question")
    others: Dict[str, Callable[[], Any]] = {
        "find": lambda: trace.find("memcpy", limit=20),
        "slice": lambda: trace.slice(slices // 2),
        "alike": lambda: trace.alike(slices // 2),
        "files": trace.files,
        "calls": lambda: trace.call_summaries(),
        "activity": trace.activity,
        "leaks": trace.leaks,
        "contents": trace.contents,
        "iterations": trace.iterations,
        "gaps": lambda: trace.gaps(limit=10),
        "critical path": lambda: trace.critical_path(limit=100),
        "findings": trace.findings,
        "executions, as Parquet": lambda: trace.executions.path,
    }
    for name, question in others.items():
        print(f"{timed(question):10.1f} ms  {name}")


if __name__ == "__main__":
    main(sys.argv[1])
