// Comments: created on the selection, shown to all readers of the trace, drawn at their entities.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { test } from 'node:test';
import { syclscope } from './servers.mjs';
import { drawLog, graphLog, idle, newContext, openPage, openServer, picture, startServer, store, trace, visit } from './support.mjs';

const SCRIPT = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;

/** Waits until a condition is true. The test's own limit ends an endless wait. */
async function eventually(holds) {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Writes a comment on the selection. */
async function comment(page, text) {
  await page.keyboard.press('Shift+K');
  await page.getByTestId('comment-field').fill(text);
  await page.keyboard.press('Control+Enter');
  await page.getByTestId('comment-field').waitFor({ state: 'detached' });
}

test('a comment is seen by all who look, drawn where its thing is, answered, changed, deleted and put back', async (t) => {
  const server = await startServer(t);
  const entry = await store(server, trace('heat'));
  const { browser, page, complaints } = await openPage(t);
  const address = `${server.origin}/t/${entry.id}`;
  await visit(page, `${address}?v=row(timeline:500,graph:500)&s=n1&r=all`);
  const other = await (await newContext(t, browser)).newPage();
  await visit(other, address);

  await comment(page, `Why is this slow?\n${SCRIPT}`);
  const words = page.getByTestId('comment-words');
  assert.equal(await words.textContent(), `Why is this slow?\n${SCRIPT}`);
  await eventually(async () => (await graphLog(page)).pinned.length === 1);
  await eventually(async () => (await drawLog(page)).pins.length > 0);
  await picture(page, 'comments');

  // The other page gets the comment without a reload.
  const tab = other.getByTestId('tab-comments');
  await other.getByText('Comments (1, 1 new)').waitFor();
  await tab.click();
  // Comments are new until the panel's code is loaded and shows them.
  await other.getByTestId('comment-words').waitFor();
  await eventually(async () => (await tab.innerText()) === 'Comments (1)');
  await other.getByTestId('comment-pin').click();
  await other.getByTestId('graph-canvas').waitFor();
  await idle(other);
  assert.match(new URL(other.url()).search, /[?&]s=n1(&|$)/);
  await other.getByRole('button', { name: 'Answer' }).click();
  await other.getByTestId('comment-field').fill('It waits for a copy.');
  await other.getByTestId('comment-send').click();
  await page.getByText('It waits for a copy.').waitFor();

  await page.getByRole('button', { name: 'Edit' }).first().click();
  await page.getByTestId('comment-field').fill('Why does this wait?');
  await page.getByTestId('comment-send').click();
  await other.getByText('Why does this wait?').waitFor();
  const line = page.getByTestId('comment').filter({ hasText: 'It waits for a copy.' });
  await line.getByRole('button', { name: 'Delete' }).click();
  await other.getByText('It waits for a copy.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await other.getByText('It waits for a copy.').waitFor();

  for (const seen of [page, other]) assert.notEqual(await seen.title(), 'owned');
  assert.deepEqual(complaints, []);
});

test('what is not sent is there again after another comment was answered', async (t) => {
  const server = await startServer(t);
  const entry = await store(server, trace('heat'));
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.origin}/t/${entry.id}?s=n1`);
  await comment(page, 'First.');
  await page.keyboard.press('Shift+K');
  const field = page.getByTestId('comment-field');
  await field.fill('Half a thought');
  await page.getByTestId('comment').getByRole('button', { name: 'Answer' }).click();
  await page.getByTestId('comment-about').filter({ hasText: 'Answer to' }).waitFor();
  assert.equal(await field.inputValue(), '');
  await field.press('Escape');
  await field.waitFor({ state: 'detached' });
  await page.keyboard.press('Shift+K');
  await field.waitFor();
  assert.equal(await field.inputValue(), 'Half a thought');
  // The field does not keep a text that was sent.
  await page.keyboard.press('Control+Enter');
  await field.waitFor({ state: 'detached' });
  await page.keyboard.press('Shift+K');
  await field.waitFor();
  assert.equal(await field.inputValue(), '');
  assert.deepEqual(complaints, []);
});

test('a bookmark is no way to lose a typed comment', async (t) => {
  const server = await startServer(t);
  const entry = await store(server, trace('heat'));
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.origin}/t/${entry.id}?s=n1`);
  await page.keyboard.press('Shift+K');
  const [field, mark] = ['comment-field', 'comment-mark'].map((name) => page.getByTestId(name));
  await field.fill('Half a thought');
  await eventually(() => mark.isDisabled());
  await field.fill('');
  await eventually(() => mark.isEnabled());
  await mark.click();
  await field.waitFor({ state: 'detached' });
  await page.getByTestId('comment').getByText('Bookmark').waitFor();
  assert.deepEqual(complaints, []);
});

test('what is said while a page is hidden is new when it is seen again', async (t) => {
  const server = await startServer(t);
  const entry = await store(server, trace('heat'));
  const { browser, page, complaints } = await openPage(t);
  await visit(page, `${server.origin}/t/${entry.id}`);
  const other = await (await newContext(t, browser)).newPage();
  await visit(other, `${server.origin}/t/${entry.id}`);
  const hide = (hidden) =>
    other.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    }, hidden);
  await hide(true);
  await comment(page, 'Said meanwhile.');
  await hide(false);
  await other.getByText('Comments (1, 1 new)').waitFor();
  // A deleted comment does not count as new.
  await comment(page, 'Said by mistake.');
  await other.getByText('Comments (2, 2 new)').waitFor();
  const line = page.getByTestId('comment').filter({ hasText: 'Said by mistake.' });
  await line.getByRole('button', { name: 'Delete' }).click();
  await other.getByText('Comments (1, 1 new)').waitFor();
  assert.deepEqual(complaints, []);
});

test('a part of time and a source line are marked where they are shown', async (t) => {
  const server = await startServer(t);
  const entry = await store(server, trace('heat'));
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.origin}/t/${entry.id}?r=0-9000000&s=t1000000-2000000`);
  await page.keyboard.press('Shift+K');
  await page.getByTestId('comment-mark').click();
  // Search in the comment only: the server may announce it before it answers, while the button "Bookmark" is still
  // there.
  await page.getByTestId('comment').getByText('Bookmark').waitFor();
  await eventually(async () => (await drawLog(page)).pins.length === 1);
  await page.getByTestId('comment-pin').click();
  await eventually(async () => {
    const { start_ns, end_ns } = await drawLog(page);
    return Math.abs(start_ns - 1_000_000) < 1_000 && Math.abs(end_ns - 2_000_000) < 1_000;
  });

  await page.getByTestId('view-source').click();
  // Search in the source only: the panel names lines, too, perhaps before the text is loaded.
  const number = page.getByTestId('source-lines').locator('[data-thing^="l"]').first();
  await number.click();
  await comment(page, 'here');
  await eventually(() => number.evaluate((element) => getComputedStyle(element, '::after').content.includes('◆')));
  assert.deepEqual(complaints, []);
});

test('a comment that mentions somebody is above their list of traces, and leads to what it is about', async (t) => {
  const server = await startServer(t, undefined, ['--sign-in', 'token']);
  const create = (name) => ['token', 'create', name, '--data', server.data, '--role', 'contributor'];
  const [ada, bob] = ['ada', 'bob'].map((name) => execFileSync(syclscope, create(name), { encoding: 'utf8' }).trim());
  const as = (token, path, body, type = 'application/json') =>
    fetch(`${server.origin}/api/v1/${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': type },
      body,
    }).then((answer) => answer.json());
  const { id } = await as(ada, 'traces?name=heat.pftrace', fs.readFileSync(trace('heat')), 'application/octet-stream');
  await as(ada, `traces/${id}/comments`, JSON.stringify({ pin: 'n1', about: 'gemm', text: `@bob ${SCRIPT}` }));
  await as(bob, `traces/${id}/comments`, JSON.stringify({ text: 'of no concern to @ada' }));

  const { page, complaints } = await openPage(t);
  await page.goto(server.origin);
  await page.getByLabel('Your token').fill(bob);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const mentions = page.getByTestId('mentions');
  await mentions.waitFor();
  assert.equal(await mentions.locator('summary').innerText(), '1 comment mentions you');
  await mentions.locator('summary').click();
  const line = mentions.getByTestId('mention');
  assert.match(await line.innerText(), /heat\.pftrace[^]*ada on gemm[^]*@bob <img/);
  await picture(page, 'mentions');
  await line.getByRole('link').click();
  await page.getByTestId('comment').first().waitFor();
  assert.match(new URL(page.url()).search, /[?&]s=n1(&|$)/);
  assert.notEqual(await page.title(), 'owned');
  assert.deepEqual(complaints, []);
});

test('a place that is gone to later is not left for one whose answer comes late', async (t) => {
  const server = await startServer(t);
  const entry = await store(server, trace('heat'));
  const address = `${server.origin}/t/${entry.id}`;
  const answer = await fetch(`${server.origin}/api/v1/traces/${entry.id}/step?at=0&where=category%3Akernel`);
  const { at } = (await answer.json()).slice;
  const range = `t0-${Math.floor(at.start_ns / 2)}`;
  const { page, complaints } = await openPage(t);
  let isHeld = false;
  let ask, release;
  const asked = new Promise((resolve) => (ask = resolve));
  const gone = new Promise((resolve) => (release = resolve));
  await page.route(`**/slices/${at.slice}`, async (route) => {
    if (isHeld) {
      ask();
      await gone;
    }
    await route.continue();
  });
  for (const thing of [at.slice, range]) {
    await visit(page, `${address}?s=${thing}`);
    await comment(page, 'Here.');
  }
  await idle(page);
  isHeld = true;
  const pin = (thing) => page.locator(`[data-testid=comment-pin][data-pin="${thing}"]`);
  await pin(at.slice).click();
  await asked;
  await pin(range).click();
  release();
  const { start_ns, end_ns } = await drawLog(page);
  assert.ok(start_ns === 0 && end_ns < at.start_ns, `${start_ns} to ${end_ns}`);
  assert.match(page.url(), new RegExp(`[?&]s=${range}(&|$)`));
  assert.deepEqual(complaints, []);
});

test('an allocation that is spoken of is marked on the map of the memory', async (t) => {
  const server = await startServer(t);
  const entry = await store(server, trace('heat'));
  const { page, complaints } = await openPage(t);
  const drawn = async () => {
    await idle(page);
    return JSON.parse((await page.evaluate(() => window.__syclscope.memoryLog())) ?? 'null') ?? [];
  };
  await visit(page, `${server.origin}/t/${entry.id}?v=memory&mv=map`);
  await eventually(async () => (await drawn()).some((block) => block.count === 1));
  const { allocation } = (await drawn()).find((block) => block.count === 1);
  await visit(page, `${server.origin}/t/${entry.id}?v=memory&mv=map&s=a${allocation}`);
  await comment(page, 'Who keeps this?');
  await eventually(async () => (await drawn()).some((block) => block.is_pinned));
  assert.deepEqual((await drawn()).filter((block) => block.is_pinned).map((block) => block.allocation), [allocation]);
  await picture(page, 'comments-memory');
  assert.deepEqual(complaints, []);
});

test('comments come once a server that is busy, or starts behind a proxy, has them', async (t) => {
  const server = await startServer(t);
  const entry = await store(server, trace('heat'));
  const { page } = await openPage(t);
  let isSeen = false;
  const answers = [{ status: 503, json: { error: { code: 'busy', message: 'The server is busy.' } } }];
  await page.route(/\/comments$/, (route) => {
    if (!isSeen) return route.fulfill({ status: 502, body: '<html>Bad Gateway</html>' });
    const answer = answers.shift();
    return answer ? route.fulfill(answer) : route.continue();
  });
  await page.goto(`${server.origin}/t/${entry.id}?p=comments`);
  await page.getByTestId('comments-failure').waitFor();
  isSeen = true;
  await page.getByTestId('no-comments').waitFor();
  assert.equal(answers.length, 0);
});

test('a trace without comments says so, and a file of this computer how it gets some', async (t) => {
  const server = await startServer(t);
  const entry = await store(server, trace('heat'));
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.origin}/t/${entry.id}?p=comments`);
  await page.getByTestId('no-comments').waitFor();
  const file = await openServer(t, trace('heat'));
  await visit(page, `${file.address}?p=comments`);
  await page.getByText('Comments need a server').waitFor();
  assert.equal(await page.getByTestId('comment-here').count(), 0);
  assert.deepEqual(complaints, []);
});
