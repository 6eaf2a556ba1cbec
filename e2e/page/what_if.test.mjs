// The schedule of the what-if panel: the recorded run and the predicted one on one axis of time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heatServer, idle, openPage, picture, visit } from './support.mjs';

const QUESTION = 'what_if?kernel=diffuse_band&faster=10&copies=0&schedule=1';
const WISH = 'v=graph&gs=whatif&gwk=diffuse_band&gwf=10&gwc=1';

async function openSchedule(test, server, { options = { viewport: { width: 1440, height: 1400 } }, query = '' } = {}) {
  const opened = await openPage(test, options);
  await visit(opened.page, `${server.timeline}?${WISH}${query}`);
  await opened.page.getByTestId('what-if-canvas').scrollIntoViewIfNeeded();
  await idle(opened.page);
  return opened;
}

const box = (page) => page.getByTestId('what-if-canvas').boundingBox();

/**
 * Returns the visible time from the address. The opening range, from the first command on, is not in the address, and
 * counts as the whole.
 */
async function range(page, whole) {
  await idle(page);
  const part = new URL(page.url()).searchParams.get('gws');
  return part && part !== 'all' ? part.split('-').map(Number) : [0, whole];
}

/** Requests the schedule; also returns the duration that the panel shows when it shows everything. */
async function asked(server) {
  const answer = await server.ask(QUESTION);
  return { ...answer, whole: Math.max(answer.recorded_ns, answer.changed_path_ns) * 1.01 };
}

const counts = (rows) => rows.map((row) => Number(row.match(/: ([\d,]+) commands?/)[1].replaceAll(',', '')));

test('the predicted schedule lies below the recorded one, and a reader is told what each row has', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openSchedule(t, server);
  const { schedule } = await asked(server);
  assert.ok(schedule.queues.length > 0);
  const rows = await page.getByTestId('what-if-rows').locator('li').allTextContents();
  const expected = schedule.queues.flatMap(({ name, recorded, predicted }) =>
    [['recorded', recorded], ['predicted', predicted]].map(([what, pieces]) => {
      const count = pieces.reduce((sum, piece) => sum + piece.count, 0);
      return `${name}, ${what}: ${count.toLocaleString('en-US')} ${count === 1 ? 'command' : 'commands'}`;
    }),
  );
  assert.deepEqual(rows, expected);
  assert.match(await page.getByTestId('what-if-schedule').innerText(), /Ends: recorded .* ms, predicted .* ms\./);
  await picture(page, 'what-if');
  assert.deepEqual(complaints, []);
});

test('wheel, drag and keys move both runs on their one axis, and a link keeps the part', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openSchedule(t, server, { query: '&gws=all' });
  const { whole } = await asked(server);
  const place = await box(page);
  const at = (share) => [place.x + place.width * share, place.y + 10];
  // Zooming keeps the time at the pointer in place.
  await page.mouse.move(...at(0.25));
  await page.keyboard.down('Control');
  for (let turn = 0; turn < 3; turn += 1) await page.mouse.wheel(0, -400);
  await page.keyboard.up('Control');
  const zoomed = await range(page, whole);
  assert.ok(zoomed[1] - zoomed[0] < whole / 10, `${zoomed}`);
  const under = zoomed[0] + (zoomed[1] - zoomed[0]) * 0.25;
  assert.ok(Math.abs(under - whole * 0.25) < (whole / place.width) * 2, `${under} within two pixels of ${whole * 0.25}`);
  await page.mouse.down();
  await page.mouse.move(...at(0.35));
  await page.mouse.move(...at(0.75));
  await page.mouse.up();
  const dragged = await range(page, whole);
  const span = zoomed[1] - zoomed[0];
  assert.ok(Math.abs(dragged[0] - (zoomed[0] - span / 2)) < span * 0.02, `${dragged} after ${zoomed}`);
  await page.getByTestId('what-if-canvas').focus();
  const graph = page.url().match(/gv=[^&]*/)?.[0];
  const steps = {};
  for (const key of ['d', 'ArrowRight', 'a', 'ArrowLeft', 'w', 's', '+', '-']) {
    const before = await range(page, whole);
    await page.keyboard.press(key);
    const after = await range(page, whole);
    steps[key] = [after[0] - before[0], (after[1] - after[0]) / (before[1] - before[0])];
  }
  for (const key of ['d', 'ArrowRight']) assert.ok(steps[key][0] > 0 && Math.abs(steps[key][1] - 1) < 1e-3, `${key}: ${steps[key]}`);
  for (const key of ['a', 'ArrowLeft']) assert.ok(steps[key][0] < 0 && Math.abs(steps[key][1] - 1) < 1e-3, `${key}: ${steps[key]}`);
  for (const key of ['w', '+']) assert.ok(steps[key][1] < 0.9, `${key}: ${steps[key]}`);
  for (const key of ['s', '-']) assert.ok(steps[key][1] > 1.1, `${key}: ${steps[key]}`);
  assert.equal(page.url().match(/gv=[^&]*/)?.[0], graph, 'the drawing beside it stays');
  const part = await range(page, whole);
  await page.reload();
  await page.getByTestId('what-if-canvas').waitFor();
  assert.deepEqual(await range(page, whole), part);
  await page.getByTestId('what-if-canvas').focus();
  await page.keyboard.press('f');
  assert.deepEqual(await range(page, whole), [0, whole]);
  await page.goBack();
  assert.deepEqual(await range(page, whole), part);
  await page.getByTestId('what-if-canvas').dblclick({ position: { x: 40, y: 8 } });
  assert.deepEqual(await range(page, whole), [0, whole]);
  assert.deepEqual(complaints, []);
});

test('a closer look has more detail: single commands with their names and times', async (t) => {
  const server = await heatServer();
  const { schedule } = await asked(server);
  const { column_ns } = schedule;
  const column = ({ from_ns }) => Math.floor(from_ns / column_ns);
  // The longest command that is one of several in a bar of the whole run.
  const queue = schedule.queues.findIndex(({ recorded }) => recorded.some(({ count }) => count > 1));
  const bar = schedule.queues[queue].recorded.filter(({ count }) => count > 1).sort((one, other) => other.count - one.count)[0];
  const close = (await server.ask(`${QUESTION}&schedule_from=${bar.from_ns}&schedule_to=${bar.to_ns}&columns=1000`)).schedule;
  const own = close.queues[queue].recorded.filter((piece) => column(piece) === column(bar));
  assert.ok(own.length > 1, 'more detail than in the whole run');
  const length = ({ from_ns, to_ns }) => to_ns - from_ns;
  const single = own.filter(({ count }) => count === 1).sort((one, other) => length(other) - length(one))[0];
  const [from, to] = [Math.max(single.from_ns - length(single), 0), single.to_ns + length(single)];
  const { page, complaints } = await openSchedule(t, server, { query: `&gws=${from}-${to}` });
  const rows = await page.getByTestId('what-if-rows').locator('li').allTextContents();
  const all = schedule.queues[queue].recorded.reduce((sum, { count }) => sum + count, 0);
  const visible = counts(rows)[queue * 2];
  assert.ok(visible >= 1 && visible < all, `${visible} of ${all}`);
  const place = await box(page);
  const x = ((single.from_ns + single.to_ns) / 2 - from) / (to - from) * place.width;
  // The ruler is 20 pixels high, then each queue has a name of 19 pixels and two rows of 13.
  const y = 20 + queue * 46 + 19 + 6;
  await page.mouse.move(place.x + x, place.y + y);
  const tooltip = page.getByTestId('what-if-tooltip');
  await tooltip.waitFor();
  const text = await tooltip.innerText();
  assert.ok(text.startsWith(close.names[single.name]), text);
  assert.ok(text.includes(`${schedule.queues[queue].name}, recorded`), text);
  assert.doesNotMatch(text, /the longest/);
  // A click selects the command everywhere.
  await page.mouse.click(place.x + x, place.y + y);
  await idle(page);
  assert.match(page.url(), new RegExp(`[?&]s=n${single.node}(&|$)`));
  assert.deepEqual(complaints, []);
});

test('keys go from command to command and between the rows, and a reader hears of each', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openSchedule(t, server);
  await page.getByTestId('what-if-canvas').focus();
  const spoken = page.locator('#what-if-spoken');
  const heard = async (key) => {
    await page.keyboard.press(key);
    await idle(page);
    return spoken.textContent();
  };
  const first = await heard('.');
  assert.match(first, /, recorded$/);
  assert.equal(await page.getByTestId('what-if-tooltip').count(), 1);
  const second = await heard('.');
  assert.notEqual(second, first);
  assert.equal(await heard(','), first);
  assert.match(await heard('ArrowDown'), /, predicted$/);
  assert.equal(await heard('Escape'), '');
  assert.equal(await page.getByTestId('what-if-tooltip').count(), 0);
  assert.deepEqual(complaints, []);
});

test('two fingers zoom the schedule of a phone', async (t) => {
  const server = await heatServer();
  const { page, context, complaints } = await openSchedule(t, server, {
    query: '&gws=all',
    options: { hasTouch: true, viewport: { width: 390, height: 844 } },
  });
  const { whole } = await asked(server);
  const place = await box(page);
  const middle = place.x + place.width / 2;
  const y = place.y + 30;
  const session = await context.newCDPSession(page);
  const touch = (type, ...xs) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: xs.map((x, id) => ({ x, y, id })) });
  await touch('touchStart', middle - 20);
  await touch('touchStart', middle - 20, middle + 20);
  for (const by of [25, 30, 40]) await touch('touchMove', middle - by, middle + by);
  await touch('touchEnd');
  const [start, end] = await range(page, whole);
  assert.ok(Math.abs(whole / (end - start) - 2) < 0.1, `${start} to ${end} of ${whole}`);
  assert.deepEqual(complaints, []);
});
