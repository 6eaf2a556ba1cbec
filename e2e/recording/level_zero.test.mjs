// Programs on Level Zero: the real loader, both real adapters, and a driver of our own whose log says when each command ran.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import { scratch } from './lib/environment.mjs';
import { adapters, onDriver, readLog, skip, work } from './lib/level_zero.mjs';
import { readCallTrace } from './lib/oracles/call_trace.mjs';
import { program } from './lib/programs.mjs';
import { Recording, count, differences } from './lib/recording.mjs';
import { record, run } from './lib/run.mjs';

// A device's clock ticks less often than the machine's: a time is as good as two ticks.
const tick = (hertz) => 2e9 / hertz;

/** A program recorded on the driver: what came of it, the recording, and the driver's log. */
async function recordedOn(t, { choice }, words, args = [], env = {}) {
  const folder = scratch(t);
  const log = path.join(folder, 'log');
  const result = await record(path.join(folder, 'run.json'), program('level_zero'), args, {
    format: 'json', cwd: folder, env: { ...onDriver(words, { log }), ...choice, ...env },
  });
  assert.equal(result.code, 0, `${result.stdout}${result.stderr}`);
  return { ...result, recording: Recording.parse(result.bytes), log: readLog(log) };
}

/** Each command of the recording beside the one of the log: both have them in the order in which they began. */
function beside(recording, log) {
  const ran = work(log);
  const seen = [...recording.executions].sort((a, b) => a.start - b.start);
  assert.deepEqual(seen.map(({ kind }) => kind), ran.map(({ kind }) => kind));
  return seen.map((execution, index) => [execution, ran[index]]);
}

/** How far off the recording says that a time may be. */
function uncertainty(recording) {
  const clocks = recording.records('sycl.device_clock');
  assert.ok(clocks.length > 0, 'nothing is said of the device\'s clock');
  return Math.max(...clocks.map(({ residual_ns: residual }) => residual));
}

function nearTheTruth(recording, log, hertz) {
  const within = uncertainty(recording) + tick(hertz);
  assert.ok(within < 1e6, `a millisecond says nothing: ${within}`);
  for (const [{ kind, start, end }, truth] of beside(recording, log))
    for (const [time, true_time] of [[start, truth.begin], [end, truth.end]]) {
      const off = Number(recording.machineTime(time)) - true_time;
      assert.ok(Math.abs(off) <= within, `${kind}: ${off} ns off, and ${within} was said`);
    }
}

for (const adapter of adapters) {
  const name = adapter.adapter;

  test(`${name}: every command has the times that the driver has run it at`, { skip }, async (t) => {
    const { stdout, recording, log } = await recordedOn(t, adapter, 'hertz=19200000', ['--rounds', '5']);
    assert.equal(recording.droppedCount, 0);
    assert.equal(recording.executions.length, 50);
    nearTheTruth(recording, log, 19.2e6);
    const alone = await run(program('level_zero'), ['--rounds', '5'], { env: { ...onDriver(), ...adapter.choice } });
    assert.equal(stdout.toString(), alone.stdout.toString());
  });

  test(`${name}: a program that ends a moment after its first command has device times`, { skip }, async (t) => {
    const { recording, log } = await recordedOn(t, adapter, '');
    assert.equal(recording.executions.length, 10);
    nearTheTruth(recording, log, 12.5e6);
  });

  test(`${name}: the recording holds the calls that the runtime prints`, { skip }, async (t) => {
    const { stdout, stderr, recording } = await recordedOn(t, adapter, '', [], { SYCL_UR_TRACE: '2' });
    const printed = readCallTrace(stdout + stderr);
    assert.ok(printed.size > 10, 'the runtime printed no calls');
    for (const name of printed.keys()) if (/(Internal|Helper)$/.test(name)) printed.delete(name); // the adapter's own, no calls
    assert.deepEqual(differences(count(recording.slicesOf('ur').map((call) => call.name)), printed), []);
  });

  test(`${name}: a clock that drifts is followed`, { skip }, async (t) => {
    const { recording, log } = await recordedOn(t, adapter, 'drift_ppm=80', ['--rounds', '30', '--pause', '100']);
    nearTheTruth(recording, log, 12.5e6);
  });

  test(`${name}: a clock that begins again has times before, over and after that`, { skip }, async (t) => {
    const words = 'wrap_after_ms=2000';
    const { recording, log } = await recordedOn(t, adapter, words, ['--rounds', '40', '--pause', '100']);
    const wraps = work(log).filter(({ begin_ticks: begin, end_ticks: end }) => begin < 1e8 || end < begin);
    assert.ok(wraps.length > 10, 'the clock has not begun again');
    nearTheTruth(recording, log, 12.5e6);
  });
}
