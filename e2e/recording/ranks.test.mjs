// Ranks under real launchers of MPI: each records itself, and the merged trace names them.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { scratch, syclscope } from './lib/environment.mjs';
import { program } from './lib/programs.mjs';
import { recordArguments, run, summary } from './lib/run.mjs';

/** `says` has the variables with a rank's number, and with its number on its host. */
const LAUNCHERS = [
  { name: 'MPICH', variable: 'MPIRUN', says: ['PMI_RANK', 'MPI_LOCALRANKID'] },
  // By default it starts no more ranks than there are cores, and none as root. More ranks than cores have another order
  // of numbers on the host.
  {
    name: 'Open MPI', variable: 'MPIRUN_OPEN_MPI', flags: ['--oversubscribe'],
    env: { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' },
    says: ['OMPI_COMM_WORLD_RANK', 'OMPI_COMM_WORLD_LOCAL_RANK'],
  },
  { name: 'Intel MPI', variable: 'MPIRUN_INTEL_MPI', says: ['PMI_RANK', 'MPI_LOCALRANKID'] },
];

for (const { name, variable, flags = [], env, says } of LAUNCHERS) {
  const launcher = process.env[variable];
  const skip = launcher ? false : `${variable} names no launcher`;
  const three = [...flags, '-n', '3'];
  // MPICH's launcher reports the end of its input to its ranks, and dies of SIGPIPE if they have ended: this input
  // stays open.
  const options = { env, stdin: 'pipe' };
  const isOfItsRanks = async (file) => {
    const said = await run(launcher, [...three, 'sh', '-c', `echo $${says.join(' $')}`], options);
    const local = said.stdout.toString().trim().split('\n').sort().map((line) => Number(line.split(' ')[1]));
    assert.equal(local.length, 3, `${said.stdout}${said.stderr}`);
    const { processes, tracks } = await summary(file);
    assert.deepEqual(
      processes.map(({ rank, rank_count, local_rank }) => [rank, rank_count, local_rank]),
      local.map((number, rank) => [rank, 3, number]),
    );
    assert.deepEqual(
      tracks.filter(({ kind }) => kind === 'process').map(({ name }) => name),
      [0, 1, 2].map((rank) => `rank ${rank} of 3 · diamond`),
    );
  };

  test(`ranks of ${name} have their names, in their order`, { skip }, async (t) => {
    const folder = path.join(scratch(t), 'runs');
    const ranks = await run(launcher, [...three, syclscope, ...recordArguments(`${folder}/`, program('diamond'))], options);
    assert.equal(ranks.code, 0, ranks.stderr.toString());
    const names = fs.readdirSync(folder);
    assert.deepEqual(names.map((name) => /\.rank(\d)\./.exec(name)?.[1]).sort(), ['0', '1', '2'], `${names}`);
    const whole = path.join(folder, 'whole.pftrace');
    const merged = await run(syclscope, ['merge', '-o', whole, folder]);
    assert.equal(merged.code, 0, merged.stderr.toString());
    await isOfItsRanks(whole);
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

  test(`the launcher of ${name} is recorded, and its ranks are merged at the end`, { skip }, async (t) => {
    const folder = path.join(scratch(t), 'runs');
    const recorded = await run(syclscope, recordArguments(`${folder}/`, launcher, [...three, program('diamond')]), options);
    assert.equal(recorded.code, 0, recorded.stderr.toString());
    await isOfItsRanks(path.join(folder, 'diamond.pftrace'));
  });
}
