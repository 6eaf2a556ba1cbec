// The parts of the extension for VS Code that need no editor, with the real program: how they find and run it, and the
// times beside lines.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { PATIENCE_MS } from '../patience.mjs';
import { trace } from '../traces/unpack.mjs';
import { scratch, syclscope } from './servers.mjs';

const require = createRequire(import.meta.url);
const { annotations, bytes, duration, lineOf, recordedPath } = require('../../editors/vscode/src/lines.js');
const { findProgram } = require('../../editors/vscode/src/program.js');
const { Servers } = require('../../editors/vscode/src/server.js');

test('the program is the one of the setting, else the one in PATH, and what is missing is said', (t) => {
  const folder = scratch(t);
  const program = path.join(folder, 'syclscope');
  const environment = { PATH: `/nowhere:${folder}`, HOME: folder };
  assert.throws(() => findProgram('', environment), { isMissing: true, message: /not in PATH.*syclscope\.program/ });
  fs.writeFileSync(program, '#!/bin/sh\n');
  assert.throws(() => findProgram('', environment), { isMissing: true }, 'a file that can not be run is no program');
  fs.chmodSync(program, 0o755);
  assert.equal(findProgram('', environment), program);
  assert.equal(findProgram('~/syclscope', environment), program);
  assert.throws(() => findProgram(`${folder}/other`, environment), { isMissing: true, message: /syclscope\.program names/ });
  assert.throws(() => findProgram(folder, environment), 'a folder is none');
});

test('the extension brings the licences of the repository', () => {
  const read = (name) => fs.readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8').replace(/^\n+|\n+$/g, '');
  const [text, ...licences] = ['editors/vscode/LICENSE.txt', 'LICENSE-MIT', 'LICENSE-APACHE'].map(read);
  assert.equal(text.split('\n\n').slice(1).join('\n\n'), licences.join('\n\n'));
});

test('the name of a recording adds nothing to what is said of a line', () => {
  const line = { line: 1, device_ns: 5, wait_ns: 0, submissions: 1, waits: 0, moved_bytes: 0, allocations: 0, allocated_bytes: 0 };
  const [{ hover }] = annotations({ file: { device_ns: 5, wait_ns: 0 }, lines: [line] }, '_a_\n*b* [x](y).pftrace');
  assert.equal(hover.split('\n')[0], '**syclscope**, \\_a\\_ \\*b\\* \\[x\\](y).pftrace');
  assert.equal(hover.split('\n').length, 2);
});

test('one server answers all who look at a file, and ends with the last of them', async (t) => {
  const servers = new Servers(() => syclscope);
  t.after(() => servers.dispose());
  const file = trace('heat');
  const [one, other] = await Promise.all([servers.take(file), servers.take(file)]);
  assert.equal(one.server, other.server);
  const files = await one.server.ask('files');
  const usm = files.find((known) => known.path.endsWith('heat/with_usm.hpp'));
  const said = annotations(await one.server.ask(`lines?path=${encodeURIComponent(usm.path)}`), 'heat.pftrace');
  const busiest = said.find(({ line }) => line === 71);
  assert.equal(busiest.text, '20.1 ms on devices');
  assert.match(busiest.hover, /240 commands submitted: 20\.1 ms on devices \(78 % of the file's\)/);
  assert.equal(said.find(({ line }) => line === 105).text, '28.1 ms waiting');
  assert.ok(said.every(({ line, text }) => line > 0 && text));
  await assert.rejects(one.server.ask('nothing'), /nothing/);
  assert.deepEqual(await one.server.shown('0123456789abcdef'), {}, 'no page has told yet');

  const ended = new Promise((done) => one.server.child.once('exit', done));
  one.release();
  one.release();
  assert.equal((await other.server.ask('files')).length, files.length, 'the other one still looks at it');
  other.release();
  await ended;
  await assert.rejects(fetch(one.server.origin));
});

test('a server ends with an editor that is killed', { timeout: PATIENCE_MS }, async () => {
  const code = `const [, place, program, file] = process.argv;
    new (require(place).Servers)(() => program).take(file).then(({ server }) => {
      require('node:fs').writeSync(1, server.origin);
      process.kill(process.pid, 'SIGKILL');
    });`;
  const place = require.resolve('../../editors/vscode/src/server.js');
  const origin = spawnSync(process.execPath, ['-e', code, place, syclscope, trace('heat')]).stdout.toString();
  assert.match(origin, /^http:/);
  const answers = () => fetch(origin).then(() => true, () => false);
  while (await answers()) await setTimeout(20);
});

test('a server answers under the names by which the proxy of an editor asks it, and under no other', async (t) => {
  const servers = new Servers(() => syclscope, async () => ['editor.example']);
  t.after(() => servers.dispose());
  const { server } = await servers.take(trace('heat'));
  const asked = (host) =>
    new Promise((resolve, reject) => {
      http.get(`${server.origin}${server.path}`, { headers: { host } }, (answer) => resolve(answer.resume().statusCode)).on('error', reject);
    });
  assert.deepEqual([await asked('editor.example'), await asked(new URL(server.origin).host)], [200, 200]);
  assert.ok((await asked('other.example')) >= 400, 'a page elsewhere that leads its name here');
});

test('what is selected in a page leads to its line', async (t) => {
  const servers = new Servers(() => syclscope);
  t.after(() => servers.dispose());
  const { server } = await servers.take(trace('heat'));
  const name = '0123456789abcdef';
  const lineOfSelected = async (selected) => {
    // Report a selection like a page that was opened under this name.
    const place = `${server.origin}${server.path.replace('/t/', '/api/v1/traces/')}/shown/${name}`;
    const body = JSON.stringify({ query: `?v=graph${selected === undefined ? '' : `&s=${selected}`}` });
    const told = await fetch(place, { method: 'PUT', headers: { 'content-type': 'application/json' }, body });
    assert.equal(told.status, 204);
    return server.selectedLine(name);
  };
  const { groups } = await server.ask(`select?groups=1&sort=max&where=${encodeURIComponent('category:kernel')}`);
  const { slice } = groups[0].longest;
  const { location } = (await server.ask(`slices/${slice}`)).node;
  assert.ok(location.line > 0);
  assert.deepEqual(await lineOfSelected(slice), { file: location.file, line: location.line }, 'the line that submitted it');
  assert.deepEqual(await lineOfSelected(`k${encodeURIComponent(groups[0].name)}`), { file: location.file, line: location.line });
  assert.deepEqual(await lineOfSelected('l7./a%20b/c.cpp'), { file: '/a b/c.cpp', line: 7 });
  for (const without of [undefined, 't5-9', 'knothing%20is%20called%20so']) assert.equal(await lineOfSelected(without), null);
});

test('a file that is no trace, and a program that can not be started, are said', async (t) => {
  const file = path.join(scratch(t), 'no.pftrace');
  fs.writeFileSync(file, 'no trace');
  await assert.rejects(new Servers(() => syclscope).take(file), { name: 'Error', message: /no\.pftrace: the file is no trace/ });
  await assert.rejects(new Servers(() => '/nowhere/syclscope').take(file), /does not start/);
});

test('a file is found by its name and folders, and by nothing less', () => {
  const recorded = ['/a/heat/main.cpp', '/a/wave/main.cpp', '/a/only.hpp', './here.cpp'];
  assert.equal(recordedPath('/a/heat/main.cpp', recorded), '/a/heat/main.cpp');
  assert.equal(recordedPath('/home/ada/src/wave/main.cpp', recorded), '/a/wave/main.cpp');
  assert.equal(recordedPath('/home/ada/other/main.cpp', recorded), null, 'it may be either');
  assert.equal(recordedPath('/home/ada/only.hpp', recorded), '/a/only.hpp');
  assert.equal(recordedPath('/home/ada/here.cpp', recorded), './here.cpp');
  assert.equal(recordedPath('/home/ada/none.cpp', recorded), null);
});

test('numbers have three digits and a unit', () => {
  assert.deepEqual([0, 999, 1_500, 12_340_000, 123_400_000, 5e9].map(duration), ['0 ns', '999 ns', '1.50 µs', '12.3 ms', '123 ms', '5.00 s']);
  assert.deepEqual([1, 2048, 12_582_952].map(bytes), ['1 bytes', '2.00 KiB', '12.0 MiB']);
  assert.deepEqual(lineOf('l7./a%20b/c.cpp'), { file: '/a b/c.cpp', line: 7 });
  assert.equal(lineOf('12'), null);
});
