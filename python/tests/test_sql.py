"""SQL over a trace: views agree with the program's own answers, and every recipe of docs/PYTHON.md runs."""

import importlib.util
import json
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest

import syclscope
from conftest import ROOT, TRACES


def test_tables_and_views_answer(heat: syclscope.Trace) -> None:
    assert heat.sql("SELECT count(*) FROM executions").fetchall() == [(heat.info["counts"]["executions"],)]
    for view in syclscope.VIEWS:
        heat.sql(f"FROM {view}").fetchall()


def test_rows_are_there_after_the_trace_is_gone() -> None:
    rows = syclscope.open(TRACES / "heat.pftrace.gz").sql("SELECT count(*) FROM executions").fetchall()
    assert rows[0][0] > 0


def test_threads_share_a_trace() -> None:
    trace = syclscope.open(TRACES / "heat.pftrace.gz")

    def count(_: int) -> object:
        return trace.sql("SELECT count(*) FROM executions").fetchall()

    with ThreadPoolExecutor(8) as threads:
        counts = list(threads.map(count, range(16)))
    assert counts == [[(trace.info["counts"]["executions"],)]] * 16


def test_statements_without_rows_are_run(tmp_path: Path) -> None:
    trace = syclscope.open(TRACES / "heat.pftrace.gz")
    file = tmp_path / "names.csv"
    trace.sql(f"COPY (SELECT DISTINCT name FROM executions) TO '{file}'")
    assert "name" in file.read_text().splitlines()[0]
    trace.sql("CREATE TABLE own AS SELECT slice FROM executions")
    assert trace.sql("SELECT count(*) FROM own JOIN executions USING (slice)").fetchall() == [(trace.info["counts"]["executions"],)]


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
    # The view contains the runtime's own waits; the summary also host accessors, copies that block and calls that wait.
    common = [(reported[name, line], total_ns) for name, _, line, total_ns in rows if (name, line) in reported]
    assert len(common) >= 4 and all(expected == total_ns for expected, total_ns in common)


def test_device_time_by_line_is_that_of_the_files(heat: syclscope.Trace) -> None:
    path = heat.files()[0]["path"]
    by_line = dict(heat.sql(f"SELECT line, sum(covered_ns)::BIGINT FROM device_time_by_line WHERE file = '{path}' GROUP BY line").fetchall())
    costs = {line["line"]: line["device_ns"] for line in heat.lines(path)["lines"] if line["device_ns"]}
    assert costs.items() <= by_line.items()


def rank(number: int, host: str, region: str) -> str:
    """A recording of a kernel that thread 100 submits within a region."""
    process = {"format": 1, "pid": 100, "process_name": "app", "host": host, "start_unix_ns": 1, "start_monotonic_ns": 1, "recorder": "syclscope 0.1.0", "rank": number}
    queue = {"queue": 1, "handle": "0x55", "order": "in_order", "device": "GPU", "device_type": "GPU", "device_handle": "0x66", "context": "0x77"}
    events = [
        ("i", "sycl.recording", "recording", 1, 0, process),
        ("M", "", "sycl.track", 100, 0, {"track": 2, "kind": "thread", "name": "app", "tid": 100}),
        ("i", "sycl.queue", "queue created", 1, 1, queue),
        ("B", "user", region, 100, 5, {}),
        ("i", "sycl.node", "gemm", 1, 10, {"node": 1, "kind": "kernel", "tid": 100, "queue": 1}),
        ("X", "sycl.execution,kernel", "gemm", 7, 20, {"node": 1, "queue": 1, "kind": "kernel"}),
        ("E", "", "", 100, 30, {}),
        ("i", "sycl.finish", "recording finished", 1, 40, {}),
    ]
    keys = ("ph", "cat", "name", "tid", "ts", "args")
    return json.dumps([{**dict(zip(keys, event)), "pid": 100, "dur": 5} for event in events])


def test_regions_hold_the_work_of_their_own_process(tmp_path: Path) -> None:
    # Two containers give their threads the same numbers.
    for number, region in enumerate(["solve", "other"]):
        (tmp_path / f"{number}.json").write_text(rank(number, f"host{number}", region))
    files = [str(tmp_path / f"{number}.json") for number in (0, 1)]
    merged = tmp_path / "merged.pftrace"
    subprocess.run([syclscope.find_program(), "merge", *files, "-o", merged], check=True, capture_output=True)
    trace = syclscope.open(merged)
    rows = trace.sql("SELECT name, regions, executions, device_ns FROM region_device_time ORDER BY name").fetchall()
    assert rows == [("other", 1, 1, 5000), ("solve", 1, 1, 5000)]


def test_a_command_in_pieces_counts_once(tmp_path: Path) -> None:
    # An execution of a command graph, and the two kernels in it on a stream of the device.
    process = {"format": 1, "pid": 100, "process_name": "app", "start_unix_ns": 1, "start_monotonic_ns": 1, "recorder": "syclscope 0.1.0"}
    queue = {"queue": 1, "handle": "0x55", "order": "in_order", "device": "GPU", "device_type": "GPU", "device_handle": "0x66", "context": "0x77"}
    node = {"node": 1}
    events = [
        ("i", "sycl.recording", "recording", 1, 0, process),
        ("M", "", "sycl.track", 100, 0, {"track": 2, "kind": "thread", "name": "app", "tid": 100}),
        ("M", "", "sycl.track", 70, 0, {"track": 3, "kind": "other", "name": "stream 7 · GPU", "tid": 0}),
        ("i", "sycl.queue", "queue created", 1, 1, queue),
        ("B", "user", "solve", 100, 5, {}),
        ("i", "sycl.node", "command graph", 1, 6, {**node, "kind": "command_graph", "tid": 100, "queue": 1}),
        ("B", "submission", "command graph", 100, 7, node),
        ("E", "", "", 100, 9, {}),
        ("X", "sycl.execution,command", "command graph", 7, 20, {**node, "queue": 1, "kind": "command_graph"}),
        ("B", "kernel", "gemm", 70, 20, node),
        ("E", "", "", 70, 24, {}),
        ("B", "kernel", "gemm", 70, 25, node),
        ("E", "", "", 70, 30, {}),
        ("E", "", "", 100, 35, {}),
        ("i", "sycl.finish", "recording finished", 1, 40, {}),
    ]
    keys = ("ph", "cat", "name", "tid", "ts", "args")
    file = tmp_path / "run.json"
    file.write_text(json.dumps([{**dict(zip(keys, event)), "pid": 100, "dur": 10} for event in events]))
    trace = syclscope.open(file)
    assert trace.sql("SELECT count(*) FROM executions").fetchall() == [(3,)]
    assert trace.sql("SELECT name, runs, total_ns FROM kernel_times").fetchall() == [("gemm", 2, 9000)]
    assert [(row["name"], row["count"], row["total_ns"]) for row in trace.report()["commands"]] == [("gemm", 2, 9000)]
    assert trace.sql("SELECT name, queueing_ns FROM queueing").fetchall() == [("command graph", 11000)]
    assert trace.sql("SELECT runs, total_ns, covered_ns FROM device_time_by_line").fetchall() == [(2, 9000, 9000)]
    rows = trace.sql("SELECT name, executions, device_ns FROM region_device_time").fetchall()
    assert rows == [("solve", 2, 9000)]


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


def test_tables_of_many_traces_are_found_in_any_case() -> None:
    tables, views = script().needed(["SELECT * FROM Executions", "SELECT name FROM QUEUEING"])
    assert {"executions", "nodes", "slices"} == set(tables) and list(views) == ["queueing"]


def test_views_are_of_the_sql_that_spark_knows_too() -> None:
    # Spark supports these views: DuckDB's own syntax must not be used in them.
    for view, query in syclscope.views("trace").items():
        for own in (r"::", r"quantile_", r"\barg_max\b", r"FILTER \((?!WHERE)", r"\bQUALIFY\b", r"^\s*FROM"):
            assert not re.search(own, query), (view, own)
