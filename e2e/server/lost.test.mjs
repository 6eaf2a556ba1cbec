// A database or a store that is unavailable for a while: clear errors, nothing lost, and all well again when it is
// back, without a person.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Ledger } from './lib/ledger.mjs';
import { until } from './lib/service.mjs';
import { STANDS } from './lib/stands.mjs';

for (const { name, skip, database, store, start } of STANDS)
  for (const [what, isThere] of Object.entries({ database, store })) {
    if (!isThere) continue;
    test(`${name}: without its ${what} the server says so, and is well when it is back`, { skip }, async (t) => {
      const stand = await start(t);
      const { origin, copies } = stand;
      const ledger = new Ledger();
      for (let count = 0; count < 5; count += 1) await ledger.store(origin);

      await stand[what].stop();
      for (const copy of copies) {
        const refused = await fetch(`${copy.origin}/api/v1/traces?name=a.json`, { method: 'POST', body: '{"traceEvents":[]}' });
        const body = await refused.text();
        assert.equal(refused.status, 503, body);
        assert.ok(Number(refused.headers.get('retry-after')) > 0, 'when to come back');
        assert.match(body, new RegExp(what));
        assert.ok(!body.includes('password') && !body.includes('postgres://'), body);
        assert.ok(copy.isRunning);
        assert.equal((await fetch(`${copy.origin}/api/v1/health`)).status, 200, 'it lives');
      }

      await stand[what].start();
      await until('uploads work again', () => ledger.upload(origin));
      for (const copy of copies) await ledger.check(copy.origin);
      for (const copy of copies) assert.ok(copy.isRunning);
    });
  }
