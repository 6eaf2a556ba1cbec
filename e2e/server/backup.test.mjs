// The ways to back up that docs/DEPLOY.md describes, while the server runs under load.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { copy } from './lib/copies.mjs';
import { Ledger } from './lib/ledger.mjs';
import { startPostgres } from './lib/postgres.mjs';
import { scratch } from './lib/service.mjs';
import { withoutTeam } from './lib/stands.mjs';

const run = promisify(execFile);

/**
 * Runs `save`, which makes a backup, on a server under load. Uploads acknowledged before that must be in the backup.
 */
async function savedUnderLoad(t, server, save) {
  const ledger = new Ledger();
  const stop = ledger.load(t, server.origin, 4);
  while (ledger.acknowledged.size < 10) await new Promise((resolve) => setTimeout(resolve, 20));
  const before = [...ledger.acknowledged.keys()];
  await save();
  await stop();
  return { ledger, before };
}

test('a folder that is copied while the server runs holds every trace of before, whole', async (t) => {
  const [data, restored] = [scratch(t), scratch(t)];
  const server = await copy(t, ['--data', data]);
  await server.start();
  const { ledger, before } = await savedUnderLoad(t, server, () => run('cp', ['-r', path.join(data, 'traces'), restored]));
  const other = await copy(t, ['--data', restored], { name: 'the server of the backup' });
  await other.start();
  await ledger.check(other.origin, before);
});

test("PostgreSQL's dump and the store hold every trace of before, whole", { skip: withoutTeam }, async (t) => {
  const [database, empty] = [await startPostgres(t), await startPostgres(t)];
  const store = `file://${scratch(t)}`;
  const start = async (url) => {
    const server = await copy(t, ['--data', scratch(t), '--store', store, '--database', url]);
    return server.start();
  };
  const server = await start(database.url);
  const dump = path.join(scratch(t), 'dump.sql');
  const { ledger, before } = await savedUnderLoad(t, server, () => run('pg_dump', ['--file', dump, database.url]));
  await server.stop();
  await run('psql', ['--quiet', '--set', 'ON_ERROR_STOP=1', '--file', dump, empty.url]);
  const other = await start(empty.url);
  await ledger.check(other.origin, before);
});
