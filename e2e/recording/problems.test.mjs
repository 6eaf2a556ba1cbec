// The pages of docs/problems are true: each command is run unchanged, on both programs of the problem, and prints the
// page's text; the fix is the difference of the programs; the figures are those of a comparison of both recordings.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { PATIENCE_MS } from '../patience.mjs';
import { repository, scratch, syclEnvironment, syclscope, venv } from './lib/environment.mjs';
import { blocksOf, changesOf, figuresOf, firstMissing, fits } from './lib/pages.mjs';
import { problem } from './lib/programs.mjs';

const pages = path.join(repository, 'docs/problems');
const problems = path.join(repository, 'examples/problems');
const python = process.env.SYCL_PYTHON_VENV;
const read = (...parts) => fs.readFileSync(path.join(...parts), 'utf8');
const names = fs.readdirSync(problems, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name);

/** Returns each side's only source of a problem: `{ before, after }`, as names of files in the problem's folder. */
function sources(name) {
  const only = (side) => {
    const [file, ...more] = fs.readdirSync(path.join(problems, name, side)).filter((file) => /\.(cpp|py)$/.test(file));
    assert.deepEqual(more, [], `${name}/${side} is one program`);
    return path.join(side, file);
  };
  return { before: only('before'), after: only('after') };
}

/** Creates a folder like that of a page's reader, with sources and programs of both sides, and syclscope. */
function prepare(t, name) {
  const folder = scratch(t);
  const here = path.join(folder, name);
  for (const source of Object.values(sources(name))) {
    fs.mkdirSync(path.join(here, path.dirname(source)), { recursive: true });
    fs.copyFileSync(path.join(problems, name, source), path.join(here, source));
    if (source.endsWith('.cpp')) {
      const program = source.replace(/\.cpp$/, '');
      fs.copyFileSync(problem(name, program), path.join(here, program));
    }
  }
  fs.mkdirSync(path.join(folder, 'bin'));
  fs.symlinkSync(syclscope, path.join(folder, 'bin/syclscope'));
  return here;
}

/** Runs a block of a page in a folder, and returns the printed text. */
function shell(lines, folder, name) {
  const bins = [path.join(folder, '../bin')];
  const env = { SYCL: venv };
  if (name.startsWith('python')) {
    bins.push(path.join(python, 'bin'));
    Object.assign(env, { LD_LIBRARY_PATH: path.join(python, 'lib'), OCL_ICD_FILENAMES: path.join(python, 'lib/libintelocl.so') });
  }
  const { status, stdout } = spawnSync('bash', ['-euo', 'pipefail', '-c', `exec 2>&1\n${lines.join('\n')}`], {
    cwd: folder, env: syclEnvironment({ ...env, PATH: `${bins.join(':')}:${process.env.PATH}` }), encoding: 'utf8', timeout: PATIENCE_MS, maxBuffer: 1 << 28,
  });
  assert.equal(status, 0, `${lines.join('\n')}\n${stdout}`);
  // Paths of debug information are in the compiler's folder.
  return stdout.replaceAll(`${path.join(problems, name)}/`, '');
}

/** Runs a page's commands in their order, and checks that they print the page's text. */
function follow(page, folder, name) {
  let printed = null;
  for (const { language, lines, at } of blocksOf(page)) {
    if (language === 'sh') printed = shell(lines, folder, name);
    if (language !== 'text') continue;
    assert.notEqual(printed, null, `nothing was run before line ${at}`);
    const missing = firstMissing(lines.join('\n'), printed);
    assert.equal(missing, null, `from line ${at} on, the page shows what was not printed:\n${missing}\nPrinted was:\n${printed}`);
  }
}

/** Checks that a page's figures are those of both recordings in a folder. */
function checkFigures(page, folder, name) {
  const compared = JSON.parse(shell(['syclscope compare --quiet --format json before.pftrace after.pftrace'], folder, name));
  const shown = figuresOf(page);
  assert.ok(shown.some((figure) => figure.before !== figure.after), 'it has figures that differ');
  for (const { name: wanted, before, after } of shown) {
    const known = compared.figures.find(({ name }) => name === wanted);
    // Figures that exist only with something to count may be in neither run.
    assert.ok(known || /^(finding|copies|bytes)_/.test(wanted), `there is no figure ${wanted}`);
    const figure = known ?? { a: [0], b: [0] };
    const values = `${wanted}: ${figure.a} before, ${figure.b} after`;
    assert.ok(fits(before, figure.a[0]) && fits(after, figure.b[0]), values);
  }
}

/**
 * Number of readers of a page, one of whom must be undisturbed: other work of the machine may stop a program for
 * seconds.
 */
const READERS = 4;

/** Follows a page as readers do, until its figures are right for one of them. */
function checkAsReaders(t, page, name) {
  for (let reader = 1; ; reader += 1) {
    const folder = prepare(t, name);
    try {
      follow(page, folder, name);
      return checkFigures(page, folder, name);
    } catch (error) {
      if (reader === READERS || !(error instanceof assert.AssertionError)) throw error;
    }
  }
}

for (const name of names)
  test(`${name}: the page is true`, { skip: name.startsWith('python') && !python ? 'SYCL_PYTHON_VENV is not set' : false }, async (t) => {
    const page = read(pages, `${name}.md`);
    const blocks = blocksOf(page);
    const { before, after } = sources(name);

    await t.test('its fix is what the programs differ in', () => {
      const { status, stdout } = spawnSync('diff', ['-u', before, after], { cwd: path.join(problems, name), encoding: 'utf8' });
      assert.equal(status, 1, 'the programs differ');
      const shown = blocks.filter(({ language }) => language === 'diff').flatMap(({ lines }) => lines);
      assert.deepEqual(changesOf(shown), changesOf(stdout.split('\n')));
    });

    await t.test('its excerpts of programs are those of the files', () => {
      for (const { language, lines, at } of blocks) {
        if (!['cpp', 'python'].includes(language)) continue;
        const missing = firstMissing(lines.join('\n'), read(problems, name, before), (text) => text.replace(/\s+/g, ' ').trim());
        assert.equal(missing, null, `from line ${at} on, ${before} has no lines '${missing}'`);
      }
    });

    await t.test('its commands print its texts, and its figures are those of both recordings', () => {
      for (const words of ['syclscope record', 'syclscope compare'])
        assert.ok(blocks.some(({ language, lines }) => language === 'sh' && lines.some((line) => line.includes(words))), `it has no ${words}`);
      checkAsReaders(t, page, name);
    });
  });

test('the front page lists every page, and its commands work', (t) => {
  const front = read(pages, 'README.md');
  const linked = [...front.matchAll(/\]\(([a-z-]+)\.md\)/g)].map(([, name]) => name);
  assert.deepEqual([...new Set(linked)].sort(), [...names].sort());
  assert.deepEqual(fs.readdirSync(pages).sort(), ['README.md', ...names.map((name) => `${name}.md`)].sort());

  const folder = scratch(t);
  fs.cpSync(problems, path.join(folder, 'examples/problems'), { recursive: true });
  fs.mkdirSync(path.join(folder, 'bin'));
  fs.symlinkSync(syclscope, path.join(folder, 'bin/syclscope'));
  follow(front, path.join(folder, 'examples'), 'front');
});

test('what a page says wrongly is found', () => {
  const page = '```sh\nrun\n```\ntext\n```text\n3 waits  12.5 ms\n…\nend\n```\n\n| figure | before | after |\n|---|---|---|\n| `waits` | ≥ 3 | 0 |\n';
  const [command, excerpt] = blocksOf(page);
  assert.deepEqual([command.language, command.lines, excerpt.language], ['sh', ['run'], 'text']);
  const shown = excerpt.lines.join('\n');
  assert.equal(firstMissing(shown, 'a\n3 waits 1 µs\nb\n  end'), null);
  assert.equal(firstMissing('took 5 ms. Then', 'took 126.004\n    ms. Then'), null, 'a line may end within a time');
  assert.equal(firstMissing(shown, 'a\n4 waits 1 µs\nb\nend'), '3 waits TIME');
  assert.equal(firstMissing(shown, '3 waits 1 µs\nb'), 'end');
  assert.equal(firstMissing('a c', 'a b c'), 'a c');
  assert.equal(firstMissing('b … a', 'a b'), 'a');
  assert.equal(firstMissing('…b', 'a …b'), null, 'a path that was shortened');
  assert.equal(firstMissing('3 s → 2.5 ms, −0.4 %: same (one run each)', '3 µs → 1 min, +7 %: undecided (one run each)'), null);
  assert.equal(firstMissing('4.0 MiB', '5.0 MiB'), '4.0 MiB');
  const [figure] = figuresOf(page);
  assert.deepEqual(figure, { name: 'waits', before: '≥ 3', after: '0' });
  assert.ok(fits(figure.before, 4) && !fits(figure.before, 2) && fits(figure.after, 0) && !fits(figure.after, 1));
  assert.deepEqual(changesOf(['--- a', '+++ b', '@@ -1 +1 @@', ' same', '-old', '+new']), ['-old', '+new']);
  assert.throws(() => blocksOf('```sh\nrun'), /has no end/);
});
