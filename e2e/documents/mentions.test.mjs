// Commands and options of the program that sentences of the documents mention exist: `syclscope token create|list`,
// `--detail low`. (commands.test.mjs runs the blocks of commands.)
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { repository, syclscope } from '../recording/lib/environment.mjs';
import { scratch } from '../server/lib/service.mjs';
import { codeOf, commandsOfReference, faultOf } from './lib/mentions.mjs';

/** Texts that look like the program's and belong to something else. */
const FOREIGN = [
  { document: 'docs/CLUSTERS.md', text: '--mpi=pmi2', of: 'srun' },
  { document: 'docs/DEPLOY.md', text: `--health-cmd '["/usr/local/bin/syclscope", "health"]'`, of: 'podman' },
  { document: 'docs/FORMAT.md', text: 'syclscope device', of: 'a track: its description' },
  { document: 'docs/FORMAT.md', text: 'syclscope queue', of: 'a track: its description' },
  { document: 'docs/FORMAT.md', text: 'syclscope stream', of: 'a track: its description' },
  { document: 'docs/FORMAT.md', text: 'syclscope queue N', of: 'a specification: its description' },
  { document: 'docs/PYTHON.md', text: '--driver-memory', of: 'spark-submit' },
  { document: 'docs/RECORDING.md', text: '--token …', of: 'a program that is recorded' },
];

const inFolder = (folder) => fs.readdirSync(path.join(repository, folder)).filter((name) => name.endsWith('.md')).sort().map((name) => `${folder}/${name}`);
const documents = ['README.md', 'python/README.md', ...inFolder('docs'), ...inFolder('docs/problems')];

function reference(t) {
  const folder = scratch(t);
  execFileSync(syclscope, ['man', '--markdown', folder]);
  return commandsOfReference(fs.readFileSync(path.join(folder, 'commands.md'), 'utf8'));
}

test('every command and option that a sentence names is there', (t) => {
  const commands = reference(t);
  const faults = [];
  const used = new Set();
  let right = 0;
  for (const name of documents)
    for (const { text, at } of codeOf(fs.readFileSync(path.join(repository, name), 'utf8'))) {
      const foreign = FOREIGN.find((entry) => entry.document === name && entry.text === text);
      if (foreign) used.add(foreign);
      const fault = faultOf(text, commands);
      if (!fault) right += text.startsWith('syclscope ') || text.startsWith('--');
      else if (!foreign) faults.push(`${name}:${at}: \`${text}\`: ${fault}`);
    }
  assert.deepEqual(faults, []);
  assert.ok(right > 100, `only ${right} texts were held against the program`);
  for (const entry of FOREIGN) assert.ok(used.has(entry), `${entry.text} is not in ${entry.document}`);
});

test('a wrong command, option or value is found', (t) => {
  const commands = reference(t);
  for (const text of ['syclscope record -- ./p --nothing', 'syclscope token create|revoke', 'syclscope convert IN --to json|perfetto -o OUT', 'syclscope COMMAND --help', '--detail high', 'record --repeat 5', 'make --anything', '--top N', 'syclscope', 'check'])
    assert.equal(faultOf(text, commands), null, text);
  assert.deepEqual(codeOf('a `b`\n```sh\n`c`\n```\n`d\n  e`').map(({ text, at }) => `${at}: ${text}`), ['1: b', '5: d e']);
  for (const [text, fault] of [
    ['syclscope recrod', 'there is no command recrod'],
    ['syclscope token create|burn', 'there is no command token burn'],
    ['syclscope serve --detail low', 'serve has no option --detail'],
    ['summary --jsno', 'summary has no option --jsno'],
    ['--detial', 'no command has the option --detial'],
    ['syclscope record --progress=sideways', '--progress does not take sideways'],
    ['--progress title|row', '--progress does not take row'],
  ]) assert.equal(faultOf(text, commands), fault, text);
});
