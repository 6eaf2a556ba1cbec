// Hints of gestures: where they can be used, until somebody closes them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heatServer, idle, openPage, picture, visit } from './support.mjs';

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
