// Sharing: a link, the trace in another viewer, files in other formats, pictures.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { serveUi } from '../perfetto/lib/ui.mjs';
import { drawLog, heatServer, idle, openPage, picture, scratch, startServer, store, told, trace, visit } from './support.mjs';

const heat = trace('heat');

/** Opens the menu and presses an entry of it. */
async function choose(page, entry) {
  await page.getByTestId('share').click();
  await page.getByTestId(`share-${entry}`).click();
}

/** Starts a separate server that names other viewers, with the recording on it. */
async function serverFor(t, viewers) {
  const server = await startServer(t, undefined, viewers);
  const entry = await store(server, heat);
  const info = await (await fetch(`${server.origin}/api/v1/traces/${entry.id}`)).json();
  return { ...server, info, timeline: `${server.origin}/t/${entry.id}` };
}

/** Starts a web server on this machine; `answer` gets each path and returns a type and a text, or nothing for 404. */
async function serve(t, answer) {
  const server = http.createServer((request, response) => {
    const found = answer(new URL(request.url, 'http://any').pathname);
    response.writeHead(found ? 200 : 404, { 'content-type': found?.[0] ?? 'text/plain' });
    response.end(found?.[1] ?? 'nothing is here');
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => (server.closeAllConnections(), server.close()));
  return `http://127.0.0.1:${server.address().port}`;
}

/**
 * Opens a page that pings a viewer ten times less often, and so for five minutes: a busy machine may take more than
 * half a minute to load one. With `window.isHasty` it pings without a pause, and soon gives up.
 */
async function openPatientPage(t) {
  const opened = await openPage(t);
  await opened.page.addInitScript(() => {
    const own = window.setTimeout.bind(window);
    window.setTimeout = (then, ms, ...more) => own(then, ms === 150 ? (window.isHasty ? 0 : 1_500) : ms, ...more);
  });
  return opened;
}

/** Returns the rows of a query of the Perfetto UI's own engine. */
const ask = (viewer, sql) =>
  viewer.evaluate(async (text) => {
    const result = await window.app.trace.engine.query(text);
    const rows = [];
    for (const row = result.iter({}); row.valid(); row.next())
      rows.push(Object.fromEntries(result.columns().map((column) => [column, String(row.get(column))])));
    return rows;
  }, sql);

const loaded = async (viewer) => {
  await viewer.waitForFunction(() => window.app?.trace || document.querySelector('.modal-dialog'));
  await viewer.evaluate(() => window.waitForPerfettoIdle());
};

for (const from of ['a server', 'this computer'])
  test(`Perfetto opens the trace of ${from} with the same slices and the same visible time`, async (t) => {
    const ui = await serveUi(t, { 'heat.pftrace': heat });
    const server = await serverFor(t, ['--perfetto-ui', ui]);
    const { page, context, complaints } = await openPatientPage(t);
    if (from === 'a server') await visit(page, server.timeline);
    else {
      await visit(page, `${server.origin}/`);
      await page.getByTestId('local-input').setInputFiles(heat);
      await page.getByTestId('timeline-canvas').waitFor();
      await idle(page);
    }
    await page.keyboard.press('e');
    const shown = await drawLog(page);
    const [viewer] = await Promise.all([context.waitForEvent('page'), choose(page, 'page.perfetto')]);
    await told(page, 'Opened the trace in Perfetto');
    await loaded(viewer);
    await picture(viewer, `handed-to-perfetto-${from === 'a server' ? 'hosted' : 'local'}`);

    // The same file, opened by Perfetto itself.
    const own = await context.newPage();
    await own.goto(`${ui}/#!/?url=${encodeURIComponent(`${ui}/heat.pftrace`)}`);
    await loaded(own);
    for (const sql of [
      'select count(*) n from slice',
      'select count(*) n from gpu_slice',
      "select count(*) n from slice where category = 'ur'",
      'select count(*) n from counter',
      'select count(*) n from flow',
    ]) assert.deepEqual(await ask(viewer, sql), await ask(own, sql), sql);
    assert.equal((await ask(viewer, 'select count(*) n from gpu_slice'))[0].n, String(server.info.counts.executions));

    const range = await viewer.evaluate(() => {
      const { start, end } = window.app.trace.timeline.visibleWindow.toTimeSpan();
      return [Number(start - window.app.trace.traceInfo.start), Number(end - window.app.trace.traceInfo.start)];
    });
    const pixel_ns = (shown.end_ns - shown.start_ns) / shown.width;
    assert.ok(Math.abs(range[0] - shown.start_ns) <= pixel_ns, `${range} for ${shown.start_ns} to ${shown.end_ns}`);
    assert.ok(Math.abs(range[1] - shown.end_ns) <= pixel_ns, `${range} for ${shown.start_ns} to ${shown.end_ns}`);
    assert.deepEqual(complaints, []);
  });

/** A page with the Firefox Profiler's protocol, which ignores the first two requests. */
const PROFILER = `<!doctype html><title>profiler</title><script>
  let asked = 0;
  addEventListener('message', ({ data, source, origin }) => {
    if (data?.name === 'ready:request' && ++asked >= 3) source.postMessage({ name: 'ready:response' }, '*');
    if (data?.name === 'inject-profile') window.received = { profile: data.profile, origin };
  });
</script>`;

test('the Firefox Profiler gets a profile of every slice, and the visible time', async (t) => {
  const ui = await serve(t, (name) => name === '/from-post-message/' && ['text/html', PROFILER]);
  const server = await serverFor(t, ['--firefox-profiler', ui]);
  const { page, context, complaints } = await openPatientPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('e');
  const shown = await drawLog(page);
  const [viewer] = await Promise.all([context.waitForEvent('page'), choose(page, 'page.firefox')]);
  await viewer.waitForFunction(() => window.received);
  const { origin, profile } = await viewer.evaluate(() => {
    const { origin, profile } = window.received;
    return { origin, profile: JSON.parse(new TextDecoder().decode(profile)) };
  });
  assert.equal(origin, new URL(server.origin).origin);
  assert.ok(profile.meta.preprocessedProfileVersion > 30);
  const markers = profile.threads.reduce((sum, thread) => sum + thread.markers.length, 0);
  assert.equal(markers, server.info.counts.slices + 1, 'every slice, and the start of the trace');
  const earliest = Math.min(...profile.threads.flatMap((thread) => thread.markers.startTime.filter((time) => time !== null)));
  assert.equal(earliest, 0, 'the profiler counts from the first marker: ranges fit');
  const [, start, length] = new URL(viewer.url()).searchParams.get('range').match(/^(\d+)n(\d+)$/).map(Number);
  const pixel_ns = (shown.end_ns - shown.start_ns) / shown.width;
  assert.ok(Math.abs(start - shown.start_ns) <= pixel_ns && Math.abs(start + length - shown.end_ns) <= pixel_ns, viewer.url());
  assert.deepEqual(complaints, []);
});

test('a blocked window, a closed one and a viewer that does not answer are told', async (t) => {
  const ui = await serve(t, () => ['text/html', '<h1>something else</h1>']);
  const server = await serverFor(t, ['--perfetto-ui', ui]);
  const { page, context } = await openPatientPage(t);
  await visit(page, server.timeline);
  const notice = page.getByTestId('notice');

  await page.evaluate(() => (window.open = ((own) => (...args) => (window.open = own, null))(window.open)));
  await choose(page, 'page.perfetto');
  assert.match(await notice.innerText(), /browser blocked the window for Perfetto\. Allow pop-ups/);
  await picture(page, 'notice-blocked');

  const [closed] = await Promise.all([context.waitForEvent('page'), choose(page, 'page.perfetto')]);
  await closed.close();
  await page.getByText('The window of Perfetto was closed').waitFor();

  await page.evaluate(() => (window.isHasty = true));
  await Promise.all([context.waitForEvent('page'), choose(page, 'page.perfetto')]);
  await page.getByText('does not answer').waitFor();
  assert.match(await notice.innerText(), /--perfetto-ui/);
  await notice.getByRole('button').click();
  await notice.waitFor({ state: 'detached' });
});

/** Presses an entry of the menu and returns the name and bytes of the file that the browser saves. */
async function download(page, entry) {
  const [saved] = await Promise.all([page.waitForEvent('download'), choose(page, entry)]);
  return { name: saved.suggestedFilename(), bytes: fs.readFileSync(await saved.path()) };
}

const FILES = [
  ['page.export_perfetto', /^heat\.pftrace$/],
  ['page.export_json', /^heat\.json$/],
  ['page.export_fxprof', /^heat\.profile\.json$/],
  ['page.export_parquet', /^heat\.parquet\.zip$/],
];

test('every format is saved in one menu, the same of a server as of a file of this computer', async (t) => {
  const server = await heatServer();
  const { page, context, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await page.getByTestId('share').click();
  await picture(page, 'share-menu');
  await page.keyboard.press('Escape');
  assert.equal(await page.getByRole('menu').count(), 0);
  const local = await context.newPage();
  await visit(local, `${server.origin}/`);
  await local.getByTestId('local-input').setInputFiles(heat);
  await local.getByTestId('timeline-canvas').waitFor();
  await idle(local);

  await local.evaluate(() => {
    window.told = [];
    const hear = () => window.told.push(document.querySelector('[data-testid=notice]')?.innerText ?? '');
    new MutationObserver(hear).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  const folder = scratch(t);
  for (const [entry, name] of FILES) {
    const [hosted, own] = [await download(page, entry), await download(local, entry)];
    assert.match(hosted.name, name);
    assert.match(own.name, name);
    assert.ok(hosted.bytes.equals(own.bytes), `${entry}: ${hosted.bytes.length} and ${own.bytes.length} bytes`);
    fs.writeFileSync(path.join(folder, own.name), own.bytes);
  }
  const told = await local.evaluate(() => window.told);
  assert.ok(told.some((text) => /^Reading the file: .* so far…/.test(text)), `${told}`);
  assert.ok(told.every((text) => !text.startsWith('Writing')), 'the bytes are those of the file that is read');
  assert.ok(fs.readFileSync(path.join(folder, 'heat.pftrace')).equals(fs.readFileSync(heat)), 'nothing is lost');
  assert.ok(JSON.parse(fs.readFileSync(path.join(folder, 'heat.json'))).length > 100);
  const listed = execFileSync('python3', ['-m', 'zipfile', '-l', path.join(folder, 'heat.parquet.zip')]).toString();
  for (const table of ['slices', 'edges', 'calls']) assert.match(listed, new RegExp(`^${table}\\.parquet`, 'm'));
  assert.match(execFileSync('python3', ['-m', 'zipfile', '-t', path.join(folder, 'heat.parquet.zip')]).toString(), /Done testing/);

  const recording = await download(page, 'page.recording');
  assert.equal(recording.name, path.basename(heat));
  await local.getByTestId('share').click();
  assert.equal(await local.getByTestId('share-page.recording').count(), 0, 'it is on this computer already');
  await local.keyboard.press('Escape');
  for (const [kind, start] of [['svg', '<svg'], ['png', '\u0089PNG']]) {
    const saved = await download(local, `timeline.${kind}`);
    assert.equal(saved.bytes.toString('latin1', 0, start.length), start);
  }
  assert.deepEqual(complaints, []);
});

test('a link is copied with what is on screen, says so, and leaves the theme to its reader', async (t) => {
  const server = await heatServer();
  const { page, context, complaints } = await openPage(t, { colorScheme: 'light' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await visit(page, server.timeline);
  await page.getByTestId('theme').click();
  await page.keyboard.press('e');
  const shown = await drawLog(page);
  await choose(page, 'page.link');
  await told(page, 'Copied a link to this view');
  await picture(page, 'notice-link');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.doesNotMatch(link, /theme/);
  assert.doesNotMatch(page.url(), /theme/);
  const ground = (one) => one.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const other = await openPage(t, { colorScheme: 'light' });
  await visit(other.page, link);
  assert.deepEqual((await drawLog(other.page)).slices, shown.slices);
  assert.notEqual(await ground(other.page), await ground(page), 'dark here, light there');
  // Older links contain the theme, and still open in it.
  await visit(other.page, `${server.timeline}?theme=dark`);
  assert.equal(await ground(other.page), await ground(page));
  assert.deepEqual(complaints, []);
});

test('without a clipboard the link is shown', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await visit(page, server.timeline);
  await page.keyboard.press('Shift+L');
  const notice = page.getByTestId('notice');
  await notice.waitFor();
  assert.ok((await notice.innerText()).includes(page.url()), await notice.innerText());
});
