// Commands that host tasks hold back on in-order queues are submitted later, by another thread. The order in the
// recording is that of the program, which the sizes of its copies show, in every run: five of them, and 200 in a soak.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import { scratch } from './lib/environment.mjs';
import { program } from './lib/programs.mjs';
import { Recording, count, differences } from './lib/recording.mjs';
import { record, summary } from './lib/run.mjs';

const RUNS = process.env.SYCLSCOPE_SOAK ? 200 : 5;
const QUEUES = 2;
/** Copies on a queue: three in each of 12 rounds, and one more in each fourth. */
const COPIES = 39;
const NODES = new Map([['copy', QUEUES * COPIES], ['host_task', QUEUES * 16]]);

test(`${RUNS} recordings of commands that were held back have them in the program's order`, async (t) => {
  const folder = scratch(t);
  let inOrder = 0;
  for (let number = 0; number < RUNS; number += 1) {
    const result = await record(path.join(folder, `${number}.json`), program('held_back'), [], { format: 'json' });
    assert.equal(result.code, 0, `${result.stdout}${result.stderr}`);
    inOrder += assertOrdered(Recording.parse(result.bytes));
    const { diagnostics } = await summary(result.file);
    assert.deepEqual(diagnostics.filter(({ kind }) => kind === 'contradicted_edge'), []);
  }
  assert.ok(inOrder > RUNS * COPIES, `only ${inOrder} edges of in-order queues`);
});

/** Asserts that a recording has the program's order; returns its number of edges of in-order queues. */
function assertOrdered(recording) {
  assert.ok(recording.finished);
  assert.equal(recording.droppedCount, 0);
  const made = count([...recording.nodes.values()].map(({ kind }) => kind).filter((kind) => NODES.has(kind)));
  assert.deepEqual(differences(made, NODES), []);

  const executions = new Map(recording.executions.map((execution) => [execution.node, execution]));
  const copies = recording.executions.filter(({ kind }) => kind === 'copy');
  const queues = groupBy(copies, ({ queue }) => queue);
  assert.equal(queues.size, QUEUES);
  const sizes = Array.from({ length: COPIES }, (_, place) => 4 * (place + 1));
  const after = groupBy(recording.edges, ({ source }) => source);
  for (const own of queues.values()) {
    const ordered = own.toSorted((one, other) => one.bytes - other.bytes);
    assert.deepEqual(ordered.map(({ bytes }) => bytes), sizes);
    for (const [place, copy] of ordered.slice(1).entries()) {
      const before = ordered[place];
      assert.ok(before.end <= copy.start, `the copy of ${copy.bytes} bytes ran before that of ${before.bytes}`);
      assert.ok(leads(after, before.node, copy.node), `nothing leads from the copy of ${before.bytes} bytes to that of ${copy.bytes}`);
    }
  }
  for (const { source, target, reason } of recording.edges) {
    const [from, to] = [executions.get(source), executions.get(target)];
    if (from && to) assert.ok(from.end <= to.start, `${source} -> ${target} (${reason}) points back in time`);
    assert.ok(!leads(after, target, source), `${source} -> ${target} (${reason}) closes a cycle`);
  }
  return recording.edges.filter(({ reason }) => reason === 'in_order').length;
}

/** True if edges lead from one node to another. */
function leads(after, from, to) {
  const [seen, waiting] = [new Set([from]), [from]];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop())
    for (const { target } of after.get(node) ?? []) {
      if (target === to) return true;
      if (!seen.has(target)) waiting.push(target), seen.add(target);
    }
  return false;
}

function groupBy(values, key) {
  const groups = new Map();
  for (const value of values) groups.set(key(value), [...(groups.get(key(value)) ?? []), value]);
  return groups;
}
