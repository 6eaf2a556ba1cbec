"""SQL over the tables of a trace, with DuckDB in Python; docs/PYTHON.md has recipes."""

import re
import threading
import weakref
from typing import TYPE_CHECKING, Dict, Mapping, Optional, Set

from .errors import PackageMissing
from .forking import ForkLocal
from .tables import NAMES, Tables

if TYPE_CHECKING:
    import duckdb

#: Views by name, in SQL that DuckDB and Spark support. `{by}` is the column that distinguishes the rows of different
#: traces. An execution in pieces counts by its pieces, as in the program's own answers.
_TEXTS: Mapping[str, str] = {
    "kernel_times": """
        SELECT {by}name, kind, count(*) AS runs, CAST(sum(duration_ns) AS BIGINT) AS total_ns, min(duration_ns) AS min_ns,
               avg(duration_ns) AS mean_ns,
               CAST(percentile_disc(0.5) WITHIN GROUP (ORDER BY duration_ns) AS BIGINT) AS p50_ns,
               CAST(percentile_disc(0.95) WITHIN GROUP (ORDER BY duration_ns) AS BIGINT) AS p95_ns,
               max(duration_ns) AS max_ns
        FROM executions WHERE NOT in_pieces GROUP BY {by}name, kind ORDER BY total_ns DESC
    """,
    # Pieces have the submission of their command.
    "queueing": """
        WITH submissions AS (SELECT {by}slice AS submission, start_ns + duration_ns AS submission_end_ns FROM slices),
        wholes AS (SELECT {by}slice AS execution, in_pieces AS is_whole FROM executions)
        SELECT {by}e.slice, e.name, e.kind, e.queue, e.start_ns, e.duration_ns, s.submission_end_ns,
               greatest(e.start_ns - s.submission_end_ns, 0) AS queueing_ns, n.file, n.line
        FROM executions e JOIN nodes n USING ({by}node) JOIN submissions s USING ({by}submission)
            JOIN wholes w USING ({by}execution)
        WHERE e.in_pieces OR NOT w.is_whole
    """,
    # A wait within a wait counts for the outer one.
    "waits_by_line": """
        WITH waits AS (
            SELECT *, start_ns + duration_ns AS end_ns, max(start_ns + duration_ns) OVER (
                PARTITION BY {by}track ORDER BY start_ns, lane ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS before_ns
            FROM slices WHERE category = 'wait'
        )
        SELECT {by}name, file, line, function, count(*) AS waits, CAST(sum(duration_ns) AS BIGINT) AS total_ns,
               max(duration_ns) AS max_ns
        FROM waits WHERE before_ns IS NULL OR end_ns > before_ns
        GROUP BY {by}name, file, line, function ORDER BY total_ns DESC
    """,
    # `total_ns` adds overlapping times, `covered_ns` counts them once.
    "device_time_by_line": """
        WITH runs AS (
            SELECT {by}n.file, n.line, n.function, e.start_ns, e.duration_ns, e.start_ns + e.duration_ns AS end_ns,
                   max(e.start_ns + e.duration_ns) OVER (
                       PARTITION BY {by}n.file, n.line, n.function ORDER BY e.start_ns
                       ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                   ) AS before_ns
            FROM executions e JOIN nodes n USING ({by}node) WHERE NOT e.in_pieces
        )
        SELECT {by}file, line, function, count(*) AS runs, CAST(sum(duration_ns) AS BIGINT) AS total_ns,
               CAST(sum(greatest(end_ns - greatest(start_ns, coalesce(before_ns, start_ns)), 0)) AS BIGINT) AS covered_ns
        FROM runs GROUP BY {by}file, line, function ORDER BY covered_ns DESC
    """,
    "calls_by_name": """
        SELECT {by}name, category, count(*) AS calls, count(*) FILTER (WHERE is_error) AS errors,
               CAST(sum(duration_ns) AS BIGINT) AS total_ns, max(duration_ns) AS max_ns
        FROM calls GROUP BY {by}name, category ORDER BY total_ns DESC
    """,
    "regions": """
        SELECT {by}s.slice, s.name, s.start_ns, s.duration_ns, t.tid, s.lane, s.file, s.line, t.process
        FROM slices s JOIN tracks t USING ({by}track) WHERE s.category = 'user'
    """,
    # Threads of two processes may have one number.
    "region_device_time": """
        WITH inside AS (
            SELECT DISTINCT {by}r.name, e.slice, e.duration_ns
            FROM regions r JOIN nodes n USING ({by}tid) JOIN executions e USING ({by}node) JOIN tracks t USING ({by}track)
            WHERE NOT e.in_pieces AND r.process = t.process AND n.created_ns >= r.start_ns AND n.created_ns < r.start_ns + r.duration_ns
        ), counted AS (SELECT {by}name, count(*) AS regions FROM regions GROUP BY {by}name)
        SELECT {by}name, any_value(regions) AS regions, count(*) AS executions,
               CAST(sum(duration_ns) AS BIGINT) AS device_ns
        FROM inside JOIN counted USING ({by}name) GROUP BY {by}name ORDER BY device_ns DESC
    """,
    "unreleased": """
        SELECT {by}kind, file, line, function, count(*) AS allocations, CAST(sum(size_bytes) AS BIGINT) AS bytes
        FROM allocations WHERE released_ns IS NULL GROUP BY {by}kind, file, line, function ORDER BY bytes DESC
    """,
}


def views(by: Optional[str] = None) -> Dict[str, str]:
    """Returns views on the tables, for common questions: queries by name, each after those that it uses.

    ``by`` is the column that distinguishes traces, for tables with several (``trace=NAME`` in the names of folders); it is then
    the first column of each view. Engines with sufficient SQL support can use them, such as DuckDB and Spark.
    """
    return {name: text.format(by=f"{by}, " if by else "") for name, text in _TEXTS.items()}


#: The views of one trace.
VIEWS: Mapping[str, str] = views()


class Database(ForkLocal):
    """An in-memory DuckDB with the tables and views of a trace that queries use."""

    def __init__(self, tables: Tables) -> None:
        super().__init__()
        try:
            import duckdb
        except ImportError as error:
            raise PackageMissing("sql needs DuckDB: pip install duckdb") from error
        self._tables = tables
        self._connection = duckdb.connect()
        # DuckDB refuses a connection that another thread uses, so each thread has one of its own.
        self._of_thread = threading.local()
        self._of_thread.connection = self._connection
        self._made: Set[str] = set()

    def sql(self, query: str) -> "duckdb.DuckDBPyRelation":
        """Returns the result of a query."""
        with self._lock:
            connection = getattr(self._of_thread, "connection", None) or self._connection.cursor()
            self._of_thread.connection = connection
            # A query that names no table may list all of them.
            self._make(needed(query) or {*NAMES, *VIEWS}, connection)
        found = connection.sql(query)
        # Older versions of DuckDB have no result of a statement without rows.
        if found is not None:
            # The result reads the files when its rows are fetched, perhaps after the trace is gone.
            weakref.finalize(found, _let_go, self._tables)
        return found

    def _make(self, names: Set[str], connection: "duckdb.DuckDBPyConnection") -> None:
        """Creates the named tables and views that do not exist yet."""
        missing = names - self._made
        for name, path in self._tables.write([name for name in NAMES if name in missing]).items():
            file = str(path).replace("'", "''")
            connection.execute(f"CREATE VIEW {name} AS SELECT * FROM '{file}'")
            self._made.add(name)
        # Each view follows the views that it uses.
        for name, text in VIEWS.items():
            if name in missing:
                connection.execute(f"CREATE VIEW {name} AS {text}")
                self._made.add(name)


def _let_go(tables: Tables) -> None:
    """Holds the tables of a trace as long as a result that reads them."""


def needed(query: str) -> Set[str]:
    """Returns the tables and views that a query may use, and those that these views use: all whose names occur as words."""
    words = set(re.findall(r"\w+", query.lower()))
    for name, text in reversed(list(VIEWS.items())):
        if name in words:
            words.update(re.findall(r"\w+", text))
    return words.intersection([*NAMES, *VIEWS])
