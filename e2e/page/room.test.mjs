// Narrow windows and large text: nothing lies over anything else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demoServer, idle, openPage, picture, visit } from './support.mjs';

/** Pairs of controls that overlap, and controls that stick out of the window. */
const clashes = (page, selector) =>
  page.evaluate((selector) => {
    const boxes = [...document.querySelectorAll(selector)]
      .filter((element) => element.checkVisibility() && element.getClientRects().length > 0)
      .map((element) => ({ name: element.ariaLabel ?? element.textContent, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 1 && box.height > 1);
    const out = boxes.filter(({ box }) => box.right > innerWidth + 1 || box.left < -1).map(({ name }) => `${name} sticks out`);
    for (const [place, one] of boxes.entries())
      for (const other of boxes.slice(place + 1)) {
        const [a, b] = [one.box, other.box];
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
          out.push(`${one.name} and ${other.name}`);
      }
    return out;
  }, selector);

for (const [width, scale] of [[1440, 100], [900, 100], [1440, 200], [1280, 150]]) {
  test(`a window of ${width} pixels has room for everything with text at ${scale} %`, async (t) => {
    const server = await demoServer(t);
    const { page } = await openPage(t, { viewport: { width, height: 900 } });
    await page.addInitScript((scale) => localStorage.setItem('syclscope.text-scale', String(scale)), scale);
    await visit(page, server.timeline);
    await idle(page);
    await picture(page, `room-${width}-${scale}`);
    assert.deepEqual(await clashes(page, 'header a, header button'), []);
    assert.deepEqual(await clashes(page, '.timeline-toolbar button, .timeline-toolbar input, .timeline-toolbar summary'), []);
    // A track's name is not taller than its row.
    const cut = await page.locator('[data-testid=track]').evaluateAll((labels) =>
      labels
        .filter((label) => label.querySelector('.track-name').scrollHeight > label.clientHeight)
        .map((label) => label.innerText),
    );
    assert.deepEqual(cut, []);
  });
}
