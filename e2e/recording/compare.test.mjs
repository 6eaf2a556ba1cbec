// Pairs of real runs whose difference is known: `syclscope compare` finds it, and nothing else. No test is about speed:
// results about times must be right on a busy machine, too.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import zlib from 'node:zlib';

import { repository, scratch, syclscope } from './lib/environment.mjs';
import { recorded } from './lib/once.mjs';
import { program } from './lib/programs.mjs';
import { Recording } from './lib/recording.mjs';
import { run } from './lib/run.mjs';
import { versions } from './lib/versions.mjs';

/** Returns the comparison of two sides, each a file or a list of files. */
async function compare(a, b) {
  const sides = ['--a', ...[a].flat(), '--b', ...[b].flat()];
  const { code, stdout, stderr } = await run(syclscope, ['compare', '--quiet', '--format', 'json', ...sides]);
  assert.equal(code, 0, stderr.toString());
  const comparison = JSON.parse(stdout);
  for (const side of ['a', 'b'])
    assert.equal(comparison.waterfall.reduce((sum, part) => sum + part[`${side}_ns`], 0), comparison[side].duration_ns, 'the parts add up');
  return comparison;
}

/** Returns a recording of `pairs`; `nth` distinguishes further runs of the same. */
async function pairs(way, args = [], nth = 0) {
  const words = [way, ...args.map(String)];
  const { code, stdout, stderr, file } = await recorded(program('pairs'), words, { format: 'perfetto', env: nth ? { NTH_RUN: String(nth) } : {} });
  assert.equal(code, 0, `${stdout}${stderr}`);
  return file;
}

const changed = ({ figures }) => figures.filter(({ a, b }) => JSON.stringify(a) !== JSON.stringify(b)).map(({ name }) => name);
const kernels = ({ rows }) => rows.filter(({ a, b }) => (a ?? b).kind === 'kernel');
const sum = (rows, field) => rows.reduce((total, row) => total + field(row), 0);
/** Figures that depend on when the device was done, or on how often the runtime polled. */
const TIMED = /^(serialised|calls|waits|finding_)/;

test('a program against itself: everything is matched, and nothing differs', async () => {
  const result = await compare(await pairs('usm'), await pairs('usm', [], 1));
  assert.equal(result.matched, result.a.commands);
  assert.equal(result.matched, result.b.commands);
  assert.ok(result.rows.every(({ presence, likeness }) => presence === 'both' && likeness === 'same'));
  assert.deepEqual(changed(result).filter((name) => !TIMED.test(name)), []);
  assert.deepEqual([result.loops, result.edges, result.memory], [[], [], []]);
  assert.deepEqual(result.notes.map(({ kind }) => kind), ['one_run_each']);
  // The folders of two recordings differ, which is not part of a comparison.
  assert.deepEqual(result.differences.filter(({ name }) => name !== 'NTH_RUN'), []);
});

test('one round more is a round more', async () => {
  const result = await compare(await pairs('usm', [20]), await pairs('usm', [21]));
  assert.equal(result.matched, result.a.commands);
  assert.equal(result.b.commands, result.a.commands + 3);
  assert.deepEqual(result.loops.map(({ a_rounds: a, b_rounds: b }) => [a, b]), [[20, 21]]);
  assert.ok(result.rows.every(({ presence }) => presence === 'both'));
});

test('in-order and out-of-order queue: the same commands on another kind of queue', async () => {
  const result = await compare(await pairs('usm'), await pairs('out_of_order'));
  assert.equal(result.matched, result.a.commands);
  assert.ok(kernels(result).every(({ presence, likeness }) => presence === 'both' && likeness === 'other_queue'));
  for (const row of kernels(result)) assert.deepEqual([row.a.order, row.b.order], ['in_order', 'out_of_order']);
});

test('buffers and USM: kernels have other names, copies and dependences are others, memory is of another kind', async () => {
  const result = await compare(await pairs('buffers'), await pairs('usm'));
  const both = kernels(result).filter(({ presence }) => presence === 'both');
  assert.equal(sum(both, ({ matched }) => matched), 60, 'every launch is matched');
  assert.ok(both.every(({ likeness, a, b }) => likeness === 'renamed' && a.name === 'grow_buffer' && b.name === 'grow_usm'));
  assert.ok(result.edges.some(({ presence, reason }) => presence !== 'only_b' && reason === 'accessor'));
  const kinds = (presence) => new Set(result.memory.filter((row) => row.presence === presence).map(({ kind }) => kind));
  assert.ok(kinds('only_b').has('device'));
  assert.ok(!kinds('only_a').has('device'));
  assert.ok(changed(result).some((name) => name.startsWith('copies_')));
});

/**
 * Returns a recording in which the kernels of a line take `times` as long, and everything after them is delayed
 * accordingly. The host waits for them only at the end, so a run of such kernels looks like this.
 */
function stretched({ events, nodes }, line, times) {
  const isMeant = ({ ph, cat, args }) => ph === 'X' && cat?.startsWith('sycl.execution') && nodes.get(args.node)?.line === line;
  const kernels = events.filter(isMeant).map(({ ts, dur }) => [ts, dur]);
  const move = (at) => at + kernels.reduce((sum, [begin, length]) => sum + (times - 1) * Math.min(Math.max(at - begin, 0), length), 0);
  const microseconds = (at) => Number(at.toFixed(3));
  return events.map((event) => {
    if (event.ts === undefined) return event;
    const moved = { ...event, ts: microseconds(move(event.ts)) };
    if (event.dur !== undefined) moved.dur = microseconds(microseconds(move(event.ts + event.dur)) - moved.ts);
    if (event.ph === 'X') {
      moved.args = { ...event.args };
      for (const name of ['queued_ns', 'submitted_ns'])
        if (name in moved.args) moved.args[name] = Math.round(move(moved.args[name] / 1000) * 1000);
    }
    return moved;
  });
}

test('a kernel that does much more is slower, and explains the time of the run', async (t) => {
  // One run for both sides: the machine affects both in the same way.
  const { code, stdout, stderr, bytes } = await recorded(program('pairs'), ['usm', '20', '4000']);
  assert.equal(code, 0, `${stdout}${stderr}`);
  const recording = Recording.parse(bytes);
  const line = Math.min(...[...recording.nodes.values()].filter(({ kind }) => kind === 'kernel').map((node) => node.line));
  const folder = scratch(t);
  const runs = (side, times) => [0, 1, 2, 3, 4].map((nth) => {
    const file = path.join(folder, `${side}-${nth}.json`);
    fs.writeFileSync(file, JSON.stringify(stretched(recording, line, times * (1 + nth / 1000))));
    return file;
  });
  const result = await compare(runs('a', 1 / 40), runs('b', 1));
  const [first] = result.rows;
  assert.deepEqual([first.time.verdict, first.time.a_runs, first.time.b_runs], ['slower', 5, 5]);
  assert.ok(first.time.low > 1 && first.time.p < 0.05, JSON.stringify(first.time));
  assert.equal(result.waterfall.find(({ row }) => row === first.row).kind, 'kernel');
  assert.ok(first.critical_change_ns > 0);
  assert.deepEqual(changed(result).filter((name) => !TIMED.test(name)), []);
});

test('a false dependence that is added, and one that is removed', async () => {
  const file = async (how) => (await recorded(program('faults'), ['sub_buffers', how], { format: 'perfetto', flags: ['--detail', 'high'] })).file;
  const [bad, good] = [await file('bad'), await file('good')];
  const accessors = ({ edges }, presence) =>
    sum(edges.filter((edge) => edge.presence === presence && edge.reason === 'accessor'), ({ count }) => count);
  const [removed, added] = [await compare(bad, good), await compare(good, bad)];
  assert.ok(accessors(removed, 'only_a') > 0 && accessors(added, 'only_b') > 0);
  assert.equal(accessors(removed, 'only_a'), accessors(added, 'only_b'));
  assert.equal(sum(kernels(removed), ({ matched }) => matched), 16);
});

const [old, present] = [versions.find(({ version }) => version === '2025.2'), versions.find(({ version }) => version === '2026.2')];

test('runtime 2025.2 and 2026.2: the same commands, and the versions stand above the result', { skip: old.skip || present.skip }, async () => {
  const script = path.join(repository, 'e2e/recording/programs/commands.py');
  const file = async ({ python, env }) => (await recorded(python, [script], { format: 'perfetto', env })).file;
  const result = await compare(await file(old), await file(present));
  const both = kernels(result);
  assert.ok(both.length > 0 && both.every(({ presence }) => presence === 'both'), JSON.stringify(both.map(({ a, b }) => [a?.name, b?.name])));
  assert.equal(sum(both, ({ matched }) => matched), 6);
  assert.ok(result.differences.some(({ about }) => about === 'version'), JSON.stringify(result.differences));
});

test('a program in Python with one line changed: what the line does differs, and nothing else', { skip: present.skip }, async () => {
  const script = path.join(repository, 'e2e/recording/programs/arrays.py');
  const file = async (how) => {
    const { code, stdout, stderr, file } = await recorded(present.python, [script, how], { format: 'perfetto', env: present.env });
    assert.equal(code, 0, `${stdout}${stderr}`);
    return file;
  };
  const result = await compare(await file('sort'), await file('flip'));
  const names = (presence) => kernels(result).filter((row) => row.presence === presence).map(({ a, b }) => (a ?? b).name);
  assert.ok(names('only_a').some((name) => /sort/.test(name)), names('only_a').join('\n'));
  assert.ok(names('both').length > 0, 'the other lines do what they did');
  assert.ok(result.differences.some(({ about, a, b }) => about === 'arguments' && /sort/.test(a) && /flip/.test(b)));
});

test('two PyTorch runs: one launch less is one launch less', async (t) => {
  const packed = fs.readFileSync(path.join(repository, 'trace/engine/tests/data/foreign/pytorch-a100.json.gz'));
  const trace = JSON.parse(zlib.gunzipSync(packed));
  const folder = scratch(t);
  const write = (name, content) => {
    const file = path.join(folder, name);
    fs.writeFileSync(file, JSON.stringify(content));
    return file;
  };
  const whole = write('whole.json', trace);
  const { traceEvents: events } = trace;
  const launch = events.findLast(({ cat, name }) => cat === 'kernel' && /ampere_sgemm/.test(name));
  const less = write('less.json', { ...trace, traceEvents: events.filter((event) => event !== launch) });
  const result = await compare(whole, less);
  assert.equal(result.matched, result.a.commands - 1);
  assert.equal(result.b.commands, result.a.commands - 1);
  const row = result.rows.find(({ a, b }) => a.count !== b?.count);
  assert.match(row.a.name, /ampere_sgemm/);
});

test('a gate: more rounds fail, the same passes, another program can not be compared', async (t) => {
  const baseline = path.join(scratch(t), 'baseline.json');
  const rules = path.join(path.dirname(baseline), 'gate.toml');
  fs.writeFileSync(rules, '[figures]\ncommands = 0\nlaunches = 0\nedges = 0\n"bytes_*" = "1 %"\nleaks = 0\n');
  const check = async (...words) => (await run(syclscope, ['check', '--quiet', ...words])).code;
  assert.equal(await check(await pairs('usm', [20]), await pairs('usm', [20], 1), '--write-baseline', baseline), 0);
  assert.equal(await check(await pairs('usm', [20], 2), '--baseline', baseline, '--rules', rules), 0);
  assert.equal(await check(await pairs('usm', [21]), '--baseline', baseline, '--rules', rules), 1);
  const other = path.join(repository, 'trace/engine/tests/data/foreign/unitrace.json');
  assert.equal(await check(other, '--baseline', baseline, '--rules', rules), 3);
});
