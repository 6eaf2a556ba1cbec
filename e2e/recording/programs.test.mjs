// Real programs, one subject each: the recording has exactly the program's actions, event by event.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { recorded } from './lib/once.mjs';
import { program } from './lib/programs.mjs';
import { Recording, count } from './lib/recording.mjs';

async function recordingOf(name) {
  const { code, stdout, stderr, bytes } = await recorded(program(name));
  assert.equal(code, 0, `${stdout}${stderr}`);
  const recording = Recording.parse(bytes);
  assert.ok(recording.finished);
  return recording;
}

const counted = (values) => Object.fromEntries([...count(values)].sort());

test('usm: every command of two queues, and every kind of memory', async () => {
  const recording = await recordingOf('usm');
  const ofQueue = (queue) => [...recording.nodes.values()].filter((node) => node.queue === queue);
  const [first, second] = recording.queues;
  assert.deepEqual([first.order, second.order], ['out_of_order', 'in_order']);
  for (const { queue } of [first, second]) {
    // A copy of rows is a copy for each of them, and a barrier behind them.
    const executed = recording.executions.filter((execution) => execution.queue === queue);
    const kinds = counted([...new Set(executed.map(({ node, kind }) => `${node} ${kind}`))].map((execution) => execution.split(' ')[1]));
    assert.deepEqual(kinds, { advise: 1, barrier: 3, copy: 3, fill: 2, prefetch: 1 });
    const rows = executed.filter(({ name, kind }) => name === 'copy 2d usm' && kind === 'copy');
    assert.equal(rows.length, 32);
    assert.ok(ofQueue(queue).length > 0);
  }
  assert.deepEqual(counted(recording.allocations.map(({ kind, size_bytes: bytes }) => `${kind} ${bytes}`)), { 'device 3072': 2, 'device 64': 2, 'host 3072': 2, 'shared 3072': 2 });
  assert.equal(recording.releases.length, 8);
});

test('event_waits: a wait for an event is at its own line, not at that of the submission', async () => {
  const recording = await recordingOf('event_waits');
  const waits = recording.slicesOf('wait').filter(({ args }) => args.file);
  for (const { args } of waits) assert.match(args.file, /event_waits\.cpp$/);
  // Several events are waited for one by one.
  assert.deepEqual([...new Set(waits.map(({ args }) => args.line))], [13, 15, 16, 18]);
  for (const { name, args } of waits) assert.equal(Boolean(args.caller), name === 'event.wait');
});

test('buffers: objects with their memory, every accessor with its command', async () => {
  const recording = await recordingOf('buffers');
  const objects = recording.records('sycl.memory_object');
  assert.deepEqual(objects.map(({ kind, element_type: type, element_size_bytes: size, dimensions, range_0: a, range_1: b }) => [kind, type, size, dimensions, a, b]), [
    ['buffer', 'i', 4, 1, 4096, undefined], ['buffer', 'i', 4, 1, 4096, undefined], ['buffer', 'i', 4, 1, 4096, undefined],
    ['buffer', 'i', 4, 1, 2048, undefined], ['buffer', 'f', 4, 2, 16, 32],
  ]);
  assert.deepEqual(objects.map(({ host_pointer: pointer }) => pointer !== '0x0'), [false, true, true, false, false]);
  assert.equal(objects[3].sub_buffer_of, objects[0].object);
  for (const { file, line } of objects) assert.ok(/buffers\.cpp$/.test(file) && line > 0);
  assert.deepEqual(recording.records('sycl.object_destroy').map(({ object }) => object).sort(), objects.map(({ object }) => object));
  const bindings = recording.records('sycl.object_binding');
  const changes = counted(bindings.map(({ object, is_bound: bound }) => `${object} ${bound}`));
  for (const { object } of objects.filter(({ sub_buffer_of: part }) => !part))
    assert.ok(changes[`${object} true`] >= 1 && changes[`${object} true`] === changes[`${object} false`], JSON.stringify(changes));

  const accessors = recording.records('sycl.accessor');
  const used = accessors.map(({ object, target, mode, node }) => `${object} ${target} ${mode} ${recording.nodes.get(node)?.kind}`);
  assert.deepEqual(used.sort(), [
    '1 device read copy', '1 device write fill', '1 device write fill', '1 host_buffer read host_accessor', '1 host_buffer read_write host_accessor',
    '2 device write copy', '3 device read_write fill', '5 device write fill',
  ]);
  const locks = [...recording.nodes.values()].filter(({ kind }) => kind === 'host_accessor');
  assert.equal(locks.length, 2);
  assert.ok(recording.edges.some(({ source, reason }) => source === locks[0].node && reason === 'host_accessor'), 'nothing waits for the lock');
  assert.equal([...recording.nodes.values()].filter(({ kind }) => kind === 'sub_buffer').length, 1);
});

test('handles: a swap, a copy or a move of a buffer makes none, and a sub-buffer is one wherever its handle goes', async () => {
  const recording = await recordingOf('handles');
  const objects = recording.records('sycl.memory_object');
  const [one] = objects.filter(({ sub_buffer_of: whole }) => whole).map(({ sub_buffer_of: whole }) => whole);
  assert.deepEqual(objects.map(({ range_0: elements, sub_buffer_of: whole }) => [elements, whole]).sort(([a, whole], [b]) => b - a || (whole ? 1 : -1)), [
    [4096, undefined], [4096, undefined], [2048, one], [1024, one], [1024, one],
  ]);
  for (const { file } of objects) assert.match(file, /handles\.cpp$/);
  // The runtime has created as many.
  const offsets = new Set([...recording.nodes.values()].filter(({ kind }) => kind === 'sub_buffer').map(({ offset }) => offset));
  assert.deepEqual([...offsets].sort((a, b) => a - b), [0, 4096, 8192]);
});

test('images: format, sampler and size; the refused command is a diagnostic', async () => {
  const recording = await recordingOf('images');
  const objects = recording.records('sycl.memory_object');
  // The third is the image of SYCL 1.2.1, of which the runtime only reports the loss of its memory.
  assert.deepEqual(objects.map(({ kind }) => kind), ['unsampled_image', 'sampled_image', 'other']);
  const [unsampled, sampled] = objects;
  assert.deepEqual([unsampled.format, unsampled.dimensions, unsampled.range_0, unsampled.range_1], ['r32g32b32a32_sfloat', 2, 16, 8]);
  assert.deepEqual([sampled.format, sampled.dimensions, sampled.range_2, sampled.addressing, sampled.coordinates, sampled.filtering], ['r8g8b8a8_unorm', 3, 2, 'clamp_to_edge', 'unnormalized', 'linear']);
  const [accessor] = recording.records('sycl.accessor');
  assert.deepEqual([accessor.object, accessor.target, accessor.mode], [unsampled.object, 'host_image', 'read']);
  assert.equal(recording.instants.filter(({ cat }) => cat === 'diagnostic').length, 1);
});

test('user streams: a program\'s own regions, functions and events are on a track of their own', async () => {
  const recording = await recordingOf('user_streams');
  const track = recording.tracks.find(({ kind }) => kind === 'stream');
  assert.equal(track?.name, 'my.lib');
  const regions = recording.slicesOf('user');
  assert.deepEqual(regions.map(({ args }) => args.trace_type), ['region_begin', 'function_begin', 'function_begin', 'function_begin']);
  const [region, ...functions] = regions;
  for (const inner of functions) assert.ok(region.start <= inner.start && inner.end <= region.end, 'a function is outside of its region');
  for (const { args } of regions) assert.deepEqual([args.function, args.file, args.line, args.column, args.rounds], ['solve', 'solver.cpp', 42, 7, '+3']);
  const own = recording.instants.filter(({ cat }) => cat === 'user');
  assert.deepEqual(own.map(({ args }) => [args.stream, args.tool, args.extension]), [['my.lib', 1, 1]]);
});

test('interoperability: native handles enter and leave, with who must release them', async () => {
  const recording = await recordingOf('interop');
  const handles = recording.records('sycl.native_handle');
  const directions = (wanted) => new Set(handles.filter(({ direction }) => direction === wanted).map(({ object }) => object));
  for (const object of ['context', 'queue', 'event', 'mem', 'program', 'kernel'])
    assert.ok(directions('enters').has(object), `${object} did not enter: ${[...directions('enters')]}`);
  for (const object of ['platform', 'device', 'context', 'queue', 'event', 'mem', 'program', 'kernel'])
    assert.ok(directions('leaves').has(object), `${object} did not leave: ${[...directions('leaves')]}`);
  for (const { native, ownership } of handles) assert.ok(native !== '0x0' && ['keep', 'transfer', 'other'].includes(ownership));
  const twice = [...recording.nodes.values()].filter(({ name }) => name === 'twice');
  assert.equal(twice.length, 1, 'the OpenCL kernel has no name');
});
