// A program that pauses its own recording.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import { scratch } from './lib/environment.mjs';
import { program } from './lib/programs.mjs';
import { Recording } from './lib/recording.mjs';
import { record, run } from './lib/run.mjs';

test('a program pauses its recording, and lets it go on', async (t) => {
  const recorded = await record(path.join(scratch(t), 'run.json'), program('pauses'), [], { format: 'json' });
  assert.equal(recorded.code, 0, recorded.stderr.toString());
  const recording = Recording.parse(recorded.bytes);
  const fills = recording.executions.filter(({ kind }) => kind === 'fill');
  assert.equal(fills.length, 5, 'three before the pause, two after it');
  assert.equal([...recording.nodes.values()].filter(({ kind }) => kind === 'fill').length, 5);
  assert.equal(recording.allocations.length, 2, 'memory is followed while paused');
  assert.equal(recording.releases.length, 2);
  assert.equal(recording.droppedCount, 0);
  assert.ok(recording.slices.every(({ end }) => end !== null));
});

test('without a recorder it does nothing', async () => {
  const { code, stdout, stderr } = await run(program('pauses'));
  assert.deepEqual([code, stdout.toString(), stderr.toString()], [0, 'ok\n', '']);
});
