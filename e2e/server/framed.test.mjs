// Traces in frames of another site's pages, where browsers send no cookie of a session.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import http from 'node:http';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { openPage } from '../page/browser.mjs';
import { copy, syclscope } from './lib/copies.mjs';
import { trace } from './lib/ledger.mjs';
import { freePort, scratch } from './lib/service.mjs';

const page = process.env.SYCLSCOPE_TEST_PAGE;
const skip = page ? false : 'SYCLSCOPE_TEST_PAGE names no page';

/**
 * Starts a server with a trace, and another site with a page that shows an address in a frame: `localhost` and
 * 127.0.0.1 are different sites.
 */
async function start(t, more = []) {
  let framed = '';
  const wiki = http.createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end(`<!doctype html><title>wiki</title><iframe width="900" height="400" src="${framed}"></iframe>`);
  });
  const port = await freePort();
  await new Promise((done) => wiki.listen(port, '127.0.0.1', done));
  t.after(() => (wiki.closeAllConnections(), wiki.close()));
  const data = scratch(t);
  const args = ['--data', data, '--sign-in', 'token', '--page', page, '--frame-ancestors', `http://localhost:${port}`, ...more];
  const server = await copy(t, args, { open: false });
  await server.start();
  const { origin } = server;
  const made = await promisify(execFile)(syclscope, ['token', 'create', 'ada', '--role', 'admin', '--data', data]);
  const token = made.stdout.trim();
  const ask = async (path, body, type) => {
    const headers = { authorization: `Bearer ${token}`, ...(type && { 'content-type': type }) };
    const answer = await fetch(`${origin}/api/v1/${path}`, { method: body ? 'POST' : 'GET', body, headers });
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return answer.json();
  };
  const { id } = await ask('traces?name=run.json', trace().bytes);
  const link = async (wanted) => (await ask(`traces/${id}/links`, JSON.stringify(wanted), 'application/json')).address;
  const opened = async () => (await ask(`traces/${id}/links`))[0].opened;
  const show = async (page, path) => {
    framed = `${origin}/${path}?embed`;
    await page.goto(`http://localhost:${port}`);
    return page.frameLocator('iframe');
  };
  return { origin, token, id, link, opened, show };
}

test('a link shows a trace in a frame of another site; who has signed in is not known there', { skip }, async (t) => {
  const { origin, token, id, link, show } = await start(t);
  const { context, page } = await openPage(t);
  await page.goto(`${origin}/t/${id}`);
  await page.getByLabel('Your token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByTestId('timeline-canvas').waitFor();
  const closed = await show(page, `t/${id}`);
  const [whole] = await Promise.all([context.waitForEvent('page'), closed.getByRole('link', { name: 'Open it in syclscope' }).click()]);
  await whole.getByTestId('timeline-canvas').waitFor();
  assert.doesNotMatch(whole.url(), /embed/);

  const open = await show(page, await link({}));
  await open.getByTestId('timeline-canvas').waitFor();
});

test('by https a link with a number of openings counts once for a frame', { skip }, async (t) => {
  // Browsers consider 127.0.0.1 as safe as https, so that they keep the server's cookies for it.
  const { link, opened, show } = await start(t, ['--public-url', 'https://127.0.0.1']);
  const { context, page } = await openPage(t);
  const address = await link({ openings: 1 });
  for (let time = 0; time < 2; time += 1) {
    const frame = await show(page, address);
    await frame.getByTestId('timeline-canvas').waitFor();
  }
  assert.equal(await opened(), 1);
  const [cookie] = await context.cookies();
  assert.deepEqual([cookie.secure, cookie.sameSite, cookie.httpOnly], [true, 'None', true]);
});

test('by http such a link opens nothing in a frame: each question would be an opening', { skip }, async (t) => {
  const { link, show } = await start(t);
  const { page } = await openPage(t);
  const frame = await show(page, await link({ openings: 1 }));
  await frame.getByText('link used up').first().waitFor();
});
