// The context menu of an entity, and the help, on the demo's recording.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseKernel, drawLog, heatServer, idle, openPage, picture, pointIn, told, visit, wideKernel } from './support.mjs';

const menu = (page) => page.getByTestId('context-menu');
const titles = (page) => menu(page).getByRole('menuitem').locator('span:first-child').allInnerTexts();

test('the right button on a slice selects it and shows what can be done with it', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('e');
  const kernel = wideKernel(await drawLog(page));
  const point = await pointIn(page, kernel);
  await page.mouse.click(point.x, point.y, { button: 'right' });
  await menu(page).getByText('Show executions').waitFor();
  assert.notEqual((await drawLog(page)).selected, null);
  assert.equal(await page.getByTestId('details-name').innerText(), kernel.name);
  const offered = await titles(page);
  for (const title of ['Zoom to slice', `Select all: ${kernel.name}`, 'Find all in the timeline', 'Show task graph', 'Copy name'])
    assert.ok(offered.includes(title), `${title}: ${offered}`);
  assert.ok(offered.some((title) => /^Show source line \d/.test(title)), `${offered}`);
  assert.ok(offered.some((title) => /^Track: Hide/.test(title)), `${offered}`);
  await picture(page, 'menu');
  const keys = (await menu(page).locator('.chord').allInnerTexts()).filter((keys) => keys !== '');
  assert.equal(new Set(keys).size, keys.length, `no two entries have one key: ${keys}`);
  await menu(page).getByText('Find all in the timeline').click();
  await idle(page);
  assert.match(page.url(), /find=name/);
  assert.match(await page.getByTestId('search-count').innerText(), /^\d/);
  assert.equal(await menu(page).count(), 0);

  await page.mouse.click(point.x, point.y, { button: 'right' });
  await menu(page).getByText('Show executions').click();
  await page.getByTestId('kernel-histogram').waitFor();
  assert.equal(await page.locator('.kernel-name').innerText(), kernel.name);
  assert.deepEqual(complaints, []);
});

test('the menu opens, is walked and is closed by keys', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await chooseKernel(page);
  const { selected } = await drawLog(page);
  assert.notEqual(selected, null);
  for (const key of ['Shift+F10', 'ContextMenu']) {
    await page.keyboard.press(key);
    await menu(page).waitFor();
    await idle(page);
    assert.equal(await menu(page).locator(':focus').innerText().then((text) => text.split('\n')[0]), 'Zoom to slice');
    await page.keyboard.press('Escape');
    await menu(page).waitFor({ state: 'detached' });
    assert.equal((await drawLog(page)).selected, selected, 'what is selected stays so');
    assert.equal(await page.evaluate(() => document.activeElement?.dataset.testid), 'timeline-canvas');
  }
  await page.keyboard.press('Shift+F10');
  await menu(page).getByText('Show executions').waitFor();
  const at = (await titles(page)).findIndex((title) => title.startsWith('Select all'));
  for (let step = 0; step < at; step += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await idle(page);
  assert.match(page.url(), /s=k/);
  assert.deepEqual(complaints, []);
});

test('names, places and tracks have the menu, too', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=summary`);
  const named = page.getByTestId('top-commands').getByRole('button', { name: 'diffuse', exact: true });
  await named.click({ button: 'right' });
  await menu(page).getByText('Show executions').click();
  await page.getByTestId('kernel-histogram').waitFor();
  assert.equal(await page.locator('.kernel-name').innerText(), 'diffuse');

  await visit(page, server.timeline);
  const track = page.getByTestId('track').filter({ hasText: 'queue 1' }).first();
  const id = await track.getAttribute('data-track');
  await track.click({ button: 'right' });
  await menu(page).getByText(/^Track: Hide/).click();
  await idle(page);
  assert.match(page.url(), new RegExp(`hide=${id}\\b`));
  assert.equal(await page.locator(`[data-track="${id}"]`).count(), 0);

  // A node of the graph, by keys.
  await visit(page, `${server.timeline}?v=graph`);
  await page.getByTestId('graph-canvas').focus();
  await page.keyboard.press('Home');
  await idle(page);
  await page.keyboard.press('Shift+F10');
  await menu(page).waitFor();
  await idle(page);
  const ofNode = await titles(page);
  assert.ok(ofNode.includes('Show timeline'), `${ofNode}`);
  await page.keyboard.press('Escape');

  // A line of the source, by the right button.
  await visit(page, `${server.timeline}?v=summary`);
  const place = page.getByTestId('waits').locator('[data-thing^="l"]').first();
  await place.click({ button: 'right' });
  await menu(page).waitFor();
  assert.match(page.url(), /v=summary/);
  await page.keyboard.press('Escape');
  assert.deepEqual(complaints, []);
});

test('a name is copied and the page says so; without a clipboard it is shown', async (t) => {
  const server = await heatServer();
  const notice = (page) => page.getByTestId('notice');
  const copyName = async (page) => {
    await visit(page, `${server.timeline}?v=summary`);
    await page.getByTestId('top-commands').getByRole('button', { name: 'diffuse', exact: true }).click({ button: 'right' });
    await menu(page).getByText('Copy name').click();
  };
  const { page, context, complaints } = await openPage(t);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await copyName(page);
  await told(page, 'Copied the name');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'diffuse');

  await visit(page, server.timeline);
  const { id } = await chooseKernel(page);
  await page.keyboard.press('Shift+F10');
  await menu(page).getByText('Copy duration in ns').click();
  await told(page, 'Copied the duration');
  const { at } = await server.ask(`slices/${id}`);
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), String(at.duration_ns));
  assert.deepEqual(complaints, []);

  const { page: without, complaints: others } = await openPage(t);
  await without.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await copyName(without);
  assert.match(await notice(without).innerText(), /does not let this page copy\. The name is diffuse/);
  assert.deepEqual(others, []);
});

test('the help begins with what people come for, and does it', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('?');
  const tasks = page.getByTestId('help-tasks');
  await tasks.waitFor();
  assert.ok((await tasks.boundingBox()).y < (await page.locator('.key-button').first().boundingBox()).y);
  assert.ok((await page.getByTestId('help-colours').locator('.chip').count()) > 10);
  await picture(page, 'help');
  await tasks.getByText('Why are some executions of a kernel slower?').click();
  await page.getByTestId('kernel-histogram').waitFor();
  assert.equal(await tasks.count(), 0);
  assert.deepEqual(complaints, []);
});

test('what a command focuses keeps the focus when help, menu or palette close', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  const focused = () => page.evaluate(() => document.activeElement?.dataset.testid);
  const back = async () => {
    await page.getByTestId('timeline-canvas').focus();
    await idle(page);
  };
  await back();
  await page.keyboard.press('?');
  await page.getByTestId('help-tasks').getByText('Find slices by name').click();
  await idle(page);
  assert.equal(await focused(), 'search', 'by the help');
  await back();
  await page.keyboard.press('Shift+F10');
  await menu(page).getByText(/^Search/).click();
  await idle(page);
  assert.equal(await focused(), 'search', 'by the menu of an empty place');
  await back();
  await page.keyboard.press('Control+p');
  await page.keyboard.type('search slices');
  await page.getByTestId('palette').getByRole('option').filter({ hasText: /^Search/ }).first().click();
  await idle(page);
  assert.equal(await focused(), 'search', 'by the palette');
  // If nothing takes the focus, it returns, also when one overlay opens over another.
  await back();
  await page.keyboard.press('?');
  await page.keyboard.press('Control+p');
  await idle(page);
  await page.getByTestId('palette').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.className), 'palette-input');
  await page.keyboard.press('Escape');
  await idle(page);
  assert.equal(await page.evaluate(() => document.activeElement?.closest('.pane') !== null), true);
  assert.deepEqual(complaints, []);
});

test('after Escape and after a choice the button of a menu has the focus, unless the choice gives it away', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  const focused = () => page.evaluate(() => document.activeElement?.dataset.testid);
  const open = async (button) => {
    await page.getByTestId(button).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('ArrowDown');
  };
  for (const button of ['share', 'open-beside', 'open-below']) {
    await open(button);
    assert.notEqual(await focused(), button, 'arrow keys go into the menu');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    assert.equal(await focused(), button);
  }
  await open('share');
  await page.getByTestId('share-page.link').focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => window.__told.length > 0, undefined, { polling: 50 });
  assert.equal(await focused(), 'share');
  await open('open-beside');
  await page.keyboard.press('Enter');
  await idle(page);
  assert.equal(await page.locator('.pane').count(), 2);
  assert.notEqual(await page.evaluate(() => document.activeElement.tagName), 'BODY');

  // A card of the summary expands, and its button stays to collapse it.
  await visit(page, `${server.timeline}?v=summary`);
  const more = page.getByTestId('more').first();
  const text = await more.innerText();
  await more.focus();
  await page.keyboard.press('Enter');
  assert.equal(await focused(), 'more');
  assert.equal(await more.getAttribute('aria-expanded'), 'true');
  await page.keyboard.press('Enter');
  assert.equal(await more.innerText(), text);
  assert.deepEqual(complaints, []);
});

test('a flame graph is as wide as its time, and cuts no letter', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=calls&cv=flame`);
  await page.locator('.flame-box').first().waitFor();
  await idle(page);
  const { groups } = await server.ask('calltree?limit=3000');
  const roots = groups[0].nodes.filter((node) => node.parent === null);
  const total = roots.reduce((sum, node) => sum + node.total_ns, 0);
  const width = (await page.locator('.flame').first().boundingBox()).width;
  const boxes = await page.locator('.flame-box[aria-level="1"]').evaluateAll((all) =>
    all.map((box) => {
      const text = box.querySelector('span');
      const { width } = box.getBoundingClientRect();
      const shown = getComputedStyle(text);
      return { width, isShown: shown.display !== 'none', cut: shown.textOverflow };
    }),
  );
  assert.ok(boxes.length > 5);
  boxes.forEach((box, place) => {
    const expected = Math.max(1, (roots[place].total_ns / total) * width - 1);
    assert.ok(Math.abs(box.width - expected) < 0.6, `${place}: ${box.width} for ${expected}`);
    assert.ok(box.isShown ? box.cut === 'ellipsis' : box.width <= 32.5, JSON.stringify(box));
  });
  assert.ok(boxes.some((box) => !box.isShown) && boxes.some((box) => box.isShown));
  await picture(page, 'flame');
  assert.deepEqual(complaints, []);
});
