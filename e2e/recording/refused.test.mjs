// Recordings that are impossible: the reason and the remedy are reported, and no existing file is lost.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { scratch } from './lib/environment.mjs';
import { program } from './lib/programs.mjs';
import { record } from './lib/run.mjs';

test('a program without SYCL runs as ever, with a warning and without a file', async (t) => {
  const folder = scratch(t);
  const recorded = await record(path.join(folder, 'run.pftrace'), program('no_sycl'));
  assert.equal(recorded.code, 5);
  assert.equal(recorded.stdout.toString(), 'no SYCL here\n');
  assert.match(recorded.stderr.toString(), /nothing was recorded/);
  assert.deepEqual(fs.readdirSync(folder), []);
});

test('a program that is not there gives 127 and its name', async (t) => {
  const folder = scratch(t);
  for (const missing of ['./not-there', 'surely-no-such-program']) {
    const recorded = await record(path.join(folder, 'run.pftrace'), missing);
    assert.equal(recorded.code, 127);
    assert.ok(recorded.stderr.includes(missing), recorded.stderr.toString());
  }
  assert.deepEqual(fs.readdirSync(folder), []);
});

test('a file that cannot be executed gives 126', async (t) => {
  const folder = scratch(t);
  const script = path.join(folder, 'script');
  fs.writeFileSync(script, 'echo no\n', { mode: 0o644 });
  const recorded = await record(path.join(folder, 'run.pftrace'), script);
  assert.equal(recorded.code, 126, recorded.stderr.toString());
});

test('a wrong --xptifw is named before the program runs', async (t) => {
  const folder = scratch(t);
  const recorded = await record(path.join(folder, 'run.pftrace'), program('exit3'), [], { flags: ['--xptifw', '/nowhere/libxptifw.so'] });
  assert.notEqual(recorded.code, 0);
  assert.notEqual(recorded.code, 3);
  assert.match(recorded.stderr.toString(), /\/nowhere\/libxptifw\.so/);
  assert.equal(recorded.stdout.length, 0, 'the program was run');
});

test('a recording that is there already is kept unless --force is given', async (t) => {
  const file = path.join(scratch(t), 'run.pftrace');
  fs.writeFileSync(file, 'precious');
  const kept = await record(file, program('exit3'));
  assert.notEqual(kept.code, 3);
  assert.equal(kept.bytes.toString(), 'precious');
  assert.match(kept.stderr.toString(), /--force/);

  const forced = await record(file, program('exit3'), [], { flags: ['--force'] });
  assert.equal(forced.code, 3);
  assert.notEqual(forced.bytes.toString(), 'precious');
});

test('a folder that is not there is named before the program runs', async (t) => {
  const file = path.join(scratch(t), 'no/such/folder/run.pftrace');
  const recorded = await record(file, program('exit3'));
  assert.notEqual(recorded.code, 3);
  assert.match(recorded.stderr.toString(), /no\/such\/folder/);
  assert.equal(recorded.stdout.length, 0, 'the program was run');
});
