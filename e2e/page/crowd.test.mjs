// Many similar tracks: those without slices form one line, and so do threads with similar names, and tracks that the
// user merges.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idle, openPage, picture, serverOf, trace, visit } from './support.mjs';

/** Returns the names of all tracks with a line, in sight or not. */
async function names(page) {
  await idle(page);
  const titles = await page.getByTestId('track').evaluateAll((labels) => labels.map((label) => label.title));
  return titles.map((title) => title.split('\n')[0]);
}

const label = (page, name) => page.locator('[data-testid=track]').filter({ hasText: name }).first();

test('queues without executions are one line, so that threads are in sight', async (t) => {
  const server = await serverOf(trace('crowd'));
  const info = await server.ask();
  const idleQueues = info.tracks.filter((track) => track.kind === 'queue' && track.slices === 0).length;
  const threads = info.tracks.filter((track) => /^thread \d/.test(track.name)).length;
  assert.ok(idleQueues > 300 && threads > 8, 'this recording has a crowd');
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  const shown = await names(page);
  assert.ok(shown.includes(`${idleQueues} queues without executions`), `${shown}`);
  assert.ok(shown.includes(`${threads} threads: thread …`), `${shown}`);
  assert.equal(shown.filter((name) => /^queue \d/.test(name)).length, 2);
  assert.ok(shown.includes('main thread'));
  await picture(page, 'crowd');

  // The line opens and closes, and its label says so. A link keeps its state.
  const line = label(page, 'queues without executions');
  assert.equal(await line.getAttribute('aria-expanded'), 'false');
  await line.click();
  await idle(page);
  assert.equal(await page.getByTestId('track').filter({ hasText: /^queue \d/ }).count(), idleQueues + 2);
  const opened = label(page, 'queue 77 ');
  assert.equal(await opened.getAttribute('aria-level'), '3', 'a tree tells how deep its items are');
  await visit(page, page.url());
  assert.equal(await line.getAttribute('aria-expanded'), 'true');
  await line.click();
  await idle(page);
  assert.equal(await page.getByTestId('track').filter({ hasText: /^queue \d/ }).count(), 2);

  // A line of threads can be opened, too.
  await label(page, 'threads: thread').click();
  assert.equal((await names(page)).filter((name) => /^thread \d/.test(name)).length, threads);
  assert.deepEqual(complaints, []);
});

test('tracks are shown, hidden and merged by patterns, and a step back undoes it', async (t) => {
  const server = await serverOf(trace('crowd'));
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  const before = await names(page);
  const field = page.getByTestId('track-filter');
  await field.fill('queue*7*7');
  let shown = (await names(page)).filter((name) => /^queue/.test(name));
  assert.ok(shown.length > 1 && shown.every((name) => /7\d*7/.test(name)), `${shown}`);
  assert.match(page.url(), /tf=queue(\*|%2A)7/);
  await field.fill('-queue');
  shown = await names(page);
  assert.ok(!shown.some((name) => /queue/.test(name)) && shown.includes('main thread'), `${shown}`);
  await field.fill('+queue +thread');
  shown = await names(page);
  assert.ok(shown.some((name) => /^\d+ queues: queue$/.test(name)), `${shown}`);
  assert.ok(shown.some((name) => /^\d+ threads: thread$/.test(name)), `${shown}`);
  await picture(page, 'crowd-merged');
  await visit(page, page.url());
  assert.deepEqual(await names(page), shown, 'a link keeps what is merged');

  // Back undoes all typed letters in one step, or in one step for each pause of this test between words.
  for (let step = 0; step < 3 && new URL(page.url()).searchParams.has('tf'); ++step) {
    await page.goBack();
    await idle(page);
  }
  assert.deepEqual(await names(page), before);
  await label(page, 'main thread').focus();
  await page.keyboard.press('h');
  assert.ok(!(await names(page)).includes('main thread'));
  await page.waitForFunction(() => location.search.includes('hide='));
  await page.keyboard.press('Alt+ArrowLeft');
  await page.waitForFunction(() => !location.search.includes('hide='));
  assert.deepEqual(await names(page), before);
  assert.deepEqual(complaints, []);
});
