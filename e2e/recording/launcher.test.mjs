// Tasks of `syclscope` besides a recording on the real runtime: the doctor's judgement, folders and ranks, pauses, and
// calls as a table.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { scratch, syclscope, venv } from './lib/environment.mjs';
import { readCallTrace } from './lib/oracles/call_trace.mjs';
import { program } from './lib/programs.mjs';
import { differences } from './lib/recording.mjs';
import { record, recordArguments, run, start, summary } from './lib/run.mjs';

/** Returns the doctor's output, check by check. */
async function doctor(args = [], options = {}) {
  const result = await run(syclscope, ['doctor', '--format', 'json', ...args], options);
  const diagnosis = JSON.parse(result.stdout);
  return { ...result, diagnosis, checks: Object.fromEntries(diagnosis.checks.map((check) => [check.name, check])) };
}

test('the doctor finds that all is well, and records a program to prove it', async (t) => {
  const { code, diagnosis, checks, stdout, stderr } = await doctor(['--', program('diamond')], { cwd: scratch(t) });
  assert.equal(code, 0, stdout.toString());
  assert.equal(diagnosis.works, true);
  for (const name of ['recorder', 'runtime', 'dispatcher', 'devices', 'calls', 'profiling', 'recording', 'program'])
    assert.equal(checks[name].state, 'ok', `${name}: ${stdout}`);
  assert.ok(diagnosis.devices.some(({ name, kind, profiling }) => name && kind === 'cpu' && profiling === true), stdout.toString());
  assert.match(checks.program.says, /[1-9]\d* commands, [1-9]\d* device times, 0 missing, 0 dropped/);
  assert.match(stderr.toString(), /diamond: ok/, 'what the program prints goes to standard error');
});

test('the doctor names the missing driver where no device is found', async (t) => {
  const { code, checks, stdout } = await doctor([], { cwd: scratch(t), env: { OCL_ICD_FILENAMES: '/no/such/driver.so' } });
  assert.equal(code, 1, stdout.toString());
  assert.equal(checks.devices.state, 'failed');
  assert.match(checks.devices.remedy, /OCL_ICD_FILENAMES=\/no\/such\/driver\.so names a missing file/);
  assert.equal(checks.recording.state, 'ok', 'the recording as such works');
});

test('a program finds runtime and CPU device with no variable set, and the note is the line that it needs alone', async (t) => {
  const bare = { LD_LIBRARY_PATH: undefined, OCL_ICD_FILENAMES: undefined, VIRTUAL_ENV: venv };
  const alone = await run(program('diamond'), [], { env: bare });
  assert.notEqual(alone.code, 0, 'without syclscope it finds none');
  const recorded = await record(path.join(scratch(t), 'bare.pftrace'), program('diamond'), [], { env: bare });
  assert.equal(recorded.code, 0, recorded.stderr.toString());
  assert.ok((await summary(recorded.file)).counts.executions > 0);
  const [, line] = / without it: export (.*)$/m.exec(recorded.stderr.toString());
  const set = Object.fromEntries(line.split(' ').map((one) => one.split('=')));
  const again = await run(program('diamond'), [], { env: { ...bare, ...set } });
  assert.equal(again.code, 0, `${line}: ${again.stderr}`);

  const { checks, stdout } = await doctor(['--', program('diamond')], { cwd: scratch(t), env: bare });
  assert.equal(checks.devices.state, 'ok', stdout.toString());
});

test('where a program fails for want of a device, record names the doctor', async (t) => {
  const env = { OCL_ICD_FILENAMES: '/no/such/driver.so' };
  const recorded = await record(path.join(scratch(t), 'none.pftrace'), program('diamond'), [], { env });
  assert.notEqual(recorded.code, 0);
  assert.match(recorded.stderr.toString(), /its SYCL runtime had no device; `syclscope doctor` shows which driver is missing/);
});

test('a folder gets a file of each process and one of all together', async (t) => {
  const folder = path.join(scratch(t), 'runs');
  const recorded = await run(syclscope, recordArguments(`${folder}/`, program('forks')));
  assert.equal(recorded.code, 0, recorded.stderr.toString());
  const [merged, ...processes] = fs.readdirSync(folder).sort((a, b) => a.length - b.length);
  assert.equal(processes.length, 2, `${[merged, ...processes]}`);
  const parts = await Promise.all(processes.map((name) => summary(path.join(folder, name))));
  const whole = await summary(path.join(folder, merged));
  for (const what of ['nodes', 'edges', 'executions', 'calls', 'allocations'])
    assert.equal(whole.counts[what], parts[0].counts[what] + parts[1].counts[what], what);
  assert.equal(whole.tracks.filter(({ kind }) => kind === 'process').length, 2);
});

test('ranks record themselves into one folder at the same time, and are merged afterwards', async (t) => {
  const folder = path.join(scratch(t), 'runs');
  const ranks = await Promise.all([0, 1, 2].map((rank) => run(syclscope, recordArguments(`${folder}/`, program('diamond')), {
    env: { PMI_RANK: `${rank}`, PMI_SIZE: '3' },
  })));
  for (const rank of ranks) assert.equal(rank.code, 0, rank.stderr.toString());
  const names = fs.readdirSync(folder);
  assert.deepEqual(names.map((name) => /\.rank(\d)\./.exec(name)?.[1]).sort(), ['0', '1', '2'], `${names}`);
  const whole = path.join(folder, 'whole.pftrace');
  const merged = await run(syclscope, ['merge', '-o', whole, folder]);
  assert.equal(merged.code, 0, merged.stderr.toString());
  const [one, all] = [await summary(path.join(folder, names[0])), await summary(whole)];
  assert.equal(all.counts.executions, 3 * one.counts.executions);
  assert.deepEqual(all.processes.map(({ rank, rank_count }) => [rank, rank_count]), [[0, 3], [1, 3], [2, 3]]);
  assert.deepEqual(
    all.tracks.filter(({ kind }) => kind === 'process').map(({ name }) => name),
    [0, 1, 2].map((rank) => `rank ${rank} of 3 · diamond`),
  );
  assert.deepEqual(all.diagnostics.filter(({ severity }) => severity !== 'info'), []);
});

test('a paused recording holds nothing of the pause', async (t) => {
  const file = path.join(scratch(t), 'run.pftrace');
  const recording = start(syclscope, recordArguments(file, program('endless'), ['--polite'], { flags: ['--paused'] }));
  await recording.line('ready');
  await recording.more(); // a second of work that is not recorded
  recording.child.kill('SIGTERM');
  const ended = await recording.ended;
  assert.equal(ended.code, 7, ended.stderr.toString());
  assert.match(ended.stderr.toString(), /recording was paused for /);
  const executions = fs.existsSync(file) ? (await summary(file)).counts.executions : 0;
  assert.equal(executions, 0);
});

test('a paused recording resumes on request', async (t) => {
  const file = path.join(scratch(t), 'run.pftrace');
  const recording = start(syclscope, recordArguments(file, program('endless'), ['--polite'], { flags: ['--paused'] }));
  await recording.line('ready');
  recording.child.kill('SIGUSR2');
  // A delayed program prints several lines at once, so they don't show how long ago this was.
  const recorded = () => summary(file).then(({ counts }) => counts.executions, () => 0);
  while (recording.child.exitCode === null && (await recorded()) === 0);
  recording.child.kill('SIGTERM');
  const ended = await recording.ended;
  assert.equal(ended.code, 7, ended.stderr.toString());
  assert.ok((await summary(file)).counts.executions > 0, ended.stderr.toString());
});

test('the table of calls agrees with the calls that the runtime prints', async (t) => {
  const recorded = await record(path.join(scratch(t), 'run.pftrace'), program('diamond'), [], { env: { SYCL_UR_TRACE: '2' } });
  assert.equal(recorded.code, 0, recorded.stderr.toString());
  const printed = readCallTrace(recorded.stdout + recorded.stderr);
  const table = await run(syclscope, ['summary', '--calls', '--of', 'runtime', '--format', 'csv', recorded.file]);
  const [heading, ...rows] = table.stdout.toString().trim().split('\n').map((line) => line.split(','));
  assert.deepEqual(heading.slice(0, 5), ['name', 'count', 'errors', 'total_ns', 'mean_ns']);
  assert.deepEqual(differences(new Map(rows.map(([name, count]) => [name, Number(count)])), printed), []);
});
