// Private data of a trace, and cleaned copies of a server's trace and of a local file.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { idle, openPage, picture, startServer, store, trace, visit } from './support.mjs';

const heat = trace('heat');

async function open(page) {
  await page.getByTestId('share').click();
  await page.getByTestId('share-page.contents').click();
  await page.getByTestId('contents-kernels').waitFor();
  return page.getByRole('dialog', { name: 'Contents of this trace' });
}

test('kinds have counts and examples, and a server stores a copy without those that are checked', async (t) => {
  const server = await startServer(t);
  const entry = await store(server, heat);
  const { page, context, complaints } = await openPage(t);
  await visit(page, `${server.origin}/t/${entry.id}`);
  const dialog = await open(page);
  const kernels = dialog.getByRole('listitem').filter({ hasText: 'Kernel names' });
  assert.match(await kernels.innerText(), /4[\s\S]*change/);
  assert.ok(await page.getByTestId('contents-kernels').isChecked());
  assert.match(await dialog.getByRole('listitem').filter({ hasText: 'Date and time' }).innerText(), /2026/);
  await picture(page, 'contents');

  // By keys alone: the focus is in the dialogue, and one kind is kept.
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Close');
  await page.getByTestId('contents-functions').focus();
  await page.keyboard.press('Space');
  assert.ok(!(await page.getByTestId('contents-functions').isChecked()));
  await page.getByTestId('contents-share').focus();
  await page.keyboard.press('Enter');
  const link = page.getByTestId('contents-stored').getByRole('link');
  await link.waitFor();
  const [copy] = await Promise.all([context.waitForEvent('page'), link.click()]);
  await idle(copy);
  const id = new URL(copy.url()).pathname.split('/').pop();
  const ask = async (what) => (await fetch(`${server.origin}/api/v1/traces/${what}`)).json();
  const [before, after] = [await ask(entry.id), await ask(id)];
  assert.deepEqual(after.counts, before.counts);
  assert.ok(after.kernels.filter(({ kind }) => kind === 'kernel').every(({ name }) => /^kernel-[0-9a-f]+$/.test(name)));
  const file = Buffer.from(await (await fetch(`${server.origin}/api/v1/traces/${id}/file`)).arrayBuffer());
  assert.ok(file.includes('cool_with_usm'), 'functions stay');
  for (const gone of ['diffuse_band', 'with_usm.hpp', '/tmp/syclscope-traces']) assert.ok(!file.includes(gone), gone);
  assert.deepEqual(complaints, []);
});

test('a file of this computer is cleaned in the browser, and nothing leaves it', async (t) => {
  const server = await startServer(t);
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.origin}/`);
  await page.getByTestId('local-input').setInputFiles(heat);
  await page.getByTestId('timeline-canvas').waitFor();
  await idle(page);
  await open(page);
  for (const kind of await page.locator('.contents-kinds input').all()) await kind.uncheck();
  assert.ok(await page.getByTestId('contents-share').isDisabled(), 'nothing goes');
  // The focus stays inside, though the last button is disabled.
  const focused = () => page.evaluate(() => document.activeElement.dataset.testid ?? document.activeElement.getAttribute('aria-label'));
  await page.getByTestId('contents-files').focus();
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Close');
  await page.keyboard.press('Shift+Tab');
  assert.equal(await focused(), 'contents-files');
  for (const kind of ['kernels', 'paths', 'sources']) await page.getByTestId(`contents-${kind}`).check();
  await page.getByTestId('contents-files').check();
  const posted = [];
  page.on('request', (request) => request.method() === 'POST' && posted.push(request.url()));
  const [saved] = await Promise.all([page.waitForEvent('download'), page.getByTestId('contents-share').click()]);
  assert.equal(saved.suggestedFilename(), 'cleaned.pftrace');
  const bytes = fs.readFileSync(await saved.path());
  assert.ok(bytes.includes('with_usm.hpp') && bytes.includes('cool_with_usm'), 'names of files and functions stay');
  for (const gone of ['diffuse_band', '/tmp/syclscope-traces']) assert.ok(!bytes.includes(gone), gone);
  assert.deepEqual(posted, []);
  await page.keyboard.press('Escape');
  assert.equal(await page.getByRole('dialog').count(), 0);
  assert.deepEqual(complaints, []);
});
