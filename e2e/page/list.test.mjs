// The list of traces: upload, delete, read-only servers.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { drawLog, heatServer, holdPauses, idle, openPage, openServer, picture, scratch, startServer, store, trace, visit } from './support.mjs';

const heat = trace('heat');

test('an empty server says how to begin', async (t) => {
  const server = await startServer(t);
  const { page, complaints } = await openPage(t);
  await visit(page, server.origin);
  const empty = page.getByTestId('empty');
  assert.match(await empty.innerText(), /syclscope record/);
  assert.match(await empty.innerText(), /curl/);
  await picture(page, 'list-empty');
  assert.deepEqual(complaints, []);
});

test('a recording that is dropped on the page is stored, opens, and can be deleted', async (t) => {
  const server = await startServer(t);
  const { page, complaints } = await openPage(t);
  await visit(page, server.origin);
  await drop(page, 'dropped.pftrace', fs.readFileSync(heat));
  await page.getByTestId('trace').waitFor();
  await picture(page, 'list');
  assert.match(await page.getByTestId('trace').innerText(), /dropped\.pftrace/);

  await page.getByTestId('trace').getByRole('link', { name: 'dropped.pftrace', exact: true }).click();
  await page.getByTestId('timeline-canvas').waitFor();
  assert.ok((await drawLog(page)).slices.length > 0);
  await page.goBack();
  await page.getByTestId('trace').waitFor();

  await page.getByTestId('delete').click();
  await page.getByTestId('keep').click();
  assert.equal(await page.getByTestId('trace').count(), 1, 'nothing is deleted without a second press');
  await page.getByTestId('delete').click();
  await page.getByTestId('confirm-delete').click();
  await page.getByTestId('empty').waitFor();
  assert.deepEqual(await (await fetch(`${server.origin}/api/v1/traces`)).json(), []);
  assert.deepEqual(complaints, []);
});

test('a deleted trace does not come back with a list that was asked for before', async (t) => {
  const server = await startServer(t);
  for (const name of ['heat', 'diamond']) await store(server, trace(name));
  const { page, complaints } = await openPage(t);
  let ask, release;
  const asked = new Promise((resolve) => (ask = resolve));
  const deleted = new Promise((resolve) => (release = resolve));
  // The answer is made before the trace is deleted, and comes after.
  await page.route(/\/api\/v1\/traces\?.*q=heat/, async (route) => {
    const response = await route.fetch();
    ask();
    await deleted;
    await route.fulfill({ response });
  });
  await visit(page, server.origin);
  await page.getByTestId('search').fill('heat');
  await asked;
  const row = page.getByTestId('trace').filter({ hasText: 'heat.pftrace' });
  await row.getByTestId('delete').click();
  await row.getByTestId('confirm-delete').click();
  await row.waitFor({ state: 'detached' });
  release();
  await page.getByTestId('none-such').waitFor();
  assert.deepEqual(complaints, []);
});

test('the upload button takes several files', async (t) => {
  const server = await startServer(t);
  const { page } = await openPage(t);
  await visit(page, server.origin);
  const folder = scratch(t);
  const copy = (from, name) => {
    fs.copyFileSync(from, path.join(folder, name));
    return path.join(folder, name);
  };
  await page.getByTestId('upload-input').setInputFiles([copy(heat, 'one.pftrace'), copy(trace('diamond'), 'two.pftrace')]);
  await page.waitForFunction(() => document.querySelectorAll('[data-testid=trace]').length === 2);
  // A server stores equal bytes once: uploading them again returns the stored trace.
  const answer = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByTestId('upload-input').setInputFiles([copy(heat, 'three.pftrace')]);
  assert.equal((await answer).status(), 200);
  assert.equal((await (await fetch(`${server.origin}/api/v1/traces`)).json()).length, 2);
});

test('a file that is no trace is refused in words, and nothing is stored', async (t) => {
  const server = await startServer(t);
  const { page } = await openPage(t);
  await visit(page, server.origin);
  for (const [name, bytes] of [
    ['notes.txt', Buffer.from('these are notes, not a trace')],
    ['empty.pftrace', Buffer.alloc(0)],
  ]) {
    await drop(page, name, bytes);
    const error = page.getByTestId('upload-item').filter({ hasText: name }).getByTestId('upload-error');
    await error.waitFor();
    assert.match(await error.innerText(), /\w+ \w+/);
    assert.doesNotMatch(await error.innerText(), /curl/, 'who looks at a page has no use for a command');
  }
  await picture(page, 'list-refused');
  assert.deepEqual(await (await fetch(`${server.origin}/api/v1/traces`)).json(), []);
  await page.getByTestId('upload-close').first().click();
  assert.equal(await page.getByTestId('upload-item').count(), 1);
});

test('an upload can be broken off', async (t) => {
  const server = await startServer(t);
  const { page } = await openPage(t);
  // The request never gets an answer, so the upload is still under way when it is broken off.
  await page.route('**/api/v1/traces?*', (route) => (route.request().method() === 'GET' ? route.continue() : undefined));
  await visit(page, server.origin);
  await drop(page, 'slow.pftrace', fs.readFileSync(heat));
  await page.getByTestId('upload-close').click();
  const error = page.getByTestId('upload-error');
  await error.waitFor();
  assert.match(await error.innerText(), /nothing was stored/i);
  assert.deepEqual(await (await fetch(`${server.origin}/api/v1/traces`)).json(), []);
});

test('a server that only shows files offers neither upload nor delete', async (t) => {
  const folder = scratch(t);
  fs.copyFileSync(heat, path.join(folder, 'run.pftrace'));
  const server = await openServer(t, folder);
  const { page, complaints } = await openPage(t);
  await visit(page, server.address);
  await page.getByTestId('trace').waitFor();
  await idle(page);
  assert.equal(await page.getByTestId('upload').count(), 0);
  assert.equal(await page.getByTestId('delete').count(), 0);
  assert.deepEqual(complaints, []);
});

test('a folder\'s files get their figures, pictures and history soon after they are listed', async (t) => {
  const folder = scratch(t);
  for (const name of ['one', 'two']) fs.copyFileSync(heat, path.join(folder, `${name}.pftrace`));
  fs.writeFileSync(path.join(folder, 'notes.json'), 'no trace');
  const server = await openServer(t, folder);
  const { page, complaints } = await openPage(t);
  const passPauses = await holdPauses(page);
  await visit(page, server.address);
  await figures(server, 2);
  await passUntilPictures(page, passPauses, 2);
  const row = (name) => page.getByTestId('trace').filter({ hasText: name });
  const shown = await row('one.pftrace').innerText();
  assert.match(shown, /heat\s+318 ms[^]*AMD EPYC[^]*46 % diffuse_band/);
  assert.equal(await row('notes.json').locator('.column-program').innerText(), '', 'it is listed without');
  // A small picture shows only the activity, which is readable at its size.
  const views = await page.locator('[data-testid=trace] img').evaluateAll((images) => Promise.all(images.map(async ({ src }) => {
    const text = await (await fetch(src)).text();
    return text.includes(`<view id="${new URL(src).hash.slice(1)}" viewBox=`);
  })));
  assert.deepEqual(views, [true, true]);
  await picture(page, 'list-folder');
  await page.getByTestId('history').click();
  await page.getByRole('heading', { name: 'History of these traces' }).waitFor();
  assert.match(await page.locator('main').innerText(), /heat on .*AMD EPYC[^]*2 runs/);
  await page.getByRole('link', { name: 'All traces' }).first().click();
  await row('two.pftrace').waitFor();
  assert.deepEqual(complaints, []);
});

test('`syclscope open` of one file leads straight to its timeline', async (t) => {
  const server = await openServer(t, heat);
  const { page, complaints } = await openPage(t);
  await visit(page, server.address);
  assert.ok((await drawLog(page)).slices.length > 0);
  assert.deepEqual(complaints, []);
});

test('a server that went away is named, and a retry brings the list back', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await page.route('**/api/v1/traces', (route) => route.abort());
  await visit(page, server.origin);
  const failure = page.getByTestId('list-failure');
  assert.match(await failure.innerText(), /does not respond/);
  await page.unroute('**/api/v1/traces');
  await failure.getByRole('button').click();
  await page.getByTestId('trace').waitFor();
});

/** Waits until a server has the figures of `count` traces; returns all traces. */
async function figures({ origin }, count) {
  for (;;) {
    const all = await (await fetch(`${origin}/api/v1/traces`)).json();
    if (all.filter(({ figures }) => figures).length === count) return all;
  }
}

/**
 * Ends the pauses after which the page asks for missing figures until it shows `count` pictures. By itself it asks only
 * for a while, in which a busy machine may not make them.
 */
async function passUntilPictures(page, passPauses, count) {
  while ((await page.locator('[data-testid=trace] img').count()) < count) await passPauses();
}

/** Drops a file on the page, as a file manager would. */
async function drop(page, name, bytes) {
  const data = await page.evaluateHandle(
    ([name, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], name));
      return data;
    },
    [name, bytes.toString('base64')],
  );
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: data });
  await page.getByTestId('drop-area').waitFor();
  await page.dispatchEvent('body', 'dragover', { dataTransfer: data });
  await page.dispatchEvent('[data-testid=drop-upload]', 'drop', { dataTransfer: data });
  await page.getByTestId('drop-area').waitFor({ state: 'detached' });
}

test('an address without a page says so, and leads on', async (t) => {
  const server = await heatServer();
  for (const address of ['/nothing', '/some/where/else']) {
    const { page } = await openPage(t);
    const answer = await page.goto(`${server.origin}${address}`);
    assert.equal(answer.status(), 404);
    const shown = page.getByTestId('not-found');
    await shown.waitFor();
    assert.ok((await shown.innerText()).includes(address));
    assert.ok(await page.locator('header .mark').isVisible() && await shown.getByTestId('open-file').isVisible());
    await picture(page, 'not-found');
    await shown.getByRole('link', { name: 'All traces' }).click();
    await page.getByTestId('trace').first().waitFor();
    assert.equal(page.url(), `${server.origin}/`);
  }
  // A missing file that is not a page gets a short error, not the page.
  const text = await (await fetch(`${server.origin}/nothing.js`)).text();
  assert.ok(text.length < 1000);
});

test('figures come to all rows, also when more are shown before they are there', async (t) => {
  const folder = scratch(t);
  for (const name of ['one', 'two']) fs.copyFileSync(heat, path.join(folder, `${name}.pftrace`));
  const server = await openServer(t, folder);
  const { page } = await openPage(t);
  const all = await figures(server, 2);
  let known = false;
  const passPauses = await holdPauses(page);
  await page.route(/\/api\/v1\/traces(\?.*)?$/, (route) => {
    const second = route.request().url().includes('after=');
    const entry = all[second ? 1 : 0];
    const headers = second ? {} : { link: '<traces?after=1>; rel="next"' };
    return route.fulfill({ json: [known ? entry : { ...entry, figures: null }], headers });
  });
  await page.goto(server.address);
  await page.getByTestId('more').click();
  await page.waitForFunction(() => document.querySelectorAll('[data-testid=trace]').length === 2);
  known = true;
  await passUntilPictures(page, passPauses, 2);
});
