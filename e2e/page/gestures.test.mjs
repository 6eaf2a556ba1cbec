// Hints about gestures stay below their canvas until the user closes them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canvasBox, chooseKernel, drawLog, heatServer, idle, openPage, picture, visit } from './support.mjs';

test('every canvas says what the pointer does on it, until the hint is closed', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  for (const [view, words] of [
    ['timeline', ['Ctrl', 'wheel', 'zoom', 'double click', 'right click']],
    ['graph', ['drag', 'unfold']],
    ['memory', ['Shift', 'click', 'compare']],
  ]) {
    await visit(page, `${server.timeline}?v=${view}`);
    const hint = page.getByTestId('gestures');
    const text = await hint.innerText();
    for (const word of words) assert.ok(text.includes(word), `${word} in the ${view}'s ${text}`);
    assert.equal(await hint.evaluate((it) => it.scrollWidth <= it.clientWidth), true, `nothing of ${view}'s is cut`);
    const [line, canvas] = [await hint.boundingBox(), await page.locator('canvas').first().boundingBox()];
    assert.ok(line.y >= canvas.y + canvas.height - 1, `that of the ${view} lies over nothing`);
  }
  await visit(page, server.timeline);
  await picture(page, 'gestures');
  const before = (await page.locator('canvas').first().boundingBox()).height;
  await page.getByTestId('gestures-close').click();
  await idle(page);
  assert.ok((await page.locator('canvas').first().boundingBox()).height > before, 'its room is the canvas\'s');
  assert.equal(await page.getByTestId('gestures').count(), 0);
  await visit(page, server.timeline);
  assert.equal(await page.getByTestId('gestures').count(), 0, 'it stays closed in this browser');
  await visit(page, `${server.timeline}?v=graph`);
  assert.equal(await page.getByTestId('gestures').count(), 1, 'that of another view is still news');
  assert.deepEqual(complaints, []);
});

test('who knows Perfetto has its drag and its keys', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('?');
  await page.getByTestId('drag-selects').check();
  await page.keyboard.press('Escape');
  await page.keyboard.press('e');
  const { start_ns } = await drawLog(page);
  const drag = async () => {
    const box = await canvasBox(page);
    await page.mouse.move(box.x + 300, box.y + 150);
    await page.mouse.down();
    await page.mouse.move(box.x + 500, box.y + 170, { steps: 3 });
    await page.mouse.up();
    await idle(page);
  };
  await drag();
  assert.match(page.url(), /[?&]area=/);
  assert.equal((await drawLog(page)).start_ns, start_ns);
  await page.keyboard.press('Escape');
  await page.keyboard.down('Shift');
  await drag();
  await page.keyboard.up('Shift');
  assert.ok((await drawLog(page)).start_ns < start_ns, 'with Shift it moves');
  assert.doesNotMatch(page.url(), /[?&]area=/);

  // M measures the selection, Q closes and opens its details, Ctrl+K opens the palette.
  await chooseKernel(page);
  await page.keyboard.press('m');
  await page.getByTestId('measured').waitFor();
  await page.keyboard.press('q');
  assert.equal(await page.getByTestId('panel').isVisible(), false);
  await page.keyboard.press('q');
  await idle(page);
  assert.equal(await page.getByTestId('panel').isVisible(), true);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  assert.deepEqual(complaints, []);
});

test('a drag ends with its canvas', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('e');
  const box = await canvasBox(page);
  await page.mouse.move(box.x + 300, box.y + 150);
  await page.mouse.down();
  await page.mouse.move(box.x + 320, box.y + 150, { steps: 3 });
  await page.keyboard.press('1');
  await page.getByTestId('summary').waitFor();
  await page.mouse.up();
  await page.keyboard.press('2');
  const { start_ns } = await drawLog(page);
  await page.mouse.move(box.x + 500, box.y + 150, { steps: 3 });
  assert.equal((await drawLog(page)).start_ns, start_ns);
  assert.deepEqual(complaints, []);
});

test('two fingers zoom the timeline, and one moves it', async (t) => {
  const server = await heatServer();
  const { page, context, complaints } = await openPage(t, { hasTouch: true, viewport: { width: 390, height: 844 } });
  await visit(page, server.timeline);
  assert.match(await page.getByTestId('gestures').innerText(), /two fingers/);
  assert.doesNotMatch(await page.getByTestId('gestures').innerText(), /Ctrl|wheel/);
  await page.getByTestId('fit-device').click();
  const before = await drawLog(page);
  const box = await canvasBox(page);
  const y = box.y + 150;
  const middle = box.x + box.width / 2;
  const session = await context.newCDPSession(page);
  const touch = (type, ...xs) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: xs.map((x, id) => ({ x, y, id })) });
  await touch('touchStart', middle - 30);
  await touch('touchStart', middle - 30, middle + 30);
  for (const by of [40, 50, 60]) await touch('touchMove', middle - by, middle + by);
  await touch('touchEnd');
  const zoomed = await drawLog(page);
  const spans = [before, zoomed].map((log) => log.end_ns - log.start_ns);
  assert.ok(Math.abs(spans[0] / spans[1] - 2) < 0.1, `${spans}`);
  const centre = (log) => (log.start_ns + log.end_ns) / 2;
  assert.ok(Math.abs(centre(before) - centre(zoomed)) < spans[1] / 20, 'what is between the fingers stays there');
  await touch('touchStart', middle);
  for (const by of [20, 60, 100]) await touch('touchMove', middle + by);
  await touch('touchEnd');
  await page.waitForFunction((start) => JSON.parse(window.__syclscope.drawLog()).start_ns < start, zoomed.start_ns);
  assert.deepEqual(complaints, []);
});
