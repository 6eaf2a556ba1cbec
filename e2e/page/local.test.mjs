// Files of this computer: a worker of the page opens them, with a server and without one.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { drawLog, heatServer, idle, openPage, picture, scratch, startServer, trace, visit } from './support.mjs';

const heat = trace('heat');

const file = (name, buffer) => ({ name, mimeType: 'application/octet-stream', buffer });

/** Chooses a file as a user does in the browser's dialogue. */
const choose = (page, one) => page.getByTestId('local-input').setInputFiles(one);

/** Serves the page's files in a folder and nothing else, as any web server does. */
async function staticServer(t, origin, folder = '/', worker = ['syclscope-worker.js', 'syclscope-worker_bg.wasm']) {
  const files = new Map();
  const html = await (await fetch(origin)).text();
  const names = [...html.matchAll(/(?:href|src|data-js|data-wasm)="\.\/([^"]+)"/g)].map((match) => match[1]);
  for (const name of new Set([...names, ...worker])) {
    const answer = await fetch(`${origin}/${name}`);
    assert.equal(answer.status, 200, name);
    files.set(folder + name, [answer.headers.get('content-type'), Buffer.from(await answer.arrayBuffer())]);
  }
  for (const name of ['', 'index.html']) files.set(folder + name, ['text/html; charset=utf-8', Buffer.from(html)]);
  const asked = [];
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://any');
    asked.push(`${request.method} ${pathname}`);
    const [type, bytes] = files.get(pathname) ?? ['text/html', Buffer.from('<h1>404</h1>')];
    response.writeHead(files.has(pathname) ? 200 : 404, { 'content-type': type });
    response.end(bytes);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  return { origin: `http://127.0.0.1:${server.address().port}`, asked };
}

test('a local file shows what a server would show, and nothing of it is sent', async (t) => {
  const server = await heatServer();
  const { page, context, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('e');
  const hosted = await drawLog(page);

  const sent = [];
  const local = await context.newPage();
  local.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
  await visit(local, `${server.origin}/`);
  await choose(local, heat);
  await local.getByTestId('timeline-canvas').waitFor();
  await idle(local);
  assert.match(local.url(), /\?file=/);
  await local.keyboard.press('e');
  const drawn = await drawLog(local);
  assert.deepEqual(drawn.slices, hosted.slices);
  assert.deepEqual(drawn.tracks, hosted.tracks);
  assert.deepEqual(sent.filter((line) => !line.startsWith('GET')), []);
  // The only requests about traces are for the pictures in the list.
  const ofTraces = sent.filter((line) => /\/api\/v1\/traces\/./.test(line));
  assert.deepEqual(ofTraces.filter((line) => !line.endsWith('/picture.svg')), []);

  // Details and every view are there too.
  const kernel = drawn.slices.find((slice) => slice.category === 'kernel');
  const box = await local.getByTestId('timeline-canvas').boundingBox();
  await local.mouse.click(box.x + kernel.x + kernel.w / 2, box.y + kernel.y + kernel.h / 2);
  await local.getByTestId('details').waitFor();
  for (const [key, part] of [
    ['1', 'summary'],
    ['5', 'source-lines'],
    ['6', 'calls-by-name'],
  ]) {
    await local.keyboard.press(key);
    await local.getByTestId(part).waitFor();
  }
  await idle(local);
  await picture(local, 'local-calls');

  // A reload forgets the file; the same file brings the view back.
  const address = local.url();
  await local.reload();
  await local.getByTestId('local-asking').waitFor();
  await choose(local, heat);
  await local.getByTestId('calls-by-name').waitFor();
  await idle(local);
  assert.equal(local.url(), address);
  assert.deepEqual(complaints, []);
});

test('the page works as static files', async (t) => {
  const server = await startServer(t);
  const { origin, asked } = await staticServer(t, server.origin);
  const { page, complaints } = await openPage(t);
  await visit(page, `${origin}/`);
  await page.getByTestId('no-server').waitFor();
  await picture(page, 'static-page');
  const data = await page.evaluateHandle(
    ([name, bytes]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(bytes)], name));
      return transfer;
    },
    ['dropped.pftrace', [...fs.readFileSync(heat)]],
  );
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: data });
  await page.getByTestId('drop-area').waitFor();
  assert.equal(await page.getByTestId('drop-upload').count(), 0, 'nobody takes uploads here');
  await page.dispatchEvent('[data-testid=drop-open]', 'drop', { dataTransfer: data });
  await page.getByTestId('timeline-canvas').waitFor();
  assert.ok((await drawLog(page)).slices.length > 0);
  assert.deepEqual(asked.filter((line) => !line.startsWith('GET')), []);
  // The only complaints are the browser's about 404, from the page's search for a server.
  assert.deepEqual(complaints.filter((line) => !line.includes('404')), []);
});

test('the page works as static files below a path', async (t) => {
  const server = await startServer(t);
  const { origin, asked } = await staticServer(t, server.origin, '/some/path/');
  const { page } = await openPage(t);
  for (const address of [`${origin}/some/path/`, `${origin}/some/path/index.html`]) {
    await visit(page, address);
    await page.getByTestId('no-server').waitFor();
    await choose(page, heat);
    await page.getByTestId('timeline-canvas').waitFor();
    assert.ok((await drawLog(page)).slices.length > 0);
    assert.match(page.url(), /\/some\/path\/\?file=/);
    await page.goBack();
    await page.getByTestId('no-server').waitFor();
  }
  assert.deepEqual(asked.filter((line) => !line.startsWith('GET /some/path/')), []);
});

test('a worker that can not be loaded is a failure, not an endless opening', async (t) => {
  const server = await startServer(t);
  const { origin } = await staticServer(t, server.origin, '/', []);
  const { page } = await openPage(t);
  await visit(page, `${origin}/`);
  await choose(page, heat);
  assert.match(await page.getByTestId('local-failure').innerText(), /could not be opened/);
});

test('a large file shows its progress, and can be cancelled', async (t) => {
  const server = await startServer(t);
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.origin}/`);
  const large = path.join(scratch(t), 'large.json');
  const event = JSON.stringify({ ph: 'X', name: 'work', pid: 1, tid: 1, ts: 1, dur: 2 });
  fs.writeFileSync(large, `[${Array(600_000).fill(event).join(',\n')}]`);
  // The page itself cancels at the first progress, because a cancellation from the test could be too late.
  const shown = page.evaluate(
    () =>
      new Promise((resolve) => {
        const look = new MutationObserver(() => {
          const percent = Number(document.querySelector('[data-testid=local-importing] [role=progressbar]')?.ariaValueNow);
          if (!(percent > 0)) return;
          look.disconnect();
          document.querySelector('[data-testid=local-cancel]').click();
          resolve(percent);
        });
        look.observe(document.body, { subtree: true, childList: true, attributes: true });
      }),
  );
  await choose(page, large);
  const percent = await shown;
  assert.ok(percent > 0 && percent <= 100, `${percent}`);
  await page.getByTestId('empty').waitFor();
  await idle(page);
  assert.deepEqual(complaints, []);
});

test('a file that is no trace is refused in words', async (t) => {
  const server = await startServer(t);
  const { page } = await openPage(t);
  await visit(page, `${server.origin}/`);
  await choose(page, file('holiday.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, ...Array(64).fill(7)])));
  const failure = page.getByTestId('local-failure');
  assert.match(await failure.innerText(), /holiday\.png could not be opened[\s\S]*no trace but a PNG/);
  await choose(page, heat);
  await page.getByTestId('timeline-canvas').waitFor();
});
