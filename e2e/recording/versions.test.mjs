// One recorder on every version of the runtime: the same Python program, recorded by the same binary.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import { repository } from './lib/environment.mjs';
import { readCallTrace } from './lib/oracles/call_trace.mjs';
import { recorded } from './lib/once.mjs';
import { program } from './lib/programs.mjs';
import { Recording, count, differences, reach } from './lib/recording.mjs';
import { run, summary } from './lib/run.mjs';
import { versions } from './lib/versions.mjs';

const script = path.join(repository, 'e2e/recording/programs/commands.py');

// Commands of both queues of the program together.
const COMMANDS = {
  'copy memcpy': 6, 'copy copy usm': 2, 'kernel multiply': 4, 'kernel add': 2, 'barrier barrier': 2, 'prefetch prefetch': 2,
};
const BYTES = 16384;

for (const { version, skip, env, python, callTrace } of versions) {
  const expected = new Map(Object.entries(COMMANDS));

  const recordingOf = async ({ more = {}, args = [], format } = {}) => {
    const result = await recorded(python, [script, ...args], { format, env: { ...env, ...more } });
    assert.equal(result.code, 0, `${result.stdout}${result.stderr}`);
    return result;
  };

  test(`${version}: a recording holds every command, dependence and allocation`, { skip }, async () => {
    const alone = await run(python, [script], { env });
    const result = await recordingOf();
    assert.equal(alone.code, 0, alone.stderr.toString());
    assert.equal(result.stdout.toString(), alone.stdout.toString());

    const recording = Recording.parse(result.bytes);
    assert.ok(recording.finished);
    assert.equal(recording.droppedCount, 0);
    const nodes = [...recording.nodes.values()];
    assert.deepEqual(differences(count(nodes.filter(({ kind }) => kind !== 'virtual').map(command)), expected), []);
    for (const node of nodes) assert.doesNotMatch(node.name, /0x|\[/, 'a name holds an address');

    // The order of kernels and copies of either queue is known: there is a path of edges.
    for (const queue of ['in_order', 'out_of_order']) {
      const chain = chainOf(recording, queue);
      const reached = reach(recording.edges, chain[0].node);
      for (const later of chain) assert.ok(reached.has(later.node), `${queue}: no way from ${chain[0].name} to ${later.name} (${later.node})`);
    }

    const sizes = recording.allocations.map(({ size_bytes: bytes }) => bytes);
    assert.deepEqual(sizes, Array(6).fill(BYTES));
    assert.equal(recording.releases.length, 6);
    const orders = recording.queues.map(({ order, device }) => `${order} ${device !== 'SYCL host device'}`);
    assert.ok(orders.includes('in_order true') && orders.includes('out_of_order true'), orders.join(', '));

    for (const slice of recording.slices) assert.ok(slice.end >= slice.start, `${slice.name} never ended`);
    assert.ok(recording.slicesOf('wait').length >= 4, 'the program waits');
  });

  test(`${version}: both formats hold the same`, { skip }, async () => {
    const [perfetto, json] = await Promise.all(['perfetto', 'json'].map(async (format) => {
      const { file } = await recordingOf({ format });
      const { counts, complete, kernels } = await summary(file);
      const { nodes, executions, allocations, unreleased, dropped } = counts;
      return { nodes, executions, allocations, unreleased, dropped, complete, kernels: kernels.map(({ name, count: times }) => `${name} ${times}`).sort() };
    }));
    assert.deepEqual(perfetto, json);
    assert.ok(perfetto.complete);
  });

  test(`${version}: the recording holds the calls that the runtime prints, by name and number`, { skip }, async () => {
    const result = await recordingOf({ more: { [callTrace]: '2' } });
    assertCalls(Recording.parse(result.bytes), readCallTrace(result.stdout + result.stderr));
  });

  test(`${version}: kernels have the times that the program reads from its events`, { skip }, async () => {
    const result = await recordingOf({ args: ['--profiling'] });
    const recording = Recording.parse(result.bytes);
    const reported = result.stdout.toString().split('\n').filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line.replace(/: (\d+)/g, ':"$1"')));
    assert.equal(reported.length, 6);
    const seen = new Set(recording.executions.map(({ name, start, end }) => `${name} ${recording.machineTime(start)} ${recording.machineTime(end)}`));
    assert.deepEqual(reported.filter(({ name, start, end }) => !seen.has(`${name} ${start} ${end}`)), []);
  });

  test(`${version}: queues without profiling have device times too`, { skip }, async () => {
    const recording = Recording.parse((await recordingOf()).bytes);
    // A command may take two calls, as a barrier does from 2025.2 on.
    const timed = count([...new Map(recording.executions.map((execution) => [execution.node, execution])).values()].map(command));
    for (const [kernel, times] of expected) assert.equal(timed.get(kernel), times, kernel);
  });
}

// C++ programs on the one older version whose package contains all the headers that they need.
const { version, skip, venv, env, callTrace } = versions.find((known) => known.version === '2025.2');

for (const name of ['diamond', 'host_task', 'threads', 'unreleased', 'diagnostics'])
  test(`${version}: ${name} runs as ever, and the recording holds its calls`, { skip }, async () => {
    const compiled = program(name, venv);
    const alone = await run(compiled, [], { env });
    const result = await recorded(compiled, [], { format: 'perfetto', env });
    assert.deepEqual([result.code, result.stdout.toString()], [alone.code, alone.stdout.toString()]);
    const { counts, complete } = await summary(result.file);
    assert.deepEqual([complete, counts.dropped], [true, 0]);

    const traced = await recorded(compiled, [], { env: { ...env, [callTrace]: '2' } });
    assertCalls(Recording.parse(traced.bytes), readCallTrace(traced.stdout + traced.stderr));
  });

/** Calls that the recorder makes itself. */
const OF_THE_RECORDER = [
  'urEventGetProfilingInfo', 'urEventRelease', 'urEventGetInfo', 'urEventRetain',
  'urDeviceRetain', 'urDeviceGetInfo', 'urPlatformGetInfo', 'urDeviceGetGlobalTimestamps',
];

// Asserts that the calls of a recording are those that the runtime prints, without the recorder's own. In versions with
// a separate loader library the recorder reads times through the loader, which prints that too. For each execution the
// recorder queries the state (repeatedly until it is done) and four times, and releases the event, which it has
// retained or requested before. It queries each device once for its properties, and for its clock at intervals.
function assertCalls(recording, printed) {
  assert.ok(printed.size > 10, 'the runtime printed no calls');
  const calls = count(recording.slicesOf('ur').map(({ name }) => name));
  // The program's own output may directly follow a name.
  for (const [name, times] of printed) {
    const begin = OF_THE_RECORDER.find((known) => name !== known && name.startsWith(known));
    if (!begin || calls.has(name)) continue;
    printed.delete(name);
    printed.set(begin, (printed.get(begin) ?? 0) + times);
  }
  const own = new Map([...printed].map(([name, times]) => [name, times - (calls.get(name) ?? 0)]).filter(([, times]) => times !== 0));
  const executions = recording.executions.length;
  if (own.has('urEventGetProfilingInfo')) {
    assert.equal(own.get('urEventGetProfilingInfo'), 4 * executions);
    assert.equal(own.get('urEventRelease'), executions);
    assert.ok(own.get('urEventGetInfo') >= executions && own.get('urEventRetain') <= executions);
    const devices = recording.records('sycl.device').length;
    for (const [name, most] of [['urDeviceRetain', 1], ['urDeviceGetInfo', 20], ['urPlatformGetInfo', 2], ['urDeviceGetGlobalTimestamps', 100]])
      assert.ok((own.get(name) ?? 0) <= most * devices, `${name}: ${own.get(name)} more than recorded, for ${devices} devices`);
    for (const name of OF_THE_RECORDER) own.delete(name);
  }
  assert.deepEqual(Object.fromEntries(own), {}, 'printed but not recorded');
  assert.deepEqual([...calls.keys()].filter((name) => !printed.has(name)), [], 'recorded but not printed');
}

// Returns a command in the words of one version: a node without a name of its own is named after its kind.
function command({ kind, name }) {
  return `${kind} ${name === 'prefetch usm' ? 'prefetch' : name}`;
}

// Returns the kernels, the barrier and the copy after it of the queue with this order.
function chainOf(recording, order) {
  const wanted = new Set(recording.queues.filter((queue) => queue.order === order).map(({ queue }) => queue));
  const nodes = [...recording.nodes.values()].filter(({ kind, name }) => kind === 'kernel' || kind === 'barrier' || name === 'copy usm');
  const halves = [nodes.slice(0, nodes.length / 2), nodes.slice(nodes.length / 2)];
  const half = halves.find(([first]) => wanted.has(first.queue)) ?? halves[order === 'in_order' ? 0 : 1];
  assert.equal(half.length, 5);
  return half;
}
