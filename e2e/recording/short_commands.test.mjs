// bench/commands/measure.py, which measures the cost of recording on a device: it compiles its program, runs it in
// every way, and prints the results. (The test ignores their values.)
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { PATIENCE_MS } from '../patience.mjs';
import { repository, scratch, syclEnvironment, syclscope, venv } from './lib/environment.mjs';

const measure = (t, folder, ...given) =>
  spawnSync('python3', [path.join(repository, 'bench/commands/measure.py'), '--turns', '1', '--rounds', '2', '--commands', '200', '--syclscope', syclscope, ...given], {
    env: syclEnvironment(), cwd: folder, encoding: 'utf8', timeout: PATIENCE_MS,
  });

test('short commands are measured bare and with each kind of recording', (t) => {
  const folder = scratch(t);
  const json = path.join(folder, 'all.json');
  const kernels = path.join(folder, 'kernels.syclbin');
  const { status, stdout, stderr } = measure(t, folder, '--sycl', venv, '--json', json, '--kernels', kernels, '--built', path.join(folder, 'built'));
  assert.equal(status, 0, stderr);
  const { device, commands, ns } = JSON.parse(fs.readFileSync(json, 'utf8'));
  assert.ok(device.length > 0 && stderr.includes(device));
  assert.equal(commands, 200);
  const ways = ['bare', 'a subscriber that does nothing', 'recorded', 'recorded, --for timing', 'recorded, --for waits', 'recorded, --for memory', 'recorded, --graphs whole', 'recorded, --streams sycl', 'recorded, --for everything'];
  assert.deepEqual(Object.keys(ns), ways);
  const [head, ...rows] = stdout.trim().split('\n');
  assert.match(head, /^µs a command +bare +nothing +recorded +timing +waits +memory +whole +sycl +everything$/);
  const kinds = Object.keys(ns.bare);
  assert.equal(kinds.length, 12);
  for (const [place, kind] of kinds.entries()) {
    assert.ok(rows[place].startsWith(kind), rows[place]);
    for (const way of ways) {
      const rounds = ns[way][kind];
      assert.equal(rounds.length, 2, `${kind}, ${way}`);
      const median = (rounds[0] + rounds[1]) / 2000;
      const printed = rows[place].match(/[0-9.]+(?= ×)/g)[ways.indexOf(way)];
      assert.ok(Math.abs(Number(printed) - median) < 0.006, `${rows[place]}: ${printed} for ${median}`);
    }
  }
  assert.ok(fs.statSync(kernels).size > 0, 'the kernels are kept for the runs that follow');
});

test('stacks of the submitting threads say whose code a command was in', (t) => {
  const folder = scratch(t);
  const flame = path.join(folder, 'flame');
  const given = ['--sycl', venv, '--kernels', path.join(folder, 'kernels.syclbin'), '--ways', 'nothing', 'recorded', '--flame', flame];
  const { status, stdout, stderr } = measure(t, folder, ...given, '--commands', '2000');
  assert.equal(status, 0, stderr);
  assert.equal(fs.readdirSync(flame).length, 11 * 3, 'a file for each case and way, but none for the graph with its wait');
  const stacks = fs.readFileSync(path.join(flame, 'kernel-recorded.folded'), 'utf8').trim().split('\n');
  for (const stack of stacks) assert.match(stack, /^[^;]+(;[^;]+)* \d+$/);
  assert.ok(stacks.some((stack) => /;libsycl\.so\.\d+!sycl::.*;libxptifw\.so/.test(stack)), stacks.join('\n'));
  const kernel = stdout.split('\n\n').find((table) => table.startsWith('kernel, µs')).split('\n');
  assert.match(kernel[0], /^kernel, µs +bare +nothing +recorded$/);
  const row = (name) => kernel.find((line) => line.startsWith(`  ${name} `)).match(/[0-9.]+/g).map(Number);
  const [bare, nothing, recorded] = row('XPTI');
  assert.ok(bare === 0 && nothing > 0 && recorded > 0, kernel.join('\n'));
  assert.ok(row('in or below the recorder')[2] >= row('recorder')[2] && row('recorder')[0] === 0, kernel.join('\n'));
  for (const way of [0, 1, 2]) assert.ok(row('all')[way] > row('driver')[way], kernel.join('\n'));
});

test('a folder without a runtime is named', (t) => {
  const folder = scratch(t);
  const { status, stderr } = measure(t, folder, '--sycl', path.join(folder, 'none'));
  assert.equal(status, 1);
  assert.match(stderr, /there is no .*none\/lib\/libxptifw\.so: --sycl names the folder of a runtime, with include\/ and lib\//);
});
