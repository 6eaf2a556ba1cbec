// Device times compared with SYCL's own (`event.get_profiling_info`) in the same run: equal to the nanosecond.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { syclscope } from './lib/environment.mjs';
import { recorded } from './lib/once.mjs';
import { program } from './lib/programs.mjs';
import { Recording, count } from './lib/recording.mjs';
import { run, summary } from './lib/run.mjs';

const nameless = { copy: 'copy', fill: 'fill' };

// Returns a command's identity for both sides: kind, kernel name, start and end on the machine's clock.
function key(kind, name, start, end) {
  return `${kind} ${nameless[kind] ?? name} ${start} ${end}`;
}

test('kernels and copies have the times that the program reads from its events', async () => {
  const result = await recorded(program('heat'), ['--profiling']);
  assert.equal(result.code, 0, result.stdout.toString());
  const recording = Recording.parse(result.bytes);

  // Numbers of 64 bits are read as text: a double would round them.
  const reported = result.stdout.toString().split('\n').filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line.replace(/:(\d+)/g, ':"$1"')));
  assert.ok(reported.length > 300, `heat reported only ${reported.length} commands`);

  const seen = new Set(recording.executions.map((execution) =>
    key(execution.kind, execution.name, recording.machineTime(execution.start), recording.machineTime(execution.end))));
  const missing = reported.filter(({ kind, name, start, end }) => !seen.has(key(kind, name, start, end)));
  assert.deepEqual(missing, []);
});

test('profiling is forced on queues that lack it, and every device command gets its times', async () => {
  const result = await recorded(program('heat'), ['--steps', '30']);
  const recording = Recording.parse(result.bytes);
  const kernels = count(recording.executions.filter(({ kind }) => kind === 'kernel').map(({ name }) => name));
  assert.deepEqual(Object.fromEntries(kernels), { diffuse: 30, change: 1, diffuse_band: 120, colour: 1 });
  for (const { kind, name, start, end, queued_ns: queued, submitted_ns: submitted } of recording.executions) {
    // The device does not report when a barrier was put on its queue.
    const stages = kind === 'barrier' && queued === undefined ? [submitted, start, end] : [queued, submitted, start, end];
    for (let i = 1; i < stages.length; ++i) assert.ok(stages[i - 1] <= stages[i], `${name}: ${stages}`);
  }
  const lanes = group(recording.executions);
  for (const executions of lanes.values()) {
    executions.sort((a, b) => a.start - b.start);
    for (let i = 1; i < executions.length; ++i)
      assert.ok(executions[i - 1].end <= executions[i].start, 'two executions overlap on one lane');
  }
});

test('commands submitted without an event have times too', async () => {
  const result = await recorded(program('eventless'));
  const recording = Recording.parse(result.bytes);
  const executions = count(recording.executions.map(({ kind, name }) => `${kind} ${name}`));
  assert.deepEqual(Object.fromEntries(executions), { 'fill memset': 2, 'copy memcpy': 4, 'kernel add': 6 });
  // One in-order queue: what was submitted first ran first.
  const inOrder = [...recording.executions].sort((a, b) => a.node - b.node);
  for (let i = 1; i < inOrder.length; ++i) assert.ok(inOrder[i - 1].end <= inOrder[i].start);
});

test('a command without device times says why', async () => {
  const { code, stdout, stderr, bytes, file } = await recorded(program('unfinished'), [], { format: 'perfetto' });
  assert.equal(code, 0, `${stdout}${stderr}`);
  const { diagnostics, report } = await summary(file);
  // The kernel that runs when the program ends, and the copy behind it. Executions of the command graph have this note
  // themselves.
  assert.deepEqual(diagnostics.filter(({ kind }) => kind === 'no_device_time').map(({ count, message }) => [count, message]), [
    [2, '2 commands have no device times: for each of them, it had not finished when the program ended.'],
  ]);
  assert.deepEqual(report.commands.map(({ name }) => name), ['fill usm']);
  const ask = async (question) => JSON.parse((await run(syclscope, ['ask', file, question])).stdout);
  const why = [];
  for (const { at } of (await ask('slices?where=category:submission+or+category:ur&limit=200')).slices) {
    const { node } = await ask(`slices/${at.slice}`);
    const told = node?.args.find(([key]) => key === 'device_time');
    if (told) why.push(`${node.kind} ${node.id}: ${told[1].value ?? told[1]}`);
  }
  const unfinished = 'none: it had not finished when the program ended';
  const graph = 'unknown: the runtime reports only when a command graph ends';
  const words = [...new Set(why)].map((told) => told.replace(/ \d+:/, ':')).sort();
  assert.deepEqual(words, [`command_graph: ${graph}`, `copy: ${unfinished}`, `kernel: ${unfinished}`]);
});

function group(executions) {
  const groups = new Map();
  for (const execution of executions) groups.set(execution.lane, [...(groups.get(execution.lane) ?? []), execution]);
  return groups;
}
