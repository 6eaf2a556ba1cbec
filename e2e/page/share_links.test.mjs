// Share links created on the page: they open the view for a holder without other access, until they are revoked.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawLog, newContext, openPage, openServer, picture, startServer, store, trace, visit } from './support.mjs';

/** Opens the dialog. */
async function dialog(page) {
  await page.getByTestId('share').click();
  await page.getByTestId('share-page.share').click();
  const dialog = page.getByTestId('share-dialog');
  await dialog.waitFor();
  return dialog;
}

test('a link opens the view for others, is listed with what it may, and can be revoked', async (t) => {
  const server = await startServer(t);
  const entry = await store(server, trace('heat'));
  const { browser, page, complaints } = await openPage(t);
  await visit(page, `${server.origin}/t/${entry.id}`);
  await page.keyboard.press('e');
  const shown = await drawLog(page);
  const share = await dialog(page);
  await share.getByRole('textbox', { name: 'For' }).fill('the vendor');
  await share.getByLabel('Opens at most').fill('3');
  await share.getByTestId('make-link').click();
  const address = await share.getByTestId('made-link').innerText();
  await share.getByTestId('link').waitFor();
  await picture(page, 'share-dialog');
  assert.ok(address.startsWith(`${server.origin}/s/`), address);
  assert.match(await share.getByTestId('link').innerText(), /^the vendor.* · opened 0 of 3 times · until /);

  const other = await (await newContext(t, browser)).newPage();
  await visit(other, address);
  const opened = await drawLog(other);
  assert.deepEqual([opened.start_ns, opened.end_ns], [shown.start_ns, shown.end_ns]);

  await share.getByRole('button', { name: 'Revoke' }).click();
  await share.getByText('revoked').waitFor();
  const late = await (await newContext(t, browser)).newPage();
  assert.equal((await late.goto(address)).status(), 410);
  assert.deepEqual(complaints, []);
});

test('a link to the time on screen shows nothing else', async (t) => {
  const server = await startServer(t);
  const entry = await store(server, trace('heat'));
  const { browser, page, complaints } = await openPage(t);
  await visit(page, `${server.origin}/t/${entry.id}`);
  await page.keyboard.press('e');
  const shown = await drawLog(page);
  const share = await dialog(page);
  await share.getByLabel('Only the time on screen').check();
  await share.getByTestId('make-link').click();
  const address = await share.getByTestId('made-link').innerText();
  assert.match(await share.getByTestId('link').innerText(), /^Link.* · only [0-9.]+ .s /);

  const other = await (await newContext(t, browser)).newPage();
  await visit(other, address);
  await other.getByTestId('timeline-canvas').waitFor();
  const info = await other.evaluate(() => fetch(location.pathname.replace('/t/', '/api/v1/traces/')).then((answer) => answer.json()));
  assert.equal(info.duration_ns, Math.ceil(shown.end_ns) - Math.floor(shown.start_ns));
  assert.ok(!address.includes(entry.id), 'it leads to the copy');
  assert.deepEqual(complaints, []);
});

test('a file of this computer says how it is shared', async (t) => {
  const server = await openServer(t, trace('heat'));
  const { page, complaints } = await openPage(t);
  await visit(page, server.address);
  const share = await dialog(page);
  await share.getByText(/syclscope share .*--to https:/).waitFor();
  assert.equal(await share.getByTestId('make-link').count(), 0);
  assert.deepEqual(complaints, []);
});

test('a limit that is no number makes no link', async (t) => {
  const server = await startServer(t);
  const entry = await store(server, trace('heat'));
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.origin}/t/${entry.id}`);
  const share = await dialog(page);
  for (const limit of ['1e1', '2.5', '-1', '0', '5-']) {
    await share.getByLabel('Opens at most').fill(limit);
    await share.getByTestId('make-link').click();
    await share.getByText('takes a whole number').waitFor();
  }
  const links = `${server.origin}/api/v1/traces/${entry.id}/links`;
  assert.deepEqual(await (await fetch(links)).json(), []);
  await share.getByLabel('Opens at most').fill('3');
  await share.getByRole('textbox', { name: 'For' }).fill('Bob ');
  await share.getByTestId('make-link').click();
  await share.getByTestId('made-link').waitFor();
  const [link] = await (await fetch(links)).json();
  assert.deepEqual([link.openings, link.name], [3, 'Bob']);
  assert.deepEqual(complaints, []);
});

test('a link that is used up can still be revoked', async (t) => {
  const server = await startServer(t);
  const entry = await store(server, trace('heat'));
  const { browser, page } = await openPage(t);
  await visit(page, `${server.origin}/t/${entry.id}`);
  const share = await dialog(page);
  await share.getByLabel('Opens at most').fill('1');
  await share.getByTestId('make-link').click();
  const address = await share.getByTestId('made-link').innerText();
  const other = await (await newContext(t, browser)).newPage();
  await visit(other, address);
  await visit(page, `${server.origin}/t/${entry.id}`);
  const again = await dialog(page);
  await again.getByTestId('link').getByText('used up').waitFor();
  await again.getByRole('button', { name: 'Revoke' }).click();
  await again.getByText('revoked').waitFor();
  assert.equal((await other.reload()).status(), 410);
});
