// Several copies are one server, whichever of them answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Ledger, patient } from './lib/ledger.mjs';
import { until } from './lib/service.mjs';
import { STANDS } from './lib/stands.mjs';

for (const { name, skip, start } of STANDS.filter(({ database }) => database)) {
  test(`${name}: what one copy has stored every copy has at once`, { skip }, async (t) => {
    const { copies, origin } = await start(t);
    const ledger = new Ledger();
    for (let round = 0; round < 6; round += 1) {
      const writer = copies[round % copies.length];
      await ledger.store(writer.origin);
      for (const reader of copies) await ledger.check(reader.origin);
    }
    // A copy may lack connections to its database for so many requests; refused clients try again.
    await Promise.all(Array.from({ length: 40 }, () => ledger.store(origin)));
    for (const reader of copies) await ledger.check(reader.origin);
  });

  test(`${name}: what one copy has deleted no copy has`, { skip }, async (t) => {
    const { copies } = await start(t);
    const [first, second] = copies;
    const ledger = new Ledger();
    for (let count = 0; count < 3; count += 1) await ledger.store(first.origin);
    const [id] = ledger.acknowledged.keys();
    const info = (copy) => patient(() => fetch(`${copy.origin}/api/v1/traces/${id}`));
    for (const copy of copies) assert.equal((await info(copy)).status, 200);
    assert.equal((await patient(() => fetch(`${second.origin}/api/v1/traces/${id}`, { method: 'DELETE' }))).status, 204);
    assert.equal((await info(second)).status, 404);
    // A copy that has just used the trace caches its state for a second.
    await until('the other copy has noticed', async () => (await info(first)).status === 404);
    ledger.acknowledged.delete(id);
    for (const copy of copies) await ledger.check(copy.origin);
  });

  test(`${name}: two changes of a project at once both count`, { skip }, async (t) => {
    const { copies } = await start(t);
    const place = (copy) => `${copy.origin}/api/v1/projects/default`;
    const headers = { 'content-type': 'application/json' };
    const change = (copy, fields) => patient(() => fetch(place(copy), { method: 'PUT', headers, body: JSON.stringify(fields) }));
    for (let round = 1; round <= 40; round += 1) {
      const [quota_bytes, retention_days] = [round * 1_000_000_000, round];
      const answers = await Promise.all([change(copies[0], { quota_bytes }), change(copies[1], { retention_days })]);
      assert.deepEqual(answers.map(({ status }) => status), [204, 204]);
      const now = await (await patient(() => fetch(place(copies[0])))).json();
      assert.deepEqual([now.quota_bytes, now.retention_days], [quota_bytes, retention_days]);
    }
  });

  test(`${name}: every copy gives the same answers`, { skip }, async (t) => {
    const { copies } = await start(t);
    const ledger = new Ledger();
    await ledger.store(copies[0].origin);
    const [id] = ledger.acknowledged.keys();
    for (const question of ['', '/report', '/tiles/timeline/1/0/0', '/calls']) {
      const answers = await Promise.all(copies.map((copy) => patient(() => fetch(`${copy.origin}/api/v1/traces/${id}${question}`))));
      const [one, other] = await Promise.all(answers.map(async (answer) => `${answer.status} ${await answer.text()}`));
      assert.equal(one, other, question);
      // A copy that has not checked its fetched file yet sends no tag.
      const tags = answers.map((answer) => answer.headers.get('etag')).filter((tag) => tag !== null);
      assert.ok(new Set(tags).size <= 1, tags.join());
    }
  });
}
