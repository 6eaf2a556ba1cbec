"""Asks DuckDB about the tables in a folder; prints the answers as JSON."""

import json
import sys

import duckdb

folder = sys.argv[1]
database = duckdb.connect()


def ask(sql):
    return database.execute(sql.replace("{", f"'{folder}/").replace("}", ".parquet'")).fetchall()


answers = {
    "kernels": ask(
        "SELECT name, count(*), sum(duration_ns)::BIGINT FROM {executions} WHERE kind = 'kernel'"
        " GROUP BY name ORDER BY name"
    ),
    "counts": ask(
        "SELECT (SELECT count(*) FROM {slices}), (SELECT count(*) FROM {nodes}), (SELECT count(*) FROM {edges}),"
        " (SELECT count(*) FROM {executions}), (SELECT count(*) FROM {allocations})"
    )[0],
    # Rows of other tables must refer to existing rows.
    "dangling": ask(
        "SELECT (SELECT count(*) FROM {executions} e ANTI JOIN {slices} s ON e.slice = s.slice"
        "         AND e.start_ns = s.start_ns AND e.name = s.name),"
        " (SELECT count(*) FROM {slices} s ANTI JOIN {tracks} t USING (track)),"
        " (SELECT count(*) FROM {edges} e ANTI JOIN {nodes} n ON e.source = n.node),"
        " (SELECT count(*) FROM {calls} c ANTI JOIN {slices} s USING (slice))"
    )[0],
    "delays": ask(
        "SELECT count(*) FROM {executions} e JOIN {nodes} n USING (node) JOIN {slices} s ON s.slice = n.submission"
        " WHERE e.start_ns >= s.start_ns"
    )[0][0],
    "calls": ask(
        "SELECT name, count(*), count(result) FROM {calls} WHERE category = 'ur' GROUP BY name ORDER BY name"
    ),
    "arguments": ask("SELECT count(*) FROM {slices} WHERE json_valid(args)")[0][0],
}
print(json.dumps(answers))
