// Starts what servers run on, and says how to reach it, until Ctrl-C: `node e2e/server/stand.mjs postgres garage azurite`.
import { startAzurite } from './lib/azurite.mjs';
import { startGarage } from './lib/garage.mjs';
import { startPostgres } from './lib/postgres.mjs';

const STARTS = { postgres: startPostgres, garage: startGarage, azurite: startAzurite };

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in STARTS));
if (wanted.length === 0 || unknown.length > 0) {
  console.error(`usage: node e2e/server/stand.mjs ${Object.keys(STARTS).map((name) => `[${name}]`).join(' ')}`);
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
  for (const name of wanted) {
    const { url, store, env = {} } = await STARTS[name](session);
    console.log(`# ${name}`);
    for (const [variable, value] of Object.entries(env)) console.log(`export ${variable}=${value}`);
    console.log(url ? `--database ${url}` : `--store ${store}`);
  }
  console.log('# Ctrl-C ends it');
} catch (error) {
  console.error(error.message);
  await leave(1);
}
