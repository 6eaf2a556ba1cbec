// `syclscope try` on real programs: its recordings, its findings, and the effect of the runtime's own cache. No test is
// about speed: verdicts are tested on made-up runs, in the program's own tests.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { scratch, syclscope, venv } from './lib/environment.mjs';
import { program } from './lib/programs.mjs';
import { run } from './lib/run.mjs';
import { versions } from './lib/versions.mjs';

const RUNS = 2;

/** Runs `syclscope try` in a folder, and returns its exit code and its ledger. */
async function attempt(folder, words, env = {}) {
  const { code, stdout, stderr } = await run(syclscope, ['try', '--json', '--repeat', `${RUNS}`, ...words], { cwd: folder, env });
  assert.ok([0, 1, 2].includes(code), stderr.toString());
  return { code, ledger: JSON.parse(stdout), stderr: stderr.toString() };
}

test('a wait after each kernel is predicted, and gone when the program waits no more', async (t) => {
  const folder = scratch(t);
  // The same command before and after the change.
  const script = path.join(folder, 'faults');
  const write = (how) => fs.writeFileSync(script, `#!/bin/sh\nexec '${program('faults')}' "$1" ${how}\n`, { mode: 0o755 });
  const libraries = ['--xptifw', path.join(venv, 'lib')];
  write('bad');
  const first = await attempt(folder, [...libraries, '--', script, 'waits']);
  assert.equal(first.code, 0);
  const found = first.ledger.findings.find(({ kind }) => kind === 'wait_after_kernel');
  assert.ok(found, JSON.stringify(first.ledger.findings));
  assert.match(found.id, /^wait_after_kernel@faults\.cpp:\d+$/);
  assert.equal(first.ledger.baseline.runs, RUNS);
  const { ledger: chosen } = await attempt(folder, ['--finding', found.id]);
  assert.equal(chosen.under_test, found.id);

  write('good');
  const { ledger } = await attempt(folder, [...libraries, '--', script, 'waits']);
  const [tried] = ledger.attempts;
  assert.deepEqual([tried.state, tried.finding.id, tried.gone.includes(found.id)], ['gone', found.id, true]);
  assert.equal(tried.predicted_ns, found.gain_ns);
  assert.ok(Number.isInteger(tried.achieved_ns));
  // Two runs prove nothing.
  assert.ok(['same', 'undecided'].includes(tried.verdict), tried.verdict);
  const waits = tried.figures.find(({ name }) => name === 'waits');
  assert.ok(Math.min(...waits.a) > Math.max(...waits.b) + 100, JSON.stringify(waits));
  // Its recordings are ordinary ones.
  const folders = ['runs-1', 'runs-2'].map((name) => path.join(folder, 'syclscope-try', name));
  assert.deepEqual(folders.map((name) => fs.readdirSync(name).sort()), [['run-1.pftrace', 'run-2.pftrace'], ['run-1.pftrace', 'run-2.pftrace']]);
  assert.equal((await run(syclscope, ['compare', '-q', ...folders])).code, 0);
});

const present = versions.find(({ version }) => version === '2026.2');

test('the persistent cache: nothing is compiled from SPIR-V in the runs with it', { skip: present.skip }, async (t) => {
  const folder = scratch(t);
  fs.writeFileSync(path.join(folder, 'sort.py'), 'import dpnp\nprint(float(dpnp.sort(dpnp.arange(1000.0)).sum()))\nprint(float(dpnp.cos(dpnp.arange(1000.0))[1]))\n');
  const caches = { ...present.env, SYCL_CACHE_PERSISTENT: '0', SYCL_CACHE_DIR: path.join(folder, 'own') };
  const { ledger, stderr } = await attempt(folder, ['--remedy', 'persistent-cache', '--', present.python, 'sort.py'], caches);
  const [tried] = ledger.attempts;
  assert.deepEqual(tried.remedy, { name: 'persistent-cache', variables: [['SYCL_CACHE_PERSISTENT', '1']] });
  assert.deepEqual(tried.notes.filter((note) => note.startsWith('environment ')), []);
  assert.match(stderr, /warm-up with persistent-cache/);
  const compiled = async (side) => {
    const file = path.join(folder, 'syclscope-try/runs-2', side, `run-${RUNS}.pftrace`);
    const { builds } = JSON.parse((await run(syclscope, ['ask', file, 'builds'])).stdout);
    assert.ok(builds.length > 0);
    return builds.filter(({ source }) => source === 'spir_v').length;
  };
  assert.ok((await compiled('without')) > 0);
  assert.equal(await compiled('persistent-cache'), 0);
  assert.ok(!fs.existsSync(path.join(folder, 'own')), 'the user\'s cache is not touched');
});
