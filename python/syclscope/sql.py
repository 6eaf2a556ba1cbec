"""SQL over the tables of a trace, by DuckDB in Python; docs/PYTHON.md has recipes."""

from typing import TYPE_CHECKING, Mapping

from .errors import PackageMissing
from .tables import Tables

if TYPE_CHECKING:
    import duckdb

#: Views beside the tables, for what people ask.
VIEWS: Mapping[str, str] = {
    "kernel_times": """
        SELECT name, kind, count(*) AS runs, sum(duration_ns)::BIGINT AS total_ns, min(duration_ns) AS min_ns,
               avg(duration_ns) AS mean_ns, quantile_disc(duration_ns, 0.5) AS p50_ns,
               quantile_disc(duration_ns, 0.95) AS p95_ns, max(duration_ns) AS max_ns
        FROM executions GROUP BY name, kind ORDER BY total_ns DESC
    """,
    "queueing": """
        SELECT e.slice, e.name, e.kind, e.queue, e.start_ns, e.duration_ns, s.start_ns + s.duration_ns AS submission_end_ns,
               greatest(e.start_ns - s.start_ns - s.duration_ns, 0) AS queueing_ns, n.file, n.line
        FROM executions e JOIN nodes n USING (node) JOIN slices s ON s.slice = n.submission
    """,
    # A wait within a wait counts for the outer one.
    "waits_by_line": """
        WITH waits AS (
            SELECT *, start_ns + duration_ns AS end_ns, max(start_ns + duration_ns) OVER (
                PARTITION BY track ORDER BY start_ns, lane ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS before_ns
            FROM slices WHERE category = 'wait'
        )
        SELECT name, file, line, function, count(*) AS waits, sum(duration_ns)::BIGINT AS total_ns, max(duration_ns) AS max_ns
        FROM waits WHERE before_ns IS NULL OR end_ns > before_ns GROUP BY name, file, line, function ORDER BY total_ns DESC
    """,
    # `total_ns` adds what overlaps, `covered_ns` counts it once.
    "device_time_by_line": """
        WITH runs AS (
            SELECT n.file, n.line, n.function, e.start_ns, e.duration_ns, e.start_ns + e.duration_ns AS end_ns,
                   max(e.start_ns + e.duration_ns) OVER (
                       PARTITION BY n.file, n.line, n.function ORDER BY e.start_ns
                       ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                   ) AS before_ns
            FROM executions e JOIN nodes n USING (node)
        )
        SELECT file, line, function, count(*) AS runs, sum(duration_ns)::BIGINT AS total_ns,
               sum(greatest(end_ns - greatest(start_ns, coalesce(before_ns, start_ns)), 0))::BIGINT AS covered_ns
        FROM runs GROUP BY file, line, function ORDER BY covered_ns DESC
    """,
    "calls_by_name": """
        SELECT name, category, count(*) AS calls, count(*) FILTER (result <> 0) AS errors,
               sum(duration_ns)::BIGINT AS total_ns, max(duration_ns) AS max_ns
        FROM calls GROUP BY name, category ORDER BY total_ns DESC
    """,
    "regions": """
        SELECT s.slice, s.name, s.start_ns, s.duration_ns, t.tid, s.lane, s.file, s.line
        FROM slices s JOIN tracks t USING (track) WHERE s.category = 'user'
    """,
    "region_device_time": """
        WITH inside AS (
            SELECT DISTINCT r.name, e.slice, e.duration_ns
            FROM regions r JOIN nodes n ON n.tid = r.tid AND n.created_ns >= r.start_ns
                 AND n.created_ns < r.start_ns + r.duration_ns
            JOIN executions e USING (node)
        ), counted AS (SELECT name, count(*) AS regions FROM regions GROUP BY name)
        SELECT name, any_value(regions) AS regions, count(*) AS executions, sum(duration_ns)::BIGINT AS device_ns
        FROM inside JOIN counted USING (name) GROUP BY name ORDER BY device_ns DESC
    """,
    "unreleased": """
        SELECT kind, file, line, function, count(*) AS allocations, sum(size_bytes)::BIGINT AS bytes
        FROM allocations WHERE released_ns IS NULL GROUP BY kind, file, line, function ORDER BY bytes DESC
    """,
}


def connect(tables: Tables) -> "duckdb.DuckDBPyConnection":
    """A DuckDB of its own, in memory, with every table and view of a trace."""
    try:
        import duckdb
    except ImportError as error:
        raise PackageMissing("sql needs DuckDB: pip install duckdb") from error
    connection = duckdb.connect()
    for name, table in tables.items():
        file = str(table.path).replace("'", "''")
        connection.execute(f"CREATE VIEW {name} AS SELECT * FROM '{file}'")
    for name, query in VIEWS.items():
        connection.execute(f"CREATE VIEW {name} AS {query}")
    return connection
