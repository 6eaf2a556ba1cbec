// A PostgreSQL cluster of its own for a test, from Debian's packages.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

import { Service, freePort, scratch, withoutRoot } from './service.mjs';

const run = promisify(execFile);

/** The folder of the server's programs, which Debian keeps out of PATH. */
const programs = process.env.POSTGRES_BIN ?? newest('/usr/lib/postgresql');

/** Password of its only user. The test of logs searches for it. */
export const PASSWORD = 'correct-horse-battery';

/**
 * Starts a PostgreSQL with one empty database, `syclscope`. `url` is its address with name and password; the service
 * can be stopped, killed and started again on the same port; `query(sql)` returns the output of `psql`.
 */
export async function startPostgres(test) {
  const folder = scratch(test, { forNobody: true });
  const data = path.join(folder, 'data');
  const word = path.join(folder, 'password');
  fs.writeFileSync(word, PASSWORD, { mode: 0o644 });
  const port = await freePort();
  // PostgreSQL's programs refuse to run as root.
  const call = (name, args) => withoutRoot([path.join(programs, name), ...args]);
  const [initialise, ...args] = call('initdb', [
    '--pgdata', data, '--username', 'syclscope', '--pwfile', word, '--auth', 'scram-sha-256',
    '--encoding', 'UTF8', '--no-locale', '--no-sync',
  ]);
  await run(initialise, args, { cwd: folder });
  const address = ['-h', '127.0.0.1', '-p', String(port), '-U', 'syclscope'];
  const env = { ...process.env, PGPASSWORD: PASSWORD };
  const isReady = () => run(path.join(programs, 'pg_isready'), address).then(() => true);
  const command = call('postgres', ['-D', data, '-k', folder, '-h', '127.0.0.1', '-p', String(port)]);
  const service = new Service(test, 'PostgreSQL', command, isReady, {
    cwd: folder,
    // Open sessions don't delay this stop.
    stopSignal: 'SIGINT',
  });
  await service.start();
  await run(path.join(programs, 'createdb'), [...address, 'syclscope'], { env });
  const query = async (sql) => {
    const { stdout } = await run(path.join(programs, 'psql'), [...address, '-d', 'syclscope', '-Atc', sql], { env });
    return stdout.trimEnd();
  };
  const url = `postgres://syclscope:${PASSWORD}@127.0.0.1:${port}/syclscope`;
  return { url, port, query, start: () => service.start(), stop: () => service.stop(), kill: () => service.kill(), service };
}

function newest(folder) {
  const versions = fs.existsSync(folder) ? fs.readdirSync(folder).sort((one, other) => Number(other) - Number(one)) : [];
  if (versions.length === 0) throw new Error(`there is no PostgreSQL in ${folder} (cargo xtask setup), nor in POSTGRES_BIN`);
  return path.join(folder, versions[0], 'bin');
}
