// The keyboard: the palette, key bindings and their changes, the size of text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawLog, heatServer, idle, openPage, picture, visit } from './support.mjs';

test('the palette finds commands, kernels, files and times', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  const info = await server.ask();
  const kernel = info.kernels.find((one) => one.kind === 'kernel').name;

  await page.keyboard.press('Control+p');
  const palette = page.getByTestId('palette');
  await palette.waitFor();
  assert.ok((await palette.getByRole('option').count()) > 10, 'everything is offered at first');
  await picture(page, 'palette');
  await page.keyboard.type('calls show');
  await page.keyboard.press('Enter');
  await page.getByTestId('calls-by-name').waitFor();

  await page.keyboard.press('Control+Shift+P');
  await page.keyboard.type(kernel);
  await page.keyboard.press('Enter');
  await page.getByTestId('kernel-histogram').waitFor();
  assert.equal(await page.locator('.kernel-name').innerText(), kernel);
  assert.equal(await page.getByTestId('details-name').innerText(), kernel);

  await page.keyboard.press('Control+p');
  await page.keyboard.type('2 ms');
  assert.match(await palette.getByRole('option').first().innerText(), /Go to 2 ms/);
  await page.keyboard.press('Enter');
  await idle(page);
  const log = await drawLog(page);
  assert.ok(log.start_ns <= 2e6 && log.end_ns >= 2e6 && log.end_ns < info.duration_ns / 2);

  // Arrow keys move through the palette. Escape closes it without effect.
  await page.keyboard.press('Control+p');
  await page.keyboard.press('ArrowDown');
  assert.equal(await palette.getByRole('option').nth(1).getAttribute('aria-selected'), 'true');
  await page.keyboard.press('Escape');
  await palette.waitFor({ state: 'detached' });
  assert.equal(await page.getByTestId('details-name').innerText(), kernel);
  assert.deepEqual(complaints, []);
});

test('a line of the palette stays chosen when the answer comes late', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  let goOn;
  let wait = new Promise((resolve) => (goOn = resolve));
  await page.route(/\/find\b/, async (route) => {
    await wait;
    await route.continue();
  });
  await page.keyboard.press('Control+p');
  await page.keyboard.type('wait');
  await page.keyboard.press('ArrowDown');
  const palette = page.getByTestId('palette');
  const chosen = palette.locator('[aria-selected=true] .offer-title');
  const before = await chosen.innerText();
  const count = await palette.getByRole('option').count();
  goOn();
  await page.waitForFunction((count) => document.querySelectorAll('#offers li').length > count, count);
  assert.equal(await chosen.innerText(), before);

  wait = new Promise((resolve) => (goOn = resolve));
  await palette.getByRole('combobox').fill('zqxzqx');
  await palette.getByText('Searching…').waitFor();
  goOn();
  await palette.getByText('No matches').waitFor();
  assert.deepEqual(complaints, []);
});

test('keys can be changed, are kept, and can be taken back', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  const whole = await drawLog(page);
  await page.keyboard.press('?');
  const help = page.getByTestId('help');
  await help.locator('.key-button[data-command="timeline.fit_device"]').click();
  await page.keyboard.press('x');
  assert.match(await help.locator('.key-button[data-command="timeline.fit_device"]').innerText(), /X/);
  const task = page.getByTestId('help-tasks').locator('dt').nth(1);
  assert.equal(await task.innerText(), 'X', 'also beside what it answers');
  await idle(page);
  await picture(page, 'help-keys');
  await page.keyboard.press('Escape');
  const title = () => page.getByTestId('fit-device').getAttribute('title');
  assert.equal(await title(), 'Fit device activity (X)');
  await page.keyboard.press('e');
  assert.equal((await drawLog(page)).end_ns, whole.end_ns, 'the old key does nothing');
  await page.reload();
  await idle(page);
  await page.keyboard.press('x');
  assert.ok((await drawLog(page)).start_ns > 0, 'the new one fits the executions');
  await page.keyboard.press('?');
  await page.getByTestId('keys-reset').click();
  await page.keyboard.press('Escape');
  assert.equal(await title(), 'Fit device activity (E)');
  await page.keyboard.press('0');
  await page.keyboard.press('e');
  assert.ok((await drawLog(page)).start_ns > 0);
  assert.deepEqual(complaints, []);
});

test('on a Mac Option moves by words in a text, and writes symbols that are keys', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'platform', { get: () => 'MacIntel' }));
  await visit(page, server.timeline);
  /** True if a key with Option is one of the page's there. */
  const isTaken = (place, key) =>
    place.evaluate((element, key) => {
      const event = new KeyboardEvent('keydown', { key, altKey: true, bubbles: true, cancelable: true });
      return !element.dispatchEvent(event);
    }, key);
  for (const key of ['ArrowLeft', '[']) {
    assert.equal(await isTaken(page.getByTestId('search'), key), false, `${key} in a text`);
    assert.equal(await isTaken(page.locator('body'), key), true, key);
  }
  assert.deepEqual(complaints, []);
});

test('Enter and Escape that end a composed text are no keys of the page', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('Control+p');
  const field = page.getByTestId('palette').getByRole('combobox');
  await field.fill('calls show');
  // The second is how Safari tells of the key that ends the composition.
  for (const composed of [{ isComposing: true }, { keyCode: 229 }])
    for (const key of ['Enter', 'Escape']) {
      const keydown = { key, ...composed, bubbles: true, cancelable: true };
      await field.evaluate((field, keydown) => field.dispatchEvent(new KeyboardEvent('keydown', keydown)), keydown);
      await idle(page);
      assert.equal(await field.count(), 1, JSON.stringify(keydown));
    }
  await field.press('Enter');
  await page.getByTestId('calls-by-name').waitFor();
  assert.deepEqual(complaints, []);
});

test('keys that are changed in two tabs are kept in both', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  const other = await page.context().newPage();
  const button = (tab, command) => tab.getByTestId('help').locator(`.key-button[data-command="${command}"]`);
  for (const tab of [page, other]) {
    await visit(tab, server.timeline);
    await tab.keyboard.press('?');
  }
  for (const [tab, command, key] of [[page, 'timeline.fit_device', 'x'], [other, 'timeline.fit_all', 'y']]) {
    await tab.bringToFront();
    await button(tab, command).click();
    await tab.keyboard.press(key);
    await button(tab, command).getByText(key.toUpperCase(), { exact: true }).waitFor();
  }
  assert.match(await button(other, 'timeline.fit_device').innerText(), /X/);
  await page.reload();
  await idle(page);
  await page.keyboard.press('?');
  assert.match(await button(page, 'timeline.fit_device').innerText(), /X/);
  assert.match(await button(page, 'timeline.fit_all').innerText(), /Y/);
});

test('a waiting key takes any key, also those of the palette and the help, and Escape gives it up', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('?');
  const help = page.getByTestId('help');
  const button = help.locator('.key-button[data-command="timeline.fit_device"]');
  await button.click();
  await page.keyboard.press('Escape');
  assert.match(await button.innerText(), /^E/, 'the help is still open, and the key is as it was');
  await button.click();
  await page.keyboard.press('Control+k');
  assert.match(await button.innerText(), /Ctrl\s*K/);
  assert.equal(await page.getByTestId('palette').count(), 0);
  await page.getByTestId('keys-reset').click();
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  assert.deepEqual(complaints, []);
});

test('text grows and shrinks, and stays so', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, `${server.timeline}?v=summary`);
  const size = () => page.evaluate(() => Number.parseFloat(getComputedStyle(document.body).fontSize));
  const before = await size();
  await page.keyboard.press('Control+.');
  await page.keyboard.press('Control+.');
  assert.ok((await size()) > before * 1.2);
  await page.reload();
  await page.getByTestId('summary').waitFor();
  assert.ok((await size()) > before * 1.2);
  await picture(page, 'text-large');
});

test('the palette finds calls, threads, objects and lines, and knows how to share', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  const palette = page.getByTestId('palette');
  const options = palette.getByRole('option');
  for (const [typed, first, kind] of [
    ['share', /Share: copy a link/, /Page/],
    ['export', /Export as/, /Page/],
    ['perfetto', /Perfetto/, /Page/],
    ['urEventWait', /^urEventWait/, /Call ×/],
    ['main thread', /main thread/, /Thread/],
    ['buffer 1', /^Buffer 1/, /Object/],
    ['with_usm.hpp:', /^with_usm\.hpp:\d+/, /Source line/],
    ['event.wait', /^event\.wait/, /Slice ×/],
  ]) {
    await page.keyboard.press('Control+p');
    await palette.waitFor();
    await page.keyboard.type(typed);
    await idle(page);
    assert.match(await options.first().innerText(), first, typed);
    assert.match(await options.first().innerText(), kind, typed);
    if (typed === 'buffer 1') await picture(page, 'palette-object');
    await page.keyboard.press('Escape');
  }
  await page.keyboard.press('Control+p');
  await page.keyboard.type('urEventWait');
  await idle(page);
  await page.keyboard.press('Enter');
  await idle(page);
  assert.equal(await page.getByTestId('details-name').innerText(), 'urEventWait');
  assert.ok((await drawLog(page)).slices.some((slice) => slice.name === 'urEventWait'), 'the longest is in sight');
  assert.deepEqual(complaints, []);
});

test('a note is no alert, and what a card leaves out can be opened', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, `${server.timeline}?v=summary&p=problems`);
  const info = await server.ask();
  const notes = [...info.findings, ...info.diagnostics].every((one) => one.severity === 'info');
  assert.equal(await page.getByTestId('alerts').count(), notes ? 0 : 1);
  const more = page.getByTestId('more').first();
  const card = await more.evaluateHandle((button) => button.closest('.card'));
  const shown = () => card.evaluate((card) => [...card.querySelectorAll('tbody tr, .queues > li')].filter((row) => row.checkVisibility()).length);
  const [before, hidden] = [await shown(), Number((await more.innerText()).match(/and (\d+) more/)[1])];
  await more.click();
  assert.equal(await shown(), before + hidden);
});
