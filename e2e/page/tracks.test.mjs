// The tree of tracks: pinning, hiding, moving, filtering and grouping, each kept by a link.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canvasBox, drawLog, heatServer, idle, openPage, picture, pointIn, visit } from './support.mjs';

/** Returns the label of a track by its name. */
function label(page, name) {
  return page.locator('[data-testid=track]').filter({ has: page.locator('.track-name', { hasText: name }) }).first();
}

const names = (log) => log.tracks.map((track) => track.name);

test('devices hold queues and what runs at a time, the program holds its threads', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t, { viewport: { width: 1440, height: 1200 } });
  await visit(page, server.timeline);
  const log = await drawLog(page);
  const device = log.tracks.findIndex((track) => track.kind === 'device');
  assert.ok(device >= 0 && log.tracks[device + 1].kind === 'queue', `a queue below its device: ${names(log)}`);
  assert.equal(log.tracks[device + 1].depth, log.tracks[device].depth + 1);
  assert.ok(names(log).includes('counters'), 'counters are folded');
  assert.ok(!names(log).includes('kernels in flight'));
  assert.ok(log.tracks.some((track) => track.kind === 'thread'));
  assert.ok(log.tracks.some((track) => / counters$/.test(track.name) && track.kind === 'counter'));
});

test('counters tell kernels in flight, rates of transfers and how deep queues are', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t, { viewport: { width: 1440, height: 1700 } });
  await visit(page, server.timeline);
  const counters = await server.ask('activity');
  const of = (kind) => counters.filter((counter) => counter.kind === kind);
  assert.ok(of('transfer_rate').length > 0 && of('queue_depth').length > 1 && of('kernels_in_flight').length === 1);
  const inFlight = of('kernels_in_flight')[0];
  // Counters are collapsed at first.
  const rows = (await drawLog(page)).tracks.length;
  await label(page, 'counters').focus();
  await page.keyboard.press('ArrowRight');
  const log = await drawLog(page);
  assert.equal(log.tracks.length, rows + counters.length);
  assert.match(await label(page, inFlight.name).innerText(), new RegExp(`up to ${inFlight.max}$`));
  for (const { name } of of('transfer_rate')) assert.ok(names(log).includes(name), name);
  for (const { track } of of('queue_depth'))
    assert.ok(log.tracks.some(({ name }) => name === `depth of ${log.tracks.find(({ id }) => id === track).name}`));
  await page.keyboard.press('e');
  await idle(page);
  await picture(page, 'timeline-counters');
  // Hovering a counter shows its value.
  const row = log.tracks.find((track) => track.name === inFlight.name);
  const box = await page.getByTestId('timeline-canvas').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + row.y + row.height / 2);
  assert.match(await page.getByTestId('tooltip').innerText(), /kernels in flight\s+\d/);
  await visit(page, page.url());
  assert.equal((await drawLog(page)).tracks.length, log.tracks.length, 'a link keeps it open');
  assert.deepEqual(complaints, []);
});

test('no track moves when the counters of the commands come late', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  let release;
  const released = new Promise((done) => (release = done));
  await page.route(/\/activity$/, async (route) => (await released, route.continue()));
  await page.goto(server.timeline);
  await page.waitForFunction(() => JSON.parse(window.__syclscope?.drawLog() ?? 'null')?.slices.length > 0);
  const places = async () => JSON.parse(await page.evaluate(() => window.__syclscope.drawLog())).tracks.map(({ id, y }) => [id, y]);
  const before = await places();
  const come = page.waitForResponse(/\/activity$/);
  release();
  await come;
  await idle(page);
  assert.deepEqual(await places(), before);
  await label(page, 'counters').click();
  await idle(page);
  assert.ok((await places()).length > before.length, 'they are there');
});

test('counters of the commands come once a server that was busy has them', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  let asked = 0;
  const json = { error: { code: 'busy', message: 'The server is busy.' } };
  await page.route(/\/activity$/, (route) => (asked++ ? route.continue() : route.fulfill({ status: 503, json })));
  const come = page.waitForResponse((answer) => /\/activity$/.test(answer.url()) && answer.ok());
  await visit(page, server.timeline);
  await come;
  await idle(page);
  const rows = (await drawLog(page)).tracks.length;
  await label(page, 'counters').click();
  await idle(page);
  assert.ok((await drawLog(page)).tracks.length > rows, 'they are there');
});

test('an area over tracks of kernels means these kernels', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  const info = await server.ask();
  await visit(page, `${server.timeline}?by=kernel`);
  const log = await drawLog(page);
  const wanted = info.kernels.slice(0, 2);
  const rows = wanted.map(({ name }) => log.tracks.find((track) => track.name === name));
  const box = await page.getByTestId('timeline-canvas').boundingBox();
  await page.keyboard.press('b');
  await page.mouse.move(box.x + 2, box.y + rows[0].y + 3);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + rows[1].y + rows[1].height - 3, { steps: 4 });
  await page.mouse.up();
  await idle(page);
  const table = page.getByTestId('area-table');
  await table.waitFor();
  const found = await table.locator('tbody tr').evaluateAll((rows) =>
    rows.map((row) => [row.cells[0].innerText, row.cells[2].innerText]),
  );
  assert.deepEqual(found, wanted.map(({ name, count }) => [name, count.toLocaleString('en')]));
});

test('a pinned track stays while the others scroll, by mouse and by key, and a link keeps it', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t, { viewport: { width: 1200, height: 520 } });
  await visit(page, server.timeline);
  const queue = (await drawLog(page)).tracks.find((track) => track.kind === 'queue');
  await label(page, queue.name).hover();
  await label(page, queue.name).getByTestId('track-pin').click();
  let log = await drawLog(page);
  assert.ok(log.tracks.some((track) => track.id === queue.id && track.pinned));
  assert.match(page.url(), new RegExp(`pin=${queue.id}\\b`));

  const top = log.tracks.find((track) => track.pinned).y;
  const box = await page.getByTestId('timeline-canvas').boundingBox();
  await page.mouse.move(box.x + 300, box.y + box.height - 12);
  await page.mouse.wheel(0, 300);
  log = await drawLog(page);
  assert.ok(log.scroll > 0);
  assert.equal(log.tracks.find((track) => track.pinned).y, top);
  assert.equal(await page.getByTestId('pinned-tracks').getByTestId('track').count(), 1);
  await picture(page, 'timeline-pinned');

  await visit(page, page.url());
  assert.ok((await drawLog(page)).tracks.some((track) => track.id === queue.id && track.pinned));
  await page.getByTestId('pinned-tracks').getByTestId('track').first().focus();
  await page.keyboard.press('p');
  assert.ok((await drawLog(page)).tracks.every((track) => !track.pinned));
  // With Shift, P is the timeline's key for a picture.
  await label(page, queue.name).focus();
  await Promise.all([page.waitForEvent('download'), page.keyboard.press('Shift+P')]);
  assert.ok((await drawLog(page)).tracks.every((track) => !track.pinned));
});

test('a track below the pinned one is scrolled into sight', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t, { viewport: { width: 1200, height: 520 } });
  await visit(page, server.timeline);
  const queue = (await drawLog(page)).tracks.find((track) => track.kind === 'queue');
  await visit(page, `${server.timeline}?pin=${queue.id}`);
  const { tracks } = await drawLog(page);
  const pinned = tracks.find((track) => track.pinned);
  const first = tracks.find((track) => !track.pinned);
  // The pinned track lies over the first one below it.
  await visit(page, `${server.timeline}?pin=${queue.id}&y=${Math.floor(first.y - pinned.y)}`);
  assert.ok((await drawLog(page)).scroll > 0);
  await page.getByTestId('tracks').locator(`[data-track="${first.id}"]`).focus();
  const there = (await drawLog(page)).tracks.find((track) => track.id === first.id);
  assert.ok(there?.y >= first.y, JSON.stringify({ there, first }));
  assert.deepEqual(complaints, []);
});

test('tracks are hidden, shown again, moved, filtered', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, server.timeline);
  const all = names(await drawLog(page));
  const device = (await drawLog(page)).tracks.find((track) => track.kind === 'device');

  await label(page, device.name).focus();
  await page.keyboard.press('h');
  assert.ok(!names(await drawLog(page)).includes(device.name));
  assert.match(await page.getByTestId('show-all-tracks').innerText(), /\d+ tracks? not shown/);
  assert.match(page.url(), /hide=/);
  await page.getByTestId('show-all-tracks').click();
  assert.deepEqual(names(await drawLog(page)), all);

  const roots = (log) => log.tracks.filter((track) => track.depth === 0).map((track) => track.name);
  const before = roots(await drawLog(page));
  await label(page, before[1]).focus();
  await page.keyboard.press('Alt+ArrowUp');
  assert.deepEqual(roots(await drawLog(page)).slice(0, 2), [before[1], before[0]]);
  await visit(page, page.url());
  assert.deepEqual(roots(await drawLog(page)).slice(0, 2), [before[1], before[0]]);

  await page.getByTestId('timeline-canvas').focus();
  await page.keyboard.press('t');
  await page.keyboard.type('memory');
  await idle(page);
  const filtered = await drawLog(page);
  assert.ok(filtered.tracks.length > 0 && filtered.tracks.length < all.length);
  for (const track of filtered.tracks) if (track.kind === 'counter') assert.match(track.name, /memory|counters?$/i);
  assert.match(page.url(), /tf=memory/);
});

test('executions are grouped by queue and by kernel, on lanes where they overlap', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const info = await server.ask();
  await visit(page, server.timeline);
  await page.keyboard.press('e');
  await page.getByTestId('group-by').selectOption('kernel');
  const log = await drawLog(page);
  const kernel = info.kernels[0];
  const track = log.tracks.find((track) => track.name === kernel.name);
  assert.ok(track, `a track for ${kernel.name}: ${names(log)}`);
  const drawn = log.slices.filter((slice) => slice.track === track.id);
  assert.ok(drawn.length > 0 && drawn.every((slice) => slice.name === kernel.name));
  assert.equal(await page.getByTestId('tile-failure').count(), 0);
  assert.equal(drawn.reduce((sum, slice) => sum + slice.count, 0), kernel.count, 'every execution, once');
  const lanes = await server.ask('kernel_lanes');
  assert.equal(lanes.length, info.kernels.length);
  // On one lane nothing overlaps.
  for (let lane = 0; lane < lanes[0]; lane += 1) {
    const own = drawn.filter((slice) => slice.lane === lane).sort((one, other) => one.x - other.x);
    for (let next = 1; next < own.length; next += 1) assert.ok(own[next].x >= own[next - 1].x + own[next - 1].w - 1.01);
  }
  await picture(page, 'timeline-by-kernel');
  await page.keyboard.press('Escape');
  await page.getByTestId('group-by').selectOption('queue');
  const byQueue = await drawLog(page);
  assert.ok(byQueue.tracks.some((track) => track.kind === 'queue' && track.depth === 0));
  assert.ok(byQueue.tracks.every((track) => track.kind !== 'device' || track.depth === 0));
  assert.match(page.url(), /by=queue/);
  assert.deepEqual(complaints, []);
});

test('a collapsed device says how busy it is', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, server.timeline);
  const device = (await drawLog(page)).tracks.find((track) => track.kind === 'device');
  await label(page, device.name).focus();
  await page.keyboard.press('ArrowLeft');
  const log = await drawLog(page);
  assert.ok(log.tracks.every((track) => track.kind !== 'queue'), 'its queues are folded');
  const canvas = page.getByTestId('timeline-canvas');
  const row = log.tracks.find((track) => track.id === device.id);
  const colours = await canvas.evaluate((element, row) => {
    const ratio = element.width / element.clientWidth;
    const pixels = element.getContext('2d').getImageData(0, row.y * ratio, element.width, row.height * ratio).data;
    const seen = new Set();
    for (let at = 0; at < pixels.length; at += 4) seen.add(pixels.slice(at, at + 3).join());
    return seen.size;
  }, row);
  assert.ok(colours > 2, 'what ran is still to be seen');
});

test('the panel that opens at a selection does not cover the slice', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await page.setViewportSize({ width: 1440, height: 640 });
  await visit(page, server.timeline);
  await page.keyboard.press('e');
  const { height } = await canvasBox(page);
  const slices = (await drawLog(page)).slices.filter(({ count, id, y, h }) => count === 1 && id !== 2 ** 32 - 1 && y + h < height);
  const lowest = slices.reduce((one, other) => (other.y > one.y ? other : one));
  const { x, y } = await pointIn(page, lowest);
  await page.mouse.click(x, y);
  await page.getByTestId('details-name').waitFor();
  const seen = (await drawLog(page)).slices.find(({ id }) => id === lowest.id);
  const { height: lower } = await canvasBox(page);
  assert.ok(seen && seen.y + seen.h <= lower, `${JSON.stringify(seen)} in ${lower} of ${height}`);
  assert.deepEqual(complaints, []);
});
