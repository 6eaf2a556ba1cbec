// Programs that are killed at random moments: every file opens. Under the launcher it contains all notifications of the
// program. Without a launcher it contains all but the last tenth of a second, which a soak run measures: a busy machine
// may delay the recorder's thread for longer than that.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { scratch, syclscope } from './lib/environment.mjs';
import { program } from './lib/programs.mjs';
import { recordedProcess, run, start, summary } from './lib/run.mjs';

const isSoak = Boolean(process.env.SYCLSCOPE_SOAK);
const KILLS = isSoak ? 200 : 60;
const KILLS_UNDER_LAUNCHER = isSoak ? 200 : 20;
/** Maximum number of submissions before a kill: some three tenths of a second. */
const MOST = 500;
const AT_ONCE = 2;
const FLUSH_INTERVAL_NS = 100_000_000n;

test(`a program that is killed at ${KILLS} random moments leaves files that open`, async (t) => {
  const folder = scratch(t);
  const environment = await tracing(folder);
  const random = generator(20_26);
  const kills = Array.from({ length: KILLS }, (_, number) => ({
    number,
    file: path.join(folder, `${number}.${number % 4 === 3 ? 'json' : 'pftrace'}`),
    // Some are killed while they start, most while they work.
    whileStarting: number % 10 === 0,
    // Some are killed once all work up to a moment is in the file, which it always is after a while.
    onceWritten: number % 20 === 7,
    afterMs: random() * 300,
    afterSubmissions: 1 + Math.floor(random() * MOST),
  }));
  const results = [];
  const next = async () => {
    for (let kill = kills.shift(); kill; kill = kills.shift()) results.push(await killOne(kill, environment));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));

  assert.equal(results.length, KILLS);
  const opened = results.filter(({ nodes }) => nodes !== null);
  const working = results.filter(({ submitted }) => submitted > 20);
  assert.ok(opened.length >= KILLS * 0.9, `${opened.length} of ${KILLS} left a file`);
  assert.ok(working.length >= KILLS / 2, `${working.length} of ${KILLS} were at work`);
  t.diagnostic(`${opened.length} files, ${results.reduce((sum, { submitted }) => sum + submitted, 0)} submissions`);
});

test('a program that is killed under the launcher loses nothing', async (t) => {
  const folder = scratch(t);
  const random = generator(7);
  let submissions = 0;
  for (let number = 0; number < KILLS_UNDER_LAUNCHER; number += 1) {
    const file = path.join(folder, `${number}.pftrace`);
    const recorded = start(syclscope, ['record', '--quiet', '-o', file, '--', program('submits')]);
    await recorded.line('ready');
    const child = recordedProcess(recorded, 'submits');
    await reached(recorded, 1 + Math.floor(random() * MOST));
    process.kill(child, 'SIGKILL');
    const { signal, stdout, stderr } = await recorded.ended;
    assert.equal(signal, 'SIGKILL', stderr.toString());
    assert.equal(stderr.toString(), '');
    // A line is printed once a submission has returned; the last may be cut.
    const submitted = timesIn(stdout.toString()).length;
    const { counts, complete } = await summary(file);
    assert.equal(complete, false);
    assert.equal(counts.dropped, 0);
    assert.ok(counts.nodes >= submitted, `run ${number} holds ${counts.nodes} of ${submitted} submissions`);
    submissions += submitted;
  }
  t.diagnostic(`${submissions} submissions`);
});

/**
 * Returns the times that the program has printed: a line for each submission that has returned; the last may be cut.
 */
const timesIn = (text) => text.split('\n').slice(1, -1);

/** Waits until this number of submissions has returned. */
async function reached(recorded, many) {
  while (timesIn(recorded.printed()).length < many) assert.ok(await recorded.more(), 'the program ended by itself');
}

/** Waits until a file that is being written contains this number of submissions. */
async function written(file, many) {
  for (;;) {
    const { counts } = await summary(file).catch(() => ({ counts: { nodes: 0 } }));
    if (counts.nodes >= many) return;
  }
}

async function killOne({ number, file, whileStarting, onceWritten, afterMs, afterSubmissions }, environment) {
  const recorded = start(program('submits'), [], { env: { ...environment, SYCLSCOPE_OUT: file } });
  if (whileStarting) await new Promise((resolve) => setTimeout(resolve, afterMs));
  else await reached(recorded, afterSubmissions);
  const done = timesIn(recorded.printed()).length;
  if (onceWritten) await written(file, done);
  const killedAt = process.hrtime.bigint(); // CLOCK_MONOTONIC, like the program's
  recorded.child.kill('SIGKILL');
  const { signal, stdout, stderr } = await recorded.ended;
  assert.equal(signal, 'SIGKILL', stderr.toString());
  assert.equal(stderr.toString(), '');

  const times = timesIn(stdout.toString()).map(BigInt);
  // The program was killed before the runtime had loaded the recorder.
  if (!fs.existsSync(file) || fs.statSync(file).size === 0) {
    assert.equal(times.length, 0, `run ${number} left no file although it had worked`);
    return { nodes: null, submitted: 0 };
  }
  const { counts, complete } = await summary(file);
  assert.equal(complete, false);
  assert.equal(counts.dropped, 0);
  if (onceWritten) assert.ok(counts.nodes >= done, `run ${number} holds ${counts.nodes} of the ${done} submissions that it held before`);
  // If the machine delayed the program, it delayed the recorder as well.
  const held = times.slice(1).reduce((most, time, index) => (time - times[index] > most ? time - times[index] : most), 0n);
  const certain = times.filter((time) => time < killedAt - FLUSH_INTERVAL_NS - held).length;
  if (isSoak) assert.ok(counts.nodes >= certain, `run ${number} holds ${counts.nodes} of at least ${certain} submissions`);
  fs.rmSync(file);
  return { nodes: counts.nodes, submitted: times.length };
}

// Returns the variables that the launcher would set: recording must not need it.
async function tracing(folder) {
  const shown = await run(syclscope, ['record', '-o', path.join(folder, 'none'), '--', 'env']);
  const variables = Object.fromEntries(shown.stdout.toString().split('\n').map((line) => line.split(/=(.*)/s).slice(0, 2)));
  const { XPTI_FRAMEWORK_DISPATCHER, XPTI_SUBSCRIBERS } = variables;
  assert.ok(XPTI_FRAMEWORK_DISPATCHER && XPTI_SUBSCRIBERS, shown.stderr.toString());
  return { XPTI_FRAMEWORK_DISPATCHER, XPTI_SUBSCRIBERS };
}

// Returns a small generator of numbers from 0 to 1, the same in every run of the test.
function generator(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
