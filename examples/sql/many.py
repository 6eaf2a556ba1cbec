"""SQL over the tables of many traces: the views of docs/PYTHON.md, on DuckDB or on a cluster of Spark.

    python many.py duckdb "tables/trace=*" "SELECT …"
    spark-submit --master spark://HOST:7077 many.py spark "tables/trace=*" "SELECT …"

`tables` has a folder `trace=NAME` for each trace, which `syclscope convert run.pftrace --to parquet -o tables/trace=NAME` writes.
Tables and views begin with a column `trace`, the name. A folder of tables that have this column already will do, too.
"""

import re
import sys
import time
from typing import Any, Callable, Dict, Iterable, List, Set, Tuple

import syclscope
from syclscope.tables import NAMES

VIEWS = syclscope.views("trace")


def needed(queries: Iterable[str]) -> Tuple[List[str], Dict[str, str]]:
    """Tables and views that queries name: to open one takes as long as to look at the folders of all traces."""
    words: Set[str] = set(re.findall(r"\w+", " ".join(queries).lower()))
    views = {}
    # A view stands behind those that it uses.
    for name, query in reversed(VIEWS.items()):
        if name in words:
            views[name] = query
            words.update(re.findall(r"\w+", query))
    return [name for name in NAMES if name in words], dict(reversed(views.items()))


def duckdb(folders: str, tables: List[str], views: Dict[str, str]) -> Callable[[str], List[Any]]:
    """DuckDB in this process."""
    import duckdb

    database = duckdb.connect()
    for table in tables:
        files = f"{folders}/{table}.parquet".replace("'", "''")
        # A trace that is called 7 has a text as its name like all others.
        database.execute(
            f"CREATE VIEW {table} AS FROM read_parquet('{files}', hive_partitioning = true, hive_types_autocast = false)"
        )
    for view, query in views.items():
        database.execute(f"CREATE VIEW {view} AS {query}")
    return lambda query: database.execute(query).fetchall()


def spark(folders: str, tables: List[str], views: Dict[str, str]) -> Callable[[str], List[Any]]:
    """Spark, where `spark-submit` says."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.appName("syclscope").getOrCreate()
    # It warns of each pattern that no file is called so.
    session.sparkContext.setLogLevel("ERROR")
    session.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
    for table in tables:
        files = session.read.option("basePath", folders.partition("/trace=")[0])
        files.parquet(f"{folders}/{table}.parquet").createOrReplaceTempView(table)
    for view, query in views.items():
        session.sql(f"CREATE OR REPLACE TEMPORARY VIEW {view} AS {query}")
    return lambda query: [tuple(row) for row in session.sql(query).collect()]


def main(engine: str, folders: str, *queries: str) -> None:
    """Prints the rows of each query, and how long it took."""
    begun = time.monotonic()
    answer = {"duckdb": duckdb, "spark": spark}[engine](folders, *needed(queries))
    print(f"-- tables and views: {time.monotonic() - begun:.2f} s", file=sys.stderr)
    for query in queries:
        begun = time.monotonic()
        rows = answer(query)
        print(f"-- {len(rows)} rows in {time.monotonic() - begun:.2f} s", file=sys.stderr)
        for row in rows:
            print(*row, sep="\t")


if __name__ == "__main__":
    main(*sys.argv[1:])
