// The tests' own Level Zero driver under the real loader and the real adapters: the environment of a program on them.
// `cargo xtask test` names the driver and the loaders, or gives the reason why there is none.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { scratch, syclscope, venv } from './environment.mjs';
import { program } from './programs.mjs';
import { Recording, count } from './recording.mjs';
import { record, recordArguments, start } from './run.mjs';

const driver = process.env.LEVEL_ZERO_DRIVER;
const loader = process.env.LEVEL_ZERO_LOADER;

/** The reason for which tests on the driver cannot run, or false. */
export const skip = missing();

/** The two adapters of the Unified Runtime, each with the variables that select it. */
export const adapters = [
  { adapter: 'v1', choice: { SYCL_UR_USE_LEVEL_ZERO_V2: '0' } },
  { adapter: 'v2', choice: { SYCL_UR_USE_LEVEL_ZERO_V2: '1' } },
];

/**
 * Returns the environment of a program on the driver, which `words` set (e2e/driver/README.md), with its log in `log`.
 */
export function onDriver(words = '', { log, runtime = venv } = {}) {
  return {
    ONEAPI_DEVICE_SELECTOR: 'level_zero:gpu',
    LD_LIBRARY_PATH: [path.join(runtime, 'lib'), loader].join(':'),
    ZE_ENABLE_ALT_DRIVERS: driver,
    ZE_TEST_DRIVER: [...(log ? [`log=${log}`] : []), words].filter(Boolean).join(';'),
  };
}

/**
 * Records a program on the driver with one of the adapters, in a folder of the test's own. Returns the program's
 * result, the recording, and the driver's log. `more` is further environment, `flags` are the recorder's, `runtime` is
 * the Python environment of another runtime.
 */
export async function recordOn(test, { choice }, name, { words = '', args = [], more = {}, flags = [], runtime = venv } = {}) {
  const folder = scratch(test);
  const log = path.join(folder, 'log');
  const env = { ...onDriver(words, { log, runtime }), ...choice, ...more };
  const result = await record(path.join(folder, 'run'), program(name, runtime), args, { format: 'json', cwd: folder, env, flags });
  return { ...result, recording: result.bytes && Recording.parse(result.bytes), log: readLog(log) };
}

/**
 * Records the program `level_zero`, which ends once the driver's log shows enough: `isEnough` gets the log so far. The
 * result also has this log, `before`.
 */
export async function recordUntil(test, { choice }, isEnough, { words = '', flags = [], more = {} } = {}) {
  const folder = scratch(test);
  const [log, until] = ['log', 'until'].map((name) => path.join(folder, name));
  const env = { ...onDriver(words, { log }), ...choice, ...more };
  const args = recordArguments(path.join(folder, 'run'), program('level_zero'), ['--until', until], { format: 'json', flags });
  const recorded = start(syclscope, args, { cwd: folder, env });
  let before = [];
  let isOver = false;
  recorded.ended.finally(() => { isOver = true; });
  for (; !isOver && !isEnough(before); before = readLog(log)) await setTimeout(20);
  fs.writeFileSync(until, '');
  const result = await recorded.ended;
  const files = fs.readdirSync(folder).filter((name) => name.startsWith('run'));
  const recordings = files.sort().map((name) => Recording.parse(fs.readFileSync(path.join(folder, name))));
  return { ...result, before, recordings, recording: recordings[0], log: readLog(log) };
}

/** Returns the driver's log, a line for each call, command and object; times are nanoseconds of the machine's clock. */
export function readLog(file) {
  if (!fs.existsSync(file)) return [];
  // Times of this machine fit into a double; handles and ticks are compared nowhere.
  // The file may still be written to.
  const whole = fs.readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return whole.map((line) => JSON.parse(line));
}

/** Returns the kernels, copies and fills of a log, in the order in which they began. */
export function work(log) {
  const kinds = new Set(['kernel', 'copy', 'fill']);
  return log.filter(({ sort, kind }) => sort === 'command' && kinds.has(kind)).sort((a, b) => a.begin - b.begin);
}

// Precision of a device's times in nanoseconds: two ticks, because its clock ticks less often than the machine's.
const ticks = (hertz) => 2e9 / hertz;

/** Asserts that the times of the recording's commands differ from the driver's by no more than the recording states. */
export function nearTheTruth(recording, log, hertz = 12.5e6) {
  const clocks = recording.records('sycl.device_clock');
  assert.ok(clocks.length > 0, "nothing is said of the device's clock");
  const within = Math.max(...clocks.map(({ residual_ns: residual }) => residual)) + ticks(hertz);
  // The error of a reading depends on how busy the machine is; a missed lap would be minutes.
  assert.ok(within < 1e10, `this says nothing: ${within}`);
  const [ran, seen] = [work(log), recording.executions];
  const kinds = (commands) => count(commands.map(({ kind }) => kind));
  assert.deepEqual(kinds(seen), kinds(ran));
  // Commands that begin almost together on several engines may be seen in another order, so starts and ends are sorted
  // by themselves.
  const sorted = (commands, kind, time) =>
    commands.filter((command) => command.kind === kind).map((command) => command[time]).sort((a, b) => a - b);
  for (const kind of kinds(ran).keys())
    for (const [time, truth] of [['start', 'begin'], ['end', 'end']]) {
      const truths = sorted(ran, kind, truth);
      for (const [index, moment] of sorted(seen, kind, time).entries()) {
        const off = Number(recording.machineTime(moment)) - truths[index];
        assert.ok(Math.abs(off) <= within, `${kind} ${index}, ${time}: ${off} ns off, and ${within} was said`);
      }
    }
}

function missing() {
  if (!driver) return 'LEVEL_ZERO_DRIVER is not set';
  return loader ? false : process.env.LEVEL_ZERO_LOADER_MISSING ?? 'LEVEL_ZERO_LOADER is not set';
}
