// The page behind a real nginx, with the settings of docs/DEPLOY.md: all its requests are below its own folder.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LAYOUTS } from './proxy.mjs';
import { drawLog, idle, newContext, openPage, startServer, trace, visit } from './support.mjs';

const heat = trace('heat');

for (const [layout, { prefix }] of Object.entries(LAYOUTS)) {
  test(`everything is below the page's folder: ${layout}`, async (t) => {
    const server = await startServer(t, undefined, [], layout);
    const { browser, context, page, complaints } = await openPage(t);
    const asked = [];
    context.on('request', (request) => asked.push(request.url()));

    // The list, an upload, the trace, its queries.
    await visit(page, server.origin);
    assert.equal(page.url(), server.address);
    await page.getByTestId('upload-input').setInputFiles(heat);
    await page.getByRole('link', { name: 'heat.pftrace', exact: true }).click();
    await page.getByTestId('timeline-canvas').waitFor();
    const whole = await drawLog(page);
    assert.ok(whole.slices.length > 0);
    assert.ok(page.url().startsWith(`${server.origin}/t/`));
    await page.keyboard.press('3');
    await idle(page);
    await page.goBack();
    await idle(page);

    // A link to the view, for another user.
    await page.keyboard.press('e');
    const shown = await drawLog(page);
    const other = await (await newContext(t, browser)).newPage();
    await visit(other, page.url());
    assert.deepEqual((await drawLog(other)).slices, shown.slices);

    // Files that the browser saves.
    await page.getByTestId('share').click();
    const [saved] = await Promise.all([page.waitForEvent('download'), page.getByTestId('share-page.recording').click()]);
    assert.ok(fs.readFileSync(await saved.path()).equals(fs.readFileSync(heat)));

    // A local file: the worker with the engine, and the module that writes other formats.
    await visit(page, server.address);
    await page.getByTestId('local-input').setInputFiles(heat);
    await page.getByTestId('timeline-canvas').waitFor();
    assert.deepEqual((await drawLog(page)).slices, whole.slices);
    assert.ok(page.url().startsWith(`${server.origin}/?file=`));
    await page.getByTestId('share').click();
    await Promise.all([page.waitForEvent('download'), page.getByTestId('share-page.export_json').click()]);

    assert.deepEqual(asked.filter((url) => /^http/.test(url) && !url.startsWith(`${server.origin}/`) && url !== server.origin), []);
    assert.deepEqual(complaints, []);
  });

  test(`what is not there is said, and leads to the list: ${layout}`, async (t) => {
    const server = await startServer(t, undefined, [], layout);
    const { page } = await openPage(t);
    for (const address of ['no/such/page', 't/abcdefghijklmnopqrstuvwxyz', 'nothing']) {
      await visit(page, `${server.origin}/${address}`);
      await page.getByRole('link', { name: 'All traces', exact: true }).click();
      await page.getByTestId('empty').waitFor();
      assert.equal(page.url(), server.address);
    }
    const stored = await fetch(`${server.origin}/api/v1/traces?name=x`, { method: 'POST', body: fs.readFileSync(heat) });
    const location = new URL(stored.headers.get('location'), stored.url);
    assert.equal(`${location}`, `${server.origin}/api/v1/traces/${(await stored.json()).id}`);
    assert.equal((await fetch(location)).status, 200);
  });

  test(`the key becomes a cookie of the page's folder: ${layout}`, async (t) => {
    const server = await startServer(t, undefined, [], layout);
    const { context, page } = await openPage(t);
    const key = server.said().match(/[?]key=(\w+)/)[1];
    await page.goto(`${server.origin}/t/abcdefghijklmnopqrstuvwxyz?v=graph&key=${key}`);
    assert.equal(page.url(), `${server.origin}/t/abcdefghijklmnopqrstuvwxyz?v=graph`);
    const [cookie, ...more] = await context.cookies(server.address);
    assert.deepEqual(more, []);
    assert.deepEqual([cookie.path, cookie.httpOnly, cookie.value], [prefix || '/', true, key]);
  });
}

// Everything else is tested without a proxy; these files run again behind one.
for (const [layout, file] of [['stripped', 'embed'], ['kept', 'share_links']])
  test(`other tests of the page pass behind a proxy: ${file}, ${layout}`, async () => {
    const folder = path.dirname(fileURLToPath(import.meta.url));
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const args = ['--test', path.join(folder, `${file}.test.mjs`)];
    const run = promisify(execFile)(process.execPath, args, { env: { ...env, SYCLSCOPE_BEHIND: layout }, maxBuffer: 1 << 26 });
    const { stdout } = await run.catch((error) => assert.fail(`${error.stdout}\n${error.stderr}`));
    assert.match(stdout, /^. fail 0$/m);
  });
