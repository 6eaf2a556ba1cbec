// The search over all slices, and pictures of the view.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { drawLog, heatServer, idle, openPage, picture, pointIn, scratch, serverOf, visit, wideKernel } from './support.mjs';

test('a search counts, steps on and back, and lets the rest fade', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const found = await server.ask('search?where=category%3Akernel');
  await visit(page, server.timeline);
  await page.keyboard.press('e');
  await page.keyboard.press('/');
  await page.keyboard.type('category:kernel');
  await idle(page);
  assert.match(await page.getByTestId('search-count').innerText(), new RegExp(`^${found.total.toLocaleString('en')} on `));

  // Slices that do not match fade at once, during typing.
  const marked = await drawLog(page);
  assert.ok(marked.slices.some((slice) => slice.dimmed) && marked.slices.some((slice) => !slice.dimmed));
  await page.keyboard.press('Enter');
  await idle(page);
  const first = (await drawLog(page)).selected;
  const place = async () => Number((await page.getByTestId('search-count').innerText()).match(/^([\d,]+) of ([\d,]+)$/)[1].replace(',', ''));
  const at = await place();
  assert.equal((await server.ask(`search?where=category%3Akernel&slice=${first}`)).place, at);
  await page.keyboard.press('Enter');
  await idle(page);
  const second = (await drawLog(page)).selected;
  assert.ok(first !== null && second !== null && first !== second);
  assert.equal(await place(), at + 1);
  await page.keyboard.press('Shift+Enter');
  await idle(page);
  assert.equal((await drawLog(page)).selected, first);

  await page.getByTestId('search').fill('zqxzqx');
  await page.getByTestId('search-count').getByText('0 matches', { exact: true }).waitFor();
  await page.getByTestId('search').fill('category:kernel');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.keyboard.press('e');
  const log = await drawLog(page);
  const dimmed = log.slices.filter((slice) => slice.dimmed);
  const clear = log.slices.filter((slice) => !slice.dimmed);
  assert.ok(dimmed.length > 0 && dimmed.filter((slice) => slice.count === 1).every((slice) => slice.category !== 'kernel'));
  assert.ok(clear.filter((slice) => slice.count === 1).every((slice) => slice.category === 'kernel'));
  assert.match(page.url(), /find=category:kernel(?!&dim)/);
  await picture(page, 'timeline-dimmed');
  await visit(page, page.url());
  assert.ok((await drawLog(page)).slices.some((slice) => slice.dimmed));
  await page.keyboard.press('Shift+D');
  assert.ok(!(await drawLog(page)).slices.some((slice) => slice.dimmed), 'and comes back');
  assert.deepEqual(complaints, []);
});

test('the next slice of a lane is found outside of the visible range', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const { at: first } = (await server.ask('step?at=0&where=category%3Akernel')).slice;
  let { at: next } = (await server.ask(`step?at=${first.start_ns + first.duration_ns}&tracks=${first.track}`)).slice;
  while (next.lane !== first.lane) next = (await server.ask(`step?slice=${next.slice}&tracks=${first.track}`)).slice.at;
  await visit(page, `${server.timeline}?s=${first.slice}&r=${first.start_ns}-${first.start_ns + first.duration_ns}`);
  await page.getByTestId('details-name').waitFor();
  await page.keyboard.press('.');
  await page.waitForFunction((slice) => new URL(location).searchParams.get('s') === String(slice), next.slice);
  const seen = (await drawLog(page)).slices.find(({ id }) => id === next.slice);
  assert.ok(seen.x >= 0 && seen.w > 2, JSON.stringify(seen));
  assert.deepEqual(complaints, []);
});

/** Serves a trace of one thread's slices: name, start and duration in µs. */
function served(t, slices) {
  const file = path.join(scratch(t), 'slices.json');
  const traceEvents = slices.map(([name, ts, dur]) => ({ ph: 'X', pid: 1, tid: 1, name, ts, dur }));
  fs.writeFileSync(file, JSON.stringify({ traceEvents }));
  return serverOf(file);
}

test('the slice after one without duration is found outside of the visible range', async (t) => {
  const server = await served(t, [['first', 0, 1], ['mark', 10, 0], ['last', 1000, 1]]);
  const { page, complaints } = await openPage(t);
  const { at: mark } = (await server.ask('step?at=5000')).slice;
  const { at: last } = (await server.ask(`step?slice=${mark.slice}`)).slice;
  assert.deepEqual([mark.duration_ns, last.start_ns], [0, 1_000_000]);
  await visit(page, `${server.timeline}?v=timeline&s=${mark.slice}&r=9000-11000`);
  await page.getByTestId('details-name').waitFor();
  await page.keyboard.press('.');
  await idle(page);
  assert.equal(new URL(page.url()).searchParams.get('s'), String(last.slice));
  assert.deepEqual(complaints, []);
});

test('the slice before is found though it contains many others', async (t) => {
  const calls = Array.from({ length: 150 }, (_, number) => [`call ${number}`, 10 + 5 * number, 1]);
  const server = await served(t, [['outer', 0, 1000], ...calls, ['last', 2000, 1]]);
  const { page, complaints } = await openPage(t);
  const { at: outer } = (await server.ask('step?at=0')).slice;
  const { at: last } = (await server.ask('step?at=1500000')).slice;
  assert.deepEqual([outer.duration_ns, last.lane], [1_000_000, outer.lane]);
  await visit(page, `${server.timeline}?v=timeline&s=${last.slice}&r=1999000-2001000`);
  await page.getByTestId('details-name').waitFor();
  await page.keyboard.press(',');
  await idle(page);
  assert.equal(new URL(page.url()).searchParams.get('s'), String(outer.slice));
  assert.deepEqual(complaints, []);
});

test('the key for the next match leads to the search as long as there is none', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('j');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), 'search');
  assert.equal((await drawLog(page)).selected, null);
  assert.deepEqual(complaints, []);
});

test('a match on a hidden track is shown', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const { slice } = await server.ask('step?at=0&where=category%3Akernel');
  const { track } = slice.at;
  await visit(page, `${server.timeline}?find=category:kernel&hide=${track}`);
  const isThere = (log) => log.tracks.some((one) => one.id === track);
  assert.ok(!isThere(await drawLog(page)));
  await page.getByTestId('timeline-canvas').focus();
  await page.keyboard.press('j');
  await idle(page);
  const log = await drawLog(page);
  assert.ok(isThere(log) && log.selected !== null);
  assert.doesNotMatch(page.url(), /hide=/);
  assert.deepEqual(complaints, []);
});

test('a slice that is selected while a step to a match is awaited stays selected', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const pattern = /\/step\b/;
  let ask, release;
  const asked = new Promise((resolve) => (ask = resolve));
  const selected = new Promise((resolve) => (release = resolve));
  await page.route(pattern, async (route) => {
    ask();
    await selected;
    await route.continue();
  });
  await visit(page, `${server.timeline}?find=category:wait`);
  await page.keyboard.press('e');
  const kernel = wideKernel(await drawLog(page));
  const { x, y } = await pointIn(page, kernel);
  await page.keyboard.press('j');
  await asked;
  await page.mouse.click(x, y);
  await page.waitForFunction((id) => JSON.parse(window.__syclscope.drawLog()).selected === id, kernel.id);
  release();
  assert.equal((await drawLog(page)).selected, kernel.id);
  assert.deepEqual(complaints, []);
});

test('parts whose matches can not be loaded are named, and come after a retry', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  const isFiltered = (url) => url.pathname.includes('/tiles/timeline/') && url.searchParams.has('where');
  const body = JSON.stringify({ error: { code: 'internal', message: 'The disk is on fire.' } });
  await page.route(isFiltered, (route) => route.fulfill({ status: 500, body }));
  await visit(page, `${server.timeline}?find=category:kernel`);
  const failure = page.getByTestId('tile-failure');
  assert.match(await failure.innerText(), /could not be loaded.*on fire/s);
  assert.ok(!(await drawLog(page)).slices.some((slice) => slice.dimmed));
  await page.unroute(isFiltered);
  await failure.getByRole('button').click();
  await failure.waitFor({ state: 'detached' });
  assert.ok((await drawLog(page)).slices.some((slice) => slice.dimmed));
});

test('answers to steps that come after the page was left do nothing', async (t) => {
  const server = await heatServer();
  for (const [key, pattern] of [['j', /\/step\b/], ['>', /\/gaps\b/]]) {
    const { page, complaints } = await openPage(t);
    let ask, release;
    const asked = new Promise((resolve) => (ask = resolve));
    const left = new Promise((resolve) => (release = resolve));
    await page.route(pattern, async (route) => {
      ask();
      await left;
      await route.continue();
    });
    await visit(page, `${server.timeline}?find=category:kernel`);
    await page.keyboard.press(key);
    await asked;
    await page.getByRole('link', { name: 'All traces' }).click();
    await page.getByTestId('trace').first().waitFor();
    const come = page.waitForResponse(pattern);
    release();
    await (await come).finished();
    await idle(page);
    assert.deepEqual(complaints, [], key);
  }
});

test('a search that can not be read says why', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, server.timeline);
  await page.getByTestId('search').fill('nmae:x');
  await idle(page);
  assert.match(await page.getByTestId('search-count').innerText(), /no field `nmae`/);
  await page.getByTestId('search').fill('no such slice at all');
  await idle(page);
  assert.match(await page.getByTestId('search-count').innerText(), /^0 matches$/);
});

test('the view is saved as SVG and as PNG with title, axis, names and legend', async (t) => {
  const server = await heatServer();
  for (const colorScheme of ['dark', 'light']) {
    const { page, complaints } = await openPage(t, { colorScheme });
    await visit(page, server.timeline);
    await page.keyboard.press('e');
    const log = await drawLog(page);
    const [svg] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Shift+S')]);
    assert.equal(svg.suggestedFilename(), 'timeline.svg');
    const text = fs.readFileSync(await svg.path(), 'utf8');
    assert.match(text, /^<svg xmlns/);
    for (const track of log.tracks.slice(0, 3)) assert.ok(text.includes(escaped(track.name).slice(0, 20)), track.name);
    assert.match(text, /<title>[^<]* · [^<]* from [^<]* to [^<]*<\/title>/);
    const kernel = log.slices.find((slice) => slice.category === 'kernel');
    assert.ok(text.includes(escaped(kernel.name).slice(0, 30)), 'the legend names the kernels');
    // A browser opens the file as a picture of the same size.
    const blank = await page.context().newPage();
    const size = await blank.evaluate(async (text) => {
      const image = new Image();
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
      await image.decode();
      return [image.naturalWidth, image.naturalHeight];
    }, text);
    assert.ok(size[0] > log.width && size[1] > log.height, `${size}`);

    await page.getByTestId('pictures').click();
    const [png] = await Promise.all([page.waitForEvent('download'), page.getByTestId('save-png-4').click()]);
    const bytes = fs.readFileSync(await png.path());
    assert.equal(bytes.toString('latin1', 1, 4), 'PNG');
    assert.equal(bytes.readUInt32BE(16), Math.round(size[0] * 4));
    assert.deepEqual(complaints, []);
  }
});

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
