// A disk that turns read-only under a running server: stored traces can be read, changes are refused with a reason, and
// nothing acknowledged is lost.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import { copy } from './lib/copies.mjs';
import { failingDisk, missing } from './lib/failing_disk.mjs';
import { Ledger } from './lib/ledger.mjs';

test('a disk that turns read-only refuses changes, shows what is stored, and serves again after repair', { skip: missing() }, async (t) => {
  const disk = failingDisk(t, '64M');
  const server = await copy(t, ['--data', path.join(disk.folder, 'data')]);
  await server.start();
  const ledger = new Ledger();
  for (let number = 0; number < 10; number++) {
    assert.ok(await ledger.upload(server.origin, 100_000), [...ledger.refused.keys()].at(-1));
  }

  disk.fail();
  await Promise.all(Array.from({ length: 8 }, () => ledger.upload(server.origin, 100_000)));
  assert.equal(ledger.acknowledged.size, 10, 'nothing can be stored');
  for (const refusal of ledger.refused.keys()) assert.match(refusal, /^503 .*read_only/);
  const [id] = ledger.acknowledged.keys();
  const trace = `${server.origin}/api/v1/traces/${id}`;
  const labelled = await fetch(`${trace}/labels/a`, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"value":"b"}' });
  const deleted = await fetch(trace, { method: 'DELETE' });
  const linked = await fetch(`${trace}/links`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  for (const answer of [labelled, deleted, linked]) {
    const body = await answer.text();
    assert.equal(answer.status, 503, body);
    assert.match(body, /read_only/);
  }
  await ledger.check(server.origin);
  assert.ok(server.isRunning);

  await server.stop();
  disk.repair();
  await server.start();
  await ledger.check(server.origin);
  assert.ok(await ledger.upload(server.origin), [...ledger.refused.keys()].at(-1));
  await ledger.check(server.origin);
});
