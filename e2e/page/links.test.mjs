// A link shows exactly the sender's screen: the same picture, pixel by pixel.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canvasBox, chooseKernel, differingPixels, heatServer, idle, newContext, openPage, picture, visit } from './support.mjs';

/** Maximum number of differing pixels: a line of text may be shifted by a part of a pixel. */
const SMOOTHED_PIXELS = 300;

/** Scrolls the content under a point down, and waits for the browser, which scrolls after the wheel's event. */
async function scroll(page, [x, y], by) {
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, by);
  await page.waitForFunction(
    ([x, y, by]) => {
      let place = document.elementFromPoint(x, y);
      while (place && place.scrollTop === 0) place = place.parentElement;
      return place && place.scrollTop > Math.min(by, place.scrollHeight - place.clientHeight) - 1;
    },
    [x, y, by],
  );
}

/** Changes of a page that its address contains. */
const seen = {
  'a timeline that was zoomed, searched and dimmed': async (page) => {
    await chooseKernel(page);
    await page.keyboard.press('f');
    await page.keyboard.press('Shift+G');
    await page.getByTestId('search').fill('category:kernel');
    await page.getByTestId('dim').click();
    await page.mouse.move(0, 0);
  },
  'the area and how its table is sorted and filtered': async (page) => {
    await page.keyboard.press('e');
    await page.keyboard.press('Shift+B');
    await page.getByTestId('tab-area').click();
    await page.getByTestId('area-filter').fill('category:kernel or category:ur');
    await page.getByTestId('area-table').getByRole('button', { name: 'Count' }).click();
    await page.getByTestId('area-table').getByRole('button', { name: 'Count' }).click();
  },
  'kernels by count': async (page) => {
    await page.getByTestId('tab-kernels').click();
    await page.getByTestId('kernels').getByRole('button', { name: 'Executions' }).click();
  },
  'calls by p95': async (page) => {
    await page.keyboard.press('6');
    await page.getByTestId('calls-filter').fill('ur');
    await page.getByTestId('calls-by-name').getByRole('button', { name: 'p95' }).click();
  },
  'the log of calls, scrolled': async (page) => {
    await page.keyboard.press('6');
    await page.getByTestId('calls-log').click();
    await page.getByTestId('log-count').waitFor();
    await scroll(page, [500, 400], 4000);
  },
  'the flame graph of a thread, zoomed': async (page) => {
    await page.keyboard.press('6');
    await page.getByTestId('calls-flame').click();
    await page.getByTestId('flame-by-thread').check();
    await page.locator('.flame-box').first().waitFor();
    await idle(page);
    await page.locator('.flame-box').last().dblclick();
    await page.getByRole('button', { name: 'Zoom out' }).waitFor();
  },
  'a source file, scrolled': async (page) => {
    await page.keyboard.press('5');
    await page.getByTestId('source-lines').waitFor();
    await scroll(page, [800, 300], 150);
  },
};

for (const [what, act] of Object.entries(seen)) {
  test(`a link shows ${what}`, async (t) => {
    const server = await heatServer();
    const { browser, page, complaints } = await openPage(t);
    await visit(page, server.timeline);
    await act(page);
    await idle(page);
    await page.evaluate(() => document.activeElement?.blur());
    await page.mouse.move(0, 0);
    await idle(page);
    // Skip transitions, so that colours fading after the pointer left have their final values.
    const settled = { animations: 'disabled' };
    const sent = await page.screenshot(settled);
    const link = page.url();
    await picture(page, `link-${what.replaceAll(/\W+/g, '-')}`);

    const other = await (await newContext(t, browser)).newPage();
    await visit(other, link);
    await idle(other);
    await other.evaluate(() => document.activeElement?.blur());
    await idle(other);
    assert.equal(other.url(), link, 'the address stays');
    const differ = await differingPixels(browser, sent, await other.screenshot(settled));
    if (differ > SMOOTHED_PIXELS) await picture(other, `link-${what.replaceAll(/\W+/g, '-')}-opened`);
    assert.ok(differ <= SMOOTHED_PIXELS, `who opens ${link} sees something else: ${differ} pixels`);
    assert.deepEqual(complaints, []);
  });
}

test('back takes a zoomed flame graph out again, and forward in', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, `${server.timeline}?v=calls&cv=flame`);
  const boxes = page.locator('.flame-box');
  await boxes.first().waitFor();
  const all = await boxes.count();
  await boxes.last().dblclick();
  await idle(page);
  assert.match(page.url(), /cz=0;/);
  assert.ok((await boxes.count()) < all);
  await page.keyboard.press('Alt+ArrowLeft');
  await page.waitForFunction((all) => document.querySelectorAll('.flame-box').length === all, all);
  await page.keyboard.press('Alt+ArrowRight');
  await page.getByRole('button', { name: 'Zoom out' }).waitFor();
});

test('the calls and the log keep to the area that was chosen in the timeline', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, server.timeline);
  await chooseKernel(page);
  await page.keyboard.press('f');
  await idle(page);
  const box = await canvasBox(page);
  assert.ok(box.width > 0);
  await page.keyboard.press('Shift+B');
  await idle(page);
  const [from, to] = new URL(page.url()).searchParams.get('area').split(':')[0].split('-');
  await page.keyboard.press('6');
  await page.getByTestId('calls-log').click();
  await page.getByTestId('calls-range').waitFor();
  const asked = `slices?from=${from}&to=${to}&where=${encodeURIComponent('category:ur or category:native')}&limit=1`;
  const list = await server.ask(asked);
  await page.waitForFunction(
    (count) => document.querySelector('[data-testid=log-count]')?.textContent.startsWith(`${count} `),
    list.total.toLocaleString('en'),
  );
});
