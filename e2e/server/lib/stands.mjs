// Kinds of storage for servers, from a folder to clusters: the tests of promises run on all of them.
import { spawnSync } from 'node:child_process';

import { copy, syclscope } from './copies.mjs';
import { startAzurite } from './azurite.mjs';
import { startGarage, withoutGarage } from './garage.mjs';
import { startNginx } from './nginx.mjs';
import { startPostgres } from './postgres.mjs';
import { scratch } from './service.mjs';

const help = spawnSync(syclscope, ['serve', '--help'], { encoding: 'utf8' }).stdout;

/** Reason why the program can't use an external database and store, or false. */
export const withoutTeam = /--store.*--database/s.test(help) ? false : 'the program was built without the feature `team`';

/**
 * Every kind: its `name`, `skip` (the reason why it is not available here, or false), whether it has a `database` and a
 * `store` that can be lost, and `start(test, more)`, which starts it with the further options `more` for each copy and
 * returns
 * - `origin`: the address for clients, the proxy if there are several copies;
 * - `copies`: the servers, each with an `origin` of its own;
 * - `database`, `store`: with `stop()`, `kill()` and `start()`;
 * - `victims`: all services that may die at any moment, each with a `name`, `kill()` and `start()`.
 */
export const STANDS = [
  { name: 'a folder', skip: false, start: onFolder },
  { name: 'PostgreSQL and a shared folder', skip: withoutTeam, database: true, start: onPostgres(sharedFolder) },
  { name: "PostgreSQL and Azure's emulator", skip: withoutTeam, database: true, store: true, start: onPostgres(azurite) },
  { name: 'PostgreSQL and Garage', skip: withoutTeam || withoutGarage, database: true, store: true, start: onPostgres(garage) },
];

async function onFolder(test, more = []) {
  const only = await copy(test, ['--data', scratch(test), ...more], { name: 'the server' });
  await only.start();
  return { origin: only.origin, copies: [only], victims: [only] };
}

/** Starts two copies behind nginx, with a database and a store for both. */
function onPostgres(startStore) {
  return async (test, more = []) => {
    const database = await startPostgres(test);
    const store = await startStore(test);
    const copies = [];
    for (const name of ['the first copy', 'the second copy']) {
      const args = ['--data', scratch(test), '--database', database.url, '--store', store.address, ...more];
      copies.push(await copy(test, args, { name, env: store.env }));
    }
    // The first creates the tables while the second starts, and both must find them.
    await Promise.all(copies.map((copy) => copy.start()));
    const proxy = await startNginx(test, copies.map(({ host }) => host));
    const victims = [...copies, { ...database, name: 'the database' }, ...store.victims];
    return { origin: proxy.origin, copies, proxy, database, store, victims };
  };
}

async function sharedFolder(test) {
  return { address: `file://${scratch(test)}`, env: {}, victims: [] };
}

async function azurite(test) {
  const emulator = await startAzurite(test);
  const [stop, start] = [() => emulator.stop(), () => emulator.start()];
  // The emulator writes its index at intervals, and loses later changes when it is killed. The real service does not,
  // so the emulator is no victim.
  return { address: emulator.store, env: emulator.env, stop, start, victims: [] };
}

async function garage(test) {
  const cluster = await startGarage(test);
  const stop = () => Promise.all(cluster.nodes.map((node) => node.stop()));
  const start = async () => {
    await Promise.all(cluster.nodes.map((node) => node.start()));
    await cluster.isHealthy();
  };
  return { address: cluster.store, env: cluster.env, stop, start, victims: cluster.nodes };
}
