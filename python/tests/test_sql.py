"""SQL over a trace: views agree with the program's own answers, and every recipe of docs/PYTHON.md runs."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

import syclscope
from conftest import ROOT, TRACES


def test_tables_and_views_answer(heat: syclscope.Trace) -> None:
    assert heat.sql("SELECT count(*) FROM executions").fetchall() == [(heat.info["counts"]["executions"],)]
    for view in syclscope.VIEWS:
        heat.sql(f"FROM {view}").fetchall()


def test_kernel_times_are_those_of_the_summary(heat: syclscope.Trace) -> None:
    rows = heat.sql("SELECT name, kind, runs, total_ns, min_ns, p50_ns, p95_ns, max_ns FROM kernel_times").fetchall()
    fields = ("name", "kind", "count", "total_ns", "min_ns", "p50_ns", "p95_ns", "max_ns")
    assert set(rows) == {tuple(row[field] for field in fields) for row in heat.report()["commands"]}


@pytest.mark.parametrize(
    "query",
    [
        "SELECT name, count(*), CAST(sum(duration_ns) AS BIGINT) FROM executions GROUP BY name ORDER BY name",
        "SELECT q.number, count(*) FROM executions e JOIN queues q ON q.queue = e.queue GROUP BY q.number ORDER BY q.number",
        "SELECT reason, count(*) FROM edges GROUP BY reason ORDER BY reason",
        "SELECT slice, start_ns - lag(start_ns) OVER (ORDER BY start_ns, slice) AS since FROM executions ORDER BY slice",
        "SELECT * FROM tracks ORDER BY track",
    ],
)
def test_the_programs_own_database_answers_as_duckdb_does(query: str, heat: syclscope.Trace) -> None:
    answer = heat.sql_rows(query)
    assert [tuple(row) for row in answer["rows"]] == heat.sql(query).fetchall() and not answer["is_cut"]


def test_queueing_is_that_of_the_summary(heat: syclscope.Trace) -> None:
    means = dict(heat.sql("SELECT name, avg(queueing_ns)::BIGINT FROM queueing GROUP BY name").fetchall())
    for row in heat.report()["commands"]:
        expected = row["mean_queueing_delay_ns"]
        assert expected is None or abs(means[row["name"]] - expected) <= 1, row["name"]


def test_waits_count_once(heat: syclscope.Trace) -> None:
    rows = heat.sql("SELECT name, file, line, total_ns FROM waits_by_line").fetchall()
    reported = {(wait["name"], (wait["location"] or {}).get("line", 0)): wait["total_ns"] for wait in heat.report()["waits"]}
    # The view has what the runtime calls a wait; the summary also host accessors, copies that block and calls that
    # wait.
    common = [(reported[name, line], total_ns) for name, _, line, total_ns in rows if (name, line) in reported]
    assert len(common) >= 4 and all(expected == total_ns for expected, total_ns in common)


def test_device_time_by_line_is_that_of_the_files(heat: syclscope.Trace) -> None:
    path = heat.files()[0]["path"]
    by_line = dict(heat.sql(f"SELECT line, sum(covered_ns)::BIGINT FROM device_time_by_line WHERE file = '{path}' GROUP BY line").fetchall())
    costs = {line["line"]: line["device_ns"] for line in heat.lines(path)["lines"] if line["device_ns"]}
    assert costs.items() <= by_line.items()


def recipes() -> "list[str]":
    return re.findall(r"```sql\n(.*?)```", (ROOT / "docs/PYTHON.md").read_text(), re.S)


@pytest.mark.parametrize("recipe", recipes())
def test_recipes_run(recipe: str, heat: syclscope.Trace) -> None:
    assert heat.sql(recipe).columns


def test_traces_are_joined_by_duckdb() -> None:
    bad, good = (syclscope.open(TRACES / f"sub_buffers-{which}.pftrace.gz") for which in ("bad", "good"))
    before, after = bad.executions.to_arrow(), good.executions.to_arrow()  # noqa: F841
    import duckdb

    rows = duckdb.sql("SELECT name, count(*) FROM before JOIN after USING (name) GROUP BY name").fetchall()
    assert rows


def script() -> ModuleType:
    """The script for many traces."""
    place = importlib.util.spec_from_file_location("many", ROOT / "examples/sql/many.py")
    assert place is not None and place.loader is not None
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


def test_views_of_many_traces_keep_them_apart(tmp_path: Path, capsys: "pytest.CaptureFixture[str]") -> None:
    # Numbers of rows begin anew in each trace, and a name may be a number.
    traces = {"7": syclscope.open(TRACES / "heat.pftrace.gz"), "heat-slow": syclscope.open(TRACES / "heat-slow.pftrace.gz")}
    for name, trace in traces.items():
        trace.convert(tmp_path / f"tables/trace={name}", to="parquet")
    many, apart, packed = script(), f"{tmp_path}/tables/trace=*", tmp_path / "packed"
    packed.mkdir()
    tables = many.needed(syclscope.VIEWS)[0]
    many.main("duckdb", apart, *(f"COPY (FROM {table}) TO '{packed}/{table}.parquet'" for table in tables))
    for view in syclscope.VIEWS:
        query = f"SELECT * FROM {view}"
        expected = sorted(
            "\t".join(map(str, [name, *row])) for name, trace in traces.items() for row in trace.sql(query).fetchall()
        )
        # Programs without regions have none of these.
        assert expected or "region" in view, view
        for folders in (apart, str(packed)):
            capsys.readouterr()
            many.main("duckdb", folders, query)
            assert sorted(capsys.readouterr().out.splitlines()) == expected, view


def test_views_are_of_the_sql_that_spark_knows_too() -> None:
    # What was run on Spark: DuckDB's own words must not come back.
    for view, query in syclscope.views("trace").items():
        for own in (r"::", r"quantile_", r"\barg_max\b", r"FILTER \((?!WHERE)", r"\bQUALIFY\b", r"^\s*FROM"):
            assert not re.search(own, query), (view, own)
