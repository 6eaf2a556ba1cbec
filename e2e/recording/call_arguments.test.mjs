// Arguments of calls, by name, compared with the text that the runtime prints of the same calls.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import { repository } from './lib/environment.mjs';
import { readCallArguments, readPluginCalls, simpleValue, tornNames } from './lib/oracles/call_arguments.mjs';
import { recorded } from './lib/once.mjs';
import { program } from './lib/programs.mjs';
import { Recording } from './lib/recording.mjs';
import { versions } from './lib/versions.mjs';

const script = path.join(repository, 'e2e/recording/programs/commands.py');

// Functions that the recorder also calls. Its own calls are printed and not recorded, so if one of these lines is lost,
// the others can't be assigned. Each whole line of any other function is that of a recorded call.
const OF_THE_RECORDER = new Set([
  'urDeviceGetGlobalTimestamps', 'urDeviceGetInfo', 'urDeviceRetain', 'urEventGetInfo', 'urEventGetProfilingInfo', 'urEventRelease',
  'urEventRetain', 'urPlatformGetInfo',
]);

// Programs of one thread: calls of a name are in the same order in both.
for (const [name, args] of [['diamond', []], ['command_graph', []], ['eventless', []]])
  test(`${name}: arguments have the values that the runtime prints`, async () => {
    const result = await recorded(program(name), args, { env: { SYCL_UR_TRACE: '2' } });
    assert.equal(result.code, 0, result.stderr.toString());
    assertArguments(result, { least: 150 });
  });

for (const { version, skip, env, python, callTrace } of versions)
  test(`${version}: arguments have the values that this version prints`, { skip }, async () => {
    const result = await recorded(python, [script], { env: { ...env, [callTrace]: '2' } });
    assert.equal(result.code, 0, result.stderr.toString());
    if (callTrace === 'SYCL_PI_TRACE') assertCopies(result);
    // Older versions have other names for some values: numbers are compared.
    else assertArguments(result, { least: 300, withNames: version === '2026.2' });
  });

test('a line that holds the arguments of another call keeps its place and is not compared', () => {
  const usual = '---> urKernelGetInfo(.hKernel = 0x1, .propName = UR_KERNEL_INFO_NUM_ARGS) -> UR_RESULT_SUCCESS;';
  const mixed = '---> urKernelGetInfo(.hEvent = 0x2, .propName = UR_EVENT_INFO_CONTEXT) -> UR_RESULT_SUCCESS;';
  const calls = readCallArguments([usual, mixed, usual, usual].join('\n'));
  assert.deepEqual(calls.map(({ isMixed }) => isMixed), [false, true, false, false]);
  assert.deepEqual(readCallArguments([usual, mixed].join('\n')).map(({ isMixed }) => isMixed), [true, true]);
  const other = '---> urEventGetInfo(.hEvent = 0x1, .propName = UR_EVENT_INFO_CONTEXT) -> UR_RESULT_SUCCESS;';
  const only = [other, `---> urEventGetInfo${mixed}`, '(.hKernel = 0x1, .propName = UR_KERNEL_INFO_NUM_ARGS) -> UR_RESULT_SUCCESS;'];
  assert.deepEqual(readCallArguments(only.join('\n')).map(({ isMixed }) => isMixed), [false, true]);
});

test('a call is torn if its name stands where no whole line of it is', () => {
  const whole = '---> urPlatformGetInfo(.hPlatform = 0x1) -> UR_RESULT_SUCCESS;';
  const torn = '---> urPlatformGetInfo---> urEventGetInfo(.hEvent = 0x2) -> UR_RESULT_SUCCESS;';
  assert.deepEqual([...tornNames([whole, whole].join('\n'))], []);
  assert.deepEqual([...tornNames([whole, torn].join('\n'))], ['urPlatformGetInfo']);
  const twice = '   ---> urQueueFinish\n   <--- urQueueFinish(.hQueue = 0x1) -> UR_RESULT_SUCCESS;';
  assert.deepEqual([...tornNames(twice)], []);
  assert.deepEqual([...tornNames(`${twice}\n   ---> urQueueFinish   ---> urQueueFlush\n`)], ['urQueueFinish']);
});

function assertArguments({ bytes, stdout, stderr }, { least, withNames = true }) {
  const calls = byName(Recording.parse(bytes).slicesOf('ur'));
  const printed = byName(readCallArguments(`${stdout}\n${stderr}`));
  const torn = tornNames(`${stdout}\n${stderr}`);
  const wrong = [];
  let compared = 0;
  for (const [name, known] of printed) {
    const recorded = calls.get(name) ?? [];
    if (recorded.length < known.length || (OF_THE_RECORDER.has(name) && (recorded.length > known.length || torn.has(name)))) continue;
    for (const [call, own] of pairs(known, recorded, withNames)) {
      const [seen, differing] = comparison(call, own, withNames);
      compared += seen;
      wrong.push(...differing);
    }
  }
  assert.deepEqual(wrong.slice(0, 10), []);
  assert.ok(compared >= least, `only ${compared} arguments were compared`);
}

/**
 * Returns each printed call with its recorded one. Threads print in another order than they call, so calls with equal
 * arguments are matched first.
 */
function pairs(printed, recorded, withNames) {
  const free = new Set(recorded);
  const isEqual = (call, own) => comparison(call, own, withNames)[1].length === 0;
  const found = new Map();
  printed.forEach((call, index) => {
    if (call.isMixed || !isEqual(call, recorded[index])) return;
    found.set(call, recorded[index]);
    free.delete(recorded[index]);
  });
  for (const call of printed) {
    if (call.isMixed || found.has(call)) continue;
    const own = [...free].find((candidate) => isEqual(call, candidate)) ?? [...free][0];
    found.set(call, own);
    free.delete(own);
  }
  return found;
}

/** Returns the number of compared arguments of a printed call and a recorded one, and the differing ones. */
function comparison({ name, args, result }, own, withNames) {
  const wrong = [];
  let compared = 0;
  if ((own.args.result ?? 'UR_RESULT_SUCCESS') !== result) wrong.push(`${name}: ${own.args.result}, printed ${result}`);
  for (const [key, text] of args) {
    const expected = simpleValue(text);
    if (expected === undefined || (typeof expected === 'string' && !withNames)) continue;
    if (!isSame(own.args, key, expected, result) && !isAddress(own.args[key], text))
      wrong.push(`${name} ${key}: ${own.args[key] ?? own.args[`${key}[0]`]}, printed ${text}`);
    compared += 1;
  }
  return [compared, wrong];
}

function byName(calls) {
  const named = new Map();
  for (const call of calls) named.set(call.name, [...(named.get(call.name) ?? []), call]);
  return named;
}

function isSame(own, key, expected, result) {
  const lists = Object.keys(own).some((name) => name.startsWith(`${key}[`));
  const value = lists ? own[`${key}[0]`] : own[key];
  if (value === undefined) {
    const isLeftOut = expected === 0n || key.startsWith('num') || Object.keys(own).some((name) => name.startsWith(`${key}.`));
    // Left out as well: events that the recorder requested, kernels' arguments at this level, and results of a failed
    // call.
    return isLeftOut || key === 'phEvent' || key === 'pArgs' || result !== 'UR_RESULT_SUCCESS';
  }
  if (typeof expected === 'bigint' && typeof value === 'boolean') return value === (expected !== 0n);
  if (typeof expected === 'bigint') return /^(0x[0-9a-f]+|\d+)$/.test(value) && BigInt(value) === expected;
  return String(value) === String(expected);
}

// True for a pointer to an input of any type: its address is recorded, and printed before the value behind it.
function isAddress(value, text) {
  return typeof value === 'string' && text.startsWith(`${value} (`);
}

// Compares copies by position, because the older log has no names of parameters.
function assertCopies({ bytes, stdout, stderr }) {
  const copies = Recording.parse(bytes).slicesOf('ur').filter(({ name }) => name === 'piextUSMEnqueueMemcpy');
  const printed = readPluginCalls(`${stdout}\n${stderr}`).filter(({ name }) => name === 'piextUSMEnqueueMemcpy');
  assert.ok(copies.length >= 4);
  assert.deepEqual(
    copies.map(({ args }) => [args.hQueue, args.dst_ptr, args.src_ptr, String(args.size)]),
    printed.map(({ values: [queue, , to, from, size] }) => [queue, to, from, size]),
  );
}
