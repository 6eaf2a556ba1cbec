"""Ranges of ITT and NVTX: what real clients have called is what the recording has, by the clients' own log."""

import json
import os
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest

import syclscope

PROGRAM = os.environ["SYCLSCOPE_PROGRAM"]
PACKAGE = Path(__file__).resolve().parents[1]

CLIENTS = """
import json, threading, time
import nvtx, ittapi

log = []


def now():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


class Logged:
    # A range with what its client knows of it: a time before and after its begin, and before and after its end.
    def __init__(self, track, name, begin, end, **facts):
        self.facts = {"track": track, "name": name, **facts}
        self.begin, self.end = begin, end

    def __enter__(self):
        before = now()
        self.handle = self.begin()
        self.facts["begin"] = [before, now()]

    def __exit__(self, *_):
        before = now()
        self.end(self.handle)
        self.facts["end"] = [before, now()]
        log.append(self.facts)


def pushed(name, domain=None, **more):
    track = "NVTX: " + domain if domain else "NVTX"
    of = nvtx.get_domain(domain)
    attributes = of.get_event_attributes(message=name, color=more.get("colour"), category=more.get("category"), payload=more.get("payload"))
    return Logged(track, name, lambda: of.push_range(attributes), lambda _: of.pop_range(), **more)


def started(name, domain):
    track = "NVTX: " + domain + " (start, end)"
    return Logged(track, name, lambda: nvtx.start_range(message=name, domain=domain), nvtx.end_range)


def task(name, domain):
    of = ittapi.task(name, domain=domain)
    return Logged("ITT: " + domain, name, of.begin, lambda _: of.end())
"""

CLIENT = CLIENTS + """
def work(thread):
    for step in range(20):
        with pushed("step", "solver", payload=step, category="loop", colour="red"):
            with task(f"task of {thread}", "tasks"):
                with pushed("inner", "solver"):
                    nvtx.mark(message="mark", domain="solver")
            with task("second", "tasks"):
                pass


threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
outer = started("all threads", "solver")
with outer, started("overlaps", "solver"):
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
json.dump(log, open("log.json", "w"))
"""

WITH_WORK = CLIENTS + """
import dpnp

data = dpnp.ones(1000)
for step in range(5):
    with pushed(f"step {step}", "solver"):
        with task("sum", "tasks"):
            float(dpnp.sum(data))
        with task("scale", "tasks"):
            data = data * 2
float(dpnp.sum(data))
"""

Record = Callable[..., Path]


@pytest.fixture
def record(dpnp: Callable[..., object], tmp_path: Path) -> Record:
    """Records a client with these options."""
    clients = Path(os.environ["FRAMEWORKS_VENV"])
    [packages] = clients.glob("lib/python3*/site-packages")

    def run(script: str, *options: str, name: str = "run.pftrace", **more: str) -> Path:
        file = tmp_path / name
        dpnp(script, PROGRAM, "record", "-o", str(file), *options, "--", PYTHONPATH=f"{PACKAGE}:{packages}", **more)
        return file

    return run


def ranges(trace: "syclscope.Trace") -> List[Dict[str, Any]]:
    """The slices of ranges, each with the name of its track."""
    # Ranges that overlap have several tracks of one name, with a number.
    tracks = {track["id"]: track["name"].replace("(start, end) 2", "(start, end)") for track in trace.info["tracks"]}
    slices = trace.slice_list(where="category=user duration>0ns", limit=10_000, args=True)["slices"]
    return [{**row, **row["at"], "track_name": tracks[row["at"]["track"]]} for row in slices]


def around(row: Dict[str, Any], rows: List[Dict[str, Any]]) -> List[str]:
    """The names of the ranges around one on its track."""
    end = row["start_ns"] + row["duration_ns"]
    return [
        other["name"]
        for other in rows
        if other["track"] == row["track"]
        and other is not row
        and other["start_ns"] <= row["start_ns"]
        and end <= other["start_ns"] + other["duration_ns"]
    ]


def test_ranges_are_those_of_the_clients_log(record: Record, tmp_path: Path) -> None:
    trace = syclscope.open(record(CLIENT))
    rows = ranges(trace)
    log = json.loads((tmp_path / "log.json").read_text())
    assert len(log) == 3 * 20 * 4 + 2
    assert sorted((row["track_name"], row["name"]) for row in rows) == sorted((row["track"], row["name"]) for row in log)
    # In the order of their begins, each has the duration that its client measured.
    for name in {row["name"] for row in log}:
        recorded = sorted((row["start_ns"], row["duration_ns"]) for row in rows if row["name"] == name)
        seen = sorted((row for row in log if row["name"] == name), key=lambda row: row["begin"][0])
        if name in ("step", "inner", "second"):
            total = sum(duration for _, duration in recorded)
            assert sum(row["end"][0] - row["begin"][1] for row in seen) <= total <= sum(row["end"][1] - row["begin"][0] for row in seen)
            continue
        for (_, duration), row in zip(recorded, seen):
            assert row["end"][0] - row["begin"][1] <= duration <= row["end"][1] - row["begin"][0], name
    assert all(around(row, rows) == ["step"] for row in rows if row["name"] == "inner")
    assert all(around(row, rows) == [] for row in rows if row["name"] != "inner" and row["track_name"] != "NVTX: solver (start, end)")
    marks = trace.slice_list(where="category=user name=mark", limit=100)["slices"]
    assert len(marks) == 60 and all(row["at"]["duration_ns"] == 0 for row in marks)
    steps = [dict(row["args"]) for row in rows if row["name"] == "step"]
    assert sorted(row["payload"] for row in steps) == sorted([str(step) for step in range(20)] * 3)
    assert {(row["domain"], row["category"], row["colour"]) for row in steps} == {("solver", "loop", "#ff0000")}


def test_ranges_hold_the_commands_that_were_submitted_in_them(record: Record) -> None:
    trace = syclscope.open(record(WITH_WORK))
    kernels = trace.slice_list(where="category=kernel", limit=1000)["slices"]
    inside = {name: trace.slice_list(where=f"category=kernel in={name}", limit=1000)["slices"] for name in ("sum", "scale")}
    assert len(inside["scale"]) == 5 and len({row["name"] for row in inside["scale"]}) == 1
    assert len(inside["sum"]) >= 5
    within = trace.slice_list(where='category=kernel in:"step"', limit=1000)["slices"]
    assert len(within) == len(inside["sum"]) + len(inside["scale"]) < len(kernels)
    assert len(trace.slice_list(where='category=kernel -in:"step"', limit=1000)["slices"]) == len(kernels) - len(within)
    rounds = trace.iterations(region="step 1")
    assert rounds["count"] == 5 and rounds["mark"]["kind"] == "region"


def test_ranges_can_be_left_out_and_belong_to_another_tool(record: Record) -> None:
    trace = syclscope.open(record(WITH_WORK, "--streams=-ranges"))
    assert ranges(trace) == [] and trace.slice_list(where="category=kernel")["slices"]
    trace = syclscope.open(record(WITH_WORK, name="other.pftrace", NVTX_INJECTION64_PATH="/nowhere.so"))
    assert {row["track_name"] for row in ranges(trace)} == {"ITT: tasks"}


def test_a_process_that_never_uses_sycl_has_a_recording_of_its_ranges(record: Record) -> None:
    trace = syclscope.open(record("import nvtx\nwith nvtx.annotate('alone', domain='d'):\n    pass\n"))
    assert [(row["track_name"], row["name"]) for row in ranges(trace)] == [("NVTX: d", "alone")]
