// The bar at the top: at every width of the window, its parts are readable and don't overlap.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { idle, openPage, picture, scratch, serverOf, trace, visit } from './support.mjs';

/** Writes a recording without its end, which the header reports as a problem. */
function cutShort(t) {
  const bytes = fs.readFileSync(trace('heat'));
  const file = path.join(scratch(t), 'cut-short-by-a-crash-of-the-machine.pftrace');
  fs.writeFileSync(file, bytes.subarray(0, bytes.length * 0.7));
  return file;
}

/** Returns texts and controls of the header, with their places; without texts that do not fit. */
const parts = (page) =>
  page.locator('header').evaluate((header) => {
    const shown = [];
    for (const element of header.querySelectorAll('.mark svg, .mark-name, h1, .title-file, .view-switch button, .alert-button, .header-facts li, .quiet-button')) {
      const box = element.getBoundingClientRect();
      const list = element.closest('.header-facts')?.getBoundingClientRect();
      const isSeen = box.width > 0 && box.height > 0 && (!list || (box.bottom <= list.bottom + 1 && list.width > 0));
      // Text cut off by an ellipsis ends where its container ends.
      const around = element.closest('.title, .view-switch')?.getBoundingClientRect() ?? box;
      const right = Math.min(box.right, around.right);
      if (isSeen && right > box.left) shown.push({ name: element.textContent || element.className.baseVal || 'icon', left: box.left, right, top: box.top, bottom: box.bottom });
    }
    return { shown, width: innerWidth };
  });

test('at no width do parts of the header stand on each other', async (t) => {
  const server = await serverOf(cutShort(t));
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  for (const colorScheme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme });
    for (const width of [1920, 1440, 1300, 1200, 1100, 1024, 960, 900, 800, 720, 660, 620, 580, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await idle(page);
      const { shown } = await parts(page);
      const sorted = shown.sort((one, other) => one.left - other.left);
      for (const [index, part] of sorted.entries()) {
        assert.ok(part.right <= width, `${part.name} ends at ${part.right} of ${width}`);
        // In a narrow window the title is a line above the views.
        const next = sorted.slice(index + 1).find((other) => other.top < part.bottom - 0.5 && part.top < other.bottom - 0.5);
        if (next) assert.ok(part.right <= next.left + 0.5, `at ${width} ${part.name} reaches ${part.right}, ${next.name} begins at ${next.left}`);
      }
      if ([1440, 1100, 1024, 720].includes(width)) await picture(page, `header-${colorScheme}-${width}`);
    }
  }
  assert.deepEqual(complaints, []);
});

test('the views stand closer together before anything is left out', async (t) => {
  const server = await serverOf(cutShort(t));
  const { page } = await openPage(t);
  await visit(page, server.timeline);
  const paddings = [];
  for (const width of [1440, 1100, 720]) {
    await page.setViewportSize({ width, height: 800 });
    await idle(page);
    paddings.push(await page.getByTestId('view-timeline').evaluate((button) => getComputedStyle(button).paddingLeft));
  }
  assert.deepEqual(paddings, ['10px', '7px', '5px']);
});

test('an alert is read in full as long as there is room beside it', async (t) => {
  const server = await serverOf(cutShort(t));
  const { page } = await openPage(t);
  await visit(page, server.timeline);
  for (const width of [1440, 1100, 1024, 900, 800]) {
    await page.setViewportSize({ width, height: 800 });
    await idle(page);
    const words = page.getByTestId('alerts').locator('span');
    const { wide, room } = await words.evaluate((span) => {
      const range = document.createRange();
      range.selectNodeContents(span);
      return { wide: range.getBoundingClientRect().width, room: span.getBoundingClientRect().width };
    });
    assert.ok(wide <= room + 0.01, `at ${width} ${await words.innerText()} has ${room} of ${wide} pixels`);
  }
});
