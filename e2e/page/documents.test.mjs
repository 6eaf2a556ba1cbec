// The documents contained in the program: they are at `docs/` below the page, request nothing from elsewhere, and need
// no policy of their own.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import path from 'node:path';
import { LAYOUTS } from './proxy.mjs';
import { openPage, picture, startServer, store, trace } from './support.mjs';
import { syclscope } from './servers.mjs';

/** The documents' bytes, by their path below `docs/`, of the server without a proxy. */
const without = new Map();

for (const layout of [undefined, ...Object.keys(LAYOUTS)]) {
  test(`help leads to the documents, and every page of them is there: ${layout ?? 'no proxy'}`, async (t) => {
    const server = await startServer(t, null, [], layout);
    const { id } = await store(server, trace('heat'));
    const { context, page, complaints } = await openPage(t);
    const asked = [];
    context.on('request', (request) => asked.push(request.url()));
    await page.goto(`${server.origin}/t/${id}`);
    await page.locator('[data-testid=timeline-canvas][aria-busy=false]').waitFor();
    await page.keyboard.press('?');
    const [documents] = await Promise.all([
      context.waitForEvent('page'),
      page.getByTestId('help').getByRole('link', { name: 'Documentation' }).click(),
    ]);
    documents.on('console', (message) => complaints.push(message.text()));
    documents.on('pageerror', (error) => complaints.push(`${error}`));
    await documents.waitForLoadState();
    assert.equal(documents.url(), `${server.origin}/docs/`);
    const addresses = await documents.locator('.chapters a').evaluateAll((links) => links.map((link) => link.href));
    assert.ok(addresses.length > 30, `${addresses.length} chapters`);
    // Fetch every page, but open only one with and one without pictures in each folder: the site's build has checked
    // the links, so one page shows where the addresses of its folder lead. Behind a proxy every page has the same
    // bytes.
    const shown = new Set();
    for (const address of addresses) {
      const name = address.slice(documents.url().slice(0, documents.url().indexOf('/docs/') + 6).length);
      const fetched = await fetch(address);
      assert.equal(fetched.status, 200, address);
      const bytes = await fetched.text();
      if (!layout) without.set(name, bytes);
      assert.equal(bytes, without.get(name), address);
      assert.equal(bytes.match(/<h1/g)?.length, 1, address);
      const kind = `${path.dirname(name)} ${bytes.includes('<img')}`;
      if (shown.has(kind)) continue;
      shown.add(kind);
      const answer = await documents.goto(address);
      assert.equal(answer.status(), 200, address);
      assert.equal(await documents.locator('main h1').count(), 1, address);
      assert.equal(await documents.locator('[aria-current=page]').count(), 1, address);
      const unseen = await documents
        .locator('main img')
        .evaluateAll((pictures) => pictures.filter((one) => !one.complete || one.naturalWidth === 0).map((one) => one.src));
      assert.deepEqual(unseen, [], address);
    }
    assert.ok(shown.size > 2, [...shown].join());
    assert.deepEqual(asked.filter((url) => !url.startsWith(server.origin)), []);
    assert.deepEqual(complaints, []);
  });
}

test('the list of commands is that of the program', async (t) => {
  const server = await startServer(t, null);
  const { page, complaints } = await openPage(t);
  await page.goto(`${server.origin}/docs/COMMANDS.html`);
  const help = execFileSync(syclscope, ['--help'], { encoding: 'utf8' });
  const names = [...help.split('Commands:')[1].split('\n\n')[0].matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name);
  assert.ok(names.length > 10, help);
  const headings = await page.locator('h2').allInnerTexts();
  assert.deepEqual(
    names.filter((name) => name !== 'help' && !headings.includes(`syclscope ${name}`)),
    [],
  );
  assert.deepEqual(complaints, []);
});

test('search finds a word, and the documents are dark and light', async (t) => {
  const server = await startServer(t, null);
  const { page, complaints } = await openPage(t);
  await page.goto(`${server.origin}/docs/`);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await ground();
  await picture(page, 'documents-dark');
  await page.emulateMedia({ colorScheme: 'light' });
  assert.notEqual(await ground(), dark);
  await picture(page, 'documents-light');

  await page.keyboard.press('/');
  await page.keyboard.type('SYCLSCOPE_BUFFER_SIZE');
  const first = page.locator('.found a').first();
  await first.waitFor();
  assert.match(await first.innerText(), /^Recording: Without the launcher/);
  await picture(page, 'documents-search');
  await first.click();
  await page.waitForURL(/RECORDING\.html#without-the-launcher$/);
  await page.locator('.search input').fill('thereisnosuchword');
  await page.getByText('No page has all of these words.').waitFor();
  await page.keyboard.press('Escape');
  assert.ok(await page.locator('.chapters').isVisible());
  assert.deepEqual(complaints, []);
});
