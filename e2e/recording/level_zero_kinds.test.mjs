// Kinds of devices on Level Zero, and a command that never ends: a recorded program behaves as without recording, and
// every command has its times.
import assert from 'node:assert/strict';
import path from 'node:path';
import fs from 'node:fs';
import { test } from 'node:test';

import { scratch, syclscope } from './lib/environment.mjs';
import { adapters, nearTheTruth, onDriver, readLog, recordOn, skip, work } from './lib/level_zero.mjs';
import { program } from './lib/programs.mjs';
import { Recording } from './lib/recording.mjs';
import { recordArguments, recordedProcess, run, start } from './lib/run.mjs';

const KINDS = [
  ['two tiles', 'tiles=2'],
  ['engines that all compute', 'compute_engines=4;copy_engines=0;link_engines=0'],
  ['an Arc with an older driver', 'device_id=0x56a0;ip_version=0x030dc008;version=1.3.27642'],
  ['timestamps of as many bits as the clock', 'bits=40;kernel_bits=40'],
  ['no events that count', 'counting_events=0'],
  ['slow copies', 'copy_megabytes_per_second=1000'],
  ['little memory', 'memory_mb=64'],
];

for (const { adapter, choice } of adapters) {
  for (const [kind, words] of KINDS)
    test(`${adapter}: ${kind}: every command has its times`, { skip }, async (t) => {
      const { code, stdout, stderr, recording, log } = await recordOn(t, { choice }, 'level_zero', { words });
      const alone = await run(program('level_zero'), [], { env: { ...onDriver(words), ...choice } });
      assert.deepEqual([code, stdout.toString()], [0, alone.stdout.toString()], stderr.toString());
      assert.equal(recording.executions.length, 10);
      nearTheTruth(recording, log);
    });

  test(`${adapter}: devices that can't reach each other's memory`, { skip }, async (t) => {
    const run = { words: 'devices=2;peer_access=0' };
    const { code, stdout, stderr, recording, log } = await recordOn(t, { choice }, 'level_zero_devices', run);
    assert.deepEqual([code, stdout.toString()], [0, '2 devices: ok\n'], stderr.toString());
    nearTheTruth(recording, log);
  });

  test(`${adapter}: a command that never ends is in the recording of the program that was killed over it`, { skip }, async (t) => {
    const folder = scratch(t);
    const [file, log] = [path.join(folder, 'run'), path.join(folder, 'log')];
    const args = recordArguments(file, program('level_zero'), [], { format: 'json' });
    const recorded = start(syclscope, args, { cwd: folder, env: { ...onDriver('stuck_at=3', { log }), ...choice } });
    t.after(() => recorded.child.kill('SIGKILL'));
    // The first two commands have ended, and no later one ends; the third was submitted, however late.
    const isStuck = (lines) => work(lines).length >= 2 && lines.some(({ sort, name }) => sort === 'call' && name.startsWith('zeCommandListAppendLaunchKernel'));
    while (!isStuck(readLog(log))) await new Promise((resolve) => setTimeout(resolve, 20));
    process.kill(recordedProcess(recorded, 'level_zero'), 'SIGKILL');
    await recorded.ended;
    const recording = Recording.parse(fs.readFileSync(file));
    assert.ok(recording.executions.length <= 2);
    const commands = [...recording.nodes.values()].filter(({ kind }) => /^(kernel|copy|fill)$/.test(kind));
    assert.ok(commands.length >= 3, `${commands.length} commands`);
  });
}
