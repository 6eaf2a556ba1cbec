// A view in a frame of another site's page, on sites that the server allows and on no others.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { drawLog, heatServer, idle, openPage, picture, startServer, store, trace, visit } from './support.mjs';

/**
 * Starts another site with one page that shows an address in a frame; `localhost` and 127.0.0.1 are different sites.
 */
async function wiki(t) {
  let framed = '';
  const server = http.createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>wiki</title><iframe width="900" height="400" src="${framed}"></iframe>`);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => (server.closeAllConnections(), server.close()));
  const origin = `http://localhost:${server.address().port}`;
  return { origin, show: (page, address) => ((framed = address.replaceAll('&', '&amp;')), page.goto(origin)) };
}

/** Returns the document in the frame, or null if the browser refused it. */
const framed = async (page, origin) => {
  const frame = page.frames().find((frame) => frame !== page.mainFrame());
  return frame && frame.url().startsWith(origin) ? frame : null;
};

test('a page that the server names shows the view, without the bar, and leads to the whole page', async (t) => {
  const { origin, show } = await wiki(t);
  const server = await startServer(t, undefined, ['--frame-ancestors', 'https://wiki.example', origin]);
  const entry = await store(server, trace('heat'));
  const { context, page, complaints } = await openPage(t);
  await show(page, `${server.origin}/t/${entry.id}?embed`);
  const frame = await framed(page, server.origin);
  assert.ok(frame);
  await frame.getByTestId('timeline-canvas').waitFor();
  await idle(frame);
  await picture(page, 'embedded');
  assert.match(await frame.getByTestId('trace-name').innerText(), /heat/);
  for (const chrome of ['share', 'theme', 'help-button', 'panel']) assert.equal(await frame.getByTestId(chrome).count(), 0, chrome);
  await frame.getByRole('button', { name: 'Whole run' }).click();
  await frame.waitForFunction(() => /[?&]r=/.test(location.search));
  await idle(frame);
  assert.match(frame.url(), /[?&]embed=1/, 'the frame stays one when it is loaded again');
  const shown = JSON.parse(await frame.evaluate(() => window.__syclscope.drawLog()));

  const [whole] = await Promise.all([context.waitForEvent('page'), frame.getByRole('link', { name: 'Open in syclscope' }).click()]);
  await whole.getByTestId('share').waitFor();
  assert.doesNotMatch(whole.url(), /embed/);
  const opened = await drawLog(whole);
  assert.deepEqual([opened.start_ns, opened.end_ns], [shown.start_ns, shown.end_ns]);
  assert.deepEqual(complaints, []);
});

test('no other page may, nor may that page show what is not embedded', async (t) => {
  const { origin, show } = await wiki(t);
  const open = await startServer(t, undefined, ['--frame-ancestors', origin]);
  const other = await startServer(t, undefined, ['--frame-ancestors', 'https://wiki.example']);
  const closed = await heatServer();
  const ids = await Promise.all([open, other].map((server) => store(server, trace('heat'))));
  const { page } = await openPage(t);
  for (const [server, address] of [
    [open, `${open.origin}/t/${ids[0].id}`],
    [open, `${open.origin}/?embed`],
    [other, `${other.origin}/t/${ids[1].id}?embed`],
    [closed, `${closed.timeline}?embed`],
  ]) {
    await show(page, address);
    assert.equal(await framed(page, server.origin), null, address);
  }
});

test('on a page of its own an embedded view looks the same', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?embed&v=summary`);
  await page.getByRole('link', { name: 'Open in syclscope' }).waitFor();
  assert.equal(await page.getByTestId('share').count(), 0);
  await visit(page, `${server.origin}/t/abcdefghijklmnopqrstuvwxyz?embed`);
  await page.getByTestId('trace-failure').waitFor();
  assert.equal(await page.getByRole('link', { name: 'All traces' }).count(), 0);
  assert.ok(complaints.every((line) => line.includes('404')), `${complaints}`);
});
