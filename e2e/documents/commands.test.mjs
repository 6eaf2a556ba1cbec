// The commands of the documents work: every block of commands of README.md and docs/ is run unchanged, in the order of
// its document, and must write the files that it names. lib/left_out.mjs lists the commands that no test machine can
// run, each with its reason.
//
// A block without a language or in `sh` contains commands; any other block has a language (`text` for drawings and
// settings). The pages of docs/problems are also compared with the printed text: recording/problems.test.mjs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { repository } from '../recording/lib/environment.mjs';
import { blocksOf } from '../recording/lib/pages.mjs';
import { scratch } from '../server/lib/service.mjs';
import { LEFT_OUT, commandsOf, leftOut } from './lib/left_out.mjs';
import { commandsToRun, readerOf, runs, tracesOf } from './lib/reader.mjs';
import { files, missing, written } from './lib/written.mjs';

const names = ['README.md', ...fs.readdirSync(path.join(repository, 'docs')).filter((name) => name.endsWith('.md')).sort().map((name) => `docs/${name}`)];
const documents = names.map((name) => {
  const blocks = blocksOf(fs.readFileSync(path.join(repository, name), 'utf8'));
  return { name, blocks, commands: blocks.filter(({ language }) => ['', 'sh'].includes(language)) };
});

const withoutMpi = spawnSync('mpirun', ['--version']).error ? 'there is no mpirun' : false;

for (const { name, commands } of documents.filter(({ name, commands }) => commands.some(({ lines }) => commandsToRun(name, lines).length > 0)))
  test(`${name}: its commands work`, async (t) => {
    const reader = await readerOf(t, name, scratch(t));
    for (const { lines, at } of commands) {
      const block = commandsToRun(name, lines);
      if (block.length === 0) continue;
      const skip = block.some((command) => /\bmpirun\b/.test(command)) && withoutMpi;
      await t.test(`line ${at}: ${block[0]}`, { skip }, async () => {
        const { status, printed, unwritten } = await runs(reader, block);
        assert.equal(status, 0, printed);
        assert.deepEqual(unwritten, [], `they wrote none of these:\n${printed}`);
      });
    }
    if (name === 'docs/SHARING.md')
      await t.test('what was sent is there', async () => {
        const traces = await tracesOf(reader);
        assert.equal(traces.length, 3, 'a file, a recording, and one from the spool');
        assert.ok(traces.some(({ labels }) => JSON.stringify(labels).includes('main')), JSON.stringify(traces));
      });
  });

test('every block says what it holds, and what is left out stands in a document', () => {
  for (const { name, blocks } of documents)
    for (const { language, at } of blocks) assert.doesNotMatch(language, /^\s|^(bash|shell|console|zsh|terminal)$/, `${name}:${at}: commands are in sh`);
  const lines = documents.flatMap(({ name, commands }) => commands.flatMap(({ lines }) => commandsOf(lines).map((command) => [name, command])));
  for (const entry of LEFT_OUT) {
    assert.ok(entry.why && entry.elsewhere, `${entry.line}: say why, and what runs it`);
    assert.ok(lines.some(([name, command]) => leftOut(name, command, [entry])), `${entry.line} is in no document`);
    for (const [file] of entry.elsewhere.matchAll(/[\w/.]+\.(mjs|py|sh)\b/g))
      assert.ok([file, `e2e/${file}`].some((place) => fs.existsSync(path.join(repository, place))), `there is no ${file}`);
  }
});

test('what commands leave unwritten is found', (t) => {
  const of = (line) => written(line);
  assert.deepEqual(of('syclscope record -- ./program args   # writes -o x'), ['run*.pftrace']);
  assert.deepEqual(of('  syclscope record -q -o a-$i.pftrace -- ./p'), ['a-*.pftrace']);
  assert.deepEqual(of('syclscope record --repeat 2 -o a.pftrace -- ./p'), ['a-1.pftrace', 'a-2.pftrace']);
  assert.deepEqual(of('syclscope convert "$f" --to parquet -o "tables/trace=$(basename "$f" .x)"'), ['tables/trace=*']);
  assert.deepEqual(of('syclscope summary run.pftrace > /dev/null'), []);
  assert.deepEqual(of('python many.py duckdb "x" "COPY (FROM e) TO \'packed/e.parquet\'"'), ['packed/e.parquet']);
  const folder = scratch(t);
  fs.mkdirSync(path.join(folder, 'runs'));
  const write = (name, text) => fs.writeFileSync(path.join(folder, name), text);
  write('old.pftrace', 'old');
  const before = files(folder);
  write('runs/new.pftrace', 'new');
  write('empty.pftrace', '');
  const wanted = ['runs/', 'runs/*.pftrace', 'old.pftrace', 'empty.pftrace', 'none.pftrace', 'run'];
  assert.deepEqual(missing(wanted, folder, before, files(folder)), ['old.pftrace', 'empty.pftrace', 'none.pftrace', 'run']);
  assert.deepEqual(commandsOf(['a \\', '  b', '', '# no', 'c']), ['a   b', 'c']);
});
