// Answers about memory of real programs: every byte is that of a replay of the recording's allocations, transfers and
// their causes are the program's, and its faults are found with both source locations.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ask as answer } from './lib/ask.mjs';
import { recorded } from './lib/once.mjs';
import { program } from './lib/programs.mjs';
import { Recording } from './lib/recording.mjs';

async function recordingOf(name, args = []) {
  const { code, stdout, stderr, bytes, file } = await recorded(program(name), args);
  assert.equal(code, 0, `${stdout}${stderr}`);
  return { recording: Recording.parse(bytes), ask: (question) => answer(file, question) };
}

/** Returns allocations with the time of their release, from the recording's own records. */
function replay(recording) {
  const events = [...recording.allocations.map((one) => ({ ...one, made: true })), ...recording.releases];
  const live = new Map();
  const blocks = [];
  for (const event of events.sort((a, b) => a.at - b.at || Number(a.made ?? false) - Number(b.made ?? false))) {
    if (event.made) {
      const block = { from: event.at, to: Infinity, bytes: event.size_bytes, kind: event.kind };
      live.set(event.pointer, block);
      blocks.push(block);
    } else {
      const block = live.get(event.pointer);
      if (block) block.to = event.at;
      live.delete(event.pointer);
    }
  }
  return blocks;
}

const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
const liveAt = (blocks, at) => blocks.filter((block) => block.from <= at && block.to > at);
const bytesAt = (blocks, at) => sum(liveAt(blocks, at).map(({ bytes }) => bytes));
const lines = (text) => text.map(({ location }) => location?.line);

for (const name of ['usm', 'buffers', 'leaks', 'images']) {
  test(`${name}: memory in use is that of a replay of the allocations`, async () => {
    const { recording, ask } = await recordingOf(name);
    const blocks = replay(recording);
    const use = await ask('memory_use?points=200');
    const moments = [...new Set(blocks.flatMap(({ from, to }) => [from, to]).filter(Number.isFinite))];
    const ends = [...use.at_ns.slice(1), use.to_ns];
    use.at_ns.forEach((from, bucket) => {
      const inside = [from, ...moments.filter((at) => at > from && at < ends[bucket])];
      assert.equal(use.total_max_bytes[bucket], Math.max(...inside.map((at) => bytesAt(blocks, at))));
      assert.equal(use.total_last_bytes[bucket], bytesAt(blocks, ends[bucket] - 1));
    });
    for (const { kind, max_bytes: most } of use.series) {
      const own = blocks.filter((block) => block.kind === kind);
      const peak = Math.max(0, ...moments.map((at) => bytesAt(own, at)));
      // Series of one kind may be of several devices.
      assert.ok(Math.max(...most) <= peak);
    }
    assert.equal(use.peak.bytes, Math.max(0, ...moments.map((at) => bytesAt(blocks, at))));
    assert.equal(use.peak.count, liveAt(blocks, use.peak.at_ns).length);
    assert.equal(sum(use.peak.places.map(({ bytes }) => bytes)), use.peak.bytes);

    const [first, last] = [use.peak.at_ns, use.to_ns - 1];
    const at = await ask(`memory_at?at=${first}&to=${last}&limit=10000`);
    const both = (block) => liveAt([block], first).length + 2 * liveAt([block], last).length;
    assert.equal(at.live.bytes, use.peak.bytes);
    for (const [word, value] of [['released', 1], ['allocated', 2], ['kept', 3]]) {
      const own = blocks.filter((block) => both(block) === value);
      assert.deepEqual(at.change[word], { count: own.length, bytes: sum(own.map(({ bytes }) => bytes)) });
    }
    const list = await ask('allocations?limit=10000');
    assert.deepEqual(list.total, { count: blocks.length, bytes: sum(blocks.map(({ bytes }) => bytes)) });
  });
}

test('usm: objects of the three kinds, with what was copied into them and out of them', async () => {
  const { ask } = await recordingOf('usm');
  const { objects } = await ask('objects?limit=100');
  assert.deepEqual(objects.map(({ what }) => what).sort(), ['device', 'device', 'device', 'device', 'host', 'host', 'shared', 'shared']);
  const host = objects.find(({ what }) => what === 'host');
  // One copy of all of it, and copies of 32 rows of 64 bytes.
  assert.deepEqual(host.copied_in, { count: 33, bytes: 96 * 32 + 64 * 32 });
  assert.match(host.location.file, /usm\.cpp$/);
  assert.deepEqual(objects.flatMap(({ problems }) => problems).filter((problem) => problem === 'unreleased'), []);
  const history = await ask(`objects/${host.id}?limit=1000`);
  assert.deepEqual([history.events[0].kind, history.events.at(-1).kind], ['made', 'released']);
  assert.equal(history.events.filter(({ kind }) => kind === 'copy_in').length, 33);
});

test('buffers: parts, native memory, accessors and whereabouts on one row', async () => {
  const { recording, ask } = await recordingOf('buffers');
  const { objects } = await ask('objects?what=buffer.sub_buffer');
  assert.equal(objects.length, recording.records('sycl.memory_object').length);
  const [own, , , half, plate] = objects;
  assert.deepEqual([half.what, half.part_of, own.what], ['sub_buffer', own.id, 'buffer']);
  assert.deepEqual([plate.range, plate.element_type, plate.size_bytes], [[16, 32], 'float', 2048]);
  assert.equal(own.memory.length, 2); // its own, and that of the part
  assert.ok(own.memory[0].handle > 0 && own.memory[0].native > 0);
  const accessors = recording.records('sycl.accessor').filter(({ object }) => object === own.object);
  assert.equal(sum(own.accessors.map(({ count }) => count)), accessors.length);
  assert.ok(own.uses_known && own.unused === false);
  assert.deepEqual(own.placement.slice(0, 2).map(({ side }) => side), ['nowhere', 'device']);
  const history = await ask(`objects/${own.id}`);
  assert.deepEqual(history.parts, [half.id]);
  const part = history.events.find(({ kind, offset_bytes: offset }) => kind === 'fill' && offset > 0);
  assert.deepEqual([part.offset_bytes, part.bytes], [8192, 8192], 'a fill of the part');
});

test('transfers: which copies were needed, and why the runtime moved a buffer', async () => {
  const { ask } = await recordingOf('transfers');
  const { transfers, total } = await ask('transfers');
  assert.equal(total.count, transfers.length);
  const usm = transfers.filter(({ name }) => name === 'memcpy');
  assert.deepEqual(usm.map(({ need }) => need), ['needed', 'unknown', 'unchanged', 'never_read', 'never_read']);
  assert.deepEqual(usm.map(({ from, to }) => `${from} ${to}`), ['host device', 'device host', 'device host', 'host device', 'host device']);
  assert.ok(usm.every(({ bytes, bytes_per_ns: rate, location }) => bytes === 4 << 20 && rate > 0 && /transfers\.cpp$/.test(location.file)));
  const moved = transfers.filter(({ name }) => name.startsWith('Memory Transfer'));
  const causes = moved.map(({ cause }) => cause.kind);
  assert.ok(causes.includes('accessor') && causes.includes('host_accessor'), `${causes}`);
  const read = moved.find(({ cause }) => cause.kind === 'accessor');
  assert.deepEqual([read.cause.mode, read.to_object !== null], ['read', true]);
  assert.ok(read.cause.location.line > 0);
});

test('leaks: what is left, what grows', async () => {
  const { ask } = await recordingOf('leaks');
  const leaks = await ask('leaks');
  assert.deepEqual([leaks.complete, leaks.at_end], [true, { count: 9, bytes: 8 * 4096 + 3 * 4096 }]);
  assert.deepEqual(leaks.places.map(({ kind, live }) => [kind, live.count]), [['host', 8], ['device', 1]]);
  const [growth, ...more] = leaks.growth;
  assert.deepEqual([growth.kind, growth.rounds, growth.is_loop, growth.bytes_per_round, more], ['host', 8, true, 4096, []]);
  assert.deepEqual(lines(leaks.growth), lines(leaks.places.slice(0, 1)));
  assert.deepEqual(leaks.misuse, []);
});

for (const [how, kind, certain] of [
  ['twice', 'double_release', true], ['unknown', 'unknown_release', true], ['inner', 'inner_release', true], ['after', 'use_after_release', false],
]) {
  test(`leaks: ${kind} is found, with both places`, async () => {
    const { ask } = await recordingOf('leaks', [how]);
    const { misuse } = await ask('leaks');
    assert.deepEqual(misuse.map(({ kind: found }) => found), [kind]);
    const [found] = misuse;
    assert.equal(found.certain, certain);
    assert.match(found.location.file, /leaks\.cpp$/);
    if (kind !== 'use_after_release') assert.match(found.result, /ERROR/);
    if (kind !== 'unknown_release') assert.ok(found.allocated_location.line > 0);
    const wasReleased = ['double_release', 'use_after_release'].includes(kind);
    assert.equal(found.released_location !== null, wasReleased);
    if (wasReleased) assert.ok(found.released_location.line !== found.location.line && found.released_at.slice >= 0);
  });
}
