// Perfetto's own reader and user interface judge our files: what they refuse or show differently is our mistake.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import { scratch, syclscope } from '../recording/lib/environment.mjs';
import { program } from '../recording/lib/programs.mjs';
import { record, recordArguments, recordedProcess, start, summary } from '../recording/lib/run.mjs';
import { openInPerfetto } from './lib/reader.mjs';

const PROBLEMS = "select name, value from stats where severity in ('error', 'data_loss') and value > 0";

// The arrows from a submission to its execution and from there to a wait (GpuCorrelation, field 3000 of a track event)
// are newer than the tests' Perfetto, which counts each as an unknown field.
const YOUNGER = 'unknown_extension_fields';

async function heat(t, format, extension) {
  const recorded = await record(path.join(scratch(t), `heat.${extension}`), program('heat'), ['--size', '512'], { format });
  assert.equal(recorded.code, 0, recorded.stderr.toString());
  return { file: recorded.file, said: await summary(recorded.file) };
}

// Returns executions by name, as in `syclscope summary`.
function byName({ kernels }) {
  const sums = new Map();
  for (const { name, count, total_ns: total } of kernels) {
    const sum = sums.get(name) ?? { count: 0, total: 0 };
    sums.set(name, { count: sum.count + count, total: sum.total + total });
  }
  return Object.fromEntries([...sums].sort());
}

const asSums = (rows) => Object.fromEntries(rows.map(({ name, count, total }) => [name, { count: Number(count), total: Number(total) }]));

test('a Perfetto recording: kernels, queues, threads and calls are what our summary says', async (t) => {
  const { file, said } = await heat(t, 'perfetto', 'pftrace');
  const perfetto = await openInPerfetto(t, file);

  const correlated = Number((await perfetto.query("select count(*) n from slice where category in ('submission', 'wait')"))[0].n);
  for (const { name, value } of await perfetto.query(PROBLEMS)) {
    assert.equal(name, YOUNGER, `Perfetto reports ${name} = ${value}`);
    assert.ok(Number(value) <= correlated, `${value} unknown fields in ${correlated} submissions and waits`);
  }

  assert.deepEqual(
    asSums(await perfetto.query('select name, count(*) count, sum(dur) total from gpu_slice group by name order by name')),
    byName(said),
  );
  const lanes = (await perfetto.query('select distinct track.name name from gpu_slice join track on track.id = gpu_slice.track_id')).map(({ name }) => name);
  for (const queue of said.queues) {
    const shown = `queue ${queue.id} · ${queue.order === 'in_order' ? 'in-order' : 'out-of-order'}`;
    assert.ok(lanes.some((lane) => lane.startsWith(shown)), `no lane is called '${shown}': ${lanes.join(', ')}`);
  }
  assert.equal((await perfetto.query("select count(*) n from slice where category = 'ur'"))[0].n, String(said.counts.calls));
  assert.deepEqual(await perfetto.query(`select tid from thread where name is null and tid != 0`), []);
  assert.deepEqual(await perfetto.query(`select name from process where pid = ${said.process.pid}`), [{ name: said.process.name }]);
  for (const kind of ['device', 'host', 'shared', 'buffers'])
    assert.equal((await perfetto.query(`select max(value) > 0 used from counter join track on track.id = track_id where name = 'memory in use: ${kind}'`))[0].used, '1', kind);

  // Data without an equivalent in Perfetto is in typed arguments.
  const [{ n: nodes }] = await perfetto.query(`select count(*) n from slice where category = 'sycl.node' and extract_arg(arg_set_id, 'debug.node') > 0`);
  assert.equal(nodes, String(said.counts.nodes));
  const [{ n: edges }] = await perfetto.query(`select count(*) n from slice where category = 'sycl.edge' and extract_arg(arg_set_id, 'debug.source') > 0 and extract_arg(arg_set_id, 'debug.target') > 0`);
  assert.equal(edges, String(said.counts.edges));

  // The names are visible, too.
  await perfetto.page.evaluate(() => window.app.trace.commands.runCommand('dev.perfetto.ExpandAllGroups'));
  await perfetto.page.evaluate(() => window.waitForPerfettoIdle());
  await perfetto.page.getByText('queue 1 · out-of-order').first().waitFor();
  await perfetto.page.getByText('memory in use: device').first().waitFor();
  await perfetto.picture('perfetto-ui');
});

test('a JSON recording: no complaint, and the same names and times', async (t) => {
  const { file, said } = await heat(t, 'json', 'json');
  const perfetto = await openInPerfetto(t, file);
  assert.deepEqual(await perfetto.query(PROBLEMS), []);
  assert.deepEqual(
    asSums(await perfetto.query(`select slice.name name, count(*) count, sum(dur) total from slice
      join thread_track on slice.track_id = thread_track.id join thread using (utid) join process using (upid)
      where process.name = '${said.queues[0].device}' and dur >= 0 group by slice.name order by slice.name`)),
    byName(said),
  );
  const threads = (await perfetto.query('select name from thread where name is not null')).map(({ name }) => name);
  for (const queue of said.queues) assert.ok(threads.some((name) => name.startsWith(`queue ${queue.id} · `)), `queue ${queue.id}`);
  assert.equal((await perfetto.query("select count(*) n from slice where category = 'ur'"))[0].n, String(said.counts.calls));
});

for (const [format, extension] of [['perfetto', 'pftrace'], ['json', 'json']])
  test(`a ${format} recording of a killed program opens`, async (t) => {
    const file = path.join(scratch(t), `killed.${extension}`);
    const recording = start(syclscope, recordArguments(file, program('endless'), [], { format }));
    await recording.line('ready');
    while (recording.printed().split('\n').length < 4) assert.ok(await recording.more(), 'the program ended by itself');
    const child = recordedProcess(recording, 'endless');
    process.kill(child, 'SIGKILL');
    await recording.ended;

    const said = await summary(file);
    const perfetto = await openInPerfetto(t, file);
    const [{ n: calls }] = await perfetto.query("select count(*) n from slice where category = 'ur'");
    assert.ok(said.counts.calls > 0);
    assert.equal(calls, String(said.counts.calls));
  });
