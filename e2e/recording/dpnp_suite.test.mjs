// Tests of dpnp, a program by other authors: its calls are those that the runtime prints, and its builds are on the
// critical path, to the nanosecond. One module every day, five in a soak.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { scratch, syclscope } from './lib/environment.mjs';
import { readCallTrace } from './lib/oracles/call_trace.mjs';
import { differences, Recording } from './lib/recording.mjs';
import { record, run } from './lib/run.mjs';
import { versions } from './lib/versions.mjs';

/** A module of dpnp's tests, which of them run, and how many there are at least. */
const MODULES = [['random', 'uniform', 3], ['linalg', 'slogdet', 20], ['sort', 'searchsorted', 50], ['statistics', 'median', 90], ['fft', 'hfft', 100]];
const chosen = process.env.SYCLSCOPE_SOAK ? MODULES : MODULES.slice(0, 1);

const { skip, venv, env, callTrace } = versions.at(-1);
const reason = skip || (process.env.PYTHON_TESTS ? false : 'PYTHON_TESTS is not set: it must name a Python environment with pytest');

for (const [module, wanted, least] of chosen)
  test(`dpnp's tests of ${module}: every call is recorded, and what was built is on the critical path`, { skip: reason }, async (t) => {
    const folder = scratch(t);
    const result = await record(
      path.join(folder, 'run.pftrace'), path.join(venv, 'bin/python'),
      ['-m', 'pytest', '-q', '-s', '-p', 'no:cacheprovider', '--pyargs', `dpnp.tests.test_${module}`, '-k', wanted],
      { env: { ...env, [callTrace]: '2', PYTHONPATH: pytestAlone(folder) }, cwd: folder },
    );
    const [, passed] = /(\d+) passed/.exec(result.stdout.toString()) ?? [];
    assert.deepEqual([result.code, Number(passed) >= least], [0, true], `${passed} passed\n${result.stderr.toString().slice(-2000)}`);

    const table = await run(syclscope, ['summary', '--calls', '--format', 'csv', result.file]);
    const [head, ...lines] = table.stdout.toString().trim().split('\n').map((line) => line.split(','));
    const [name, count, total] = ['name', 'count', 'total_ns'].map((column) => head.indexOf(column));
    const calls = new Map(lines.map((line) => [line[name], Number(line[count])]));
    assert.deepEqual(differences(calls, readCallTrace(Buffer.concat([result.stdout, result.stderr]))), []);

    // Commands have the tests' own lines, although these tests are in a folder of packages.
    const json = path.join(folder, 'run.json');
    assert.equal((await run(syclscope, ['convert', result.file, '--to', 'json', '-o', json])).code, 0);
    const commands = [...Recording.parse(fs.readFileSync(json)).nodes.values()].filter(({ kind }) => kind !== 'virtual');
    const elsewhere = commands.filter(({ file, line }) => !/\/dpnp\/tests\/.*\.py$/.test(file ?? '') || !(line > 0));
    assert.ok(commands.length > 0 && elsewhere.length <= commands.length / 100,
      `${elsewhere.length} of ${commands.length} commands are elsewhere: ${JSON.stringify(elsewhere.slice(0, 5))}`);

    const asked = await run(syclscope, ['ask', result.file, 'critical_path']);
    assert.equal(asked.code, 0, asked.stderr.toString());
    const isBuild = (call) => /^urProgram(Build|Compile|Link)/.test(call);
    const sum = (numbers) => numbers.reduce((all, number) => all + number, 0);
    const built = sum(lines.filter((line) => isBuild(line[name])).map((line) => Number(line[total])));
    const { steps, more_steps: more } = JSON.parse(asked.stdout);
    const onPath = sum(steps.filter((step) => step.kind === 'call' && isBuild(step.name)).map((step) => step.duration_ns));
    // Of a long path the shortest steps are only counted; a refused way to build takes no time.
    const leftOut = more * steps.reduce((least, step) => Math.min(least, step.duration_ns), Infinity);
    const told = `${onPath} ns of ${built} ns of builds are on the path, ${more} steps are left out`;
    assert.ok(built > 0 && onPath <= built, told);
    // Builds on the runtime's own threads are on the path only while the program waits for them.
    const ownAlone = await aloneOnMainThread(result.file);
    assert.ok(onPath >= ownAlone - leftOut, `${told}; ${ownAlone} ns are the main thread's alone`);
  });

/** Returns the time in which the main thread built and no other thread did, in nanoseconds. */
async function aloneOnMainThread(file) {
  const ask = async (question) => JSON.parse((await run(syclscope, ['ask', file, question])).stdout);
  const { tracks } = await ask('');
  const main = tracks.find((track) => track.name === 'main thread').id;
  const { slices, total } = await ask('slices?where=name%3AurProgram&limit=10000');
  assert.equal(slices.length, total);
  const builds = slices.filter((slice) => /^urProgram(Build|Compile|Link)/.test(slice.name)).map(({ at }) => at);
  const others = builds.filter(({ track }) => track !== main);
  const end = ({ start_ns, duration_ns }) => start_ns + duration_ns;
  const shared = (one, other) => Math.max(0, Math.min(end(one), end(other)) - Math.max(one.start_ns, other.start_ns));
  const alone = (own) => Math.max(0, own.duration_ns - others.reduce((all, other) => all + shared(own, other), 0));
  return builds.filter(({ track }) => track === main).reduce((all, own) => all + alone(own), 0);
}

/** Creates a folder with pytest and its dependences, without the other packages. */
function pytestAlone(folder) {
  const library = path.join(process.env.PYTHON_TESTS, 'lib');
  const python = fs.readdirSync(library).find((entry) => entry.startsWith('python3'));
  const installed = path.join(library, python, 'site-packages');
  const alone = path.join(folder, 'pytest');
  fs.mkdirSync(alone);
  for (const name of fs.readdirSync(installed).filter((entry) => /^(_?pytest|py\.py|pluggy|iniconfig|packaging|pygments)(-|$)/i.test(entry)))
    fs.symlinkSync(path.join(installed, name), path.join(alone, name));
  return alone;
}
