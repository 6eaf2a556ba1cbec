// The page on paper.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heatServer, idle, openPage, picture, visit } from './support.mjs';

test('a summary is printed whole, and what was painted dark is light on paper', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t, { viewport: { width: 1040, height: 740 } });
  await visit(page, `${server.timeline}?v=summary`);
  await page.emulateMedia({ media: 'print' });
  const [cards, room] = await page.evaluate(() =>
    ['.cards', '.workbench'].map((name) => document.querySelector(name).getBoundingClientRect().bottom));
  assert.ok(cards > 740 && room >= cards, `${cards} of ${room}`);
  await page.emulateMedia({ media: null });
  await page.keyboard.press('2');
  await page.getByTestId('timeline-canvas').waitFor();
  await idle(page);
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  const filter = await page.getByTestId('timeline-canvas').evaluate((canvas) => getComputedStyle(canvas).filter);
  assert.match(filter, /invert/);
  await picture(page, 'print-timeline');
  assert.deepEqual(complaints, []);
});
