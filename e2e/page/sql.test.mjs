// The SQL view: running a statement, its rows as a table and a chart, and their links to the timeline.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawLog, heatServer, idle, openPage, picture, serverOf, trace, visit } from './support.mjs';

const KERNELS = "SELECT name, count(*) AS runs, sum(duration_ns) AS total_ns FROM executions WHERE kind = 'kernel' GROUP BY name ORDER BY total_ns DESC";

const cells = async (page) => {
  await idle(page);
  return page.getByTestId('sql-result').locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.innerText)));
};

/** A number in groups of three digits. */
const grouped = (number) => number.toLocaleString('en');

test('a statement has rows, a chart, and marks in the timeline', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('9');
  const field = page.getByTestId('sql-statement');
  await field.fill(KERNELS);
  await field.press('Control+Enter');
  await page.getByTestId('sql-result').waitFor();
  // The server's own summary of the same kernels.
  const { groups } = await server.ask('select?where=category:kernel&groups=100');
  const expected = groups.map(({ name, count, total_ns }) => [name, grouped(count), grouped(total_ns)]);
  assert.deepEqual((await cells(page)).sort(), expected.sort());
  assert.equal(await page.getByTestId('sql-count').innerText(), `${expected.length} rows`);
  assert.equal(await page.getByTestId('sql-chart').locator('li').count(), expected.length);
  await page.getByTestId('sql-result').getByRole('button', { name: 'runs' }).click();
  const runs = (await cells(page)).map(([, count]) => Number(count.replaceAll(',', '')));
  assert.deepEqual(runs, [...runs].sort((one, other) => other - one));
  await picture(page, 'sql');

  // A link runs the same statement.
  const link = page.url();
  await visit(page, link);
  assert.equal(await field.inputValue(), KERNELS);
  assert.equal((await cells(page)).length, expected.length);

  // Rows of slices link to these, and are marked together.
  await field.fill('SELECT slice, track, start_ns, duration_ns FROM executions ORDER BY duration_ns DESC, slice LIMIT 3');
  await page.getByTestId('sql-run').click();
  await page.getByTestId('sql-mark').waitFor();
  const [first] = await cells(page);
  await page.getByTestId('sql-mark').click();
  await page.getByTestId('search-count').waitFor();
  await page.waitForFunction(() => document.querySelector('#search-count')?.textContent.includes('3'));
  await page.keyboard.press('9');
  await page.getByTestId('sql-result').getByRole('button', { name: first[0], exact: true }).first().click();
  assert.equal((await drawLog(page)).selected, Number(first[0]));
  assert.deepEqual(complaints, []);
});

test('long names of kernels leave room for the numbers beside them', async (t) => {
  const server = await serverOf(trace('dpnp'));
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=sql&sql=${encodeURIComponent(KERNELS)}`);
  const table = page.getByTestId('sql-result');
  await table.waitFor();
  const [last, rows] = await Promise.all([table.locator('th').last().boundingBox(), page.getByTestId('sql-rows').boundingBox()]);
  assert.ok(last.x + last.width <= rows.x + rows.width + 1, JSON.stringify({ last, rows }));
  const first = table.locator('tbody td').first();
  const [name, full] = [await first.innerText(), await first.getAttribute('title')];
  assert.ok(full.includes('::') && !name.includes('::') && full.includes(name.slice(0, 12)), `${name} of ${full}`);
  await picture(page, 'sql-dpnp');
  assert.deepEqual(complaints, []);
});

test('every example has an answer', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=sql`);
  const examples = page.getByTestId('sql-examples');
  for (const { value, text } of await examples.locator('option').evaluateAll((options) => options.slice(1).map(({ value, text }) => ({ value, text })))) {
    await examples.selectOption(value);
    await idle(page);
    const statement = await page.getByTestId('sql-statement').inputValue();
    const { rows } = await server.ask(`sql?query=${encodeURIComponent(statement)}`);
    assert.ok(rows.length > 0, text);
    assert.equal((await cells(page)).length, rows.length, text);
  }
  assert.deepEqual(complaints, []);
});

test('a wrong statement says why, a table is a press away, and what runs is cancelled', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  // The server never answers this statement.
  await page.route(/\/sql\?query=SELECT%201(&|$)/, () => {});
  await visit(page, `${server.timeline}?v=sql`);
  await page.getByTestId('view-empty').waitFor();
  await page.getByTestId('sql-table').locator('summary', { hasText: /^queues / }).click();
  await page.getByTestId('sql-table').getByRole('button', { name: 'Insert queues', exact: true }).click();
  const field = page.getByTestId('sql-statement');
  assert.equal(await field.inputValue(), 'SELECT * FROM queues LIMIT 100');
  await page.getByTestId('sql-run').click();
  await page.getByTestId('sql-result').waitFor();
  const { queues } = await server.ask();
  assert.equal((await cells(page)).length, queues.length);
  await field.fill('SELECT nmae FROM slices');
  await field.press('Control+Enter');
  const failure = page.getByTestId('view-failure');
  await failure.getByText('did you mean name?').waitFor();
  await field.fill('SELECT 1');
  await field.press('Control+Enter');
  await page.getByTestId('sql-cancel').click();
  await failure.getByText('cancelled').waitFor();
});

test('a statement has colours, and the place of an error is marked in it', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, `${server.timeline}?v=sql`);
  const field = page.getByTestId('sql-statement');
  const statement = "SELECT count(*), 'it''s' -- why\nFROM slices\nWHERE nmae = 5";
  await field.fill(statement);
  const pieces = () => page.locator('.sql-field pre span').evaluateAll((spans) => spans.map((span) => [span.className, span.textContent]));
  const texts = async (kind) => (await pieces()).filter(([names]) => names.split(' ').includes(kind)).map(([, text]) => text);
  assert.equal((await pieces()).map(([, text]) => text).join(''), statement);
  assert.deepEqual(await texts('tok-keyword'), ['SELECT', 'FROM', 'WHERE']);
  assert.deepEqual([await texts('tok-function'), await texts('tok-number')], [['count'], ['5']]);
  assert.deepEqual(await texts('is-wrong'), [], 'nothing has run yet');
  await field.press('Control+Enter');
  await page.getByTestId('view-failure').waitFor();
  assert.deepEqual(await texts('is-wrong'), ['nmae']);
  await picture(page, 'sql-wrong');
  // The coloured text lies exactly under the field's, and the field is as high as its text.
  const [above, beneath] = await Promise.all([field.boundingBox(), page.locator('.sql-field pre').boundingBox()]);
  assert.deepEqual(above, beneath);
  const height = above.height;
  await field.fill(`${statement}\n\n\n\n\n\n`);
  assert.deepEqual(await texts('is-wrong'), [], 'another statement');
  assert.ok((await field.boundingBox()).height > height);
  assert.equal(await field.evaluate((field) => field.scrollHeight - field.clientHeight), 0);
});

test('a text can be dragged into the statement, and replaces the page nowhere else', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=sql`);
  /** True if the page leaves a dragged text to the browser there. */
  const isLeft = (place) =>
    place.evaluate((element) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.setData('text/plain', 'SELECT 1');
      const send = (kind) => element.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
      return ['dragenter', 'dragover', 'drop'].every(send);
    });
  assert.equal(await isLeft(page.getByTestId('sql-statement')), true);
  assert.equal(await isLeft(page.getByTestId('sql-rows')), false);
  assert.deepEqual(complaints, []);
});

test('Back keeps the statement that is being written', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, `${server.timeline}?v=row(timeline:500,sql:500)`);
  const field = page.getByTestId('sql-statement');
  await page.getByTestId('timeline-canvas').click({ position: { x: 400, y: 10 } });
  await idle(page);
  const before = page.url();
  await page.keyboard.press('w');
  await page.waitForFunction((before) => location.href !== before, before);
  await field.fill('SELECT 1');
  await page.goBack();
  await idle(page);
  assert.equal(await field.inputValue(), 'SELECT 1');
});

test('another view keeps the statement that is being written', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, `${server.timeline}?v=sql&sql=SELECT%202`);
  const field = page.getByTestId('sql-statement');
  await field.fill('SELECT 1');
  await page.getByTestId('sql-run').focus();
  await page.keyboard.press('2');
  await page.getByTestId('timeline-canvas').waitFor();
  await page.keyboard.press('9');
  await field.waitFor();
  await idle(page);
  assert.equal(await field.inputValue(), 'SELECT 1');
});
