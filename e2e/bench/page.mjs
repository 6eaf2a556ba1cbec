// Measures the page in Chromium: the time until a hosted trace is drawn and the bytes transferred for it, its frames
// while it moves, and the cost of a local file. Prints one figure a line as JSON; `cargo xtask bench page` runs it with
// a folder of recordings and shows the figures as a table.
import fs from 'node:fs';
import path from 'node:path';
import { startServer, store } from '../page/servers.mjs';
import { firstLoads } from './page/first_load.mjs';
import { localFile } from './page/local_file.mjs';
import { movement } from './page/movement.mjs';
import { openings } from './page/openings.mjs';

const folder = process.argv[2];
const afterwards = [];
const run = { after: (clean) => afterwards.push(clean) };
try {
  const server = await startServer(run);
  const [small, large] = await Promise.all(['small', 'large'].map((name) => hosted(server, `${name}.pftrace`)));
  const pageBytes = await firstLoads((await startServer(run, null)).origin);
  await openings(small, large, pageBytes);
  await movement(large);
  await localFile(server.origin, path.join(folder, 'local.pftrace'));
} finally {
  for (const clean of afterwards.reverse()) await clean();
}

/** Stores a trace, waits for its derived file, and returns its address. */
async function hosted(server, name) {
  const { id } = await store(server, path.join(folder, name));
  await fetch(`${server.origin}/api/v1/traces/${id}`);
  const traceFolder = path.join(server.data, 'traces', id);
  const isDerived = (name) => name.endsWith('.arrow');
  while (!fs.readdirSync(traceFolder).some(isDerived)) await new Promise((resolve) => setTimeout(resolve, 200));
  return `${server.origin}/t/${id}`;
}
