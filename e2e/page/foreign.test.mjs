// Traces of other tools: what the page shows, and what it must not claim.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { drawLog, idle, openPage, picture, scratch, serverOf, visit } from './support.mjs';

const file = fileURLToPath(new URL('../../trace/engine/tests/data/foreign/viztracer.json', import.meta.url));

test('a trace of another program is shown for what it is', async (t) => {
  const server = await serverOf(file);
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  assert.ok((await drawLog(page)).slices.length > 0);
  assert.equal(await page.getByTestId('fit-device').innerText(), 'All slices', 'no device is known to have worked');
  // The trace does not count as cut short, because such files have no end marker.
  assert.equal(await page.getByText('cut short').count(), 0);
  const info = await server.ask();
  assert.match(await page.getByTestId('facts').innerText(), new RegExp(`${info.counts.slices} slices`));
  assert.doesNotMatch(await page.getByTestId('facts').innerText(), /executions|commands/);
  // No tab is empty, and calls are a flame graph, without table and log.
  assert.equal(await page.getByTestId('tab-kernels').isVisible(), false);
  for (const view of ['kernel', 'graph', 'memory']) assert.equal(await page.getByTestId(`view-${view}`).count(), 0, view);
  await page.getByTestId('view-calls').click();
  await page.locator('.flame-box').first().waitFor();
  assert.equal(await page.getByTestId('calls-table').count() + (await page.getByTestId('calls-log').count()), 0);
  assert.equal(await page.getByText(/Record with/).count(), 0);

  // The summary lists the trace's names, because no devices are known.
  await page.keyboard.press('1');
  const card = page.getByTestId('other-trace');
  await card.getByRole('table').waitFor();
  await idle(page);
  assert.equal(await page.getByText('devices idle').count(), 0);
  const { groups } = await server.ask('select?sort=self&groups=20');
  assert.equal(await card.locator('tbody tr').count(), groups.length);
  await picture(page, 'foreign-summary');
  await card.locator('tbody .name-button').first().click();
  await page.getByTestId('timeline-canvas').waitFor();
  assert.equal(await page.getByTestId('details-name').innerText(), groups[0].name);
  assert.deepEqual(complaints, []);
});

test('a training recorded by PyTorch shows its kernels, copies and waits, and no tab with nothing in it', async (t) => {
  const recorded = new URL('../../trace/engine/tests/data/foreign/pytorch-a100.json.gz', import.meta.url);
  const server = await serverOf(fileURLToPath(recorded));
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  const views = page.getByRole('group', { name: 'Views' });
  for (const view of ['graph', 'memory', 'source']) assert.equal(await views.getByTestId(`view-${view}`).count(), 0);
  for (const view of ['summary', 'timeline', 'calls']) assert.equal(await views.getByTestId(`view-${view}`).count(), 1);
  assert.match(await page.getByTestId('facts').innerText(), /98 executions/);
  assert.equal(await page.getByText('cut short').count(), 0);
  await picture(page, 'foreign-pytorch-timeline');

  await page.keyboard.press('1');
  const summary = page.getByTestId('summary');
  await summary.getByText('cudaDeviceSynchronize').first().waitFor({ state: 'attached' });
  // The summary's parts load one after the other.
  await idle(page);
  const text = await summary.innerText();
  assert.match(text, /ampere_sgemm/);
  assert.match(text, /host → device/);
  assert.doesNotMatch(text, /SYCL_|depends_on|sycl::/);
  // Queues have the tool's names everywhere.
  assert.match(await summary.getByTestId('queues').innerText(), /Stream 7[\s\S]*Stream 20/);
  assert.doesNotMatch(text, /Queue \d/);
  // The profiler's own slice lasts as long as the run, and is not work of the program.
  const names = await summary.getByTestId('other-trace').locator('tbody tr').allInnerTexts();
  assert.ok(names.length > 5 && !names.some((name) => name.includes('PyTorch Profiler')), `${names}`);
  await picture(page, 'foreign-pytorch-summary');
  await summary.getByTestId('queues').getByRole('button', { name: 'Stream 7' }).click();
  await idle(page);
  assert.equal(await page.getByTestId('details-name').innerText(), 'Stream 7');
  assert.doesNotMatch(await page.getByTestId('details').innerText(), /Lifetime|Order/, 'the file says neither');
  assert.deepEqual(complaints, []);
});

test('names of a list that differ at their ends differ when they are shortened', async (t) => {
  const file = path.join(scratch(t), 'alike.json');
  const names = ['AddFunctor', 'MulFunctor', 'DivFunctor'].map((end) => `lib::apply_elementwise_in_place<float, ${end}>`);
  const events = [...names, 'zeCommandListAppendMemoryCopy', 'zeCommandListAppendMemoryFill'].map((name, at) => ({
    name, ph: 'X', pid: 1, tid: 1, ts: at * 100, dur: 50 + at,
  }));
  fs.writeFileSync(file, JSON.stringify({ traceEvents: events }));
  const server = await serverOf(file);
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=summary`);
  const rows = page.getByTestId('other-trace').locator('tbody .name-button > :last-child');
  await rows.first().waitFor();
  const shown = await rows.allInnerTexts();
  assert.equal(shown.length, events.length);
  assert.equal(new Set(shown).size, shown.length, `${shown}`);
  for (const end of ['Add', 'Mul', 'Div', 'Copy', 'Fill']) assert.ok(shown.some((name) => name.includes(end)), `${end} in ${shown}`);
  const cut = await rows.evaluateAll((rows) => rows.filter((row) => row.scrollWidth > row.clientWidth).map((row) => row.innerText));
  assert.deepEqual(cut, [], 'nothing is cut once more');
  assert.deepEqual(complaints, []);
});

test('no key and no search leads to a view that has nothing', async (t) => {
  const recorded = new URL('../../trace/engine/tests/data/foreign/pytorch-a100.json.gz', import.meta.url);
  const server = await serverOf(fileURLToPath(recorded));
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('3');
  await idle(page);
  assert.equal(await page.getByTestId('pane-graph').count(), 0);
  assert.equal(await page.getByTestId('announcement').innerText(), 'This trace has no data for the view Graph.');
  await page.keyboard.press('Control+p');
  await page.keyboard.type('what if');
  await idle(page);
  assert.doesNotMatch(await page.getByRole('dialog').innerText(), /Graph/);
  assert.deepEqual(complaints, []);
});

test('a flame graph holds what threads did, and nothing of devices or of the profiler itself', async (t) => {
  const recorded = new URL('../../trace/engine/tests/data/foreign/pytorch-mi250.json.gz', import.meta.url);
  const server = await serverOf(fileURLToPath(recorded));
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=calls`);
  await page.getByTestId('calls-flame').click();
  await page.getByTestId('flame-summed').waitFor();
  assert.match(await page.getByTestId('flame-summed').innerText(), /summed over 2 threads/);
  // Narrow boxes have no text.
  const names = await page.locator('.flame-box').evaluateAll((boxes) => boxes.map((box) => box.title));
  assert.ok(names.some((name) => name.startsWith('aten::')), `${names}`);
  for (const name of names) assert.doesNotMatch(name, /PyTorch Profiler|Memcpy HtoD|elementwise_kernel/);
  await picture(page, 'foreign-flame');
  assert.deepEqual(complaints, []);
});

test('a trace without a task graph says so, and offers no button that could not help', async (t) => {
  const server = await serverOf(file);
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=graph`);
  await page.getByTestId('graph').getByText('No task graph').waitFor();
  assert.match(await page.getByTestId('graph').innerText(), /another tool/);
  assert.equal(await page.getByRole('button', { name: 'Show the whole graph' }).count(), 0);
  await picture(page, 'foreign-graph');
  assert.deepEqual(complaints, []);
});
