// Tracks of memory objects in the timeline: shown on demand, kept in the address, with links to slices.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawLog, heatServer, idle, openPage, picture, pointIn, serverOf, trace, visit } from './support.mjs';

const OBJECT_IDS = 3 * 2 ** 30;

/** Returns a buffer that is copied and used. */
async function usedBuffer(server) {
  const { objects } = await server.ask('objects?what=buffer&limit=1000');
  return objects.find((item) => item.copied_in.count > 0 && item.commands > 3);
}

const onLane = (log, id) => log.slices.filter((slice) => slice.track === OBJECT_IDS + id);

/** Clicks a slice of the draw log. */
async function choose(page, slice) {
  const { x, y } = await pointIn(page, slice);
  await page.mouse.click(x, y);
  await idle(page);
}

test('an object has a track of its own on demand, which leads to its slices and stays in the address', async (t) => {
  const server = await heatServer();
  const { page, context, complaints } = await openPage(t);
  const buffer = await usedBuffer(server);
  const life = await server.ask(`objects/${buffer.id}?limit=10000`);
  const answers = [];
  page.on('response', (response) => {
    if (/\/(objects|tiles\/object)\//.test(response.url())) answers.push(response.body().catch(() => ''));
  });

  // From the table of objects.
  await visit(page, `${server.timeline}?v=memory&mv=objects`);
  const row = page.locator('.long-row', { has: page.getByRole('button', { name: `Buffer ${buffer.object}`, exact: true }) });
  await row.getByRole('button', { name: 'Show track' }).click();
  await page.getByTestId('timeline').waitFor();
  await idle(page);
  assert.match(page.url(), new RegExp(`[?&]ob=${buffer.id}(&|$)`));
  const tracks = page.getByTestId('tracks').getByTestId('track');
  assert.match(await tracks.first().innerText(), /Objects/);
  assert.match(await tracks.nth(1).innerText(), new RegExp(`Buffer ${buffer.object}`));

  // The drawn uses are the events of the object's history.
  await page.keyboard.press('e');
  let log = await drawLog(page);
  const touches = life.events.filter((event) => !['made', 'allocated', 'released', 'gone'].includes(event.kind));
  const slices = new Set(touches.map((event) => event.at?.slice).filter((slice) => slice !== undefined));
  const inSight = onLane(log, buffer.id);
  const uses = inSight.filter((slice) => slice.lane > 0);
  assert.equal(uses.reduce((sum, slice) => sum + slice.count, 0), slices.size, 'every use is there, alone or with others');
  assert.ok(uses.every((slice) => slice.id === 2 ** 32 - 1 || slices.has(slice.id)));
  assert.deepEqual([...new Set(touches.map((event) => event.kind))].sort(), ['copy_in', 'copy_out', 'read', 'write']);
  assert.ok(uses.some((slice) => slice.touch === 'copied in'), JSON.stringify(uses));
  await idle(page);
  const bytes = (await Promise.all(answers)).reduce((sum, answer) => sum + answer.length, 0);
  assert.ok(bytes > 0 && bytes < 64_000, `${bytes} bytes were fetched for the track`);
  await picture(page, 'object-track-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await idle(page);
  await picture(page, 'object-track-light');
  await page.emulateMedia({ colorScheme: 'dark' });

  // A slice of the track is the command's slice.
  const first = uses.filter((slice) => slice.count === 1 && slice.id !== 2 ** 32 - 1).sort((one, other) => one.x - other.x)[0];
  const { x, y } = await pointIn(page, first);
  await page.mouse.move(x, y);
  await idle(page);
  assert.match(await page.getByTestId('tooltip').innerText(), new RegExp(first.touch));
  await choose(page, first);
  assert.match(page.url(), new RegExp(`[?&]s=${first.id}(&|$)`));
  assert.equal((await drawLog(page)).selected, first.id);
  await page.getByTestId('details-name').waitFor();
  // Keys walk on the object's lane, not on the queue's.
  await page.keyboard.press('.');
  log = await drawLog(page);
  const after = onLane(log, buffer.id).find((slice) => slice.id === log.selected && slice.lane === first.lane);
  assert.ok(after && after.id !== first.id, 'the next one is on the same lane');
  // The track's slices as a table.
  await page.keyboard.press('Shift+B');
  await idle(page);
  await page.getByTestId('area-length').waitFor();
  assert.match(await page.getByTestId('area-length').innerText(), /1 track/);
  await page.waitForFunction(() => /slice/.test(document.querySelector('[data-testid=area-total]')?.textContent));
  const total = await page.getByTestId('area-total').innerText();
  const listed = await server.ask(`select?objects=${buffer.id}&from=${Math.floor(log.start_ns)}&to=${Math.ceil(log.end_ns)}`);
  assert.ok(total.startsWith(`${listed.total.count} slice`), `${total}: ${listed.total.count}`);

  // A click on the object's life selects the object.
  const label = await tracks.nth(1).boundingBox();
  const lane = log.tracks.find((track) => track.id === OBJECT_IDS + buffer.id);
  const canvas = await page.getByTestId('timeline-canvas').boundingBox();
  const px = (ns) => canvas.x + ((ns - log.start_ns) / (log.end_ns - log.start_ns)) * log.width;
  const from = Math.max(px(buffer.made_ns), canvas.x);
  const to = Math.min(px(buffer.gone_ns), canvas.x + canvas.width);
  const calls = onLane(log, buffer.id).filter((slice) => slice.lane === 0);
  const free = Array.from({ length: 200 }, (_, step) => from + ((to - from) * (step + 0.5)) / 200).find(
    (x) => !calls.some((call) => x > canvas.x + call.x - 6 && x < canvas.x + call.x + call.w + 6),
  );
  await page.mouse.click(free, canvas.y + lane.y + 12);
  await idle(page);
  assert.match(page.url(), new RegExp(`[?&]s=o${buffer.object}(&|$)`));
  assert.ok(label.height >= 40, 'a lane for its memory and one for its uses');

  // A link opens the same.
  const told = (log) => onLane(log, buffer.id).map(({ x, y, w, h, id, touch }) => ({ x, y, w, h, id, touch }));
  const here = await drawLog(page);
  const other = await context.newPage();
  await visit(other, page.url());
  assert.deepEqual(told(await drawLog(other)), told(here));
  await other.close();

  // The track's menu removes it; Back restores it.
  await tracks.nth(1).hover();
  await tracks.nth(1).getByTestId('track-hide').click();
  await idle(page);
  assert.doesNotMatch(page.url(), /[?&]ob=/);
  assert.equal(onLane(await drawLog(page), buffer.id).length, 0);
  await page.keyboard.press('Alt+ArrowLeft');
  await page.waitForFunction(() => /[?&]ob=/.test(location.href));
  assert.deepEqual(told(await drawLog(page)).length, told(here).length);
  assert.deepEqual(complaints, []);
});

test('keys pass over uses of an object that have no slice', async (t) => {
  const server = await serverOf(trace('transfers'));
  const { page, complaints } = await openPage(t);
  // A host accessor without a call, and right after it a fill.
  const { events } = await server.ask('objects/0?limit=1000');
  const read = events.find((event) => event.kind === 'read' && !event.at);
  const fill = events.find((event) => event.kind === 'fill');
  assert.ok(read.start_ns < fill.start_ns);
  await visit(page, `${server.timeline}?ob=0&r=${read.start_ns - 100_000}-${fill.end_ns + 100_000}`);
  const uses = onLane(await drawLog(page), 0).filter((slice) => slice.lane > 0 && slice.count === 1);
  assert.ok(uses.some((slice) => slice.id === 2 ** 32 - 1), JSON.stringify(uses));
  await choose(page, uses.find((slice) => slice.id === fill.at.slice));
  await page.keyboard.press(',');
  assert.equal((await drawLog(page)).selected, fill.at.slice);
  await page.getByTestId('details-name').waitFor();
  assert.deepEqual(complaints, []);
});

test('the details and the palette give the selected object a track, and a step back takes it', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const buffer = await usedBuffer(server);
  const { objects } = await server.ask('objects?what=device.shared.host&limit=10');
  await visit(page, `${server.timeline}?s=o${buffer.object}&p=selection`);
  await page.getByTestId('show-lane').click();
  await idle(page);
  assert.match(page.url(), new RegExp(`[?&]ob=${buffer.id}(&|$)`));
  await page.keyboard.press('Alt+ArrowLeft');
  await page.waitForFunction(() => !/[?&]ob=/.test(location.href));
  await idle(page);
  assert.equal(onLane(await drawLog(page), buffer.id).length, 0);
  await page.keyboard.press('Control+p');
  await page.locator('.palette-input').fill('memory object on its own track');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => /[?&]ob=/.test(location.href));
  await idle(page);
  assert.ok(onLane(await drawLog(page), buffer.id).length > 0);
  // USM beside the buffer, and the group of both in one line.
  await visit(page, `${server.timeline}?s=a${objects[0].memory[0].allocation}&ob=${buffer.id}`);
  await page.getByTestId('timeline-canvas').focus();
  await page.keyboard.press('o');
  await page.waitForFunction((id) => location.href.includes(`.${id}`), objects[0].id);
  await idle(page);
  const group = page.getByTestId('tracks').getByTestId('track').first();
  await group.click();
  await idle(page);
  const log = await drawLog(page);
  assert.ok(log.slices.some((slice) => slice.touch), 'collapsed, their uses still show');
  await picture(page, 'object-tracks-collapsed');
  await group.hover();
  await group.getByTestId('track-hide').click();
  await idle(page);
  assert.doesNotMatch(page.url(), /[?&]ob=/);
  assert.deepEqual(complaints, []);
});

test('a file of this computer has tracks of objects too', async (t) => {
  const server = await heatServer();
  const buffer = await usedBuffer(server);
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.origin}/`);
  await page.getByTestId('local-input').setInputFiles(trace('heat'));
  await page.getByTestId('timeline-canvas').waitFor();
  await idle(page);
  await page.keyboard.press('4');
  await page.getByTestId('memory-view').waitFor();
  await page.getByRole('button', { name: 'Objects', exact: true }).click();
  const row = page.locator('.long-row', { has: page.getByRole('button', { name: `Buffer ${buffer.object}`, exact: true }) });
  await row.getByRole('button', { name: 'Show track' }).click();
  await page.getByTestId('timeline').waitFor();
  await idle(page);
  await page.keyboard.press('e');
  assert.ok(onLane(await drawLog(page), buffer.id).some((slice) => slice.touch && slice.lane > 0));
  assert.deepEqual(complaints, []);
});
