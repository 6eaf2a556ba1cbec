// The table of traces: columns, order, search, labels, keys, trends, parts of a long list, pins and quotas.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { idle, openPage, picture, startServer, trace, visit } from './support.mjs';

const TRACES = ['heat', 'diamond'];

/** Starts a server with two traces, the newest first: heat on the branch main, diamond on another. */
async function filled(t) {
  const server = await startServer(t);
  const ids = {};
  for (const name of [...TRACES].reverse()) {
    const branch = name === 'heat' ? 'main' : 'feature/x';
    const address = `${server.origin}/api/v1/traces?name=${name}.pftrace&label=branch=${branch}&label=machine=pvc`;
    const answer = await fetch(address, { method: 'POST', body: fs.readFileSync(trace(name)) });
    assert.equal(answer.status, 201);
    ids[name] = (await answer.json()).id;
  }
  return { ...server, ids };
}

const names = (page) => page.locator('.trace-link').allInnerTexts();
const shows = (page, expected) =>
  page.waitForFunction(
    (expected) => [...document.querySelectorAll('.trace-link')].map((link) => link.textContent).join() === expected,
    expected.map((name) => `${name}.pftrace`).join(),
  );
const cell = (page, name, column) =>
  page.getByTestId('trace').filter({ hasText: `${name}.pftrace` }).locator(`.column-${column}`).innerText();
const ask = async (server, path) => (await fetch(`${server.origin}/api/v1/${path}`)).json();

test('a row has the figures of its trace', async (t) => {
  const server = await filled(t);
  const { page, complaints } = await openPage(t);
  await visit(page, server.origin);
  await shows(page, ['heat', 'diamond']);
  const [heat] = await ask(server, 'traces');
  assert.equal(heat.id, server.ids.heat);
  assert.equal(await cell(page, 'heat', 'program'), heat.figures.program);
  assert.match(await cell(page, 'heat', 'busiest'), /^\d+ % \S/);
  assert.ok((await cell(page, 'heat', 'device')).includes(heat.figures.devices[0]));
  assert.equal((await cell(page, 'heat', 'launches')).replaceAll(/\D/g, ''), String(heat.figures.launches));
  assert.match(await cell(page, 'heat', 'duration'), / (ms|s)$/);
  const image = page.getByTestId('trace').first().locator('img');
  await image.scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector('.traces img').naturalWidth > 0);
  await picture(page, 'table');
  assert.deepEqual(complaints, []);
});

test('heads sort, and the address keeps the order', async (t) => {
  const server = await filled(t);
  const { page } = await openPage(t);
  await visit(page, server.origin);
  await shows(page, ['heat', 'diamond']);
  // A head's name for screen readers ends in the arrow that marks the order.
  const press = (title) => page.locator('.traces thead button', { hasText: new RegExp(`^${title}$`) }).click();
  await press('Name');
  await shows(page, ['diamond', 'heat']);
  assert.equal(new URL(page.url()).search, '?sort=name');
  await press('Name');
  await shows(page, ['heat', 'diamond']);
  assert.equal(await page.locator('[aria-sort=descending]').innerText(), 'Name');
  await press('Duration');
  const all = await ask(server, 'traces?sort=-duration');
  await shows(page, all.map((entry) => entry.name.replace('.pftrace', '')));
  await page.goBack();
  await shows(page, ['heat', 'diamond']);
  assert.equal(new URL(page.url()).search, '?sort=-name');
});

test('a search and labels show what is like them, also after a reload', async (t) => {
  const server = await filled(t);
  const { page, complaints } = await openPage(t);
  await visit(page, server.origin);
  await shows(page, ['heat', 'diamond']);
  await page.keyboard.press('/');
  await page.keyboard.type('diam');
  await shows(page, ['diamond']);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.testid), 'search', 'typing goes on');
  await page.keyboard.type(' nothing-is-called-so');
  await page.getByTestId('none-such').waitFor();
  await picture(page, 'table-none');
  await page.getByRole('button', { name: 'Show all traces' }).click();
  await shows(page, ['heat', 'diamond']);
  await page.getByTestId('label').filter({ hasText: 'branch:feature/x' }).click();
  await shows(page, ['diamond']);
  assert.equal(new URL(page.url()).search, '?label=branch:feature/x');
  await page.reload();
  await shows(page, ['diamond']);
  await page.getByTestId('filter').click();
  await shows(page, ['heat', 'diamond']);
  await page.getByTestId('to').fill('2001-01-01');
  await page.getByTestId('none-such').waitFor();
  // An invalid address gives an error, and the filters stay to correct it.
  await visit(page, `${server.origin}/?label=nonsense`);
  assert.match(await page.getByTestId('list-failure').innerText(), /KEY:VALUE/);
  await page.getByTestId('filter').click();
  await shows(page, ['heat', 'diamond']);
  assert.deepEqual(complaints.filter((text) => !text.includes('400')), []);
});

test('labels are given and taken away in the list, and those of other traces are offered', async (t) => {
  const server = await filled(t);
  const { page, complaints } = await openPage(t);
  await visit(page, server.origin);
  await shows(page, ['heat', 'diamond']);
  const row = page.getByTestId('trace').filter({ hasText: 'heat.pftrace' });
  const labelsOf = async () => Object.fromEntries((await ask(server, 'traces'))[0].labels.map(({ key, value }) => [key, value]));
  await row.getByTestId('edit-labels').click();
  const field = row.getByTestId('label-field');
  await page.waitForFunction(() => document.activeElement.dataset.testid === 'label-field');
  await page.waitForFunction(() => document.querySelectorAll('#known-labels option').length === 3);
  const offered = await page.locator('#known-labels option').evaluateAll((all) => all.map((option) => option.value));
  assert.deepEqual(offered.sort(), ['branch:feature/x', 'branch:main', 'machine:pvc']);

  // A label's key has one value. While the field has the focus, it takes the table's keys.
  await field.fill('branch:feature/x');
  await field.press('Home');
  await field.press('Delete');
  await field.press('ArrowDown');
  assert.equal(await page.getByTestId('keep').count(), 0);
  await field.fill('branch:feature/x');
  await field.press('Enter');
  await row.getByRole('button', { name: 'Remove branch:feature/x' }).waitFor();
  await page.waitForFunction(() => document.activeElement.dataset.testid === 'label-field');
  await field.fill('who = ada/b&c?');
  await row.getByRole('button', { name: 'Add' }).click();
  await row.getByRole('button', { name: 'Remove who:ada/b&c?' }).waitFor();
  assert.deepEqual(await labelsOf(), { branch: 'feature/x', machine: 'pvc', who: 'ada/b&c?' });
  await row.getByRole('button', { name: 'Remove machine:pvc' }).click();
  await row.getByText('machine:pvc').waitFor({ state: 'detached' });
  await field.fill('nothing');
  await field.press('Enter');
  assert.match(await row.getByRole('alert').innerText(), /key:value/);
  await picture(page, 'table-labels');
  await field.press('Escape');
  await page.waitForFunction(() => document.activeElement.dataset.testid === 'edit-labels');
  assert.deepEqual(await row.getByTestId('label').allInnerTexts(), ['branch:feature/x', 'who:ada/b&c?']);
  assert.deepEqual(await labelsOf(), { branch: 'feature/x', who: 'ada/b&c?' });
  assert.deepEqual(complaints, []);
});

test('keys walk the rows, open one, and ask before they delete', async (t) => {
  const server = await filled(t);
  const { page } = await openPage(t);
  await visit(page, server.origin);
  await shows(page, ['heat', 'diamond']);
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  await page.locator('.trace-link').first().focus();
  await page.keyboard.press('ArrowDown');
  assert.equal(await focused(), 'diamond.pftrace');
  await page.keyboard.press('ArrowUp');
  assert.equal(await focused(), 'heat.pftrace');
  await page.keyboard.press('Delete');
  await page.waitForFunction(() => document.activeElement.dataset.testid === 'keep');
  await page.keyboard.press('Escape');
  await page.getByTestId('keep').waitFor({ state: 'detached' });
  await page.locator('.trace-link').last().focus();
  await page.keyboard.press('Enter');
  await page.getByTestId('timeline-canvas').waitFor();
  assert.ok(page.url().endsWith(`/t/${server.ids.diamond}`));
});

test('points of the trends open their traces', async (t) => {
  const server = await filled(t);
  const { page, complaints } = await openPage(t);
  await visit(page, server.origin);
  await shows(page, ['heat', 'diamond']);
  const trends = page.getByTestId('trends');
  assert.ok(!(await trends.isVisible()), 'programs are not mixed');
  let hasThird = false;
  const third = `${server.ids.heat.slice(0, -3)}aaa`;
  await page.route('**/api/v1/traces*', async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const response = await route.fetch();
    const listed = await response.json();
    for (const { figures } of listed) Object.assign(figures, { program: 'heat', devices: ['device'] });
    if (hasThird) listed.unshift({ ...listed[0], id: third, name: 'third.pftrace', stored_unix_ns: listed[0].stored_unix_ns + 1e9 });
    await route.fulfill({ response, json: listed });
  });
  // The third trace is the first one of the list again, with its picture.
  await page.route(`**/${third}/**`, (route) => route.continue({ url: route.request().url().replace(third, server.ids.heat) }));
  await visit(page, server.origin);
  await shows(page, ['heat', 'diamond']);
  assert.ok(!(await trends.isVisible()), 'two traces have no trend');
  hasThird = true;
  await visit(page, server.origin);
  await trends.waitFor();
  assert.equal(await trends.locator('figure').count(), 3);
  assert.match(await trends.innerText(), /heat: Duration[^]*heat: Device busy[^]*heat: Busiest kernel/);
  // On a phone the charts leave half of the window to the traces.
  await page.setViewportSize({ width: 390, height: 844 });
  const first = await page.locator('.traces tbody tr').first().boundingBox();
  assert.ok(first.y < 422, JSON.stringify(first));
  await page.setViewportSize({ width: 1440, height: 900 });
  // The oldest trace is on the left.
  await trends.locator('figure').first().locator('circle').first().click();
  await page.getByTestId('timeline-canvas').waitFor();
  assert.ok(page.url().endsWith(`/t/${server.ids.diamond}`));
  await page.goBack();
  await shows(page, ['third', 'heat', 'diamond']);
  hasThird = false;
  await visit(page, `${server.origin}/?q=heat`);
  await shows(page, ['heat']);
  assert.ok(!(await trends.isVisible()), 'one trace has no trend');
  assert.deepEqual(complaints, []);
});

test('a long list goes on while one scrolls', async (t) => {
  const server = await filled(t);
  const { page, complaints } = await openPage(t);
  const [known] = await ask(server, 'traces?q=heat');
  const made = (number) => ({ ...known, id: `${known.id.slice(0, -3)}${String(number).padStart(3, 'a')}`, name: `${number}.pftrace`, figures: null });
  let asked = 0;
  await page.route('**/api/v1/traces*', (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const from = Number(new URL(route.request().url()).searchParams.get('after') ?? 0);
    asked += from > 0;
    const headers = from < 300 ? { link: `<traces?after=${from + 100}>; rel="next"` } : {};
    route.fulfill({ json: Array.from({ length: 100 }, (_, place) => made(from + place)), headers });
  });
  await visit(page, server.origin);
  await page.waitForFunction(() => document.querySelectorAll('[data-testid=trace]').length === 100);
  await idle(page);
  assert.equal(asked, 0, 'nothing more is asked for before somebody looks at it');
  for (let count = 200; count <= 400; count += 100) {
    await page.locator('.list-page').evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await page.waitForFunction((count) => document.querySelectorAll('[data-testid=trace]').length === count, count);
  }
  await idle(page);
  assert.equal(await page.getByTestId('more').count(), 0);
  assert.equal((await names(page)).at(-1), '399.pftrace');
  assert.deepEqual(complaints, []);
});

test('a filter holds when one scrolls before its answer', async (t) => {
  const server = await filled(t);
  const { page } = await openPage(t);
  const [known] = await ask(server, 'traces?q=heat');
  const made = (number) => ({ ...known, id: `${known.id.slice(0, -3)}${String(number).padStart(3, 'a')}`, name: `${number}.pftrace`, figures: null });
  let release;
  const released = new Promise((done) => (release = done));
  await page.route('**/api/v1/traces*', async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const parameters = new URL(route.request().url()).searchParams;
    if (parameters.has('label')) {
      await released;
      return route.fulfill({ json: [made(7)] });
    }
    const from = Number(parameters.get('after') ?? 0);
    const headers = { link: `<traces?after=${from + 100}>; rel="next"` };
    return route.fulfill({ json: Array.from({ length: 100 }, (_, place) => made(from + place)), headers });
  });
  await visit(page, server.origin);
  await page.waitForFunction(() => document.querySelectorAll('[data-testid=trace]').length === 100);
  const asked = page.waitForRequest((request) => request.url().includes('label='));
  await page.getByTestId('label').filter({ hasText: 'branch:main' }).first().click();
  await asked;
  await page.locator('.list-page').evaluate(async (list) => {
    list.scrollTo(0, list.scrollHeight);
    // The page gets the scroll event with the next frame.
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  });
  release();
  await shows(page, ['7']);
});

test('a project shows what it uses; a pin is kept', async (t) => {
  const server = await filled(t);
  const put = (path, body) =>
    fetch(`${server.origin}/api/v1/${path}`, { method: 'PUT', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  assert.equal((await put('projects/default', { quota_bytes: 50_000_000, retention_days: 30 })).status, 204);
  const { page, complaints } = await openPage(t);
  await visit(page, server.origin);
  const project = page.getByTestId('project');
  await project.waitFor();
  assert.match(await project.innerText(), /2 traces, .* of .*, kept for 30 days/);
  assert.ok(await project.locator('meter').evaluate((meter) => meter.value > 0 && meter.max === 50_000_000));
  await picture(page, 'table-project');
  const pin = page.getByTestId('pin').first();
  await pin.click();
  await page.waitForFunction(() => document.querySelector('[data-testid=pin]').ariaPressed === 'true');
  assert.equal((await ask(server, 'traces'))[0].is_pinned, true);
  assert.deepEqual(complaints, []);
});
