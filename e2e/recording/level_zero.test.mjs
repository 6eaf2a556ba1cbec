// Programs on Level Zero: the real loader, both real adapters, and a driver of our own whose log has the times of each
// command.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { adapters, nearTheTruth, onDriver, recordOn, skip, work } from './lib/level_zero.mjs';
import { ATTEMPTS } from './lib/once.mjs';
import { readCallTrace } from './lib/oracles/call_trace.mjs';
import { program } from './lib/programs.mjs';
import { count, differences } from './lib/recording.mjs';
import { run } from './lib/run.mjs';

for (const adapter of adapters) {
  const name = adapter.adapter;
  const here = (words, args, more) => (t) => recordOn(t, adapter, 'level_zero', { words, args, more });

  test(`${name}: every command has the times that the driver has run it at`, { skip }, async (t) => {
    const args = ['--rounds', '5'];
    const { code, stdout, recording, log } = await here('hertz=19200000', args)(t);
    const alone = await run(program('level_zero'), args, { env: { ...onDriver(), ...adapter.choice } });
    assert.deepEqual([code, stdout.toString()], [alone.code, alone.stdout.toString()]);
    assert.equal(recording.droppedCount, 0);
    assert.equal(recording.executions.length, 50);
    nearTheTruth(recording, log, 19.2e6);
  });

  test(`${name}: a program that ends a moment after its first command has device times`, { skip }, async (t) => {
    const { recording, log } = await here()(t);
    assert.equal(recording.executions.length, 10);
    nearTheTruth(recording, log);
  });

  test(`${name}: the recording holds the calls that the runtime prints`, { skip }, async (t) => {
    const { stdout, stderr, recording } = await here('', [], { SYCL_UR_TRACE: '2' })(t);
    const printed = readCallTrace(stdout + stderr);
    assert.ok(printed.size > 10, 'the runtime printed no calls');
    for (const call of printed.keys()) if (/(Internal|Helper)$/.test(call)) printed.delete(call); // the adapter's own functions
    assert.deepEqual(differences(count(recording.slicesOf('ur').map((call) => call.name)), printed), []);
  });

  test(`${name}: a clock that drifts is followed`, { skip }, async (t) => {
    const { recording, log } = await here('drift_ppm=80', ['--rounds', '30', '--pause', '100'])(t);
    nearTheTruth(recording, log);
  });

  test(`${name}: a clock that begins again has times before, over and after that`, { skip }, async (t) => {
    const { recording, log } = await here('wrap_after_ms=2000', ['--rounds', '40', '--pause', '100'])(t);
    const behind = work(log).filter(({ begin_ticks: begin, end_ticks: end }) => begin < 2 ** 31 || end < begin);
    assert.ok(behind.length > 10, 'the clock has not begun again');
    nearTheTruth(recording, log);
  });
}

test('v1: commands of lists that are handed over later, on several engines, have their times', { skip }, async (t) => {
  // The adapter takes another engine while a list of the last one runs: a copy lasts 131 ms.
  const more = { UR_L0_USE_IMMEDIATE_COMMANDLISTS: '0', UR_L0_COPY_BATCH_SIZE: '1' };
  const words = 'copy_megabytes_per_second=2';
  let engines = new Set();
  // On a busy machine a list may be over before the program hands over the next one.
  for (let attempt = 0; attempt < ATTEMPTS && engines.size < 3; attempt += 1) {
    const { recording, log } = await recordOn(t, adapters[0], 'level_zero', { words, args: ['--rounds', '3'], more });
    nearTheTruth(recording, log);
    engines = new Set(work(log).map(({ engine }) => engine));
  }
  assert.deepEqual([...engines].sort(), ['compute', 'copy', 'link copy']);
});

test('v2: commands of forced batches have no times, as the adapter gives none to anybody', { skip }, async (t) => {
  const more = { UR_L0_V2_FORCE_BATCHED: '1' };
  const { code, stdout, recording } = await recordOn(t, adapters[1], 'level_zero', { more });
  assert.deepEqual([code, stdout.toString()], [0, 'device: Test driver GPU 0\nlevel zero: ok\n']);
  assert.equal(recording.executions.length, 0);
  assert.deepEqual(recording.records('sycl.untimed').map(({ reason }) => reason), Array(10).fill('unprofiled'));
  // SYCL itself can't read these times: if this fails, they can be recorded.
  const env = { ...onDriver(), ...adapters[1].choice, ...more };
  const alone = await run(program('level_zero'), ['--profiling'], { env });
  assert.equal(alone.signal, 'SIGABRT');
  assert.match(alone.stderr.toString(), /PROFILING_INFO_NOT_AVAILABLE/);
});
