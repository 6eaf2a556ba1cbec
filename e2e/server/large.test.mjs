// A large upload: the server's memory contains a part of it, never all.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import fs from 'node:fs';
import { test } from 'node:test';

import { trace } from '../traces/unpack.mjs';
import { copy } from './lib/copies.mjs';
import { peakResidentBytes, scratch } from './lib/service.mjs';
import { whole } from './lib/soak.mjs';

const MB = 1_000_000;
const SIZE = whole(300 * MB, 2000 * MB);

test(`an upload of ${SIZE / MB} MB takes less than 256 MB of the server's memory`, async (t) => {
  const server = await copy(t, ['--data', scratch(t)]);
  await server.start();
  const sent = crypto.createHash('sha256');
  const name = 'large.pftrace';
  const answer = await fetch(`${server.origin}/api/v1/traces?name=${name}`, {
    method: 'POST',
    body: ReadableStream.from(hashed(largeTrace(SIZE), sent)),
    duplex: 'half',
  });
  const entry = await answer.json();
  assert.equal(answer.status, 201, JSON.stringify(entry));
  assert.ok(entry.size_bytes >= SIZE);

  const kept = crypto.createHash('sha256');
  const file = await fetch(`${server.origin}/api/v1/traces/${entry.id}/file`);
  for await (const bytes of file.body) kept.update(bytes);
  assert.equal(kept.digest('hex'), sent.digest('hex'));

  const peak = peakResidentBytes(server.pid);
  t.diagnostic(`${Math.round(peak / MB)} MB resident at most`);
  assert.ok(peak < 256 * MB, `${peak} bytes were resident`);
});

/** Yields a recording, and behind it packets that no view shows, as traces of a whole system have them. */
function* largeTrace(size) {
  const recording = fs.readFileSync(trace('heat'));
  yield recording;
  const noise = crypto.randomBytes(MB);
  // Field 1 of a trace is a packet; field 1000 of a packet is one that no version of Perfetto has.
  const body = Buffer.concat([varint((1000 << 3) | 2), varint(noise.length), noise]);
  const packet = Buffer.concat([varint((1 << 3) | 2), varint(body.length), body]);
  for (let sent = recording.length; sent < size; sent += packet.length) yield packet;
}

function* hashed(pieces, hash) {
  for (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}

function varint(value) {
  const bytes = [];
  for (let rest = value; ; rest >>>= 7) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest & 127) | 128);
  }
}
