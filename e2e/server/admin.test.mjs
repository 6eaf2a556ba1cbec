// `syclscope admin`: a backup of a server under load is restored completely on another kind of server, and `check`
// finds missing data.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { copy, syclscope } from './lib/copies.mjs';
import { Ledger } from './lib/ledger.mjs';
import { startPostgres } from './lib/postgres.mjs';
import { scratch, withoutSettings } from './lib/service.mjs';
import { STANDS, withoutTeam } from './lib/stands.mjs';

const PLACES = ['--data', '--store', '--database'];

/** Returns the options of a copy's command that name the places of its data. */
const placesOf = ({ command }) => command.flatMap((word, at) => (PLACES.includes(word) ? [word, command[at + 1]] : []));

/** Runs `syclscope admin`; returns its exit status and its output. */
function admin(args, env = {}) {
  return new Promise((resolve) => {
    execFile(syclscope, ['admin', ...args], { env: { ...withoutSettings(), ...env } }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, out, err }),
    );
  });
}

async function done(args, env) {
  const { code, out, err } = await admin(args, env);
  assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`);
  return out;
}

for (const { name, skip, start } of STANDS) {
  test(`${name}: a backup under load comes back in a folder, and from there here`, { skip }, async (t) => {
    const stand = await start(t);
    const [first] = stand.copies;
    const ledger = new Ledger();
    const stop = ledger.load(t, stand.origin, 4);
    while (ledger.acknowledged.size < 10) await new Promise((resolve) => setTimeout(resolve, 20));
    const link = await fetch(`${stand.origin}/api/v1/traces/${[...ledger.acknowledged.keys()][0]}/links`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    });
    const { address } = await link.json();
    const before = [...ledger.acknowledged.keys()];
    const backup = scratch(t);
    await done(['backup', ...placesOf(first), '--to', backup], first.env);
    await stop();
    // A second backup copies only new traces.
    const again = await done(['backup', ...placesOf(first), '--to', backup], first.env);
    const [, all, copied] = again.match(/(\d+) traces? \((\d+) copied/);
    assert.ok(Number(all) >= ledger.acknowledged.size && Number(copied) <= Number(all) - before.length, again);
    const places = placesOf(first);
    const store = places[places.indexOf('--store') + 1];
    if (/^(s3|az):/.test(store)) {
      const inside = scratch(t);
      await done(['backup', ...places, '--to', `${store}/backup`], first.env);
      await done(['restore', '--from', `${store}/backup`, '--data', inside], first.env);
      await done(['check', '--data', inside]);
    }
    const data = scratch(t);
    await done(['restore', '--from', backup, '--data', data]);
    await done(['check', '--data', data]);
    const other = await copy(t, ['--data', data], { name: 'the server of the backup' });
    await other.start();
    await ledger.check(other.origin);
    assert.equal((await fetch(`${other.origin}/${address.replace('/t/', '/api/v1/traces/')}`)).status, 200, 'links still open');
    const refused = await admin(['restore', '--from', backup, ...placesOf(first)], first.env);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /in use|already/);
    await done(['check', ...placesOf(first)], first.env);
  });
}

test('a folder comes back on PostgreSQL', { skip: withoutTeam }, async (t) => {
  const [data, backup, database] = [scratch(t), scratch(t), await startPostgres(t)];
  const server = await copy(t, ['--data', data]);
  await server.start();
  const ledger = new Ledger();
  for (let count = 0; count < 5; count += 1) assert.ok(await ledger.upload(server.origin));
  await done(['backup', '--data', data, '--to', backup]);
  const places = ['--data', scratch(t), '--database', database.url, '--store', `file://${scratch(t)}`];
  await done(['restore', '--from', backup, ...places]);
  const other = await copy(t, places);
  await other.start();
  await ledger.check(other.origin);
  await other.stop();
  const twice = await admin(['restore', '--from', backup, ...places]);
  assert.equal(twice.code, 1);
  assert.match(twice.err, /already/);
});

test('check finds what is missing, changed and left over', async (t) => {
  const data = scratch(t);
  const server = await copy(t, ['--data', data]);
  await server.start();
  const ledger = new Ledger();
  for (let count = 0; count < 4; count += 1) assert.ok(await ledger.upload(server.origin));
  await done(['check', '--data', data]);
  const [missing, changed, stays] = ledger.acknowledged.keys();
  const bytes = (id) => path.join(data, 'traces', id, 'trace.bin');
  fs.rmSync(bytes(missing));
  const spoilt = fs.readFileSync(bytes(changed));
  spoilt[spoilt.length >> 1] ^= 1;
  fs.writeFileSync(bytes(changed), spoilt);
  const left = path.join(data, 'traces', 'a'.repeat(26));
  fs.mkdirSync(left);
  fs.writeFileSync(path.join(left, 'trace.bin'), 'nobody knows');
  fs.utimesSync(path.join(left, 'trace.bin'), 1, 1);
  const { code, err } = await admin(['check', '--data', data]);
  assert.equal(code, 1);
  const lines = err.trim().split('\n');
  assert.equal(lines.length, 3, err);
  assert.ok(lines.some((line) => line.includes(missing) && line.includes('missing')), err);
  assert.ok(lines.some((line) => line.includes(changed) && line.includes('differ')), err);
  assert.ok(lines.some((line) => line.includes('a'.repeat(26)) && line.includes('no row')), err);
  // Intact traces are backed up all the same, and the others are reported.
  const backup = await admin(['backup', '--data', data, '--to', scratch(t)]);
  assert.equal(backup.code, 1);
  assert.match(backup.out, /backed up 2 traces/);
  assert.ok(!backup.err.includes(stays) && backup.err.includes(missing) && backup.err.includes(changed), backup.err);
  const nothing = await admin(['check', '--data', scratch(t)]);
  assert.equal(nothing.code, 1);
  assert.match(nothing.err, /not a server's data folder/);
});

test('half a backup is none', async (t) => {
  const [data, backup] = [scratch(t), scratch(t)];
  const server = await copy(t, ['--data', data]);
  await server.start();
  assert.ok(await new Ledger().upload(server.origin));
  await server.stop();
  await done(['backup', '--data', data, '--to', backup]);
  const rows = path.join(backup, 'rows.jsonl');
  const text = fs.readFileSync(rows, 'utf8');
  for (const [harm, said] of [
    [text.split('\n').slice(0, -2).join('\n'), /end is missing/],
    [text.replace('"version":1', '"version":99'), /newer/],
    ['nonsense', /damaged backup/],
  ]) {
    fs.writeFileSync(rows, harm);
    const { code, err } = await admin(['restore', '--from', backup, '--data', scratch(t)]);
    assert.equal(code, 1);
    assert.match(err, said);
  }
  fs.rmSync(rows);
  assert.match((await admin(['restore', '--from', backup, '--data', scratch(t)])).err, /not a backup/);
});
