// Contents of a recording of a run whose every command is known.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import { recorded } from './lib/once.mjs';
import { program } from './lib/programs.mjs';
import { Recording, count, reach } from './lib/recording.mjs';
import { summary } from './lib/run.mjs';

async function recordingOf(name, args = []) {
  const { code, stdout, stderr, bytes } = await recorded(program(name), args);
  assert.equal(code, 0, `${stdout}${stderr}`);
  const recording = Recording.parse(bytes);
  assert.ok(recording.finished, 'the recording was not ended in an orderly way');
  assert.equal(recording.droppedCount, 0);
  return recording;
}

const commands = (recording, kind) =>
  Object.fromEntries(count([...recording.nodes.values()].filter((node) => node.kind === kind).map(({ name }) => name)));

test('heat: every part is there, nothing is dropped', async () => {
  const recording = await recordingOf('heat', ['--size', '512', '--steps', '60']);
  assert.deepEqual(commands(recording, 'kernel'), { diffuse: 60, change: 3, diffuse_band: 240, colour: 1 });
  assert.deepEqual(commands(recording, 'host_task'), { 'host task': 4 });
  assert.equal(recording.process.process_name, path.basename(program('heat')));

  // Four queues, in the order of their creation or nearly so (the third and fourth come from two threads).
  const orders = count(recording.queues.map(({ order }) => order));
  assert.deepEqual(Object.fromEntries(orders), { out_of_order: 2, in_order: 2 });
  assert.deepEqual([...recording.queuesDestroyed].sort(), recording.queues.map(({ queue }) => queue).sort());

  // Submissions come from two host threads; both are named tracks.
  const submitting = new Set(recording.slicesOf('submission').map(({ track }) => track));
  const threads = recording.tracks.filter(({ kind }) => kind === 'thread');
  assert.ok(submitting.size >= 2, 'only one thread submits');
  for (const track of submitting)
    assert.ok(threads.some(({ shown, name }) => `${shown.pid}/${shown.tid}` === track && name), `${track} has no name`);

  // The main thread waits in host accessors and for its last copies.
  assert.ok(recording.slicesOf('wait').length >= 5);
  for (const slice of recording.slices) assert.ok(slice.end >= slice.start, `${slice.name} never ended`);

  // Kernels know the line that submitted them.
  const diffuse = [...recording.nodes.values()].find(({ name }) => name === 'diffuse');
  assert.match(diffuse.file, /with_buffers\.hpp$/);
  assert.ok(diffuse.line > 0);
});

test('memory that is never freed is listed with kind, size and line', async () => {
  const recording = await recordingOf('unreleased');
  const live = new Map();
  for (const event of [...recording.allocations, ...recording.releases].sort((a, b) => a.at - b.at)) {
    if (event.size_bytes === undefined) live.delete(event.pointer);
    else live.set(event.pointer, event);
  }
  const left = [...live.values()].map(({ kind, size_bytes: bytes }) => `${kind} ${bytes}`).sort();
  assert.deepEqual(left, ['device 4096', 'host 8192', 'shared 16384']);
  for (const { file, line, kind } of live.values())
    assert.ok(/unreleased\.cpp$/.test(file) && line > 0, `${kind} memory has no place: ${file}:${line}`);
});

test('the summary counts what was not freed', async () => {
  const { file } = await recorded(program('unreleased'), [], { format: 'perfetto' });
  const { counts } = await summary(file);
  assert.equal(counts.unreleased, 3);
  assert.equal(counts.allocations, 7);
});

test('a host task is a node between the commands that it depends on and that depend on it', async () => {
  const recording = await recordingOf('host_task');
  const task = [...recording.nodes.values()].find(({ kind }) => kind === 'host_task');
  // A copy that has to wait for a host task is two nodes to the runtime: the call of memcpy, and the command that it
  // leaves with the scheduler. One of them runs on the device.
  const copies = recording.executions.filter(({ kind }) => kind === 'copy').map(({ node }) => node).sort((a, b) => a - b);
  assert.equal(copies.length, 2);
  assert.deepEqual(reach(recording.edges, copies[0]).has(task.node), true, 'no way from the first copy to the host task');
  assert.deepEqual(reach(recording.edges, task.node).has(copies[1]), true, 'no way from the host task to the second copy');
  assert.equal(recording.queuesDestroyed.length, 1);
});

test('exceptions are diagnostics even when the program catches them', async () => {
  const recording = await recordingOf('diagnostics');
  const diagnostics = recording.instants.filter(({ cat }) => cat === 'diagnostic');
  assert.equal(diagnostics.length, 3);
  const [copy, sub_buffer, task] = diagnostics;
  assert.match(copy.name, /NULL pointer/);
  assert.match(sub_buffer.name, /sub-buffer/);
  assert.equal(task.name, 'the host task gives up');
  // The message has the command and its source location, even if the exception arrives on another thread.
  for (const [{ args }, kind] of [[copy, 'copy'], [task, 'host_task']]) {
    const node = recording.nodes.get(args.node);
    assert.equal(node.kind, kind);
    assert.match(args.file, /diagnostics\.cpp$/);
    assert.equal(args.line, node.line);
  }
});

test('each submission of a command graph is there', async () => {
  const recording = await recordingOf('command_graph');
  assert.deepEqual(commands(recording, 'command_graph'), { 'command graph': 5 });
});

test('eight threads at once lose nothing', async () => {
  const recording = await recordingOf('threads');
  const kinds = count(recording.executions.map(({ kind }) => kind));
  assert.deepEqual(Object.fromEntries(kinds), { fill: 8 * 500, copy: 8 * 500 + 8 });
  assert.equal(recording.queues.length, 8);
  const submitting = count(recording.slicesOf('submission').map(({ track }) => track));
  assert.ok(submitting.size >= 9, `submissions on ${submitting.size} threads`);
});

for (const name of ['unreleased', 'eventless', 'command_graph', 'threads'])
  test(`${name}: both formats hold the same`, async () => {
    const [perfetto, json] = await Promise.all(['perfetto', 'json'].map(async (format) => {
      const { file } = await recorded(program(name), [], { format });
      return summary(file);
    }));
    // How often the runtime polls an event, and so the number of calls and slices, differs between two runs.
    const stable = ({ counts: { nodes, executions, allocations, unreleased, dropped }, kernels, complete, queues, diagnostics }) => ({
      nodes, executions, allocations, unreleased, dropped, complete, diagnostics,
      kernels: kernels.map(({ name: kernel, kind, count: times }) => `${kind} ${kernel} ${times}`).sort(),
      queues: queues.map(({ order }) => order),
    });
    assert.deepEqual(stable(perfetto), stable(json));
    assert.ok(perfetto.complete);
    assert.equal(perfetto.counts.dropped, 0);
  });
