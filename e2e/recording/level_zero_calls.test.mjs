// Calls of Level Zero, which no adapter reports: recorded through the loader's tracing layer, and compared with the
// driver's log.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { scratch, syclscope } from './lib/environment.mjs';
import { adapters, onDriver, recordOn, skip } from './lib/level_zero.mjs';
import { nativeCalls, strayCalls } from './lib/oracles/native_calls.mjs';
import { program } from './lib/programs.mjs';
import { run } from './lib/run.mjs';
import { versions } from './lib/versions.mjs';

const NATIVE = ['--streams', 'native'];
const WORDS = 'level zero calls: ok\n';

/**
 * Asserts that the recording has exactly the calls of the program, in their order on each thread, with their results.
 */
function hasTheCalls(recording, log, threads) {
  const { seen, expected, names } = nativeCalls(recording, log);
  assert.deepEqual(seen, expected);
  assert.equal(Object.keys(seen).length, threads);
  assert.equal(recording.droppedCount, 0);
  return names;
}

/** Returns an environment with a folder that contains the loader and no tracing layer. */
function withoutLayer(t) {
  const folder = scratch(t);
  for (const file of ['libze_loader.so', 'libze_loader.so.1'])
    fs.copyFileSync(path.join(process.env.LEVEL_ZERO_LOADER, file), path.join(folder, file));
  return { LD_LIBRARY_PATH: onDriver().LD_LIBRARY_PATH.replace(process.env.LEVEL_ZERO_LOADER, folder) };
}

test('the doctor says whether calls of Level Zero can be recorded', { skip }, async (t) => {
  const said = async (more) => {
    const { stdout } = await run(syclscope, ['doctor'], { env: { ...onDriver(), ...more } });
    return /^.*level zero .*$/m.exec(stdout.toString())?.[0] ?? 'nothing';
  };
  assert.match(await said({}), /^ok +level zero +its loader has the tracing layer/);
  assert.match(await said(withoutLayer(t)), /^warning +level zero +its calls can't be recorded.*libze_tracing_layer/);
});

for (const adapter of adapters) {
  const name = adapter.adapter;
  const here = (t, args = [], run = {}) => recordOn(t, adapter, 'level_zero_calls', { args, flags: NATIVE, ...run });

  test(`${name}: the recording holds the calls that the driver has seen`, { skip }, async (t) => {
    const { code, stdout, recording, log } = await here(t);
    assert.deepEqual([code, stdout.toString()], [0, WORDS]);
    const names = hasTheCalls(recording, log, 7);
    for (const call of ['zeMemAllocDevice', 'zeCommandListAppendMemoryCopy', 'zeCommandListAppendMemoryFill', 'zeContextCreate'])
      assert.ok(names.has(call), `${call} is not in ${[...names]}`);
    assert.deepEqual(strayCalls(recording).map((call) => call.name), []);
  });

  test(`${name}: calls have their arguments, and a call that fails its result`, { skip }, async (t) => {
    const { recording, log } = await here(t, [], { words: 'fail=zeMemAllocDevice:2:0x70000003' });
    const allocations = recording.slicesOf('native').filter((call) => call.name === 'zeMemAllocDevice');
    const failed = allocations.filter(({ args }) => args.result === 'ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY');
    assert.equal(failed.length, 1);
    const made = log.filter(({ sort, kind }) => sort === 'allocation' && kind === 'device');
    const given = allocations.filter((call) => !failed.includes(call)).map(({ args }) => BigInt(args.pptr));
    assert.deepEqual(new Set(given), new Set(made.map(({ address }) => BigInt(address))));
  });

  test(`${name}: without being asked for no call is seen`, { skip }, async (t) => {
    const { code, recording } = await here(t, [], { flags: [] });
    assert.equal(code, 0);
    assert.deepEqual(recording.slicesOf('native'), []);
    assert.ok(recording.slicesOf('ur').length > 0);
  });

  test(`${name}: an adapter's own reports of its calls come first`, { skip }, async (t) => {
    const { code, recording } = await here(t, ['--announce']);
    assert.equal(code, 0);
    const calls = recording.slicesOf('native').sort((a, b) => a.start - b.start);
    const own = calls.findIndex((call) => call.name === 'zeOfTheAdapter');
    assert.ok(own > 0);
    assert.deepEqual(calls.slice(own).map((call) => call.name), ['zeOfTheAdapter']);
  });

  test(`${name}: a loader that was there before SYCL is traced`, { skip }, async (t) => {
    const { code, stdout, recording, log } = await here(t, ['--loader-first']);
    assert.deepEqual([code, stdout.toString()], [0, `init: 0\n${WORDS}`]);
    hasTheCalls(recording, log, 7);
  });

  test(`${name}: a program that forks goes on, and its child is recorded`, { skip }, async (t) => {
    const { code, stdout, stderr, recording, log } = await here(t, ['--fork']);
    assert.deepEqual([code, stdout.toString()], [0, `child ended with 4\n${WORDS}`], stderr.toString());
    const parent = log.filter(({ thread }) => recording.tracks.some(({ tid }) => tid === thread));
    hasTheCalls(recording, [...parent, ...log.filter(({ sort }) => sort === 'address')], 7);
  });

  test(`${name}: a layer that the environment switches off is said to be that`, { skip }, async (t) => {
    const { code, stdout, stderr, recording } = await here(t, [], { more: { ZE_ENABLE_TRACING_LAYER: '0' } });
    assert.deepEqual([code, stdout.toString()], [0, WORDS]);
    assert.deepEqual(recording.slicesOf('native'), []);
    assert.match(stderr.toString(), /calls of Level Zero are not recorded: ZE_ENABLE_TRACING_LAYER is set/);
  });

  test(`${name}: a loader without its tracing layer is said, and does no harm`, { skip }, async (t) => {
    const bare = onDriver();
    const more = withoutLayer(t);
    const { code, stdout, stderr, recording } = await here(t, [], { more });
    const alone = await run(program('level_zero_calls'), [], { env: { ...bare, ...adapter.choice, ...more } });
    assert.deepEqual([code, stdout.toString()], [alone.code, alone.stdout.toString()]);
    assert.deepEqual(recording.slicesOf('native'), []);
    assert.match(stderr.toString(), /calls of Level Zero are not recorded: .*libze_tracing_layer\.so\.1/);
  });
}

for (const { version, venv, skip: missing } of versions.filter(({ version }) => /^2025/.test(version)))
  for (const adapter of version === '2025.0' ? adapters.slice(0, 1) : adapters)
    test(`${version}, ${adapter.adapter}: the recording holds the calls that the driver has seen`, { skip: skip || missing }, async (t) => {
      const run = { flags: NATIVE, runtime: venv };
      const { code, stdout, stderr, recording, log } = await recordOn(t, adapter, 'level_zero_calls', run);
      assert.deepEqual([code, stdout.toString()], [0, WORDS], stderr.toString());
      hasTheCalls(recording, log, 7);
    });
