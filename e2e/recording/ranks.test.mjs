// Ranks under a real launcher of MPI: each records itself, and the merged trace names them.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { scratch, syclscope } from './lib/environment.mjs';
import { program } from './lib/programs.mjs';
import { recordArguments, run, summary } from './lib/run.mjs';

const { MPIRUN } = process.env;

test('ranks of MPICH have their names, in their order', { skip: MPIRUN ? false : 'MPIRUN names no launcher' }, async (t) => {
  const folder = path.join(scratch(t), 'runs');
  const ranks = await run(MPIRUN, ['-n', '3', syclscope, ...recordArguments(`${folder}/`, program('diamond'))]);
  assert.equal(ranks.code, 0, ranks.stderr.toString());
  const names = fs.readdirSync(folder);
  assert.deepEqual(names.map((name) => /\.rank(\d)\./.exec(name)?.[1]).sort(), ['0', '1', '2'], `${names}`);
  const whole = path.join(folder, 'whole.pftrace');
  const merged = await run(syclscope, ['merge', '-o', whole, folder]);
  assert.equal(merged.code, 0, merged.stderr.toString());
  const { processes, tracks } = await summary(whole);
  assert.deepEqual(
    processes.map(({ rank, rank_count, local_rank }) => [rank, rank_count, local_rank]),
    [[0, 3, 0], [1, 3, 1], [2, 3, 2]],
  );
  assert.deepEqual(
    tracks.filter(({ kind }) => kind === 'process').map(({ name }) => name),
    [0, 1, 2].map((rank) => `rank ${rank} of 3 · diamond`),
  );
  // The filter finds a third of everything.
  const found = async (where) => {
    const answer = await run(syclscope, ['ask', whole, `slices?where=${encodeURIComponent(where)}&limit=1`]);
    assert.equal(answer.code, 0, answer.stderr.toString());
    return JSON.parse(answer.stdout).total;
  };
  const copies = await found('category:copy');
  assert.ok(copies > 0);
  assert.equal(3 * await found('rank:1 category:copy'), copies);
  assert.equal(await found('rank<3 category:copy'), copies);
});
