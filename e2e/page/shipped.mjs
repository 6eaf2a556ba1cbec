// The users' page: it has no hooks for tests, and works like the page with hooks. The content of a canvas can't be read
// here; its `aria-busy` shows when it is complete. Run by `cargo xtask test --only release`, since the other tests need
// no optimised program.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage, picture, startServer, store, trace } from './support.mjs';

/** Starts a server with the program's own page and the C++ example; returns the address of its timeline. */
async function shipped(t) {
  const server = await startServer(t, null);
  const { id } = await store(server, trace('heat'));
  return `${server.origin}/t/${id}`;
}

/** Waits until a canvas is complete on screen, and returns its number of colours. */
async function coloursOf(page, canvas) {
  await page.locator(`[data-testid=${canvas}][aria-busy=false]`).waitFor();
  return page.getByTestId(canvas).evaluate((element) => {
    const { data } = element.getContext('2d').getImageData(0, 0, element.width, element.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
}

test('the page of the program has no hooks, draws every view, and answers keys', async (t) => {
  const timeline = await shipped(t);
  const { page, complaints } = await openPage(t);
  await page.goto(timeline);
  assert.ok((await coloursOf(page, 'timeline-canvas')) > 10);
  assert.equal(await page.evaluate(() => window.__syclscope), undefined);
  assert.match(await page.getByTestId('tracks').innerText(), /queue 1/);
  await picture(page, 'shipped-timeline');

  await page.keyboard.press('3');
  assert.ok((await coloursOf(page, 'graph-canvas')) > 10);
  await page.keyboard.press('4');
  assert.ok((await coloursOf(page, 'memory-chart')) > 5);
  await page.keyboard.press('Control+p');
  await page.getByTestId('palette').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.getByTestId('help').waitFor();
  assert.deepEqual(complaints, []);
});

test('the memory chart is busy until its first answer is on it', async (t) => {
  const timeline = await shipped(t);
  const { page } = await openPage(t);
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route(/memory_use/, async (route) => {
    await held;
    await route.continue();
  });
  await page.addInitScript(() => {
    window.saidBusy = [];
    const said = (all) => all.filter(({ target }) => target.dataset?.testid === 'memory-chart');
    new MutationObserver((all) => window.saidBusy.push(...said(all).map(({ target }) => target.getAttribute('aria-busy')))).observe(
      document,
      { subtree: true, attributeFilter: ['aria-busy'] },
    );
  });
  const asked = page.waitForRequest(/memory_use/);
  await page.goto(`${timeline}?v=memory`);
  await asked;
  assert.deepEqual(await page.evaluate(() => window.saidBusy), []);
  release();
  assert.ok((await coloursOf(page, 'memory-chart')) > 5);
});

test('a link opens its range and its selection in the page of the program', async (t) => {
  const timeline = await shipped(t);
  const { page, complaints } = await openPage(t);
  // A copy out of a buffer, with a millisecond around it.
  await page.goto(`${timeline}?r=271000000-272000000&s=68`);
  assert.ok((await coloursOf(page, 'timeline-canvas')) > 10);
  assert.equal(await page.getByTestId('details-name').innerText(), 'copy acc to ptr');
  assert.match(page.url(), /r=271000000-272000000&s=68$/);
  assert.deepEqual(complaints, []);
});
