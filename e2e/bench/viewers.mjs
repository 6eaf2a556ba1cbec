// Viewers of a trace of 10^7 slices on two copies behind nginx. `cargo xtask bench viewers` gives the program that pans
// for them, and the file: `viewers.mjs PROGRAM FILE`
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { promisify } from 'node:util';

import { until } from '../server/lib/service.mjs';
import { STANDS } from '../server/lib/stands.mjs';

/** The goal is for about a thousand viewers; with fewer, requests hardly queue. */
const VIEWERS = [100, 1000];
const SECONDS_BETWEEN_PANS = 10;
const SECONDS = 60;

const [program, file] = process.argv.slice(2);
const ends = [];
try {
  const { origin, copies } = await STANDS.find(({ name }) => name.includes('shared folder')).start({ after: (end) => ends.push(end) });
  const stored = await fetch(`${origin}/api/v1/traces?name=large.pftrace`, {
    method: 'POST',
    body: fs.createReadStream(file),
    duplex: 'half',
  });
  const entry = await stored.json();
  if (stored.status !== 201) throw new Error(`storing the trace: ${stored.status} ${JSON.stringify(entry)}`);
  // Open it once on each copy: another figure has that cost.
  for (const copy of copies) await until('the trace is open', async () => (await fetch(`${copy.origin}/api/v1/traces/${entry.id}`)).ok);
  for (const viewers of VIEWERS) {
    const args = [new URL(origin).host, entry.id, viewers, SECONDS_BETWEEN_PANS, SECONDS].map(String);
    const { stdout, stderr } = await promisify(execFile)(program, args);
    process.stdout.write(stdout);
    process.stderr.write(stderr);
  }
} finally {
  for (const end of ends.reverse()) await end();
}
