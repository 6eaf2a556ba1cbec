"""docs/QUESTIONS.md on a recording whose truth is known: its commands and calls in Python run as they stand, and answer what
the recorded events add up to."""

import json
import re
import shutil
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import Any, Callable, Dict, List, Set, Tuple

import pytest
import syclscope
from conftest import ROOT, TRACES
from events import Row, before, covered, end, executions, idle, length, longest_chain, rows, total

SECTIONS = re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", (ROOT / "docs/QUESTIONS.md").read_text(), re.S | re.M)
UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20}


@dataclass
class Said:
    """Output of the commands of a question, the same as JSON, and the result of its call in Python."""

    texts: List[str] = field(default_factory=list)
    answers: List[Any] = field(default_factory=list)
    python: Any = None


def blocks(text: str, language: str) -> List[str]:
    """Lines of the blocks in a language."""
    return [line for block in re.findall(rf"^```{language}\n(.*?)^```", text, re.S | re.M) for line in block.splitlines()]


def shows(text: str, value: float) -> bool:
    """True if a number in a text is the value, rounded to its digits."""
    for number, unit in re.findall(r"([\d.]+) (ns|µs|ms|s|B|KiB|MiB)\b", text):
        step = UNITS[unit] * 10.0 ** -len(number.partition(".")[2])
        # A little more than half a step: the value may lie just between two.
        if abs(float(number) * UNITS[unit] - value) <= step * 0.500_001:
            return True
    return False


def line_of(text: str, pattern: str) -> str:
    """The one line that a pattern finds."""
    [line] = [line for line in text.splitlines() if re.search(pattern, line)]
    return line


def cells(line: str) -> List[str]:
    """The columns of a line of a table."""
    return re.split(" {2,}", line.strip())


def gaps(t: syclscope.Trace, said: Said) -> None:
    [answer], [text] = said.answers, said.texts
    stretches = idle(executions(t), 0, t.duration_ns)
    assert answer["idle_ns"] == length(stretches)
    assert sum(one["total_ns"] for one in answer["classes"]) == length(stretches), "the causes add up"
    assert {(gap["from_ns"], gap["to_ns"]) for gap in answer["gaps"]} == set(stretches)
    assert answer["count"] == len(answer["gaps"]) == len(stretches)
    next_command = {row["start_ns"]: row["name"] for row in executions(t)}
    for gap in answer["gaps"]:
        assert sum(part["step"]["duration_ns"] for part in gap["parts"]) == gap["to_ns"] - gap["from_ns"]
        assert f"`{next_command.get(gap['to_ns'], '')}" in gap["message"], "the command that ended it"
    assert re.match(rf"[\d.]+ ms in {len(stretches)} gaps\n", text) and shows(text.splitlines()[0], length(stretches))
    longest = sorted(stretches, key=lambda stretch: stretch[0] - stretch[1])[:10]
    assert [(gap["from_ns"], gap["to_ns"]) for gap in said.python] == longest


def iterations(t: syclscope.Trace, said: Said) -> None:
    # The program makes 60 steps of four bands with USM.
    starts = [row["start_ns"] for row in executions(t, "diffuse_band")]
    durations = [later - start for start, later in zip(starts, starts[1:])]
    usual = median(durations[len(durations) // 2 :])
    warm_up = next(number for number, duration in enumerate(durations) if duration <= 1.5 * usual)
    steady = durations[warm_up:]
    slowest = warm_up + 1 + steady.index(max(steady))
    answer, part = said.answers
    assert answer["count"] == len(starts) == 240
    assert [row["to_ns"] - row["from_ns"] for row in answer["iterations"][:-1]] == durations
    assert (answer["warm_up"], answer["steady"]["count"]) == (warm_up, len(steady))
    assert answer["steady"]["mean_ns"] == pytest.approx(mean(steady))
    assert (answer["steady"]["slowest"], answer["steady"]["max_ns"]) == (slowest, max(steady))
    assert (answer["steady"]["min_ns"], answer["steady"]["p50_ns"]) == (min(steady), median(steady))
    for text in (said.texts[0], said.python):
        words = " ".join(text.split())
        assert f"terations {warm_up + 1} to 239 of 240" in words and f"the slowest is {slowest}" in words
        assert shows(words.partition("±")[0], mean(steady)) and shows(words.partition("the slowest")[2], max(steady))
    # Iterations 3 to 5 are the time from the start of the third to the start of the sixth.
    begin_ns, end_ns = starts[2], starts[5]
    stretches = idle(executions(t), begin_ns, end_ns)
    assert part["gaps"]["idle_ns"] == length(stretches)
    assert part["report"]["critical_path"]["length_ns"] == end_ns - begin_ns
    assert shows(line_of(said.texts[1], "on devices, .* waiting to start").partition(":")[0], end_ns - begin_ns)
    assert shows(line_of(said.texts[1], rf" in {len(stretches)} gaps"), length(stretches))


def builds(t: syclscope.Trace, said: Said) -> None:
    [answer], [text] = said.answers, said.texts
    calls = rows(t, "calls")
    [built] = [call for call in calls if call["name"] == "urProgramBuild"]
    [made] = [json.loads(call["args"]) for call in calls if call["name"] == "urProgramCreateWithBinary"]
    created = [json.loads(call["args"])["pKernelName"] for call in calls if call["name"] == "urKernelCreate"]
    kernels = [name[len("__sycl_kernel_") :] for name in created]
    assert kernels == ["diffuse", "change", "diffuse_band", "colour"]
    assert answer["count"] == 1 and answer["covered_ns"] == built["duration_ns"]
    for [build] in (answer["builds"], said.python):
        assert build["kernels"] == kernels and build["again"] is None
        assert (build["source"], build["bytes"]) == ("binary", made["pLengths[0]"])
        assert (build["at"]["start_ns"], build["at"]["duration_ns"]) == (built["start_ns"], built["duration_ns"])
    took, _, source, size, *_ = cells(line_of(text, f"{kernels[0]} and {len(kernels) - 1} more"))
    assert shows(took, built["duration_ns"]) and source == "binary" and shows(size, made["pLengths[0]"])
    assert shows(text.splitlines()[0], built["duration_ns"]) and text.splitlines()[0].endswith(" in 1 build")


def start_up(t: syclscope.Trace, said: Said) -> None:
    [answer], [text] = said.answers, said.texts
    first = executions(t)[0]
    assert answer["to_ns"] == first["start_ns"] and answer["command"]["name"] == first["name"]
    assert sum(step["total_ns"] for step in answer["steps"]) == first["start_ns"], "the steps add up"
    assert shows(text.splitlines()[0], first["start_ns"]) and first["name"] in text.splitlines()[0]
    assert said.python == answer["steps"]
    for name in ("urAdapterGet", "urContextCreate", "urProgramBuild"):
        called = [call for call in rows(t, "calls") if call["name"] == name and end(call) <= first["start_ns"]]
        [step] = [step for step in answer["steps"] if step["name"] == name]
        assert (step["total_ns"], step["count"]) == (total(called), len(called))
        assert shows(line_of(text, rf" {name} "), total(called))


def critical_path(t: syclscope.Trace, said: Said) -> None:
    [answer], [text] = said.answers, said.texts
    kinds = ("device", "launch", "submission", "call", "wait", "host")
    assert answer["length_ns"] == total(answer["steps"]) == sum(answer[f"{kind}_ns"] for kind in kinds) == t.duration_ns
    assert answer["unlimited_ns"] == longest_chain(t, lambda row: int(row["duration_ns"]))
    by_name: Dict[str, List[Row]] = defaultdict(list)
    for row in executions(t):
        by_name[row["name"]].append(row)
    on_devices = [step for step in answer["steps"] if step["kind"] == "command"]
    assert answer["device_ns"] == total(on_devices)
    for step in on_devices:
        assert any(row["start_ns"] <= step["start_ns"] and end(step) <= end(row) for row in by_name[step["name"]]), step
    assert covered(on_devices) == total(on_devices) <= covered(executions(t)), "one after another"
    head = " ".join(text.partition(" time ")[0].split())
    assert shows(head.partition(":")[0], t.duration_ns) and shows(head.partition("alone need")[2], answer["unlimited_ns"])
    longest = sorted((step["duration_ns"] for step in answer["steps"]), reverse=True)[:10]
    assert sorted((step["duration_ns"] for step in said.python), reverse=True) == longest


def what_if(t: syclscope.Trace, said: Said) -> None:
    findings, answer = said.answers
    assert findings == [] and said.texts[0] == "Findings: none\n", "the example has no fault"
    all_ran = executions(t)
    free = [row for row in all_ran if row["kind"] in ("copy", "fill", "map", "unmap")]
    waits = [row for row in rows(t, "slices") if row["category"] == "wait"]
    assert answer["recorded_ns"] == max(map(end, all_ran + waits))
    assert not answer["is_refused"] and abs(answer["path_ns"] - answer["recorded_ns"]) <= answer["recorded_ns"] * 0.05
    assert (answer["device_ns"], answer["changed_device_ns"]) == (total(all_ran), total(all_ran) - total(free))
    assert answer["changed"] == len(free)
    assert answer["unlimited_ns"] == longest_chain(t, lambda row: int(row["duration_ns"]))
    chain = longest_chain(t, lambda row: 0 if row in free else int(row["duration_ns"]))
    assert answer["changed_unlimited_ns"] == chain
    assert 0 < answer["path_ns"] - answer["changed_path_ns"] <= total(free)
    assert said.python == answer["changed_path_ns"]
    # Nothing runs beside these kernels, and the host waits for them: the run gets shorter by all that they save.
    halved = t.what_if("diffuse", 2)
    saved = total(executions(t, "diffuse")) / 2
    assert halved["changed"] == len(executions(t, "diffuse")) == 60
    assert halved["device_ns"] - halved["changed_device_ns"] == pytest.approx(saved, abs=60)
    assert halved["path_ns"] - halved["changed_path_ns"] == pytest.approx(saved, rel=0.01)
    gains(syclscope.open(TRACES / "sub_buffers-bad.pftrace.gz"))


def gains(t: syclscope.Trace) -> None:
    """Two parts of a buffer take turns; side by side they would save the time of the shorter part."""
    turns = [row["duration_ns"] for row in executions(t, "grow_buffer")]
    text = str(t.summary(section="findings"))
    [finding] = t.findings()
    gain = finding["gain"]
    assert finding["touches_ns"] == sum(map(min, turns, turns[1:])) and gain
    assert gain["ns"] == pytest.approx(min(sum(turns[::2]), sum(turns[1::2])), rel=0.05)
    assert shows(text.splitlines()[0], gain["ns"])


def change(t: syclscope.Trace, said: Said) -> None:
    [answer], [text] = said.answers, said.texts
    commands = [row for row in rows(t, "nodes") if row["kind"] != "virtual"]
    for compared in (answer, said.python):
        duration = compared["duration"]
        assert duration["a_ns"] == duration["b_ns"] == t.duration_ns and duration["verdict"] == "same"
        assert compared["matched"] == compared["a"]["commands"] == len(commands)
        assert sum(part["a_ns"] for part in compared["waterfall"]) == t.duration_ns
        assert all(part["a_ns"] == part["b_ns"] for part in compared["waterfall"])
        for row in compared["rows"]:
            own = executions(t, row["a"]["name"])
            assert row["presence"] == "both" and row["critical_change_ns"] == 0
            assert row["a"]["total_ns"] == row["b"]["total_ns"] <= total(own)
    head = line_of(text, "^Duration: ")
    assert all(shows(side, t.duration_ns) for side in head.split("→")) and "+0.0 %: same" in head
    slow = syclscope.open(TRACES / "heat-slow.pftrace.gz")
    worse = t.compare(slow)
    assert (worse["duration"]["a_ns"], worse["duration"]["b_ns"]) == (t.duration_ns, slow.duration_ns)
    parts = [part["b_ns"] - part["a_ns"] for part in worse["waterfall"]]
    assert sum(parts) == worse["duration"]["b_ns"] - worse["duration"]["a_ns"], "the parts add up"


def lines(t: syclscope.Trace, said: Said) -> None:
    waits, files = said.answers
    places = {row["node"]: row for row in rows(t, "nodes")}
    # Waits within other waits count once, and those of a host accessor for the accessor.
    outer: List[Row] = []
    until = 0
    slices = sorted(rows(t, "slices"), key=lambda row: int(row["start_ns"]))
    accessors: Row = {row["node"]: row["start_ns"] for row in slices if row["name"].startswith("Host Accessor")}
    held: Dict[Tuple[str, str, int], int] = defaultdict(int)
    for row in [row for row in slices if row["category"] == "wait"]:
        if row["start_ns"] < until:
            continue
        until = end(row)
        start = accessors[row["node"]] if row["node"] in accessors else row["start_ns"]
        name = "host accessor" if row["node"] in accessors else row["name"]
        held[name, row["file"], row["line"]] += until - start
        outer.append({"start_ns": start, "duration_ns": until - start})
    told = {(row["name"], row["location"]["file"], row["location"]["line"]): row["total_ns"] for row in waits if row["location"]}
    assert {place: told[place] for place in held} == pytest.approx(held, rel=1e-3)
    for name, file, line in held:
        assert shows(cells(line_of(said.texts[0], rf"^{name} .*{Path(file).name}:{line}$"))[2], told[name, file, line])
    # Threads of the runtime that run host tasks wait in calls only: the program does not.
    waiting = {row["track"] for row in slices if row["category"] == "wait"}
    calls = [row for row in rows(t, "calls") if row["name"] in ("urEventWait", "urQueueFinish") and row["track"] in waiting]
    waited = said.texts[0].partition("the host was waiting for")[2]
    number, unit = waited.split()
    assert float(number) * UNITS[unit] == pytest.approx(covered(outer + calls), rel=1e-3)
    assert said.python == files
    named = [node["file"] for node in places.values() if node["file"] and node["submission"] is not None]
    assert {file["path"] for file in files} == set(named)
    for file in files:
        path = file["path"]
        ran = [row for row in executions(t) if places[row["node"]]["file"] == path]
        made = [row["size_bytes"] for row in rows(t, "allocations") if row["file"] == path]
        copied = [json.loads(row["args"])["bytes"] for row in ran if row["kind"] == "copy"]
        assert (file["device_ns"], file["submissions"]) == (covered(ran), named.count(path))
        assert (file["moved_bytes"], file["allocated_bytes"]) == (sum(copied), sum(made))
        assert file["wait_ns"] == sum(waited_ns for (_, own, _), waited_ns in told.items() if own == path)


def overlap(t: syclscope.Trace, said: Said) -> None:
    [answer] = said.answers
    ran = {row["slice"]: row for row in executions(t)}
    needed = before(t, leave_out="in_order")
    assert answer["pairs"] == said.python and 0 < len(said.python) <= 10
    for pair in answer["pairs"]:
        first, second = (ran[pair[side]["at"]["slice"]] for side in ("first", "second"))
        for side, row in (("first", first), ("second", second)):
            assert (pair[side]["name"], pair[side]["begin_ns"], pair[side]["end_ns"]) == (row["name"], row["start_ns"], end(row))
        assert end(first) <= second["start_ns"], "one ran after the other"
        assert pair["overlap_ns"] == min(first["duration_ns"], second["duration_ns"]) <= pair["gain_ns"]
        known: Set[int] = set()
        waiting = [second["node"]]
        while waiting:
            waiting += needed[waiting.pop()] - known
            known.update(waiting)
        assert first["node"] not in known, "the second does not need the first"


def memory(t: syclscope.Trace, said: Said) -> None:
    kinds, left = said.answers
    allocations = rows(t, "allocations")
    assert {row["kind"] for row in kinds} == {row["kind"] for row in allocations}
    for row in kinds:
        own = [one for one in allocations if one["kind"] == row["kind"]]
        live = [
            (sum(one["size_bytes"] for one in own if one["at_ns"] <= at_ns < (one["released_ns"] or t.duration_ns)), -at_ns)
            for at_ns in (one["at_ns"] for one in own)
        ]
        peak_bytes, at_ns = max(live)
        assert (row["peak_bytes"], row["peak_at_ns"]) == (peak_bytes, -at_ns)
        assert (row["count"], row["total_bytes"]) == (len(own), sum(one["size_bytes"] for one in own))
        _, peak, at, count, _ = cells(line_of(said.texts[0], rf"^{row['kind']} "))
        assert shows(peak, peak_bytes) and shows(at, -at_ns) and int(count) == len(own)
    [unreleased] = [row for row in allocations if row["released_ns"] is None]
    assert unreleased["size_bytes"] == 1_024
    for [place], live in ((left, left[0]), (said.python, said.python[0]["live"])):
        assert (live["bytes"], live["count"]) == (1_024, 1)
        assert (place["location"]["file"], place["location"]["line"]) == (unreleased["file"], unreleased["line"])
    line = line_of(said.texts[1], f"{Path(unreleased['file']).name}:{unreleased['line']}$")
    assert shows(line, 1_024)


TRUTH: Dict[str, Callable[[syclscope.Trace, Said], None]] = {
    "There are big gaps": gaps,
    "How long is an iteration": iterations,
    "Which kernels were compiled": builds,
    "Where does the time before": start_up,
    "What decided": critical_path,
    "What would a faster kernel": what_if,
    "Did my change help": change,
    "Which lines": lines,
    "Why do my kernels": overlap,
    "Who holds the memory": memory,
}


def output(command: str, folder: Path) -> str:
    """Returns the output of a command of the document, which must not fail or complain."""
    program, arguments = command.split(" ", 1)
    assert program == "syclscope"
    line = f"{syclscope.find_program()} {arguments}"
    done = subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout


@pytest.mark.parametrize("heading,text", SECTIONS, ids=[heading for heading, _ in SECTIONS])
def test_a_question_is_answered(heading: str, text: str, heat: syclscope.Trace, tmp_path: Path) -> None:
    [truth] = [truth for start, truth in TRUTH.items() if heading.startswith(start)]
    for name in ("run.pftrace", "after.pftrace"):
        shutil.copy(TRACES / "heat.pftrace.gz", tmp_path / name)
    commands = [command for command in blocks(text, "sh") if not command.startswith("syclscope record ")]
    said = Said()
    for command in commands:
        said.texts.append(output(command, tmp_path))
        is_json = command.startswith("syclscope ask ")
        said.answers.append(json.loads(said.texts[-1] if is_json else output(f"{command} --format json", tmp_path)))
    [call] = blocks(text, "python")
    said.python = eval(call, {"t": heat, "u": syclscope.open(tmp_path / "after.pftrace")})
    assert "Page: " in text and commands
    truth(heat, said)


def test_there_are_ten_questions() -> None:
    assert len(SECTIONS) == len(TRUTH) == 10
