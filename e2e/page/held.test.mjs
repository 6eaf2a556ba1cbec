// Held keys repeat their movements, in every view.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canvasBox, drawLog, heatServer, idle, openPage, pointIn, tap, visit, wideKernel } from './support.mjs';

/** Holds a key as a keyboard does: it goes down once, and repeats. */
async function hold(page, key, repeats) {
  for (let time = 0; time <= repeats; time += 1) await page.keyboard.down(key);
  await page.keyboard.up(key);
  await idle(page);
}

const span = (log) => log.end_ns - log.start_ns;

test('held keys move through the timeline, the memory and the graph', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);

  await visit(page, `${server.timeline}`);
  const before = await drawLog(page);
  await tap(page, 'w');
  const once = await drawLog(page);
  await page.keyboard.press('0');
  await idle(page);
  await page.keyboard.down('w');
  await page.waitForFunction(
    (wide) => {
      const log = JSON.parse(window.__syclscope.drawLog());
      return log.end_ns - log.start_ns < wide / 2;
    },
    span(once),
    { polling: 50 },
  );
  await page.keyboard.up('w');
  assert.ok(span(await drawLog(page)) < span(once) / 2 && span(once) < span(before));

  // The memory map: one press is a step, a held key moves on.
  await visit(page, `${server.timeline}?v=memory&mv=map`);
  const range = () => new URL(page.url()).searchParams.get('r')?.split('-').map(Number) ?? [0, Infinity];
  const wide = ([from, to]) => to - from;
  await page.keyboard.press('w');
  await idle(page);
  const step = wide(range());
  await hold(page, 'w', 12);
  assert.ok(wide(range()) < step * 0.7 * 0.5, `${wide(range())} of ${step}`);
  const [from] = range();
  const width = wide(range());
  await hold(page, 'd', 8);
  assert.ok(range()[0] - from > 0.15 * width * 1.5, 'it moved on to later times');

  // The graph: from node to node, and closer.
  await visit(page, `${server.timeline}?v=graph`);
  const graph = async () => JSON.parse(await page.evaluate(() => window.__syclscope.graphLog()));
  await page.keyboard.press('Home');
  await hold(page, '.', 3);
  const after = await graph();
  await page.keyboard.press('Home');
  await page.keyboard.press('.');
  await page.keyboard.press('.');
  await page.keyboard.press('.');
  await page.keyboard.press('.');
  await idle(page);
  assert.equal((await graph()).cursor, after.cursor, 'a repeat is a step');
  assert.deepEqual(complaints, []);
});

test('a held full stop goes along the lane, though the details of a slice come later', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  let wait;
  await page.route('**/slices/*', async (route) => {
    await wait;
    await route.continue();
  });
  await visit(page, server.timeline);
  await page.keyboard.press('e');
  const log = await drawLog(page);
  // The lane with most unmerged slices, so that there are slices to step to.
  const lanes = new Map();
  for (const slice of log.slices.filter(({ count }) => count === 1)) {
    const name = `${slice.track} ${slice.lane}`;
    lanes.set(name, [...(lanes.get(name) ?? []), slice]);
  }
  const lane = [...lanes.values()].reduce((one, other) => (other.length > one.length ? other : one)).sort((one, other) => one.x - other.x);
  const { x, y } = await page.getByTestId('timeline-canvas').boundingBox();
  const slice = lane.find((slice) => slice.w > 2) ?? lane[0];
  await page.mouse.click(x + slice.x + slice.w / 2, y + slice.y + slice.h / 2);
  await idle(page);
  const [from] = (await drawLog(page)).slices.filter(({ id }) => id === Number(new URL(page.url()).searchParams.get('s')));
  assert.equal(`${from.track} ${from.lane}`, `${slice.track} ${slice.lane}`);
  // Answers about slices are held back while the key is down.
  let goOn;
  wait = new Promise((resolve) => (goOn = resolve));
  const steps = 4;
  for (let step = 0; step < steps; step += 1) await page.keyboard.down('.');
  await page.keyboard.up('.');
  goOn();
  await idle(page);
  const ids = lane.map(({ id }) => id);
  const goal = Number(new URL(page.url()).searchParams.get('s'));
  const reached = (await drawLog(page)).slices.find(({ id }) => id === goal);
  assert.ok(reached, 'the slice is in sight');
  assert.equal(`${reached.track} ${reached.lane}`, `${slice.track} ${slice.lane}`, 'on the lane where it began');
  assert.ok(ids.indexOf(goal) > ids.indexOf(from.id), 'it went on');
  assert.deepEqual(complaints, []);
});

test('F fits a slice whose details come later', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  let goOn;
  const wait = new Promise((resolve) => (goOn = resolve));
  await page.route('**/slices/*', async (route) => {
    await wait;
    await route.continue();
  });
  await visit(page, server.timeline);
  await page.keyboard.press('e');
  const kernel = wideKernel(await drawLog(page));
  const { x, y } = await pointIn(page, kernel);
  await page.mouse.click(x, y);
  await page.waitForFunction((slice) => new URL(location).searchParams.get('s') === String(slice), kernel.id);
  await page.keyboard.press('f');
  goOn();
  const seen = (await drawLog(page)).slices.find(({ id }) => id === kernel.id);
  const { width } = await canvasBox(page);
  assert.ok(Math.abs(seen.w / width - 1 / 3) < 0.05, `${seen.w} of ${width}`);
  assert.deepEqual(complaints, []);
});

test('F fits the whole run if the selected slice can not be loaded', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('0');
  const whole = await drawLog(page);
  await visit(page, `${server.timeline}?s=4000000000&r=0-1000000`);
  await page.keyboard.press('f');
  const log = await drawLog(page);
  assert.deepEqual([log.start_ns, log.end_ns], [whole.start_ns, whole.end_ns]);
});
