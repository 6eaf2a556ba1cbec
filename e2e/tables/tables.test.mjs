// The tables of a real recording, queried with DuckDB, agree with the program's own summary.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

import { trace } from "../traces/unpack.mjs";

const { SYCLSCOPE_BIN, DUCKDB_PYTHON } = process.env;
const heat = trace("heat");

test("DuckDB reads the tables and finds what the summary tells", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "syclscope-tables-"));
  try {
    const tables = path.join(folder, "tables");
    execFileSync(SYCLSCOPE_BIN, ["convert", heat, "--to", "parquet", "-o", tables, "--quiet"]);
    const script = path.join(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), "query.py");
    const answers = JSON.parse(execFileSync(DUCKDB_PYTHON, [script, tables], { encoding: "utf8" }));
    const summary = ["summary", "--json", heat];
    const info = JSON.parse(execFileSync(SYCLSCOPE_BIN, summary, { encoding: "utf8", maxBuffer: 1 << 28 }));

    const kernels = info.kernels.filter((kernel) => kernel.kind === "kernel");
    const expected = kernels.map(({ name, count, total_ns }) => [name, count, total_ns]);
    assert.deepEqual(answers.kernels, expected.sort(([a], [b]) => (a < b ? -1 : 1)));
    const { slices, nodes, edges, executions, allocations } = info.counts;
    assert.deepEqual(answers.counts, [slices, nodes, edges, executions, allocations]);
    assert.ok(executions > 0 && edges > 0, "the demo has commands that depend on each other");
    assert.deepEqual(answers.dangling, [0, 0, 0, 0]);
    assert.ok(answers.delays > 0, "executions are joined with their submissions");
    assert.equal(answers.arguments, slices);
    assert.ok(answers.calls.some(([name, count]) => name.startsWith("urEnqueue") && count > 0));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
