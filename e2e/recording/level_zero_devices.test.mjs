// Several devices on Level Zero, and a context that is destroyed before the times of its commands have been read.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { adapters, nearTheTruth, recordOn, skip, work } from './lib/level_zero.mjs';
import { versions } from './lib/versions.mjs';

const older = versions.find(({ version }) => version === '2025.2');

for (const adapter of adapters) {
  const name = adapter.adapter;

  test(`${name}: what two devices do is on their queues, at its times`, { skip }, async (t) => {
    // The program releases its queues and context a moment after their last command, and with them the adapter's own
    // events.
    const { code, stdout, stderr, recording, log } = await recordOn(t, adapter, 'level_zero_devices', { words: 'devices=2' });
    assert.deepEqual([code, stdout.toString()], [0, '2 devices: ok\n'], stderr.toString());
    const device = new Map(recording.queues.map(({ queue, device }) => [queue, device]));
    const seen = [...recording.executions].sort((a, b) => a.start - b.start);
    assert.deepEqual(
      seen.map(({ kind, queue }) => `${kind} ${device.get(queue)}`),
      work(log).map(({ kind, device }) => `${kind} Test driver GPU ${device}`),
    );
    // Each device has a separate clock.
    const handles = new Set(recording.records('sycl.device_clock').map(({ device_handle: handle }) => handle));
    assert.equal(handles.size, 2);
    nearTheTruth(recording, log);
  });

  test(`${name}: two devices whose clocks take long to be read have their times, too`, { skip }, async (t) => {
    const { code, recording, log } = await recordOn(t, adapter, 'level_zero_devices', { words: 'devices=2;slow_reading_us=15000' });
    assert.equal(code, 0);
    assert.equal(recording.executions.length, work(log).length);
  });

  test(`2025.2, ${name}: a context that is gone before the times are read does no harm`, { skip: skip || older.skip }, async (t) => {
    const run = { words: 'devices=2', runtime: older.venv };
    const { code, stdout, stderr, recording, log } = await recordOn(t, adapter, 'level_zero_devices', run);
    assert.deepEqual([code, stdout.toString()], [0, '2 devices: ok\n'], stderr.toString());
    nearTheTruth(recording, log);
  });

  test(`${name}: a device left without work is in the recording, and no command is`, { skip }, async (t) => {
    const run = { words: 'devices=3', args: ['--idle'] };
    const { code, recording } = await recordOn(t, adapter, 'level_zero_devices', run);
    assert.equal(code, 0);
    const queues = recording.queues.map(({ queue, device }) => [queue, device]);
    const idle = queues.find(([, device]) => device === 'Test driver GPU 2')[0];
    assert.equal(recording.executions.filter(({ queue }) => queue === idle).length, 0);
    assert.equal(recording.executions.length, 6);
  });
}
