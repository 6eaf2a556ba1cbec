// The history of a project, a page written by the server, with the links to it from the list of traces and from it to
// comparisons.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { idle, openPage, picture, startServer, trace, visit } from './support.mjs';

/**
 * Starts a server with runs of two commits: a server stores equal bytes once, so the same recordings are packed
 * differently.
 */
async function filled(t, runs) {
  const server = await startServer(t);
  const ids = [];
  for (const [number, name] of runs.entries()) {
    const bytes = gzipSync(fs.readFileSync(trace(name)), { level: 1 + (number % 9), memLevel: 8 + Math.floor(number / 9) });
    const address = `${server.origin}/api/v1/traces?name=run${number}.pftrace.gz&label=branch=main&label=commit=${name}-c${number}`;
    const answer = await fetch(address, { method: 'POST', body: bytes });
    assert.equal(answer.status, 201);
    ids.push((await answer.json()).id);
  }
  return { ...server, ids };
}

test('the list leads to the history, its points to traces, and its steps to comparisons', async (t) => {
  const server = await filled(t, [...Array(8).fill('heat'), ...Array(8).fill('heat-slow')]);
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.origin}/?label=branch:main`);
  await page.getByTestId('history').click();
  await page.getByRole('heading', { name: 'History of default' }).waitFor();
  assert.equal(new URL(page.url()).search, '?label=branch:main');
  const [history] = await (await fetch(`${server.origin}/api/v1/projects/default/history`)).json();
  const steps = history.series.flatMap((series) => series.steps.map((step) => [series.name, step]));
  assert.ok(steps.length > 0, 'a slower program has steps');
  assert.ok(steps.every(([, step]) => step.run === 8), JSON.stringify(steps));
  const said = page.locator('.change');
  assert.equal(await said.count(), 1, 'all at one commit');
  assert.equal(await said.locator('li').count(), steps.length);
  assert.match(await said.innerText(), /Since heat-slow-c8 \(run8\.pftrace\.gz\)/);
  assert.ok((await page.locator('.chart').count()) >= steps.length);
  await picture(page, 'history');
  await page.emulateMedia({ colorScheme: 'dark' });
  await picture(page, 'history-dark');
  await page.setViewportSize({ width: 390, height: 800 });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(overflow, 0, 'nothing is cut off on a narrow screen');
  await picture(page, 'history-narrow');
  // Every run is a stop of the Tab key, once the table is open.
  await page.locator('summary').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.match(await page.evaluate(() => document.activeElement.getAttribute('href')), new RegExp(`t/${server.ids.at(-1)}$`));
  await page.setViewportSize({ width: 1280, height: 800 });
  // A point is a line of zero length, of which only the round ends are visible.
  const [x, y] = await page.locator('.point').first().evaluate((point) => {
    point.scrollIntoView({ block: 'center' });
    const box = point.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  });
  await page.mouse.click(x, y);
  await page.getByTestId('timeline-canvas').waitFor();
  await page.goBack();
  await said.getByRole('link', { name: 'compared with' }).click();
  await page.getByTestId('compare-result').waitFor();
  assert.ok(page.url().includes(`/t/${server.ids[7]}`) && page.url().includes(server.ids[8]));
  assert.deepEqual(complaints, []);
});

test('a project that is not there has a page that says so', async (t) => {
  const server = await startServer(t);
  const { page } = await openPage(t);
  const answer = await page.goto(`${server.origin}/history/nope`);
  assert.equal(answer.status(), 404);
  assert.match(await page.locator('main').innerText(), /no such project/);
  await page.getByRole('link', { name: 'All traces' }).first().click();
  await page.getByTestId('empty').waitFor();
});

test('two traces of the list are compared', async (t) => {
  const server = await filled(t, ['heat', 'heat-slow']);
  const { page, complaints } = await openPage(t);
  await visit(page, server.origin);
  const button = (number) => page.locator(`[data-trace="${server.ids[number]}"]`).getByTestId('compare-with');
  await button(1).click();
  assert.equal(await button(1).getAttribute('aria-pressed'), 'true');
  assert.match(await page.getByTestId('comparing').innerText(), /run1\.pftrace\.gz/);
  await picture(page, 'list-compare');
  await page.getByTestId('comparing').getByRole('button').click();
  await button(1).click();
  await button(0).click();
  await page.getByTestId('compare-result').waitFor();
  await idle(page);
  const { pathname, searchParams } = new URL(page.url());
  assert.ok(pathname.endsWith(`/t/${server.ids[0]}`), 'what was stored first was before');
  assert.equal(searchParams.get('xb'), server.ids[1]);
  assert.deepEqual(complaints, []);
});
