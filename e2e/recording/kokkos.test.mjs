// Kokkos: the recording has the calls of real clients. A run under a tool that logs the calls gives their names, and
// the program itself gives their times.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { ask } from './lib/ask.mjs';
import { repository, scratch } from './lib/environment.mjs';
import { recorded } from './lib/once.mjs';
import { built } from './lib/programs.mjs';
import { Recording } from './lib/recording.mjs';
import { run } from './lib/run.mjs';
import { versions } from './lib/versions.mjs';

const PROGRAMS = 'e2e/recording/programs/kokkos';
const { KOKKOS, KOKKOS_MISSING, FRAMEWORKS_VENV } = process.env;

/** Returns the calls of a run under the tool that logs them. */
async function logged(t, program, args, env) {
  const log = path.join(scratch(t), 'log');
  const result = await run(program, args, { env: { ...env, KOKKOS_TOOLS_LIBS: built(`${PROGRAMS}/log.cpp`), KOKKOS_LOG: log } });
  assert.equal(result.code, 0, result.stderr.toString());
  // The types that are names of kernels are readable in a recording.
  return fs.readFileSync(log, 'utf8').replaceAll('N3app5ScaleE/N3app3TagE', 'app::Scale/app::Tag').trimEnd().split('\n');
}

/** Returns a recording's calls as the tool logs them, with their times. */
function calls(recording) {
  const tracks = new Map(recording.tracks.filter(({ name }) => name.startsWith('Kokkos')).map(({ shown }) => [`${shown.pid}/${shown.tid}`, []]));
  const found = [];
  for (const { ph, ts, pid, tid, name, args } of recording.events) {
    const open = tracks.get(`${pid}/${tid}`);
    if (!open || !'BEi'.includes(ph)) continue;
    if (ph === 'E') {
      const { kind, name } = open.pop();
      found.push({ ts, call: kind === 'section' ? `stop\t${name}\t` : `end\t${kind}\t` });
      continue;
    }
    const kind = args.kind ?? 'event';
    if (ph === 'B') open.push({ kind, name });
    found.push({ ts, call: `${kind}\t${name}\t${details(kind, args)}` });
  }
  assert.ok([...tracks.values()].every((open) => open.length === 0), 'a range has no end');
  return found.sort((a, b) => a.ts - b.ts).map(({ call }) => call);
}

function details(kind, args) {
  switch (kind) {
    case 'deep_copy': return [args.size_bytes, args.source, args.source_space, args.target, args.target_space].join(' ');
    case 'allocate': case 'deallocate': return `${args.size_bytes} ${args.space}`;
    case 'metadata': return args.value;
    default: return args.device_id ?? '';
  }
}

/** Returns the ranges and points of Kokkos, with times of the machine's clock. */
function ofKokkos(recording) {
  const slices = recording.slicesOf('user').filter(({ args }) => args.stream === 'ranges.kokkos');
  const points = recording.instants.filter(({ args }) => args?.stream === 'ranges.kokkos');
  const at = (time) => Number(recording.machineTime(time));
  return [
    ...slices.map((slice) => ({ ...slice, start: at(slice.start), end: at(slice.end) })),
    ...points.map(({ name, ts, args }) => ({ name, args, start: at(Math.round(ts * 1000)), end: at(Math.round(ts * 1000)) })),
  ];
}

/** Asserts that released data has the label, size, space and pointer of its allocation. */
function releasesAreOfAllocations(recording) {
  const data = recording.instants.filter(({ args }) => args?.stream === 'ranges.kokkos');
  const of = (kind) => data.filter(({ args }) => args.kind === kind).map(({ name, args }) => [name, args.size_bytes, args.space, args.data_pointer].join(' '));
  const allocated = of('allocate');
  for (const released of of('deallocate')) assert.ok(allocated.includes(released), `${released} was not allocated`);
}

const noKokkos = KOKKOS ? false : (KOKKOS_MISSING ?? 'KOKKOS names no folder');

test('Kokkos 3.4: kernels, regions, sections, copies and data of a C++ program are those of its log, at its times', { skip: noKokkos }, async (t) => {
  const libraries = path.join(KOKKOS, 'lib');
  const client = built(`${PROGRAMS}/client.cpp`, ['-I', path.join(KOKKOS, 'include'), '-L', libraries, '-ltrilinos_kokkoscore', '-pthread', `-Wl,-rpath,${libraries}`]);
  const expected = await logged(t, client, []);
  const { code, stdout, stderr, file, bytes } = await recorded(client);
  assert.equal(code, 0, stderr.toString());
  const recording = Recording.parse(bytes);
  assert.equal(recording.droppedCount, 0);
  assert.deepEqual(calls(recording), expected);
  assert.deepEqual(expected.filter((call) => /^(deep_copy|event|section|stop)/.test(call)), [
    'section\tfrom the second step on\t', 'stop\tfrom the second step on\t', 'event\tconverged\t', 'deep_copy\tdeep_copy\t512 x Host y Host',
  ]);
  releasesAreOfAllocations(recording);

  const ranges = ofKokkos(recording).filter(({ args }) => ['region', 'parallel_for', 'parallel_reduce', 'parallel_scan', 'deep_copy'].includes(args.kind));
  const own = ranges.filter(({ name }) => !name.startsWith('Kokkos::')).sort((a, b) => a.start - b.start);
  const said = stdout.toString().trimEnd().split('\n').map((line) => line.split('\t'));
  assert.deepEqual(own.map(({ name }) => name), said.map(([name]) => name));
  assert.equal(own.length, 3 * 5 + 5);
  for (const [index, [name, ...times]] of said.entries()) {
    const [before, begun, ending, after] = times.map(Number);
    const { start, end } = own[index];
    // A copy runs no code of the program.
    assert.ok(before <= start && end <= after, `${name}: ${start} to ${end} is not in ${before} to ${after}`);
    if (begun) assert.ok(start <= begun && ending <= end, `${name}: ${begun} to ${ending} is not in ${start} to ${end}`);
  }
  // The last two are another thread's.
  const tracks = own.map(({ track }) => track);
  assert.equal(new Set(tracks.slice(0, -2)).size, 1);
  assert.equal(new Set(tracks.slice(-3)).size, 2);

  // Each step's command is in its region, and in all regions around that.
  const found = async (where) => (await ask(file, `slices?where=${encodeURIComponent(where)}&limit=1`)).total;
  assert.equal(await found('category:fill'), 3);
  for (const region of ['step', 'exchange']) assert.equal(await found(`category:fill in:${region}`), 3, region);
  assert.equal(await found('category:fill in:reduce'), 0);
});

const { skip: noRuntime, env, python } = versions.at(-1);
const [module] = modules();
const noModule = module ? false : 'FRAMEWORKS_VENV has no module of pennylane-lightning-kokkos, which Python 3.10 lacks';

test('Kokkos 5.1: kernels, fences, copies and data of a Python module are those of its log, at the lines that called it', { skip: noRuntime || noModule }, async (t) => {
  const script = path.join(repository, PROGRAMS, 'client.py');
  const expected = await logged(t, python, [script, module], env);
  const { code, stdout, stderr, bytes } = await recorded(python, [script, module], { env });
  assert.equal(code, 0, stderr.toString());
  const recording = Recording.parse(bytes);
  assert.equal(recording.droppedCount, 0);
  assert.deepEqual(calls(recording), expected);
  const kinds = new Set(expected.map((call) => call.split('\t')[0]));
  assert.deepEqual([...kinds].sort(), ['allocate', 'deallocate', 'deep_copy', 'end', 'fence', 'metadata', 'parallel_for', 'parallel_reduce']);
  // 16 complex numbers, to the host and back.
  assert.deepEqual(expected.filter((call) => /^deep_copy\tdeep_copy\t256 /.test(call)), ['deep_copy\tdeep_copy\t256 data_ Host  Host', 'deep_copy\tdeep_copy\t256  Host data_ Host']);
  releasesAreOfAllocations(recording);

  const said = stdout.toString().trimEnd().split('\n').map((line) => JSON.parse(line));
  const ranges = ofKokkos(recording);
  for (const { name, args, start, end } of ranges) {
    const around = said.filter(({ before, after }) => before <= start && end <= after);
    assert.deepEqual(around.map(({ line }) => line), [args.line], `${name}: ${start} to ${end}`);
  }
  // Except for the module's own initialisation, each line has a kernel, a copy or released data.
  const lines = new Set(ranges.filter(({ args }) => args.kind !== 'metadata').map(({ args }) => args.line));
  assert.deepEqual([...lines].sort(), [...new Set(said.slice(1).map(({ line }) => line))].sort());
  assert.ok([...recording.nodes.values()].some(({ kind }) => kind === 'kernel'), 'no kernel of dpnp');
});

/** Returns the paths of the package's module, its only part that is used. */
function modules() {
  const lib = FRAMEWORKS_VENV ? path.join(FRAMEWORKS_VENV, 'lib') : null;
  return (lib ? fs.readdirSync(lib) : []).flatMap((version) => {
    const folder = path.join(lib, version, 'site-packages/pennylane_lightning');
    const names = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
    return names.filter((name) => /^lightning_kokkos_ops.*\.so$/.test(name)).map((name) => path.join(folder, name));
  });
}
