"""docs/QUESTIONS.md on a recording whose truth is known: its commands run, and their answers and Python's are right."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Callable, Dict, List

import pytest
import syclscope
from conftest import ROOT, TRACES

SECTIONS = re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", (ROOT / "docs/QUESTIONS.md").read_text(), re.S | re.M)


def blocks(text: str, language: str) -> List[str]:
    """Lines of the blocks in a language."""
    return [line for block in re.findall(rf"^```{language}\n(.*?)^```", text, re.S | re.M) for line in block.splitlines()]


def executions(t: syclscope.Trace) -> List[dict]:  # type: ignore[type-arg]
    rows: List[dict] = t.executions.to_arrow().to_pylist()  # type: ignore[type-arg]
    return rows


def gaps(t: syclscope.Trace) -> None:
    busy, end, idle = 0, 0, 0
    for row in sorted(executions(t), key=lambda row: int(row["start_ns"])):
        start, stop = row["start_ns"], row["start_ns"] + row["duration_ns"]
        idle += max(start - end, 0)
        busy, end = busy + max(stop - max(start, end), 0), max(end, stop)
    assert t.gaps()["idle_ns"] == t.duration_ns - busy == idle + t.duration_ns - end


def iterations(t: syclscope.Trace) -> None:
    # The program makes 60 steps of four bands with USM.
    assert t.iterations()["count"] == 240


def builds(t: syclscope.Trace) -> None:
    assert [build["kernels"] for build in t.builds()["builds"]] == [["diffuse", "change", "diffuse_band", "colour"]]


def start_up(t: syclscope.Trace) -> None:
    assert t.start_up()["to_ns"] == min(row["start_ns"] for row in executions(t))


def critical_path(t: syclscope.Trace) -> None:
    assert sum(step["duration_ns"] for step in t.critical_path()["steps"]) == t.duration_ns


def what_if(t: syclscope.Trace) -> None:
    kernels = sum(row["duration_ns"] for row in executions(t) if row["name"] == "diffuse")
    answer = t.what_if("diffuse", 2)
    assert answer["changed"] == 60
    assert abs(answer["device_ns"] - answer["changed_device_ns"] - kernels / 2) <= 60


def change(t: syclscope.Trace) -> None:
    duration = t.compare(t)["duration"]
    assert duration["a_ns"] == duration["b_ns"] == t.duration_ns and duration["verdict"] in ("same", "undecided")


def lines(t: syclscope.Trace) -> None:
    places = {row["node"]: row["file"] for row in t.nodes.to_arrow().to_pylist()}
    for file in t.files():
        own = [row["duration_ns"] for row in executions(t) if places.get(row["node"]) == file["path"]]
        assert file["device_ns"] <= sum(own), "what overlaps counts once"
        assert file["device_ns"] >= max(own, default=0)


def overlap(t: syclscope.Trace) -> None:
    pairs = t.serialised(limit=10)["pairs"]
    assert pairs
    for pair in pairs:
        assert pair["first"]["end_ns"] <= pair["second"]["begin_ns"]


def memory(t: syclscope.Trace) -> None:
    left = [row for row in t.allocations.to_arrow().to_pylist() if row["released_ns"] is None]
    assert sum(row["size_bytes"] for row in left) == t.leaks()["at_end"]["bytes"] == 1_024


TRUTH: Dict[str, Callable[[syclscope.Trace], None]] = {
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


@pytest.mark.parametrize("heading,text", SECTIONS, ids=[heading for heading, _ in SECTIONS])
def test_a_question_is_answered(heading: str, text: str, heat: syclscope.Trace, tmp_path: Path) -> None:
    assert "Page: " in text and blocks(text, "python")
    for name in ("run.pftrace", "after.pftrace"):
        shutil.copy(TRACES / "heat.pftrace.gz", tmp_path / name)
    commands = [command for command in blocks(text, "sh") if not command.startswith("syclscope record ")]
    assert commands
    for command in commands:
        program, arguments = command.split(" ", 1)
        assert program == "syclscope"
        line = f"{syclscope.find_program()} {arguments}"
        done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and done.stderr == "", done.stderr
        # The example has nothing to find fault with.
        assert done.stdout.strip() or "findings" in command, command
    [truth] = [truth for start, truth in TRUTH.items() if heading.startswith(start)]
    truth(heat)


def test_there_are_ten_questions() -> None:
    assert len(SECTIONS) == len(TRUTH) == 10
