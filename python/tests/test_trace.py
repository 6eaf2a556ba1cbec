"""A trace's file, summary and tables, and what is said where something is missing."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, Callable

import polars
import pyarrow
import pyarrow.parquet
import pytest

import syclscope
from conftest import ROOT, TRACES
from syclscope.tables import NAMES


def test_tables_are_those_of_the_program(heat: syclscope.Trace, tmp_path: Path) -> None:
    program = syclscope.find_program()
    subprocess.run([program, "convert", "-q", heat.path, "--to", "parquet", "-o", tmp_path / "t"], check=True)
    assert {file.stem for file in (tmp_path / "t").iterdir()} == set(NAMES)
    documented = [line[3:].strip() for line in (ROOT / "docs/TABLES.md").read_text().splitlines() if line.startswith("## ")]
    assert documented == list(NAMES)
    for name in NAMES:
        expected = pyarrow.parquet.read_table(tmp_path / f"t/{name}.parquet")
        assert getattr(heat, name).to_arrow().equals(expected), name
    assert set(NAMES) <= set(dir(heat))


def test_tables_are_arrow_for_pandas_polars_and_others(heat: syclscope.Trace) -> None:
    executions = heat.executions
    rows = len(executions)
    assert rows == heat.info["counts"]["executions"] > 300
    assert len(executions.to_pandas()) == rows
    assert executions.to_polars().height == rows
    assert polars.DataFrame(executions).height == rows
    assert pyarrow.table(executions).num_rows == rows
    assert executions.to_arrow(columns=["name"]).column_names == ["name"]
    assert "duration_ns" in executions.column_names
    with pytest.raises(AttributeError, match="tables are tracks"):
        heat.nothing
    with pytest.raises(KeyError):
        heat.tables["nothing"]


def test_tables_go_with_their_trace() -> None:
    trace = syclscope.open(TRACES / "heat.pftrace.gz")
    folder = trace.tables.folder
    assert folder.is_dir()
    del trace
    assert not folder.exists()


def test_the_summary_is_the_programs(heat: syclscope.Trace) -> None:
    program = syclscope.find_program()

    def printed(*arguments: str) -> str:
        return subprocess.run([program, "summary", *arguments, heat.path], check=True, capture_output=True, text=True).stdout

    assert str(heat.summary()) == printed()
    assert heat.summary("waits", top=1).text == printed("--section", "waits", "--top", "1")
    assert heat.summary(start="250ms", end="260ms", where="category:kernel").data == json.loads(
        printed("--json", "--from", "250ms", "--to", "260ms", "--where", "category:kernel")
    )
    assert heat.summary("kernels", iterations="20-60").text == printed("--section", "kernels", "--iterations", "20-60")
    assert heat.summary().markdown == printed("--format", "markdown")
    assert heat.summary(iterations="20-60").markdown == printed("--format", "markdown", "--iterations", "20-60")
    with pytest.raises(syclscope.SyclscopeError, match="without a section"):
        heat.summary("waits").markdown


def test_findings_name_what_is_wrong() -> None:
    trace = syclscope.open(TRACES / "dpnp.pftrace.gz")
    assert trace.findings() == trace.report()["findings"]
    # Arrays of 2 MiB are allocated and released in each round; only the warm-up builds.
    kinds = [finding["kind"] for finding in trace.findings()]
    assert kinds == ["repeated_allocations", "build_inside_run"]
    first, second = trace.findings()
    assert first["iterations"] and first["iterations"]["count"] <= first["count"] and second["iterations"] is None
    assert [finding["kind"] for finding in trace.findings(limit=1)] == kinds[:1]
    assert trace.findings(start=0, end=1) == []


def test_two_traces_are_compared() -> None:
    before, after = (syclscope.open(TRACES / f"sub_buffers-{which}.pftrace.gz") for which in ("bad", "good"))
    comparison = before.compare(after)
    for side, trace in (("a", before), ("b", after)):
        assert comparison[side]["runs"] == 1 and comparison["duration"][f"{side}_ns"] == trace.duration_ns
    assert comparison["matched"] > 10 and comparison["rows"][0]["a"]["name"] == "grow_buffer"


def test_a_part_of_two_traces_is_compared(heat: syclscope.Trace) -> None:
    comparison = heat.compare(heat, iterations="20-60")
    rounds = heat.iterations(limit=1000)["iterations"][19:60]
    length_ns = rounds[-1]["to_ns"] - rounds[0]["from_ns"]
    assert [comparison["duration"][side] for side in ("a_ns", "b_ns")] == [length_ns, length_ns]
    assert comparison["part"]
    with pytest.raises(syclscope.ProgramFailed, match="240"):
        heat.compare(heat, iterations=241)


def test_a_trace_is_converted(heat: syclscope.Trace, tmp_path: Path) -> None:
    file = heat.convert(tmp_path / "heat.json")
    assert syclscope.open(file).info["counts"] == heat.info["counts"]
    with pytest.raises(syclscope.ProgramFailed, match="heat.json exists: choose another file, or pass force=True to overwrite it$"):
        heat.convert(file)
    heat.convert(file, force=True)


@pytest.mark.parametrize(
    "ask,text",
    [
        (lambda t, folder: t.ask("bogus"), "no query `bogus`"),
        (lambda t, folder: t.ask("select?bogus=1"), r"no parameter `bogus` \(it has from, "),
        (lambda t, folder: t.select(start="soon"), "invalid `start`: soon"),
        (lambda t, folder: t.gaps(end="soon"), "invalid `end`: soon"),
        (lambda t, folder: t.gaps(iterations="7-5"), "^invalid `iterations`: 7-5"),
        (lambda t, folder: t.gaps(iterations=5, start=1), "times, or by `iterations` and `region`, and not by both"),
        (lambda t, folder: t.graph(level="nothing"), "invalid `level`: nothing"),
        (lambda t, folder: t.summary("kernel").text, r"^invalid section 'kernel': it is one of slices, .*; did you mean 'kernels'\?$"),
        (lambda t, folder: t.summary(start="soon").text, "^invalid start 'soon': expected a number"),
        (lambda t, folder: t.summary(end=-5).text, "^invalid end '-5': expected a number"),
        (lambda t, folder: t.summary(iterations="x").text, "^invalid iterations 'x': expected the number of an iteration"),
        (lambda t, folder: t.summary(region="nothing").text, "^no region of the trace is named 'nothing'; `regions` lists them$"),
        (lambda t, folder: t.summary(start=3, iterations=1, region="a").text, "^start can't be given together with iterations and region$"),
        (lambda t, folder: t.compare(t, iterations=1, end=5), "^end can't be given together with iterations$"),
        (lambda t, folder: t.summary(top=-1).text, "^invalid top '-1': it is a whole number, and not negative$"),
        (lambda t, folder: t.summary(where="x:").data, "^invalid where 'x:': no field `x`"),
        (lambda t, folder: t.summary("problems", start=1).text, "leave out start, end, iterations, region and where"),
        (lambda t, folder: t.convert(folder / "x.bin"), "or choose one with to=perfetto, json, fxprof or parquet$"),
        (lambda t, folder: t.convert(folder / "x", "parket"), "^invalid to 'parket': it is one of .*; did you mean 'parquet'"),
        (lambda t, folder: t.convert(folder, "json"), "is a folder: name a file$"),
        (lambda t, folder: t.convert(folder, "parquet"), "is not empty: choose another folder, or pass force=True to overwrite its tables$"),
    ],
)
def test_errors_speak_of_python(heat: syclscope.Trace, tmp_path: Path, ask: Callable[[Any, Path], Any], text: str) -> None:
    (tmp_path / "mine").touch()
    with pytest.raises(syclscope.ProgramFailed, match=text) as raised:
        ask(heat, tmp_path)
    assert not re.search(r"(^|\s)--?\w", str(raised.value)), raised.value


def test_parameters_that_no_question_has_are_refused(heat: syclscope.Trace) -> None:
    anything: Any = heat
    for ask in (lambda: anything.select(bogus=1), lambda: anything.report(1), lambda: anything.summary(bogus=1), lambda: anything.kernel()):
        with pytest.raises(TypeError):
            ask()


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match="no trace at"):
        syclscope.open(tmp_path / "none.pftrace")
    (tmp_path / "bad.pftrace").write_text("no trace")
    with pytest.raises(syclscope.ProgramFailed, match='bad.pftrace: the file is no trace but a text that starts with "no trace"') as failed:
        syclscope.open(tmp_path / "bad.pftrace")
    assert failed.value.status == 1
    with pytest.raises(IsADirectoryError, match="is a folder: open a trace in it"):
        syclscope.open(tmp_path)
    (tmp_path / "empty.pftrace").touch()
    with pytest.raises(syclscope.ProgramFailed, match="empty"):
        syclscope.open(tmp_path / "empty.pftrace")
    old = tmp_path / "old"
    old.write_text("#!/bin/sh\ntest $1 = --version && echo syclscope 0.0.1 && exit\necho \"error: unrecognized subcommand '$1'\" >&2; exit 2\n")
    old.chmod(0o755)
    monkeypatch.setenv("SYCLSCOPE_PROGRAM", str(old))
    with pytest.raises(syclscope.NotSupported, match=r"0\.0\.1.*has no command `ask`"):
        syclscope.open(TRACES / "heat.pftrace.gz").report()
    monkeypatch.setenv("SYCLSCOPE_PROGRAM", str(tmp_path / "nowhere"))
    with pytest.raises(syclscope.ProgramMissing, match="SYCLSCOPE_PROGRAM names"):
        syclscope.version()
    monkeypatch.delenv("SYCLSCOPE_PROGRAM")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(syclscope.ProgramMissing, match=r"cargo xtask wheel.*target/wheels/syclscope-\*\.whl"):
        syclscope.version()
