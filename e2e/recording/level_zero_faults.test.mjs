// Bad circumstances on Level Zero: a recorded program ends as without recording, and the recording reports missing
// data.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { adapters, onDriver, recordOn, skip } from './lib/level_zero.mjs';
import { program } from './lib/programs.mjs';
import { run } from './lib/run.mjs';

const FAULTS = [
  ['memory runs out', 'fail=zeMemAllocDevice:1:0x70000003'],
  ['a device is lost', 'lost_after=3'],
  ['an event gives no times', 'fail=zeEventQueryKernelTimestamp:3:0x70000001'],
  ['the clock can\'t be read at first', 'fail=zeDeviceGetGlobalTimestamps:1:0x70000001'],
  ['the clock is slow to read', 'slow_reading_us=30000'],
  ['a launch returns late', 'late=zeCommandListAppendLaunchKernel:20000'],
];

for (const adapter of adapters)
  for (const [fault, words] of FAULTS)
    test(`${adapter.adapter}: ${fault}: the program ends as it does by itself`, { skip }, async (t) => {
      const { choice } = adapter;
      const { code, signal, stdout, stderr, recording } = await recordOn(t, adapter, 'level_zero', { words });
      const alone = await run(program('level_zero'), [], { env: { ...onDriver(words), ...choice } });
      assert.equal(stdout.toString(), alone.stdout.toString());
      assert.deepEqual([code, signal], [alone.code, alone.signal], stderr.toString());
      // Every command has times, or is counted as one without.
      const untimed = recording.records('sycl.untimed').length;
      const commands = [...recording.nodes.values()].filter(({ kind }) => /^(kernel|copy|fill)$/.test(kind)).length;
      if (!alone.signal) assert.equal(recording.executions.length + untimed, commands);
    });

test('without a driver the program says what it says by itself', { skip }, async (t) => {
  const more = { ZE_ENABLE_ALT_DRIVERS: '/nowhere/libze_none.so' };
  const { code, signal, stderr } = await recordOn(t, adapters[0], 'level_zero', { more });
  const alone = await run(program('level_zero'), [], { env: { ...onDriver(), ...more, ...adapters[0].choice } });
  assert.equal(alone.signal, 'SIGABRT');
  assert.deepEqual([code, signal], [alone.code, alone.signal]);
  const words = /No device of requested type[^\n]*/.exec(alone.stderr)?.[0];
  assert.ok(words && stderr.toString().includes(words), stderr.toString());
});
