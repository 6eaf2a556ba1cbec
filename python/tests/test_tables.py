"""Tables as people who know pandas and polars use them."""

import json
import re
import sys
from pathlib import Path
from typing import Any, Callable, List

import numpy
import pandas
import polars
import pyarrow
import pytest

import syclscope
from conftest import TRACES
from syclscope import program, tables
from syclscope.printing import as_html, as_text

Trace = syclscope.Trace


def test_columns_are_taken_by_name(heat: Trace) -> None:
    executions = heat.executions
    expected = executions.to_pandas()
    column = executions["duration_ns"]
    assert isinstance(column, pyarrow.ChunkedArray)
    assert numpy.asarray(column).sum() == pandas.Series(column).sum() == polars.Series(column).sum() == expected["duration_ns"].sum()
    part = executions[["name", "duration_ns"]]
    assert part.columns == part.column_names == ["name", "duration_ns"] and part.shape == (len(expected), 2)
    assert part.to_pandas().equals(expected[["name", "duration_ns"]])
    assert executions[["duration_ns", "name"]].to_arrow().column_names == ["duration_ns", "name"]
    assert polars.DataFrame(part).columns == ["name", "duration_ns"]
    assert list(executions) == executions.columns == list(expected) and executions.shape == expected.shape
    assert "name" in executions and "nothing" not in executions and len(executions) == len(expected)


def test_columns_are_chosen_where_a_table_is_converted(heat: Trace) -> None:
    executions, names = heat.executions, ["name", "slice"]
    assert list(executions.to_pandas(columns=names)) == names
    assert executions.to_polars(columns=names).columns == names
    assert executions.to_arrow(columns=names).column_names == names
    whole = executions.to_arrow()
    assert executions.to_arrow(names).equals(whole.select(names)), "read already"
    assert heat.executions.to_pandas("name", strings_to_categorical=True)["name"].dtype == "category"


def test_rows_are_the_first_and_the_last(heat: Trace) -> None:
    executions = heat.executions
    expected = executions.to_pandas()
    for n in (0, 1, 5, len(expected), len(expected) + 7, -1, -len(expected), -len(expected) - 1):
        for part, rows in [(executions.head(n), expected.head(n)), (executions.tail(n), expected.tail(n))]:
            assert len(part) == len(rows), n
            assert part.to_pandas()["slice"].tolist() == rows["slice"].tolist(), n
            assert part.to_polars()["slice"].to_list() == rows["slice"].to_list(), n
    assert len(executions.head()) == len(executions.tail()) == 5
    assert executions[10:20].tail(3)["slice"].to_pylist() == expected["slice"][17:20].tolist()
    assert executions.tail(4)[["slice"]].head(1)["slice"].to_pylist() == [expected["slice"].iloc[-4]]


def test_rows_of_several_groups_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.parquet

    file = tmp_path / "nodes.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"node": range(100)}), file, row_group_size=7)
    for few in (0, 20, 4096):
        monkeypatch.setattr(tables, "_FEW", few)
        files = tables.Files(tmp_path / "none")
        files._written["nodes"] = file
        table = tables.Table("nodes", files)
        for start, stop in [(0, 3), (0, 7), (3, 9), (6, 8), (13, 14), (14, 100), (99, 100), (50, 50), (100, 100), (0, 100)]:
            assert table[start:stop]["node"].to_pylist() == list(range(start, stop)), (few, start, stop)


@pytest.mark.parametrize(
    "ask,error,text",
    [
        (lambda t: t.executions["duraton_ns"], KeyError, r"no column 'duraton_ns'; did you mean 'duration_ns'\? Its columns are slice, track, "),
        (lambda t: t.executions[["name", "x" * 9]], KeyError, r"no column 'xxxxxxxxx'; its columns are slice, "),
        (lambda t: t.executions.to_pandas(columns=["nam"]), KeyError, r"did you mean 'name'\?"),
        (lambda t: t.executions.to_polars(columns=["nam"]), KeyError, r"did you mean 'name'\?"),
        (lambda t: t.executions.to_arrow("nam"), KeyError, r"did you mean 'name'\?"),
        (lambda t: t.tables["node"], KeyError, r"no table 'node'; did you mean 'nodes'\? Its tables are tracks, "),
        (lambda t: t.tables.write(["node"]), syclscope.SyclscopeError, r"did you mean 'nodes'\?"),
        (lambda t: t.exections, AttributeError, r"no attribute 'exections'; did you mean 'executions'\? Its tables are tracks, "),
        (lambda t: t.critcal_path(), AttributeError, r"did you mean 'critical_path'\?"),
        (lambda t: t.executions.to_panda(), AttributeError, r"no attribute 'to_panda'; did you mean 'to_pandas'\?"),
        (lambda t: t.executions.duration_ns, AttributeError, r"its column is \['duration_ns'\]"),
        (lambda t: t.executions[5], TypeError, "a slice of rows"),
        (lambda t: t.executions[t.executions["slice"]], TypeError, r"to filter rows use \.to_pandas\(\)"),
        (lambda t: pandas.DataFrame(t.executions), TypeError, r"use \.to_pandas\(\)"),
    ],
)
def test_unknown_names_are_refused_with_those_that_exist(heat: Trace, ask: Callable[[Any], Any], error: Any, text: str) -> None:
    with pytest.raises(error, match=text) as raised:
        ask(heat)
    assert not str(raised.value).startswith(("'", '"')), "KeyError quotes its text"


def test_a_table_prints_its_first_rows(heat: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = len(heat.executions)
    monkeypatch.setenv("COLUMNS", "70")
    lines = repr(heat.executions).splitlines()
    assert lines[0] == f"executions: {rows} rows × 13 columns"
    assert lines[1].split()[:2] == ["slice", "track"] and "…" in lines[1]
    assert lines[12].lstrip().startswith("…") and "more columns: " in lines[13]
    assert max(map(len, lines)) <= 70
    monkeypatch.setenv("COLUMNS", "300")
    assert "more column" not in repr(heat.executions)
    assert repr(heat.executions[["name"]].head(1)) == "executions: 1 row × 1 column\nname\ncopy ptr to acc"
    assert repr(heat.executions.head(0)[["name", "slice"]]) == "executions: 0 rows × 2 columns\nname  slice"
    html = heat.executions._repr_html_()
    assert html is not None and html.count("<tr>") == 12 and "<th>duration_ns</th>" in html


def test_text_of_a_trace_controls_neither_a_terminal_nor_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "<img src=x onerror=alert(1)>\x1b]0;own\x07\u202e&"
    events = [{"ph": "X", "pid": 1, "tid": 2, "ts": 1, "dur": 2, "name": name, "args": {"<b>": name}}]
    file = tmp_path / "hostile.json"
    file.write_text(json.dumps({"traceEvents": events}))
    table = syclscope.open(file).slices
    monkeypatch.setenv("COLUMNS", "400")
    for shown in (repr(table), table._repr_html_()):
        assert shown is not None and r"\x1b]0;own" in shown and not re.search("[\x1b\x07\u202e]", shown)
    assert "<img" not in (table._repr_html_() or "") and "<b>" not in (table._repr_html_() or "")


def test_columns_are_aligned_whatever_the_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    text = as_text("x", ["name", "n"], [["カーネル", "a", None], [1, None, 22]], 3)
    assert text.splitlines() == ["x", "name         n", "カーネル     1", "a         null", "null        22"]
    # Vowels above a consonant take no column.
    text = as_text("x", ["name", "n"], [["ที่นี่", "abcd"], [1, 2]], 2)
    assert text.splitlines() == ["x", "name  n", "ที่นี่    1", "abcd  2"]
    assert as_text("x", ["a" * 30, "bbbb"], [["c"], ["d"]], 1).splitlines()[1] == "a" * 16 + "…  …"
    assert as_text("nothing", [], [], 0) == "nothing" and "<tr></tr>" in as_html("nothing", [], [], 0)


def test_only_what_is_asked_for_is_written() -> None:
    trace = syclscope.open(TRACES / "heat.pftrace.gz")
    table = trace.executions
    assert trace.tables._files._folder is None and "executions" in trace.tables, "nothing is read yet"
    folder = table.path.parent
    written: Callable[[], List[str]] = lambda: sorted(file.stem for file in folder.iterdir())
    assert written() == ["executions"]
    trace.sql("SELECT count(*) FROM queueing").fetchall()
    assert written() == ["executions", "nodes", "slices"]
    assert trace.sql('SELECT count(*) FROM "Queues"').fetchall() and "queues" in written()
    listed = {row[0] for row in trace.sql("SHOW TABLES").fetchall()}
    assert listed == {*tables.NAMES, *syclscope.VIEWS} and set(written()) == set(tables.NAMES)


def test_a_table_outlives_its_trace_and_its_file_goes_with_it() -> None:
    trace = syclscope.open(TRACES / "heat.pftrace.gz")
    table, late = trace.executions, trace.nodes
    trace.report()
    process = trace._worker._process
    del trace
    assert process is not None and process.poll() is not None, "the process is the trace's own"
    assert len(late) > 300
    del late
    rows, folder = table.to_arrow().num_rows, table.path.parent
    assert rows > 300 and folder.is_dir()
    del table
    assert not folder.exists()


def test_one_process_writes_tables_and_answers_questions() -> None:
    trace = syclscope.open(TRACES / "heat.pftrace.gz")
    files = trace.tables.write(["nodes", "edges"])
    assert list(files) == ["nodes", "edges"] and all(file.is_file() for file in files.values())
    process = trace._worker._process
    assert process is not None
    trace.report()
    assert len(trace.executions) and len(list(trace.tables.folder.iterdir())) == len(tables.NAMES)
    assert trace._worker._process is process
    written = files["nodes"].stat().st_mtime_ns
    assert trace.tables.write(["nodes"]) == {"nodes": files["nodes"]} and files["nodes"].stat().st_mtime_ns == written


def test_tables_need_no_pyarrow_where_polars_reads_them(heat: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    table = syclscope.open(heat.path).executions
    assert table.to_polars(columns=["name"]).columns == ["name"] and table.path.is_file()
    assert repr(syclscope.open(heat.path).executions).startswith("<table executions of a trace: ")
    with pytest.raises(syclscope.PackageMissing, match="pip install pyarrow"):
        syclscope.open(heat.path).executions.to_arrow()


def test_the_program_lists_the_tables(heat: Trace, tmp_path: Path) -> None:
    with pytest.raises(syclscope.ProgramFailed, match=f"it is one of {', '.join(tables.NAMES)}"):
        program.run(["convert", heat.path, "--to", "parquet", "--tables", "bogus", "-o", tmp_path / "t"])
    assert not (tmp_path / "t").exists()
