// Counters of Intel's GPUs: read from sysman through the real loader, and compared with the answers in the driver's
// log.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { scratch, syclscope } from './lib/environment.mjs';
import { adapters, onDriver, recordOn, recordUntil, skip } from './lib/level_zero.mjs';
import { expectedCounters, recorders } from './lib/oracles/sysman.mjs';
import { run } from './lib/run.mjs';

const SAMPLES = 6;
const OUTPUT = 'device: Test driver GPU 0\nlevel zero: ok\n';

/** True if the log shows a number of samples of a device. */
const sampled = (device, count = SAMPLES) => (log) =>
  log.filter((line) => line.sort === 'reading' && line.kind === 'Memory' && line.device === device && line.process === recorders(log)[0]).length >= count;

/** Asserts that a device's counters are the driver's answers, to the last one before the program ended. */
function areTheAnswers({ recording, before, log }, device, name) {
  const [process, ...others] = recorders(log);
  assert.deepEqual(others, [], 'one process reads the counters');
  const [atLeast, all] = [before, log].map((lines) => expectedCounters(lines, process, device));
  for (const [counter, expected] of Object.entries(all)) {
    const seen = recording.counter(`${counter}: ${name}`);
    // The sample that was being read when the log was read may be missing.
    assert.ok(seen.length >= atLeast[counter].length - 1 && seen.length >= 3, `${counter}: ${seen.length} samples`);
    assert.deepEqual(seen.map(({ value }) => value), expected.slice(0, seen.length).map(({ value }) => value), counter);
    for (const [index, { at }] of seen.entries()) {
      const time = Number(recording.machineTime(at));
      assert.ok(time <= expected[index].from, `${counter}: a sample is later than its answer`);
      assert.ok(index === 0 || time >= expected[index - 1].at, `${counter}: a sample is earlier than the answer before`);
    }
  }
}

const facts = (recording) => recording.records('sycl.fact').filter(({ name }) => name === 'counters').map(({ value }) => value);

for (const adapter of adapters)
  test(`${adapter.adapter}: counters of each GPU are what the driver has answered`, { skip }, async (t) => {
    const result = await recordUntil(t, adapter, sampled(1), { words: 'devices=2;others_mb=300' });
    assert.deepEqual([result.code, result.stdout.toString()], [0, OUTPUT], result.stderr.toString());
    for (const device of [0, 1]) areTheAnswers(result, device, `Test driver GPU ${device}`);
    assert.deepEqual(result.log.filter(({ sort }) => sort === 'misuse'), []);
    assert.deepEqual(facts(result.recording).filter((fact) => fact.includes('Test driver')), []);
  });

const [adapter] = adapters;

test('a GPU with tiles has the highest clock, temperature and utilisation of them, and the power of the card', { skip }, async (t) => {
  const result = await recordUntil(t, adapter, sampled(0), { words: 'tiles=2' });
  assert.equal(result.code, 0, result.stderr.toString());
  areTheAnswers(result, 0, 'Test driver GPU 0');
});

test('GPUs that ZE_AFFINITY_MASK leaves out are not read', { skip }, async (t) => {
  // The driver must apply the mask, which the tests' own driver does not: the program sees both devices.
  const result = await recordUntil(t, adapter, sampled(1), { words: 'devices=2', more: { ZE_AFFINITY_MASK: '1' } });
  assert.equal(result.code, 0, result.stderr.toString());
  assert.deepEqual(result.log.filter(({ sort, kind, device }) => sort === 'reading' && kind === 'Clock' && device === 0), []);
  areTheAnswers(result, 1, 'Test driver GPU 1');
});

test('counters that the driver refuses are named, and the others are there', { skip }, async (t) => {
  const words = 'fail=zesDeviceEnumPowerDomains:1:0x70010000;fail=zesTemperatureGetState:1:0x78000003';
  const { code, stdout, recording, log } = await recordUntil(t, adapter, sampled(0), { words });
  assert.deepEqual([code, stdout.toString()], [0, OUTPUT]);
  assert.deepEqual(facts(recording).filter((fact) => fact.includes('Test driver')), [
    'not recorded of Test driver GPU 0: power (zesDeviceEnumPowerDomains: ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS), '
      + 'temperature (zesTemperatureGetState: ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)',
  ]);
  const names = recording.counterNames.filter((name) => name.endsWith('Test driver GPU 0'));
  assert.deepEqual(names, ['clock', 'memory used', 'temperature', 'utilisation'].map((name) => `GPU ${name}: Test driver GPU 0`));
  // Only the first temperature was refused.
  const expected = expectedCounters(log, recorders(log)[0], 0);
  assert.equal(recording.counter('GPU temperature: Test driver GPU 0')[0].value, expected['GPU temperature'][0].value);
});

test('a driver that crashes takes the counters, and nothing of the program', { skip }, async (t) => {
  const crashed = (log) => log.some(({ sort, name }) => sort === 'call' && name === 'zesDevicePciGetProperties');
  const { code, stdout, recordings } = await recordUntil(t, adapter, crashed, { words: 'crash=zesDeviceEnumFrequencyDomains' });
  assert.deepEqual([code, stdout.toString()], [0, OUTPUT]);
  assert.equal(recordings.reduce((sum, { executions }) => sum + executions.length, 0), 10);
  assert.deepEqual(recordings.flatMap(({ counterNames }) => counterNames.filter((name) => name.startsWith('GPU'))), []);
});

test('without counters sysman is not touched', { skip }, async (t) => {
  const args = ['--rounds', '5', '--pause', '100'];
  const { code, recording, log } = await recordOn(t, adapter, 'level_zero', { args, flags: ['--no-counters'] });
  assert.equal(code, 0);
  assert.deepEqual(recording.counterNames.filter((name) => /^(GPU|process)/.test(name)), []);
  assert.deepEqual(recorders(log), []);
});

test('the doctor lists the counters that can be read, and names a loader that is too old', { skip }, async (t) => {
  const counters = async (words, more) => {
    const { stdout } = await run(syclscope, ['doctor', '--format', 'json'], { env: { ...onDriver(words), ...more } });
    return JSON.parse(stdout).checks.find(({ name }) => name === 'counters');
  };
  const all = await counters('devices=2');
  assert.equal(all.state, 'ok');
  for (const device of [0, 1])
    assert.ok(all.says.includes(`Test driver GPU ${device}: clock, power, temperature, utilisation, memory used`), all.says);
  const refused = await counters('fail=zesEngineGetActivity:1:0x70010000');
  assert.match(refused.says, /not recorded of Test driver GPU 0: utilisation \(zesEngineGetActivity: ZE_RESULT_ERROR_INSUFFICIENT/);
  const crashed = await counters('crash=zesDeviceEnumEngineGroups');
  assert.equal(crashed.state, 'warning');
  assert.match(crashed.says, /SIGABRT/);
  assert.match(crashed.remedy, /--no-counters/);

  // A library under the loader's name that has no function of sysman.
  const folder = scratch(t);
  fs.copyFileSync(path.join(process.env.LEVEL_ZERO_LOADER, 'libze_tracing_layer.so.1'), path.join(folder, 'libze_loader.so.1'));
  const old = await counters('', { LD_LIBRARY_PATH: [folder, onDriver().LD_LIBRARY_PATH].join(':') });
  assert.equal(old.state, 'warning');
  assert.match(old.says, /Level Zero's loader is too old \(it lacks zesInit\)/);
  assert.match(old.remedy, /1\.9/);
});
