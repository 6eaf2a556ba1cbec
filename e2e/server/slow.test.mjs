// Slow clients delay no other ones, and are cut off.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import net from 'node:net';
import { test } from 'node:test';

import { copy } from './lib/copies.mjs';
import { Ledger } from './lib/ledger.mjs';
import { scratch, until } from './lib/service.mjs';
import { whole } from './lib/soak.mjs';

/** Bytes that clients send before they fall silent. */
const BEGINNINGS = {
  'say nothing': '',
  'say half a head': 'GET /api/v1/health HTTP/1.1\r\nHost: localh',
  'send half an upload': 'POST /api/v1/traces?name=slow.json HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{"traceEvents":[',
};

for (const [what, beginning] of Object.entries(BEGINNINGS))
  test(`while clients ${what}, others are answered`, async (t) => {
    const server = await copy(t, ['--data', scratch(t)]);
    await server.start();
    const ledger = new Ledger();
    const clients = Array.from({ length: whole(400, 1500) }, () => slow(server.origin, beginning));
    t.after(() => clients.forEach(({ socket }) => socket.destroy()));
    await Promise.all(clients.map(({ said }) => said));
    for (let count = 0; count < 20; count += 1)
      assert.ok(await ledger.upload(server.origin), `refused: ${[...ledger.refused.keys()]}`);
    await ledger.check(server.origin);

    // The server's limit is a minute.
    if (whole(false, true)) await until('the server lets go of them', () => connectionsOf(server.pid) < clients.length / 10);
    assert.equal(ledger.refused.size, 0);
  });

/** Starts a client: `said` resolves once it has sent `beginning`. */
function slow(origin, beginning) {
  const socket = net.connect(Number(new URL(origin).port), '127.0.0.1');
  const said = new Promise((resolve, reject) => {
    socket.once('connect', () => socket.write(beginning, resolve));
    socket.once('error', reject);
  });
  socket.on('error', () => {});
  socket.resume();
  return { socket, said };
}

/**
 * Returns the number of sockets of a process. Clients can't count them: if many connect at once, the kernel silently
 * drops some, which never notice it.
 */
function connectionsOf(pid) {
  const folder = `/proc/${pid}/fd`;
  return fs.readdirSync(folder).filter((name) => fs.readlinkSync(`${folder}/${name}`).startsWith('socket:')).length;
}
