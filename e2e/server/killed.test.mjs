// An acknowledged upload is never lost or half visible, whatever dies, and whenever.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { copy } from './lib/copies.mjs';
import { Ledger } from './lib/ledger.mjs';
import { scratch } from './lib/service.mjs';
import { whole } from './lib/soak.mjs';

const pause = (most_ms) => new Promise((resolve) => setTimeout(resolve, Math.random() * most_ms));

test('a server that dies under load has every acknowledged trace when it is back', async (t) => {
  const server = await copy(t, ['--data', scratch(t)]);
  const ledger = new Ledger();
  await server.start();
  for (let death = 0; death < whole(8, 200); death += 1) {
    const before = new Set(ledger.acknowledged.keys());
    const stop = ledger.load(server.origin, 6);
    await pause(600);
    await server.kill();
    await stop();
    await server.start();
    await ledger.check(server.origin, [...ledger.acknowledged.keys()].filter((id) => !before.has(id)));
  }
  await ledger.check(server.origin);
  t.diagnostic(`${ledger.acknowledged.size} acknowledged, none lost; ${ledger.sent.size - ledger.acknowledged.size} cut off`);
  assert.ok(ledger.acknowledged.size > 0, 'some upload was acknowledged');
});
