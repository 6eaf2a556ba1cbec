// An acknowledged upload is never lost or half visible, whatever dies, and whenever.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Ledger } from './lib/ledger.mjs';
import { until } from './lib/service.mjs';
import { whole } from './lib/soak.mjs';
import { STANDS } from './lib/stands.mjs';

const CLIENTS = 6;

/** Waits for a random time of at most `most_ms`. */
const pause = (most_ms) => new Promise((resolve) => setTimeout(resolve, Math.random() * most_ms));

for (const { name, skip, start } of STANDS)
  test(`${name}: whatever dies under load, every acknowledged trace is there with its bytes`, { skip }, async (t) => {
    const { origin, victims } = await start(t);
    const ledger = new Ledger();
    for (let death = 0; death < whole(2 + victims.length, 200); death += 1) {
      const before = new Set(ledger.acknowledged.keys());
      const stop = ledger.load(t, origin, CLIENTS);
      await pause(600);
      const victim = victims[death % victims.length];
      await victim.kill();
      // The other servers, if there are any, continue without it.
      await pause(600);
      await victim.start();
      await until(`uploads work after the death of ${victim.name}`, () => ledger.upload(origin));
      await stop();
      await ledger.check(origin, [...ledger.acknowledged.keys()].filter((id) => !before.has(id)));
    }
    await ledger.check(origin);
    t.diagnostic(`${ledger.acknowledged.size} acknowledged, none lost; ${ledger.sent.size - ledger.acknowledged.size} were not`);
    for (const [how, count] of ledger.refused) t.diagnostic(`${count} × ${how}`);
    assert.ok(ledger.acknowledged.size > 0);
  });
