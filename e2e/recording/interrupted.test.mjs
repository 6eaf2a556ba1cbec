// Programs that are killed, that fork, and disks that are full.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { scratch, syclscope } from './lib/environment.mjs';
import { program } from './lib/programs.mjs';
import { Recording, count } from './lib/recording.mjs';
import { record, recordArguments, recordedProcess, run, start, summary } from './lib/run.mjs';

for (const format of ['perfetto', 'json'])
  for (const victim of ['the program', 'the program and the recorder'])
    test(`SIGKILL of ${victim} leaves a ${format} file with all but the last moment`, async (t) => {
      const file = path.join(scratch(t), 'run');
      const recording = start(syclscope, recordArguments(file, program('endless'), [], { format }));
      await recording.line('ready');
      const certain = (await numbers(recording, 2)).at(-1);
      const child = recordedProcess(recording, 'endless');
      // Work until now is in the file after a while, however busy the machine is.
      const fillsOf = ({ kernels }) => kernels.find(({ kind }) => kind === 'fill')?.count ?? 0;
      while (recording.child.exitCode === null && recording.child.signalCode === null) {
        const isThere = await summary(file).then((known) => fillsOf(known) >= certain, () => false);
        if (isThere) break;
      }
      if (victim !== 'the program') recording.child.kill('SIGKILL');
      process.kill(child, 'SIGKILL');
      const { signal, stderr } = await recording.ended;
      assert.equal(signal, 'SIGKILL', stderr.toString());

      const { kernels, complete, counts } = await summary(file);
      const fills = fillsOf({ kernels });
      assert.ok(fills >= certain, `${fills} of at least ${certain} rounds are there`);
      assert.equal(complete, false);
      assert.equal(counts.dropped, 0);
      if (format === 'json') {
        const read = Recording.parse(fs.readFileSync(file));
        assert.ok(read.executions.filter(({ kind }) => kind === 'fill').length >= certain);
      }
    });

test('a fork gives two files, and the parent\'s is whole', async (t) => {
  const folder = scratch(t);
  const recorded = await record(path.join(folder, 'run.json'), program('forks'), [], { format: 'json' });
  const files = fs.readdirSync(folder).sort();
  assert.equal(files.length, 2, files.join(' '));
  const [childFile] = files.filter((name) => name !== 'run.json');
  const child = Recording.parse(fs.readFileSync(path.join(folder, childFile)));
  const parent = Recording.parse(recorded.bytes);
  assert.equal(childFile, `run.${child.process.pid}.json`);
  assert.notEqual(parent.process.pid, child.process.pid);

  const kinds = (recording) => Object.fromEntries(count(recording.executions.map(({ kind }) => kind)));
  assert.deepEqual(kinds(parent), { fill: 6, copy: 12 });
  assert.deepEqual(kinds(child), { fill: 3, copy: 6 });
  for (const recording of [parent, child]) {
    assert.ok(recording.finished);
    assert.equal(recording.droppedCount, 0);
  }
  assert.ok(recorded.stderr.includes(childFile), 'the recorder does not name the child\'s file');
});

for (const format of ['perfetto', 'json'])
  test(`a full disk stops the ${format} recording, not the program`, async (t) => {
    const disk = smallDisk(t);
    if (disk === null) return;
    const file = path.join(disk, 'run');
    const alone = await run(program('threads'));
    const recorded = await record(file, program('threads'), [], { format });
    assert.equal(recorded.code, 0, recorded.stderr.toString());
    assert.equal(recorded.stdout.toString(), alone.stdout.toString());
    assert.match(recorded.stderr.toString(), /syclscope: .*(No space left|full)/);
    await summary(file); // what was written opens
  });

test('a limit on file sizes stops the recording, not the program', async (t) => {
  const file = path.join(scratch(t), 'run.json');
  const command = [syclscope, ...recordArguments(file, program('threads'), [], { format: 'json' })];
  const recorded = await run('bash', ['-c', 'ulimit -f 256; exec "$@"', 'bash', ...command]);
  assert.deepEqual([recorded.code, recorded.signal], [0, null], recorded.stderr.toString());
  assert.match(recorded.stdout.toString(), /: ok$/m);
  assert.match(recorded.stderr.toString(), /syclscope: .*([Ff]ile too large|too large)/);
  await summary(file);
});

test('where /dev/shm can only be read, the buffers are elsewhere and nothing is lost', async (t) => {
  const file = path.join(scratch(t), 'run.pftrace');
  const command = [syclscope, ...recordArguments(file, program('threads'))];
  const readOnly = 'mount -t tmpfs -o ro tmpfs /dev/shm && exec "$@"';
  try {
    execFileSync('unshare', ['-m', 'bash', '-c', readOnly, 'bash', 'true'], { stdio: 'pipe' });
  } catch (refused) {
    return t.skip(`cannot mount a read-only /dev/shm: ${refused.stderr.toString().trim()}`);
  }
  const recorded = await run('unshare', ['-m', 'bash', '-c', readOnly, 'bash', ...command]);
  assert.equal(recorded.code, 0, recorded.stderr.toString());
  assert.match(recorded.stdout.toString(), /: ok$/m);
  assert.match(recorded.stderr.toString(), /, 0 dropped,/);
  assert.doesNotMatch(recorded.stderr.toString(), /wrote its recording itself/);
  await summary(file);
});

// Mounts a disk of 256 KiB. Without the right to mount, the test is skipped with the reason.
function smallDisk(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'syclscope-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder], { stdio: 'pipe' });
  } catch (refused) {
    fs.rmdirSync(folder);
    t.skip(`cannot mount a small disk: ${refused.stderr.toString().trim()}`);
    return null;
  }
  t.after(() => {
    execFileSync('umount', [folder]);
    fs.rmdirSync(folder);
  });
  return folder;
}

// Returns the first `many` numbers that the program prints, one a line.
async function numbers(recording, many) {
  for (;;) {
    const found = recording.printed().split('\n').slice(0, -1).filter((line) => /^\d+$/.test(line)).map(Number);
    if (found.length >= many) return found;
    assert.ok(await recording.more(), 'the program ended by itself');
  }
}
