// Uploads of large files: in parts, of which only the missing ones are sent again.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { holdPauses, openPage, picture, scratch, startServer, visit } from './support.mjs';
import { syclscope } from './servers.mjs';

const small = fileURLToPath(new URL('../../trace/engine/tests/data/foreign/unitrace.json', import.meta.url));
const PART_BYTES = 16 << 20;

/** Writes a trace of three parts, by white space before its end. */
function large(t) {
  const text = fs.readFileSync(small, 'utf8').trimEnd();
  const blanks = ' '.repeat(2 * PART_BYTES + 1000 - text.length);
  const file = path.join(scratch(t), 'large.json');
  fs.writeFileSync(file, `${text.slice(0, -1)}${blanks}${text.slice(-1)}`);
  return file;
}

/** Returns the numbers of the parts that a page has begun to send, and of those that the server has taken. */
function partsOf(page) {
  const seen = { begun: [], taken: [], upload: undefined };
  const heard = (request, numbers) => {
    const [, upload, number] = (request.method() === 'PUT' && request.url().match(/uploads\/(\w+)\/parts\/(\d+)$/)) || [];
    if (!upload) return;
    seen.upload = upload;
    numbers.push(Number(number));
  };
  page.on('request', (request) => heard(request, seen.begun));
  page.on('response', (answer) => answer.status() === 204 && heard(answer.request(), seen.taken));
  return seen;
}

async function stored(server) {
  const traces = await (await fetch(`${server.origin}/api/v1/traces`)).json();
  return Promise.all(
    traces.map(async ({ id }) => Buffer.from(await (await fetch(`${server.origin}/api/v1/traces/${id}/file`)).arrayBuffer())),
  );
}

test('a connection that breaks costs no more than the part under way', async (t) => {
  const server = await startServer(t);
  const { page } = await openPage(t);
  const file = large(t);
  const parts = partsOf(page);
  // The connection breaks once and returns, then it is lost for longer than the page retries by itself.
  let broken = 0;
  await page.route('**/parts/0', (route) => ((broken += 1) === 1 ? route.abort('connectionreset') : route.continue()));
  await page.route('**/parts/1', (route) => route.abort('internetdisconnected'));
  const passPauses = await holdPauses(page);
  await visit(page, server.origin);
  await page.getByTestId('upload-input').setInputFiles(file);
  await page.getByText('trying again').waitFor();
  const again = page.getByTestId('upload-again');
  while (!(await again.isVisible())) await passPauses();
  assert.deepEqual(parts.taken, [0], 'the first part arrived without a press');
  assert.match(await page.getByTestId('upload-error').innerText(), /^Connection lost\. Try again/, 'the page can not know what is stored');
  await picture(page, 'upload-interrupted');

  await page.unroute('**/parts/1');
  const before = parts.begun.length;
  await again.click();
  await page.getByTestId('trace').waitFor();
  assert.deepEqual(parts.begun.slice(before), [1, 2], 'what is there is not sent again');
  assert.deepEqual(parts.taken, [0, 1, 2]);
  const [bytes] = await stored(server);
  assert.ok(bytes.equals(fs.readFileSync(file)), 'the server has the bytes of the file');
  await page.getByTestId('upload-item').getByRole('link', { name: 'Open' }).click();
  await page.getByTestId('timeline-canvas').waitFor();
});

test('a server that is away while a file is sent gets the rest when it is back', async (t) => {
  const server = await startServer(t);
  const { page } = await openPage(t);
  const parts = partsOf(page);
  let answers = 0;
  await page.route('**/parts/1', (route) =>
    (answers += 1) < 3 ? route.fulfill({ status: 503, body: 'restarting' }) : route.continue(),
  );
  const passPauses = await holdPauses(page);
  await visit(page, server.origin);
  await page.getByTestId('upload-input').setInputFiles(large(t));
  const trace = page.getByTestId('trace');
  while (!(await trace.isVisible())) await passPauses();
  assert.deepEqual(parts.taken, [0, 1, 2]);
  assert.deepEqual(parts.begun, [0, 1, 1, 1, 2]);
});

test('an upload in parts can be broken off, and the server keeps nothing of it', async (t) => {
  const server = await startServer(t);
  const { page } = await openPage(t);
  const parts = partsOf(page);
  await page.route('**/parts/1', () => {});
  await visit(page, server.origin);
  const reached = page.waitForRequest('**/parts/1');
  await page.getByTestId('upload-input').setInputFiles(large(t));
  await reached;
  const dropped = page.waitForResponse((answer) => answer.request().method() === 'DELETE');
  await page.getByRole('button', { name: 'Cancel large.json' }).click();
  assert.match(await page.getByTestId('upload-error').innerText(), /nothing was stored/);
  assert.equal((await dropped).status(), 204);
  assert.equal((await fetch(`${server.origin}/api/v1/uploads/${parts.upload}`)).status, 404);
  assert.deepEqual(await stored(server), []);
});

test('a large file that is no trace is refused in words', async (t) => {
  const server = await startServer(t);
  const { page } = await openPage(t);
  await visit(page, server.origin);
  const file = path.join(scratch(t), 'zeros.bin');
  fs.writeFileSync(file, Buffer.alloc(PART_BYTES + 1));
  await page.getByTestId('upload-input').setInputFiles(file);
  const error = page.getByTestId('upload-error');
  await error.waitFor();
  assert.match(await error.innerText(), /\w+ \w+/);
  assert.equal(await page.getByTestId('upload-again').count(), 0, 'the same bytes would be refused again');
});

test('a file goes into the project that is listed', async (t) => {
  const server = await startServer(t);
  execFileSync(syclscope, ['project', 'add', 'solver', '--data', server.data]);
  const { page } = await openPage(t);
  await visit(page, `${server.origin}/?project=solver`);
  for (const file of [small, large(t)]) {
    const sent = await page.getByTestId('trace').count();
    await page.getByTestId('upload-input').setInputFiles(file);
    await page.getByTestId('trace').nth(sent).waitFor();
  }
  const traces = await (await fetch(`${server.origin}/api/v1/traces`)).json();
  assert.deepEqual(traces.map(({ project }) => project), ['solver', 'solver']);
});
