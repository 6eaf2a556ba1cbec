// The nginx that docs/DEPLOY.md shows, before the server.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';

import { copy } from './lib/copies.mjs';
import { Ledger } from './lib/ledger.mjs';
import { startNginx } from './lib/nginx.mjs';
import { atEnd, freePort, scratch } from './lib/service.mjs';

test('behind nginx uploads of any size and reads work, and the page comes', async (t) => {
  const server = await copy(t, ['--data', scratch(t)]);
  await server.start();
  const nginx = await startNginx(t, [server.host]);
  const ledger = new Ledger();
  for (const size of [0, 1000, 20_000_000]) assert.ok(await ledger.upload(nginx.origin, size), [...ledger.refused.keys()].join());
  await ledger.check(nginx.origin);
  assert.equal((await fetch(`${nginx.origin}/api/v1/traces/${'a'.repeat(26)}`)).status, 404);
});

test('a copy that is down costs no request', async (t) => {
  const server = await copy(t, ['--data', scratch(t)]);
  await server.start();
  const nginx = await startNginx(t, [`127.0.0.1:${await freePort()}`, server.host]);
  const ledger = new Ledger();
  for (let count = 0; count < 10; count += 1) await ledger.upload(nginx.origin);
  assert.deepEqual([...ledger.refused.keys()], []);
  await ledger.check(nginx.origin);
});

test('a request that every copy refuses for now takes no copy out of service', async (t) => {
  const copies = await Promise.all([0, 1].map(() => refusing(t)));
  const nginx = await startNginx(t, copies);
  for (let round = 0; round < 3; round += 1) {
    assert.equal((await fetch(`${nginx.origin}/busy`)).status, 503);
    assert.equal((await fetch(`${nginx.origin}/`)).status, 200);
  }
});

/** Starts a server that answers 503 at `/busy`, and returns its host. */
async function refusing(test) {
  const server = http.createServer((request, response) => response.writeHead(request.url === '/busy' ? 503 : 200).end('x'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(test, () => {
    server.close();
    server.closeAllConnections();
  });
  return `127.0.0.1:${server.address().port}`;
}

test('secrets in addresses are in no log of nginx', async (t) => {
  const server = await copy(t, ['--data', scratch(t)]);
  await server.start();
  const nginx = await startNginx(t, [server.host, `127.0.0.1:${await freePort()}`]);
  const secret = 'q3vt7mzp';
  const ask = async () => {
    for (const path of [`/s/${secret}/t/1`, `/s/${secret}`, `/tools/s/${secret}/api/v1/traces?limit=1`, `/?key=${secret}`, `/t/1?v=2&key=${secret}`, `/signed-in?code=${secret}&state=1`])
      await fetch(`${nginx.origin}${path}`, { redirect: 'manual', headers: { Referer: `${nginx.origin}/s/${secret}/` } });
  };
  await ask();
  await server.kill();
  await ask();
  await nginx.stop();
  const logged = nginx.logged();
  assert.match(logged, /GET \/s\/\*\*\*\/t\/1/);
  assert.match(logged, /GET \/tools\/s\/\*\*\*\/api\/v1\/traces\?limit=1/);
  assert.match(logged, / 502 /);
  assert.ok(!(logged + nginx.printed()).includes(secret), logged + nginx.printed());
});
