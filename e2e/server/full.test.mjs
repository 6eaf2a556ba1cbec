// A full disk: clear errors, nothing lost, and all well again once there is space, without a person.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { copy } from './lib/copies.mjs';
import { Ledger } from './lib/ledger.mjs';
import { onSmallDisk } from './lib/small_disk.mjs';
import { scratch } from './lib/service.mjs';

test('a full disk refuses uploads in words, keeps what is stored, and takes more once there is room', async (t) => {
  const data = scratch(t);
  const server = onSmallDisk(await copy(t, ['--data', data]), data, '24m');
  await server.start();
  const ledger = new Ledger();
  // Other files take most of the disk, as usual.
  const ballast = path.join(server.diskFromHere(), 'ballast');
  fs.writeFileSync(ballast, Buffer.alloc(16 << 20));
  while (await ledger.upload(server.origin, 1 << 20));
  const stored = ledger.acknowledged.size;
  assert.ok(stored > 0, `something fits: ${[...ledger.refused.keys()]}`);
  const [refusal] = ledger.refused.keys();
  assert.match(refusal, /^507 /);
  assert.match(refusal, /space|full/);

  await Promise.all(Array.from({ length: 16 }, () => ledger.upload(server.origin, 2 << 20)));
  assert.equal(ledger.acknowledged.size, stored, 'nothing more fits');
  await ledger.check(server.origin);

  fs.rmSync(ballast);
  assert.ok(await ledger.upload(server.origin, 1 << 20), [...ledger.refused.keys()].at(-1));
  await ledger.check(server.origin);
  assert.ok(server.isRunning);
});

test('on a full disk a trace can be deleted, and its room is there for the next', async (t) => {
  const data = scratch(t);
  const server = onSmallDisk(await copy(t, ['--data', data]), data, '8m');
  await server.start();
  const ledger = new Ledger();
  while (await ledger.upload(server.origin, 1 << 20));
  const [id] = ledger.acknowledged.keys();
  const deleted = await fetch(`${server.origin}/api/v1/traces/${id}`, { method: 'DELETE' });
  assert.equal(deleted.status, 204, await deleted.text());
  ledger.acknowledged.delete(id);
  assert.ok(await ledger.upload(server.origin, 1 << 19), [...ledger.refused.keys()].at(-1));
  await ledger.check(server.origin);
});
