// Starts databases and stores for servers, and prints their addresses, until Ctrl-C: `node e2e/server/stand.mjs
// postgres garage azurite`. With `-- COMMAND` it runs a command there instead, which finds the database in
// SYCLSCOPE_TEST_POSTGRES, and ends with it.
import { spawn } from 'node:child_process';

import { startAzurite } from './lib/azurite.mjs';
import { startGarage } from './lib/garage.mjs';
import { startPostgres } from './lib/postgres.mjs';

const STARTS = { postgres: startPostgres, garage: startGarage, azurite: startAzurite };

const words = process.argv.slice(2);
const border = words.indexOf('--');
const wanted = border < 0 ? words : words.slice(0, border);
const command = border < 0 ? [] : words.slice(border + 1);
const unknown = wanted.filter((name) => !(name in STARTS));
if (wanted.length === 0 || unknown.length > 0) {
  console.error(`usage: node e2e/server/stand.mjs ${Object.keys(STARTS).map((name) => `[${name}]`).join(' ')} [-- COMMAND]`);
  process.exit(2);
}

const ends = [];
const session = { after: (end) => ends.push(end) };
const leave = async (code) => {
  for (const end of ends.splice(0).reverse()) await end();
  process.exit(code);
};
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => leave(0));
try {
  const found = {};
  for (const name of wanted) {
    const { url, store, env = {} } = await STARTS[name](session);
    Object.assign(found, env, url && { SYCLSCOPE_TEST_POSTGRES: url });
    if (command.length > 0) continue;
    console.log(`# ${name}`);
    for (const [variable, value] of Object.entries(env)) console.log(`export ${variable}=${value}`);
    console.log(url ? `--database ${url}` : `--store ${store}`);
  }
  if (command.length > 0) await leave(await status(command, found));
  console.log('# Ctrl-C ends it');
} catch (error) {
  console.error(error.message);
  await leave(1);
}

/** Runs a command on this terminal; returns its exit status. */
function status([program, ...args], env) {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
