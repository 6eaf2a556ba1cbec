// Uploads in parts: if a copy dies, another one continues its work.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { test } from 'node:test';

import { list, trace } from './lib/ledger.mjs';
import { until } from './lib/service.mjs';
import { whole } from './lib/soak.mjs';
import { STANDS } from './lib/stands.mjs';

const sha256 = (bytes) => crypto.createHash('sha256').update(bytes).digest('hex');
const pause = (most_ms) => new Promise((resolve) => setTimeout(resolve, Math.random() * most_ms));

for (const { name, skip, start } of STANDS.filter(({ database }) => database))
  test(`${name}: copies die in the middle of an upload in parts and of its import, and it becomes one trace`, { skip }, async (t) => {
    const { copies } = await start(t);
    for (let round = 0; round < whole(2, 40); round += 1) {
      const [dying, other] = round % 2 === 0 ? copies : [...copies].reverse();
      const { name, bytes } = trace(20_000_000);
      const upload = await begin(dying, name, bytes);
      const count = Math.ceil(bytes.length / upload.part_bytes);
      assert.ok(count > 1, 'there are several parts');

      // The first part is stored. The copy dies while the second is being sent, if not before or after.
      assert.equal(await put(dying, upload, 0, bytes), 204);
      const second = put(dying, upload, 1, bytes).catch(() => 'no answer');
      await pause(100);
      await dying.kill();
      await second;

      const there = (await state(other, upload.id)).parts;
      assert.ok(there.includes(0), 'an acknowledged part is there');
      for (let part = 0; part < count; part += 1)
        if (!there.includes(part)) assert.equal(await put(other, upload, part, bytes), 204);

      // The other copy dies before, during or after its import.
      await dying.start();
      const completed = await fetch(`${other.origin}/api/v1/uploads/${upload.id}/complete`, { method: 'POST' });
      assert.equal(completed.status, 202, await completed.text());
      await pause(400);
      await other.kill();
      const done = await until('the upload is a trace', async () => {
        const { state: now } = await state(dying, upload.id);
        assert.notEqual(now.is, 'failed', now.message);
        return now.is === 'done' && now;
      });
      await other.start();
      for (const copy of copies) {
        const file = await fetch(`${copy.origin}/api/v1/traces/${done.trace.id}/file`);
        assert.equal(sha256(Buffer.from(await file.arrayBuffer())), sha256(bytes));
      }
    }
    assert.equal((await list(copies[0].origin)).length, whole(2, 40), 'each upload is one trace');
  });

/** Begins an upload of `bytes` at a copy. */
async function begin(copy, name, bytes) {
  const answer = await fetch(`${copy.origin}/api/v1/uploads`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, size_bytes: bytes.length, sha256: sha256(bytes) }),
  });
  const upload = await answer.json();
  assert.ok(answer.ok && upload.open, JSON.stringify(upload));
  return upload.open;
}

/** Sends a part to a copy; returns the status of its answer. */
async function put(copy, { id, part_bytes: size }, part, bytes) {
  const body = bytes.subarray(part * size, (part + 1) * size);
  return (await fetch(`${copy.origin}/api/v1/uploads/${id}/parts/${part}`, { method: 'PUT', body })).status;
}

/** Returns a copy's answer about an upload. */
async function state(copy, id) {
  return until('the copy tells of the upload', async () => {
    const answer = await fetch(`${copy.origin}/api/v1/uploads/${id}`);
    return answer.ok && answer.json();
  });
}
