"""Every question of docs/QUERIES.md is a method with all of its parameters, and answers have the types that they say."""

import inspect
import json
import re
import sys
from pathlib import Path
from typing import Any, Dict, List, Set, Tuple, Union, get_args, get_origin, get_type_hints

import pytest
import typing_extensions

import syclscope
from conftest import ROOT, TRACES
from syclscope import answers
from syclscope.program import run
from syclscope.questions import Questions

#: Arguments of each method for a recording of the program `heat`.
CALLS: Dict[str, Tuple[Any, ...]] = {
    "kernel": ("diffuse",), "find": ("diffuse",), "slice": (1,), "overlaps": (1,), "alike": (1,), "waited_for": (1,),
    "waited_by": (1,), "chain": (1,), "life": (1,), "dependences": (1,), "graph_members": ("kernels", "1x2"), "source": (0,),
    "sandwich": ("urQueueFinish",), "memory_at": (1,), "object": (0,), "tile": ("timeline", 1, 20, 0),
    "memory_tile": (0, 20, 0, 20, 0), "lines": (),
}  # fmt: skip
# Names that answers.py imports for type checkers only.
answers.NotRequired = typing_extensions.NotRequired  # type: ignore[attr-defined]
#: Names of parameters that Python reserves, or that are clearer.
RENAMED = {"from": "start", "to": "end"}


class Said(Questions):
    """Notes what is asked."""

    def __init__(self) -> None:
        self.asked: List[str] = []

    def ask(self, question: str) -> Any:
        self.asked.append(question)


def methods() -> List[str]:
    return [name for name in vars(Questions) if not name.startswith("_") and name != "ask"]


def documented() -> Dict[str, Set[str]]:
    """The table of parameters of docs/QUERIES.md."""
    text = (ROOT / "docs/QUERIES.md").read_text()
    table = text[text.index("| question | parameters |") :].split("\n\n")[0]
    rows = [row.strip("|").split("|") for row in table.splitlines()[2:]]
    return {question: set(re.findall(r"`([^`]+)`", row[1])) for row in rows for question in re.findall(r"`([^`]+)`", row[0])}


def asked_by(name: str) -> str:
    said = Said()
    getattr(said, name)(*CALLS.get(name, ()))
    word = said.asked[0].split("?")[0]
    for pattern, replacement in [
        (r"^tiles/.*", "tiles/…"), (r"^memory/.*", "memory/…"), (r"^(slices|life)/\d+", r"\1/SLICE"), (r"^nodes/\d+", "nodes/NODE"),
        (r"^sources/\d+", "sources/SOURCE"), (r"^objects/\d+", "objects/ID"),
    ]:  # fmt: skip
        word = re.sub(pattern, replacement, word)
    return word


def test_every_question_is_a_method_with_its_parameters() -> None:
    questions = documented()
    by_question = {asked_by(name): name for name in methods()}
    of_nodes = {question for question in questions if question.startswith("nodes/")}
    assert set(by_question) == set(questions) - of_nodes
    for question, name in by_question.items():
        takes = set(inspect.signature(getattr(Questions, name)).parameters)
        renamed = {"from": "offset"} if name == "graph_members" else RENAMED
        wanted = {renamed.get(parameter, parameter) for parameter in questions[question]}
        assert wanted <= takes, f"{name} lacks {wanted - takes}"
        assert (getattr(Questions, name).__doc__ or "").strip(), name


def test_a_command_can_be_named_by_its_number() -> None:
    said = Said()
    for name in ("waited_for", "waited_by", "chain"):
        getattr(said, name)(node=7)
    assert said.asked == ["nodes/7/waited_for", "nodes/7/waited_by", "nodes/7/chain"]
    with pytest.raises(ValueError, match="either slice or node"):
        said.chain()


def test_parameters_are_written_as_the_program_reads_them(heat: syclscope.Trace) -> None:
    said = Said()
    said.select(start=5, tracks=[1, 2], where='name="a b"')
    said.graph(reasons=["accessor", "event"], order=True, redundant="hide")
    said.what_if("k<int>", 2.5, copies=False)
    said.what_if(schedule=True, schedule_from=5, schedule_to=900, columns=10)
    said.allocation_list(unreleased=True, kinds="device")
    assert said.asked == [
        "select?from=5&tracks=1.2&where=name%3D%22a%20b%22",
        "graph?reasons=accessor.event&order=1&redundant=hide",
        "what_if?kernel=k%3Cint%3E&faster=2.5&copies=0",
        "what_if?schedule=1&schedule_from=5&schedule_to=900&columns=10",
        "allocations?unreleased=true&kinds=device",
    ]
    for question in said.asked:
        if question.startswith("what_if?kernel"):
            with pytest.raises(syclscope.ProgramFailed, match="named 'k<int>'"):
                heat.ask(question)
        else:
            heat.ask(question)


def test_idle_time_is_explained(heat: syclscope.Trace) -> None:
    idle = heat.gaps(limit=3)
    assert len(idle["gaps"]) == 3 and idle["more"] == idle["count"] - 3
    assert sum(time["total_ns"] for time in idle["classes"]) == idle["idle_ns"]
    longest = idle["gaps"][0]
    assert longest["message"].startswith("Idle for ")
    [same] = heat.gaps(at=longest["from_ns"])["gaps"]
    assert same == longest
    part = heat.gaps(start=longest["from_ns"], end=longest["from_ns"] + 1_000)
    assert part["idle_ns"] == 1_000


def test_iterations_start_up_and_builds_are_answered(heat: syclscope.Trace) -> None:
    found = heat.iterations(limit=3)
    assert found["mark"] is not None and found["mark"]["name"] == "diffuse_band" and found["count"] == 240
    assert [row["number"] for row in found["iterations"]] == [1, 2, 3] and found["more"] == 237
    first = found["iterations"][0]
    path = heat.critical_path(start=first["from_ns"], end=first["to_ns"], limit=1)
    assert path["length_ns"] == first["to_ns"] - first["from_ns"] and len(path["steps"]) == 1
    start_up = heat.start_up()
    assert sum(step["total_ns"] for step in start_up["steps"]) + start_up["more_ns"] == start_up["to_ns"]
    [build] = heat.builds()["builds"]
    assert build["source"] == "binary" and build["kernels"][0] == "diffuse"
    with pytest.raises(syclscope.ProgramFailed, match="no region of the trace is named 'solve'"):
        heat.iterations(region="solve")


def test_energy_is_that_of_the_commands_and_of_idle_time(tmp_path: Path) -> None:
    file = tmp_path / "power.json"
    run(["convert", "-o", file, TRACES / "heat.pftrace.gz"])
    events = json.loads(file.read_text())
    counter = {"pid": events[0]["pid"], "tid": 1_000_000_900}
    name = {"track": 900, "kind": "counter", "name": "processor power: package-0", "tid": 0, "parent": 1}
    events.append({"ph": "M", "name": "sycl.track", "args": name, **counter})
    # Microseconds and watts: 50 W, 80 W and 20 W for 0.1 s each.
    for at, watts in [(0, 50), (100_000, 50), (200_000, 80), (300_000, 20)]:
        events.append({"ph": "C", "name": name["name"], "ts": at, "args": {"value": watts}, **counter})
    file.write_text(json.dumps(events))
    trace = syclscope.open(file)
    energy = trace.energy()
    fits(energy, answers.Energy, "energy")
    [package] = energy["counters"]
    assert energy["estimate"] == "estimated by time share"
    assert package["joules"] == pytest.approx(15)
    names = [command["name"] for command in package["commands"]]
    assert {"diffuse_band", "diffuse", "change", "colour"} <= set(names)
    parts = [*package["commands"], *package["rest"]]
    assert sum(part["joules"] for part in parts) + package["idle_joules"] == pytest.approx(15)
    [late] = trace.energy(start=100_000_000)["counters"]
    assert late["joules"] == pytest.approx(10)


def test_regions_have_the_commands_that_were_submitted_in_them(tmp_path: Path) -> None:
    file = tmp_path / "regions.json"
    run(["convert", "-o", file, TRACES / "heat.pftrace.gz"])
    events = json.loads(file.read_text())
    submissions = [one for one in events if one.get("cat") == "submission" and one["ph"] in "BX"]
    begin, end = submissions[0]["ts"], submissions[-1]["ts"]
    place = {"pid": submissions[0]["pid"], "tid": submissions[0]["tid"], "cat": "user", "ph": "X", "args": {}}
    events += [{"name": "solve", "ts": begin - 1, "dur": end - begin + 2, **place}, {"name": "end", "ts": end - 1, "dur": 2, **place}]
    file.write_text(json.dumps(events))
    trace = syclscope.open(file)
    answer = trace.regions()
    fits(answer, answers.Regions, "regions")
    assert [region["path"] for region in answer["regions"]] == [["solve"], ["solve", "end"]]
    assert trace.regions(limit=1) == {"regions": answer["regions"][:1], "more": 1}
    filtered = trace.select(where="in:solve (category=kernel or category=copy or category=fill or category=command)")
    assert answer["regions"][0]["commands"] == filtered["total"]["count"] > 10


def fits(value: Any, type_: Any, where: str) -> None:
    """True if an answer has its declared type."""
    origin, inside = get_origin(type_), get_args(type_)
    if origin is typing_extensions.NotRequired:
        fits(value, inside[0], where)
    elif origin is Union:
        if all(isinstance(one, type) and issubclass(one, dict) for one in inside):
            return
        kinds = [one for one in inside if one is not type(None)]
        assert value is not None or len(kinds) < len(inside), where
        if value is not None and len(kinds) == 1:
            fits(value, kinds[0], where)
    elif origin is list:
        assert isinstance(value, list), where
        for one in value[:50]:
            fits(one, inside[0], where + "[]")
    elif origin is tuple:
        assert len(value) == len(inside), where
        for one, of in zip(value, inside):
            fits(one, of, where + "()")
    elif typing_extensions.is_typeddict(type_):
        hints = get_type_hints(type_, include_extras=True)
        assert set(value) <= set(hints), f"{where}: {set(value) - set(hints)}"
        for name, hint in hints.items():
            assert name in value or get_origin(hint) is typing_extensions.NotRequired, f"{where} lacks {name}"
            if name in value:
                fits(value[name], hint, f"{where}.{name}")
    elif type_ is float:
        assert isinstance(value, (int, float)), where
    elif isinstance(type_, type):
        assert isinstance(value, type_), f"{where} is {value!r}, and not {type_}"


@pytest.mark.parametrize("name", methods())
def test_answers_have_their_types(name: str, heat: syclscope.Trace) -> None:
    arguments: Tuple[Any, ...] = CALLS.get(name, ())
    if name == "graph_members":
        group = next(node["id"] for node in heat.graph("kernels")["nodes"] if "x" in node["id"])
        arguments = ("kernels", group)
    if name == "lines":
        arguments = (heat.files()[0]["path"],)
    if name == "memory_tile":
        track = next(track["id"] for track in heat.info["tracks"] if track["kind"] == "counter" and "memory" in track["name"])
        arguments = (track, 20, 0, 20, 0)
    answer = getattr(heat, name)(*arguments)
    hints = get_type_hints(getattr(Questions, name), {**vars(sys.modules["syclscope.questions"]), "a": answers})
    fits(answer, hints["return"], name)


def test_what_a_trace_says_of_itself_has_its_types() -> None:
    for file in sorted(TRACES.glob("*.gz")):
        trace = syclscope.open(file)
        fits(trace.info, answers.TraceInfo, file.name)
        fits(trace.report(), answers.Report, file.name)


def test_ranges_are_start_and_end() -> None:
    said = Said()
    for name in ("what_if", "serialised", "builds", "energy", "regions", "call_summaries", "findings"):
        getattr(said, name)(start=5, end=9)
    names = ["what_if", "serialised", "builds", "energy", "regions", "calls", "findings"]
    assert said.asked == [f"{name}?from=5&to=9" for name in names]
    trace = syclscope.open(TRACES / "heat.pftrace.gz")
    for name in ("what_if", "serialised", "builds", "energy", "call_summaries", "findings", "gaps", "critical_path", "select"):
        with pytest.raises(syclscope.ProgramFailed, match=r"`start` \(9\) is after `end` \(5\)"):
            getattr(trace, name)(start=9, end=5)
    assert trace.what_if(copies=False, start=0, end=1_000)["range_ns"] == 1_000
    assert "range_ns" in trace.what_if()


def test_iterations_and_regions_are_parameters_of_every_range() -> None:
    ranged = {name for name in methods() if {"start", "end"} <= set(inspect.signature(getattr(Questions, name)).parameters)}
    questions = documented()
    assert {asked_by(name) for name in ranged} == {question for question in questions if {"from", "to"} <= questions[question]}
    said = Said()
    for name in ranged:
        getattr(said, name)(*CALLS.get(name, ()), iterations="5-120", region="a b#3")
    assert all("iterations=5-120&region=a%20b%233" in question for question in said.asked)


def test_iterations_choose_their_time(heat: syclscope.Trace) -> None:
    rounds = heat.iterations(limit=1000)["iterations"]
    start, end = rounds[4]["from_ns"], rounds[119]["to_ns"]
    for name in ("gaps", "critical_path", "what_if", "call_summaries", "slice_list", "object_list"):
        ask = getattr(heat, name)
        assert ask(iterations="5-120") == ask(start=start, end=end) != ask(), name
    assert heat.gaps(iterations=7) == heat.gaps(start=rounds[6]["from_ns"], end=rounds[6]["to_ns"])
    with pytest.raises(syclscope.ProgramFailed, match="240"):
        heat.gaps(iterations=241)


def test_regions_choose_their_time(tmp_path: Path) -> None:
    file = tmp_path / "regions.json"
    run(["convert", "-o", file, TRACES / "heat.pftrace.gz"])
    events = json.loads(file.read_text())
    # Begins and durations in microseconds.
    for name, at, duration in [("solve", 255_000, 2_000), ("check", 258_000, 500), ("solve", 290_000, 1_500)]:
        events.append({"ph": "X", "cat": "user", "name": name, "pid": events[0]["pid"], "tid": 900, "ts": at, "dur": duration})
    file.write_text(json.dumps(events))
    trace = syclscope.open(file)
    for region, iterations, start, end in [
        ("solve", None, 255_000_000, 291_500_000),
        ("solve#2", None, 290_000_000, 291_500_000),
        ("solve", 1, 255_000_000, 257_000_000),
        ("check", None, 258_000_000, 258_500_000),
    ]:
        for ask in (trace.gaps, trace.select, trace.memory_use, trace.energy):
            assert ask(region=region, iterations=iterations) == ask(start=start, end=end), (region, ask.__name__)
        part = trace.summary("kernels", region=region, iterations=iterations)
        assert part.data == trace.summary("kernels", start=start, end=end).data
    assert trace.gaps(region="solve") != trace.gaps()
    with pytest.raises(syclscope.ProgramFailed, match="^no region of the trace is named 'solv'"):
        trace.gaps(region="solv")
