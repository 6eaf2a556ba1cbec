"""Sums of the recorded events of a trace, by its tables alone."""

from collections import defaultdict
from typing import Any, Callable, Dict, Iterable, List, Set, Tuple

import syclscope

Row = Dict[str, Any]


def rows(t: syclscope.Trace, table: str) -> List[Row]:
    found: List[Row] = getattr(t, table).to_arrow().to_pylist()
    return found


def executions(t: syclscope.Trace, name: str = "") -> List[Row]:
    """Returns those of a name, or all, by start."""
    found = [row for row in rows(t, "executions") if name in ("", row["name"])]
    return sorted(found, key=lambda row: int(row["start_ns"]))


def end(row: Row) -> int:
    return int(row["start_ns"] + row["duration_ns"])


def total(some: Iterable[Row]) -> int:
    return sum(row["duration_ns"] for row in some)


def idle(some: Iterable[Row], begin_ns: int, end_ns: int) -> List[Tuple[int, int]]:
    """The stretches of a time in which none of them ran."""
    found, until = [], begin_ns
    ran = sorted((row["start_ns"], end(row)) for row in some)
    for start, stop in [*ran, (end_ns, end_ns)]:
        if until < min(start, end_ns):
            found.append((until, min(start, end_ns)))
        until = max(until, stop)
    return found


def length(stretches: Iterable[Tuple[int, int]]) -> int:
    return sum(until - since for since, until in stretches)


def covered(some: List[Row]) -> int:
    """The time in which any of them ran."""
    last = max(map(end, some), default=0)
    return last - length(idle(some, 0, last))


def before(t: syclscope.Trace, leave_out: str = "") -> Dict[int, Set[int]]:
    """The commands that each command directly depends on."""
    found: Dict[int, Set[int]] = defaultdict(set)
    for edge in rows(t, "edges"):
        if edge["reason"] != leave_out:
            found[edge["target"]].add(edge["source"])
    return found


def longest_chain(t: syclscope.Trace, duration: Callable[[Row], int]) -> int:
    """The time of the longest chain of dependences."""
    own = {row["node"]: duration(row) for row in executions(t)}
    needed = before(t)
    ends: Dict[int, int] = {}
    waiting = [row["node"] for row in rows(t, "nodes")]
    while waiting:
        node = waiting[-1]
        later = [other for other in needed[node] if other not in ends]
        if later:
            waiting += later
            continue
        ends[waiting.pop()] = own.get(node, 0) + max((ends[other] for other in needed[node]), default=0)
    return max(ends.values())
