// Many uploads at once: each is a trace, and the server takes no more memory than it may.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { copy } from './lib/copies.mjs';
import { trace as made } from './lib/ledger.mjs';
import { peakResidentBytes, scratch } from './lib/service.mjs';
import { whole } from './lib/soak.mjs';

const MB = 1_000_000;
const UPLOADS = whole(40, 200);
const SIZE = whole(5, 20) * MB;
const LIMIT = whole(400, 1000) * MB;

test(`${UPLOADS} uploads of ${SIZE / MB} MB at once take less than ${LIMIT / MB} MB of the server's memory`, async (t) => {
  const server = await copy(t, ['--data', scratch(t)]);
  await server.start();
  // All share one noise, which saves memory of this process: the name makes each another trace.
  const { bytes } = made(SIZE);
  const upload = async (number) => {
    const name = `${String(number).padStart(8, '0')}`;
    const own = Buffer.from(bytes);
    own.write(name, own.indexOf('"name":"') + 8);
    const answer = await fetch(`${server.origin}/api/v1/traces?name=${name}.json`, { method: 'POST', body: own });
    return { status: answer.status, text: await answer.text() };
  };
  const answers = await Promise.all(Array.from({ length: UPLOADS }, (_, number) => upload(number)));
  for (const { status, text } of answers) assert.equal(status, 201, text);
  const listed = await (await fetch(`${server.origin}/api/v1/traces?limit=${UPLOADS}`)).json();
  assert.equal(listed.length, UPLOADS);
  const peak = peakResidentBytes(server.pid);
  t.diagnostic(`${Math.round(peak / MB)} MB resident at most`);
  assert.ok(peak < LIMIT, `${peak} bytes were resident`);
  assert.ok(server.isRunning);
});

test('an upload that is too large has its answer while it is still being sent', async (t) => {
  const server = await copy(t, ['--data', scratch(t), '--max-upload-bytes', '1000000']);
  await server.start();
  // The body never ends: a server that waited for its end would wait for ever.
  const endless = new ReadableStream({ start: (pieces) => pieces.enqueue(Buffer.alloc(2 * MB)) });
  const answer = await fetch(`${server.origin}/api/v1/traces?name=a.json`, { method: 'POST', body: endless, duplex: 'half' });
  assert.equal(answer.status, 413);
  assert.match(await answer.text(), /too_large/);
  assert.equal((await fetch(`${server.origin}/api/v1/health`)).status, 200);
});
