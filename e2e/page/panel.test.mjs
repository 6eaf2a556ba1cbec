// The panel below the views: it closes, keeps its height, and does not repeat a view.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseKernel, drawLog, heatServer, idle, openPage, picture, pointIn, serverOf, trace, visit, wideKernel } from './support.mjs';

const height = async (page) => (await page.locator('section.panel').boundingBox()).height;

test('the panel closes to its tabs, and the browser and links remember it', async (t) => {
  const server = await heatServer();
  const { page, context, complaints } = await openPage(t);
  // The panel opens for a selection, and closes with it.
  await visit(page, server.timeline);
  assert.ok((await height(page)) < 45, 'nothing is selected');
  await chooseKernel(page);
  assert.equal(await page.getByTestId('details').isVisible(), true);
  await page.keyboard.press('Escape');
  await idle(page);
  assert.ok((await height(page)) < 45);
  await visit(page, `${server.timeline}?pc=0`);
  const open = await height(page);
  const room = (await page.getByTestId('workbench').boundingBox()).height;
  await page.getByTestId('close-panel').click();
  await idle(page);
  const closed = await height(page);
  assert.ok(closed < 45 && open > 200, `${open} closed to ${closed}`);
  assert.ok((await page.getByTestId('workbench').boundingBox()).height >= room + open - closed - 1, 'the view has its room');
  assert.equal(await page.getByTestId('panel').isVisible(), false);
  await page.waitForFunction(() => location.search.includes('pc=1'));
  await picture(page, 'panel-closed');

  // The panel stays closed for another page in the same browser, and in another browser by the link.
  const other = await context.newPage();
  await visit(other, server.timeline);
  assert.ok((await height(other)) < 45);
  const { page: received } = await openPage(t);
  await visit(received, page.url());
  assert.ok((await height(received)) < 45);

  // A selection does not open a panel closed by hand. A tab opens the panel, a key closes and opens it.
  await chooseKernel(page);
  assert.ok((await height(page)) < 45);
  await page.getByTestId('tab-selection').click();
  await page.getByTestId('details').waitFor();
  await page.getByTestId('timeline-canvas').focus();
  await page.keyboard.press('v');
  assert.equal(await page.getByTestId('panel').isVisible(), false);
  await page.keyboard.press('v');
  await idle(page);
  assert.equal(await page.getByTestId('panel').isVisible(), true);

  // Opened by hand, it stays open without a selection. Closed by hand, it stays closed for an area.
  await page.keyboard.press('Escape');
  await idle(page);
  assert.equal(await page.getByTestId('panel').isVisible(), true);
  await page.keyboard.press('v');
  await page.keyboard.press('Shift+B');
  await idle(page);
  assert.match(page.url(), /[?&]area=/);
  assert.equal(await page.getByTestId('panel').isVisible(), false);
  await page.getByTestId('tab-area').click();
  await page.getByTestId('area-table').waitFor();

  // A link that names a tab shows it.
  await page.getByTestId('close-panel').click();
  await visit(page, `${server.timeline}?p=recording`);
  assert.equal(await page.getByTestId('recording').isVisible(), true);
  assert.deepEqual(complaints, []);
});

test('the panel is as high as it was left', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, `${server.timeline}?pc=0`);
  const before = await height(page);
  const border = page.getByRole('separator', { name: 'Panel height' });
  const box = await border.boundingBox();
  await page.mouse.move(box.x + 300, box.y + 2);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, box.y - 98, { steps: 3 });
  await page.mouse.up();
  const after = await height(page);
  assert.ok(Math.abs(after - before - 100) < 3, `${after} after ${before}`);
  await visit(page, `${server.timeline}?pc=0`);
  assert.equal(await height(page), after);
});

test('beside the summary, which lists the kernels, the panel does not list them again', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?pc=0`);
  assert.equal(await page.getByTestId('kernels').isVisible(), true);
  await page.keyboard.press('1');
  await page.getByTestId('summary').waitFor();
  await idle(page);
  assert.equal(await page.getByTestId('kernels').count(), 0);
  assert.equal(await page.getByTestId('tab-kernels').isVisible(), false);
  assert.ok((await height(page)) < 45, 'nothing is left of it but the tabs');
  await picture(page, 'panel-summary');
  // No tab is open. The key opens the first visible tab, the button closes it.
  const toggle = page.getByTestId('close-panel');
  assert.equal(await toggle.getAttribute('aria-expanded'), 'false');
  assert.match(await toggle.getAttribute('aria-label'), /^Open/);
  await page.keyboard.press('v');
  assert.equal(await page.getByTestId('tab-selection').getAttribute('aria-selected'), 'true');
  assert.match(await toggle.getAttribute('aria-label'), /^Close/);
  await toggle.click();
  assert.equal(await page.getByTestId('panel').isVisible(), false);
  await visit(page, `${server.timeline}?v=summary&p=kernels&pc=0`);
  // The tabs take the focus, and arrow keys skip the hidden tab.
  await toggle.focus();
  await page.keyboard.press('Shift+Tab');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-selection');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.getByTestId('tab-area').getAttribute('aria-selected'), 'true');
  await page.keyboard.press('2');
  await page.getByTestId('timeline-canvas').waitFor();
  assert.equal(await page.getByTestId('tab-kernels').isVisible(), true);
  assert.deepEqual(complaints, []);
});

test('the kernels are those of the part of time that is in sight', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const info = await server.ask();
  const [start, end] = info.active_ns;
  const to = Math.round(start + (end - start) / 5);
  const { groups } = await server.ask(`select?from=${start}&to=${to}&where=category:kernel%20or%20category:copy%20or%20category:fill%20or%20category:command&sort=clipped`);
  assert.ok(groups.length > 0 && groups.length < info.kernels.length, 'a part has fewer than the run');
  const rows = page.getByTestId('kernels').locator('tbody tr');
  await visit(page, `${server.timeline}?r=${start}-${to}&pc=0`);
  await page.getByTestId('kernels-part').waitFor();
  const names = await rows.evaluateAll((rows) => rows.map((row) => [row.cells[0].innerText, row.cells[2].innerText]));
  assert.deepEqual(names.sort(), groups.map(({ name, count }) => [name, count.toLocaleString('en')]).sort());
  await page.keyboard.press('0');
  await page.getByTestId('kernels-part').waitFor({ state: 'detached' });
  assert.equal(await rows.count(), info.kernels.length);
  assert.deepEqual(complaints, []);
});

test('the table of kernels says what it leaves out, and why it is that of the whole run', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  const { active_ns: [start, end], kernels } = await server.ask();
  const part = page.getByTestId('kernels-part');
  const isOfPart = (address) => /\/select\?/.test(address.pathname + address.search);
  await page.route(isOfPart, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), more_groups: 1234 } });
  });
  const address = `${server.timeline}?r=${start}-${Math.round(start + (end - start) / 5)}&pc=0`;
  await visit(page, address);
  assert.match(await part.innerText(), /1,234 names with less device time not listed$/);
  await page.unroute(isOfPart);
  await page.route(isOfPart, (route) => route.fulfill({ status: 500, json: { error: { code: 'broken', message: 'It is broken.' } } }));
  await visit(page, `${address}&p=kernels`);
  assert.match(await part.innerText(), /^Kernels of the whole run\. The visible part failed: ./);
  assert.equal(await page.getByTestId('kernels').locator('tbody tr').count(), kernels.length);
});

test('a press on a line of the table of calls shows the calls of that name', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=calls`);
  const row = page.getByTestId('calls-by-name').locator('tbody .name-button').nth(2);
  const name = await row.innerText();
  await row.click();
  await page.getByTestId('slices-longest').getByRole('listitem').first().waitFor();
  assert.equal(await page.getByTestId('details-name').innerText(), name);
  // The slices' common name is in the heading, so links show durations only.
  for (const jump of await page.getByTestId('slices-longest').locator('.jump').allInnerTexts()) assert.match(jump, /^[\d.]+ (ns|µs|ms|s)$/);
  assert.equal(await page.getByTestId('kernels').count(), 0);
  assert.deepEqual(complaints, []);
});

test('a tooltip is read in full, wherever the pointer is', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t, { viewport: { width: 1024, height: 620 } });
  await visit(page, server.timeline);
  const log = await drawLog(page);
  const box = await page.getByTestId('timeline-canvas').boundingBox();
  const inSight = log.slices.filter(({ x, y, w, h }) => w > 3 && x > 0 && x + w < box.width && y + h < box.height);
  const last = inSight.reduce((one, other) => (other.x + other.w > one.x + one.w ? other : one));
  const lowest = inSight.reduce((one, other) => (other.y > one.y ? other : one));
  for (const slice of [wideKernel(log), last, lowest]) {
    const point = await pointIn(page, slice);
    await page.mouse.move(point.x, point.y);
    await idle(page);
    const tooltip = page.getByTestId('tooltip');
    assert.equal(await tooltip.count(), 1, `a tooltip for ${JSON.stringify(slice)} at ${JSON.stringify(point)}`);
    const place = await tooltip.boundingBox();
    assert.ok(place.x >= 0 && place.y >= 0, 'it is in the window');
    assert.ok(place.x + place.width <= 1024 && place.y + place.height <= 620, `${JSON.stringify(place)}`);
    // Nothing covers or cuts off the tooltip: it is the top element in each corner, once it takes pointer events.
    const isSeen = await tooltip.evaluate((element) => {
      element.style.pointerEvents = 'auto';
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const corners = [[left + 6, top + 6], [right - 6, top + 6], [left + 6, bottom - 6], [right - 6, bottom - 6]];
      const isSeen = corners.every(([x, y]) => element.contains(document.elementFromPoint(x, y)));
      element.style.pointerEvents = '';
      return isSeen;
    });
    assert.ok(isSeen, 'all of its corners are seen');
  }
  await picture(page, 'tooltip-low');
});

test('a long name leaves the facts below it in sight', async (t) => {
  const server = await serverOf(trace('dpnp'));
  const { page, complaints } = await openPage(t);
  const [kernel] = (await server.ask()).kernels.sort((one, other) => other.name.length - one.name.length);
  await visit(page, `${server.timeline}?s=k${encodeURIComponent(kernel.name)}`);
  const name = page.locator('.details-name');
  assert.equal((await name.innerText()).replaceAll(/\s/g, ''), kernel.name.replaceAll(/\s/g, ''));
  assert.ok((await name.boundingBox()).height < 90, 'four lines');
  assert.deepEqual(complaints, []);
});
