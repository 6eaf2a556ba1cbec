// Call stacks: those of copies, waits and allocations are the ones that the program prints.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';

import { ask } from './lib/ask.mjs';
import { scratch } from './lib/environment.mjs';
import { recorded } from './lib/once.mjs';
import { program } from './lib/programs.mjs';
import { Recording } from './lib/recording.mjs';
import { record } from './lib/run.mjs';

/** Returns the user's frames of a stack as the program prints them. */
function stack(recording, innermost) {
  const frames = new Map(recording.records('sycl.stack_frame').map((frame) => [frame.frame, frame]));
  const users = [];
  for (let frame = frames.get(innermost); frame; frame = frames.get(frame.caller))
    if (frame.kind === 'program' && frame.file.endsWith('stacks.cpp')) users.push(`${frame.function.split('(')[0]}:${frame.line}`);
  return users.join(' ');
}

/** Asserts that stacks are those that the program prints. */
function assertNamed(recording, stdout) {
  const told = stdout.toString().trim().split('\n').map((line) => line.split(' '));
  const of = (what) => told.filter(([kind]) => kind === what).map(([, , ...calls]) => calls.join(' '));
  const shown = (slices) => slices.map(({ args }) => stack(recording, args.call_stack));

  const submitted = [...recording.nodes.values()].filter(({ kind }) => kind === 'copy');
  assert.deepEqual(submitted.map((node) => stack(recording, node.call_stack)), of('copy'));
  assert.deepEqual(shown(recording.slicesOf('wait').filter(({ args }) => args.file)), of('wait'));
  const allocations = recording.slicesOf('memory').filter(({ args }) => args.memory_size === 4096);
  assert.deepEqual(shown(allocations), of('allocation'));
  assert.equal(of('copy').length, 7);
}

test('stacks of copies, waits and allocations are those that the program names', async () => {
  const { code, stdout, stderr, file, bytes } = await recorded(program('stacks'), [], { flags: ['--stacks', 'native'] });
  assert.equal(code, 0, stderr.toString());
  const recording = Recording.parse(bytes);
  assertNamed(recording, stdout);
  for (const weight of ['allocated', 'peak']) {
    const { groups, names } = await ask(file, `calltree?weight=${weight}`);
    const nodes = groups[0].nodes.filter(({ name }) => /^allocate(\(|$)/.test(names[name]));
    assert.deepEqual(nodes.map((node) => node.total_bytes), [4096], weight);
  }

  // The runtime's own frames are included, and marked as such.
  const runtime = recording.records('sycl.stack_frame').filter(({ module }) => /libsycl\.so/.test(module));
  assert.ok(runtime.length > 0 && runtime.every(({ kind }) => kind === 'runtime'));
  assert.ok(recording.records('sycl.stack_frame').every(({ module }) => !/syclscope/.test(path.basename(module))));
});

const objcopy = (...args) => spawnSync('objcopy', args).status === 0;

test('stacks are the same where debug information is compressed or in a file of its own', { skip: !objcopy('--version') && 'there is no objcopy' }, async (t) => {
  const folder = scratch(t);
  const [whole, packed, bare] = [program('stacks'), path.join(folder, 'packed'), path.join(folder, 'bare')];
  assert.ok(objcopy('--compress-debug-sections=zlib', whole, packed));
  assert.ok(objcopy('--only-keep-debug', packed, `${bare}.debug`));
  assert.ok(objcopy('--strip-all', `--add-gnu-debuglink=${bare}.debug`, whole, bare));
  for (const one of [packed, bare]) {
    const { code, stdout, stderr, bytes } = await record(`${one}.json`, one, [], { format: 'json', flags: ['--stacks', 'native'] });
    assert.equal(code, 0, stderr.toString());
    assertNamed(Recording.parse(bytes), stdout);
  }
});
