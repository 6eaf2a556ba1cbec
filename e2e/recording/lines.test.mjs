// Lines of Python: every allocation, copy and wait of a Python program has the line that Python itself reports.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { ask } from './lib/ask.mjs';
import { repository } from './lib/environment.mjs';
import { recorded } from './lib/once.mjs';
import { Recording } from './lib/recording.mjs';
import { versions } from './lib/versions.mjs';

const script = path.join(repository, 'e2e/recording/programs/lines.py');

/** Returns the program's own report of its actions. */
function said(stdout) {
  return stdout.toString().trim().split('\n').map((line) => JSON.parse(line));
}

/** Returns a source location as one text. Before Python 3.11 a function has no qualified name. */
const place = ({ file, line, function: name }) => `${file}:${line} ${name}`;

for (const { version, skip, env, python } of versions) {
  test(`${version}: allocations, copies and waits of Python stand at their lines`, { skip }, async () => {
    const { code, stdout, stderr, file, bytes } = await recorded(python, [script], { env });
    assert.equal(code, 0, stderr.toString());
    const recording = Recording.parse(bytes);
    const told = said(stdout);
    const of = (what) => told.filter((one) => one.what === what);

    const allocations = new Map(recording.allocations.map((one) => [one.size_bytes, one]));
    const wrong = of('allocation').filter((one) => place(allocations.get(one.bytes) ?? {}) !== place(one));
    assert.deepEqual(wrong.map((one) => [place(one), allocations.get(one.bytes)]), []);
    assert.ok(of('allocation').length > 60, `${of('allocation').length} allocations`);

    const calls = recording.slicesOf('ur').filter(({ args }) => args.size !== undefined && args.node !== undefined);
    const copies = new Map(calls.map(({ args }) => [Number(args.size), recording.nodes.get(args.node)]));
    const astray = of('copy').filter((one) => place(copies.get(one.bytes) ?? {}) !== place(one));
    assert.deepEqual(astray.map((one) => [place(one), copies.get(one.bytes)]), []);
    assert.equal(of('copy').length, 5 * 4 * 2);

    // A copy waits for itself, too.
    const lines = new Set(told.map(({ file, line }) => `${file}:${line}`));
    const waits = recording.slicesOf('wait').map(({ args }) => `${args.file}:${args.line}`);
    assert.deepEqual(waits.filter((wait) => !lines.has(wait)), []);
    const line = (one) => `${one.file}:${one.line}`;
    for (const wait of of('wait')) {
      const expected = of('wait').filter((one) => line(one) === line(wait)).length;
      assert.ok(waits.filter((one) => one === line(wait)).length >= expected, line(wait));
    }
    // Answers about waits have the recording's locations, also for waits for events.
    const { slices } = await ask(file, 'slices?where=category:wait&limit=1000');
    const answered = slices.map(({ location }) => `${location?.file}:${location?.line}`);
    assert.deepEqual(answered.sort(), waits.toSorted());
    assert.ok(slices.some(({ name }) => name === 'event.wait'));
    const places = [...recording.nodes.values()].filter(({ kind }) => kind !== 'virtual').map((node) => `${node.file}:${node.line}`);
    assert.deepEqual(places.filter((one) => !lines.has(one)), []);
  });
}

const { skip, env, python } = versions.at(-1);

test('without lines of Python, places are those of the native code', { skip }, async () => {
  const { code, bytes } = await recorded(python, [script], { env, flags: ['--no-python-lines'] });
  assert.equal(code, 0);
  const files = [...Recording.parse(bytes).nodes.values()].map(({ file }) => file ?? '');
  assert.deepEqual(files.filter((file) => /\.py$|Python-3|\.c$/.test(file)), []);
});

test('a code location that a framework gives stands where its file is the user\'s', { skip }, async () => {
  const framework = path.join(repository, 'e2e/recording/programs/code_locations.py');
  const { code, stdout, stderr, bytes } = await recorded(python, [framework], { env });
  assert.equal(code, 0, stderr.toString());
  const nodes = [...Recording.parse(bytes).nodes.values()].filter(({ kind }) => kind === 'copy');
  assert.deepEqual(nodes.map(place), [`${framework}:7 framework`, `${framework}:${Number(stdout)} <module>`]);
});

test('the source of a line of Python is in the recording', { skip }, async () => {
  const { bytes } = await recorded(python, [script], { env });
  const texts = Recording.parse(bytes).records('sycl.source_file').filter(({ name }) => name === script);
  assert.deepEqual(texts.map(({ text }) => text), [fs.readFileSync(script, 'utf8')]);
});
