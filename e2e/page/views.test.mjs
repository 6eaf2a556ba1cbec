// Source, calls and summary, on the demo's recording.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { drawLog, heatServer, idle, openPage, picture, sentence, serverOf, trace, visit } from './support.mjs';

test('the source shows what lines cost, and a line leads to its slices', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const files = (await server.ask('files')).filter((file) => file.state === 'whole');
  const costliest = files.sort((one, other) => Math.max(other.device_ns, other.wait_ns) - Math.max(one.device_ns, one.wait_ns))[0];
  const { lines } = await server.ask(`lines?source=${costliest.source}`);
  const line = lines.filter((one) => one.line > 0).sort((one, other) => other.device_ns - one.device_ns)[0];
  // The timeline shows the run's first 100 µs, so that a jump to a slice of the line has to move it.
  await visit(page, `${server.timeline}?r=0-100000&v=row(source:600,timeline:400)`);
  await page.getByTestId('source-lines').waitFor();
  await idle(page);
  assert.equal(await page.locator('.source-path code').innerText(), costliest.path, 'the costliest file is open');
  assert.ok((await page.locator('.tok-keyword').count()) > 10, 'the text has colours');
  const row = page.locator(`#line-${line.line}`);
  assert.match(await row.innerText(), /\d (ns|µs|ms|s)/);
  await picture(page, 'source');
  await row.getByRole('button').click();
  await page.getByTestId('numbers').waitFor();
  assert.match(await page.getByTestId('details-name').innerText(), new RegExp(`Line ${line.line}`));
  const { total, categories } = await server.ask(
    `select?where=${encodeURIComponent(`file="${costliest.path}" line=${line.line}`)}`,
  );
  assert.match(await page.getByTestId('numbers').innerText(), new RegExp(`Slices\\s+${total.count.toLocaleString('en')}`));
  // Submissions, calls and executions have separate numbers, and no common mean.
  assert.ok(categories.length > 1);
  assert.equal(await page.getByTestId('numbers').locator('h3').count(), categories.length);
  assert.equal(categories.reduce((sum, { stats }) => sum + stats.count, 0), total.count);
  await page.getByTestId('slices-longest').getByTestId('jump').first().click();
  await idle(page);
  const there = await drawLog(page);
  assert.ok(there.selected !== null && there.end_ns > 100_000, JSON.stringify([there.selected, there.end_ns]));
  await page.goBack();
  await idle(page);
  assert.equal((await drawLog(page)).end_ns, 100_000, 'Back shows what was there before the jump');
  assert.deepEqual(complaints, []);
});

test('three sentences say at first sight what took the time, when devices were idle, what to do', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const { commands, split, findings } = await server.ask('report');
  await visit(page, `${server.timeline}?v=summary`);
  const inShort = page.getByTestId('in-short-card').getByTestId('in-short');
  await inShort.waitFor();
  const text = await sentence(inShort);
  assert.ok(text.includes(commands[0].name), text);
  assert.match(text, /[\d,]+ executions?, [\d.,]+ \ws summed: \d+ % of the summed time of all commands\./);
  const { build_ns, start_ns, end_ns, between_ns } = split.idle;
  assert.equal(build_ns + start_ns + end_ns + between_ns, split.wait_ns + split.host_ns);
  assert.match(text, /Devices idle\s+[\d.,]+ \ws .*% of the run/);
  if (start_ns > 0) assert.match(text, / before the first command/);
  assert.deepEqual(findings, []);
  assert.match(text, /^Remedy\s+No finding would save 1 % or more\./);
  if (start_ns > split.run_ns / 20) assert.match(await inShort.getByTestId('in-short-start').innerText(), /^First command after .*: .*\./);
  await picture(page, 'first-sight');
  await inShort.getByTestId('kernel-link').click();
  await page.getByTestId('kernel-histogram').waitFor();
  assert.deepEqual(complaints, []);
});

test('a finding is said once, beside what else is to be seen first', async (t) => {
  const server = await serverOf(trace('sub_buffers-bad'));
  const { page, complaints } = await openPage(t);
  const { findings } = await server.ask('report');
  await visit(page, `${server.timeline}?v=summary`);
  const card = page.getByTestId('findings');
  await card.waitFor();
  const [said, text] = await Promise.all([card.locator('.finding').first(), page.getByTestId('in-short')].map(sentence));
  for (const part of findings[0].message.replaceAll('`', '').split(/(?<=\.) (?=[A-Z])/)) {
    assert.ok(said.includes(part), `${part} in ${said}`);
    assert.ok(!text.includes(part), `${part} in ${text}`);
  }
  // The first cards have two columns from 1200 pixels on.
  for (const [width, columns] of [[1440, 2], [1200, 2], [700, 1]]) {
    await page.setViewportSize({ width, height: 900 });
    await idle(page);
    await picture(page, `summary-${width}`);
    const cards = ['in-short-card', 'findings', 'run-time', 'critical-path'].map((id) => page.getByTestId(id).boundingBox());
    assert.equal(new Set((await Promise.all(cards)).map(({ x }) => x)).size, columns, `at ${width} pixels`);
  }
  // Many findings continue in the second column.
  await page.setViewportSize({ width: 1920, height: 900 });
  const parts = await card.evaluate((it) => {
    const list = it.querySelector('.findings');
    for (let more = 0; more < 8; more += 1) list.append(list.firstElementChild.cloneNode(true));
    return it.getClientRects().length;
  });
  assert.equal(parts, 2);
  assert.deepEqual(complaints, []);
});

test('calls come as a table, a log and a flame graph, filtered alike', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const calls = await server.ask('calls');
  await visit(page, `${server.timeline}?v=calls`);
  const table = page.getByTestId('calls-by-name');
  await table.waitFor();
  assert.equal(await table.locator('tbody tr').count(), calls.length);
  // A column in which no call has a value is left out; the file has it.
  const heads = await table.locator('thead th').allInnerTexts();
  for (const [head, name] of [['Errors', 'errors'], ['Unfinished', 'unfinished']])
    assert.equal(heads.includes(head), calls.some((call) => call[name] > 0), head);
  const first = () => table.locator('tbody th').first().innerText();
  assert.equal(await first(), calls[0].name);
  await table.getByRole('button', { name: 'Calls', exact: true }).click();
  const most = [...calls].sort((one, other) => other.count - one.count)[0];
  assert.equal(await first(), most.name);
  await idle(page);
  assert.match(page.url(), /co=count/);

  await table.getByRole('button', { name: 'p95' }).click();
  const slowest = [...calls].sort((one, other) => other.p95_ns - one.p95_ns)[0];
  assert.equal(await first(), slowest.name);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('calls-csv').click()]);
  const [head, ...lines] = fs.readFileSync(await download.path(), 'utf8').trim().split('\r\n');
  assert.equal(head, 'Function,Layer,Calls,Summed,Mean,p95,Shortest,Longest,Errors,Unfinished');
  assert.equal(lines.length, calls.length);
  const { category, count, total_ns, p95_ns, min_ns, max_ns, errors, unfinished } = slowest;
  const mean = Math.floor(total_ns / count);
  const layer = category === 'native' ? 'Native' : 'Unified Runtime';
  assert.equal(lines[0], [slowest.name, layer, count, total_ns, mean, p95_ns, min_ns, max_ns, errors, unfinished].join(','));

  const name = most.name;
  await page.getByTestId('calls-filter').fill(name);
  assert.equal(await first(), name);
  await page.getByTestId('calls-log').click();
  const log = page.locator('.log-scroll');
  await log.waitFor();
  await page.getByTestId('log-count').waitFor();
  const list = await server.ask(`slices?where=${encodeURIComponent(`(category:ur or category:native) (${name})`)}&limit=1`);
  assert.match(await page.getByTestId('log-count').innerText(), new RegExp(`^${list.total.toLocaleString('en')} `));
  // Only what is on screen is in the document, and the end can be reached.
  await page.getByTestId('calls-filter').fill('');
  // Until the answer is there, the filtered rows stay.
  await idle(page);
  await page.waitForFunction(() => document.querySelectorAll('.log-row').length > 5);
  assert.ok((await page.locator('.log-row').count()) < 60);
  await log.evaluate((element) => (element.scrollTop = element.scrollHeight));
  await idle(page);
  const last = await server.ask('slices?where=category%3Aur&sort=-start&limit=1');
  await page.locator('.log-row', { hasText: last.slices[0].name }).last().waitFor();
  await page.locator('.log-row').last().getByRole('button').click();
  await page.getByTestId('details').waitFor();
  await picture(page, 'calls-log');
  await page.getByTestId('calls-filter').fill('durtion:1ms');
  assert.match(await page.getByTestId('filter-error').innerText(), /durtion/);

  await page.getByTestId('calls-filter').fill('');
  await page.getByTestId('calls-flame').click();
  const box = page.locator('.flame-box').first();
  await box.waitFor();
  await box.click();
  await page.getByTestId('sandwich').getByText('Called by').waitFor();
  await idle(page);
  await picture(page, 'calls-flame');
  assert.deepEqual(complaints, []);
});

test('the cards of the summary tell what the report says and lead on', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const report = await server.ask('report');
  await visit(page, `${server.timeline}?v=summary`);
  await page.getByTestId('summary').waitFor();
  for (const card of ['run-time', 'critical-path', 'top-commands', 'queues', 'memory'])
    await page.getByTestId(card).waitFor();
  const commands = page.getByTestId('top-commands');
  assert.ok((await commands.innerText()).includes(report.commands[0].name));
  const several = report.critical_path.steps.find((step) => step.count > 1);
  assert.ok((await page.getByTestId('critical-path').textContent()).includes(`${several.name} ×${several.count}`));
  await picture(page, 'summary');
  await commands.getByRole('button').first().click();
  await page.getByTestId('timeline-canvas').waitFor();
  assert.equal(await page.getByTestId('details-name').innerText(), report.commands[0].name);
  await page.goBack();
  await page.getByTestId('critical-path').waitFor();
  await page.getByTestId('critical-path').getByTestId('jump').first().click();
  await page.getByTestId('timeline-canvas').waitFor();
  assert.ok((await drawLog(page)).selected !== null);
  assert.deepEqual(complaints, []);
});

test('Back restores the scroll position of a view', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const body = page.locator('.view-body');
  const top = () => body.evaluate((body) => body.scrollTop);
  const scrolled = async () => {
    await body.hover();
    await page.mouse.wheel(0, 300);
    await page.waitForFunction(() => /[?&]sc=summary/.test(location.search));
    await idle(page);
  };
  await visit(page, `${server.timeline}?v=summary`);
  await page.getByTestId('top-commands').waitFor();
  await scrolled();
  const place = await top();
  assert.ok(place > 0);
  await page.keyboard.press('2');
  await page.getByTestId('timeline-canvas').waitFor();
  await idle(page);
  await page.goBack();
  // The cards are loaded again before the summary is long enough.
  await page.waitForFunction((place) => Math.abs(document.querySelector('.view-body')?.scrollTop - place) < 2, place);

  // Beside the timeline, the summary stays while Back undoes a zoom.
  await visit(page, `${server.timeline}?v=row(timeline:500,summary:500)`);
  await page.getByTestId('top-commands').waitFor();
  await page.getByRole('button', { name: 'Zoom in', exact: true }).click();
  await page.waitForFunction(() => /[?&]r=/.test(location.search));
  await scrolled();
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('.view-body').scrollTop === 0);
  assert.doesNotMatch(page.url(), /[?&]sc=/);
  assert.deepEqual(complaints, []);
});

test('Escape clears what is selected in the source', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('5');
  await page.getByTestId('source-lines').locator('th.has-cost button').first().click();
  await idle(page);
  assert.match(page.url(), /[?&]s=l\d+/);
  await page.keyboard.press('Escape');
  await idle(page);
  assert.doesNotMatch(page.url(), /[?&]s=/);
  assert.deepEqual(complaints, []);
});

test('Back leads to the selected line, also if the source was scrolled since', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=source`);
  await page.getByTestId('source-lines').locator('th.has-cost button').first().click();
  await idle(page);
  const file = new URL(page.url()).searchParams.get('s').replace(/^l\d+\./, '');
  const last = await page.getByTestId('source-lines').locator('tbody tr').count();
  const address = (line) => `${server.timeline}?v=source&s=${encodeURIComponent(`l${line}.${file}`)}`;
  const isSeen = (line) => page.locator(`#line-${line}`).evaluate((row) => {
    const [{ top, bottom }, pane] = [row, row.closest('.source-scroll')].map((part) => part.getBoundingClientRect());
    return top >= pane.top - 1 && bottom <= pane.bottom + 1;
  });
  await visit(page, address(1));
  await page.evaluate((address) => history.pushState(null, '', address), address(last));
  await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')));
  await idle(page);
  assert.deepEqual([await isSeen(1), await isSeen(last)], [false, true]);
  await page.locator('.source-scroll').hover();
  await page.mouse.wheel(0, -40);
  await page.waitForFunction(() => /[?&]sc=source/.test(location.search));
  await page.goBack();
  await idle(page);
  assert.ok(await isSeen(1));
  assert.deepEqual(complaints, []);
});

test('a filter with an error shows no flame graph', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=calls`);
  await page.getByTestId('calls-flame').click();
  await page.locator('.flame-box').first().waitFor();
  await page.getByTestId('calls-filter').fill('durtion:1ms');
  assert.match(await page.getByTestId('filter-error').innerText(), /durtion/);
  assert.equal(await page.locator('.flame-box').count(), 0);
  await page.getByTestId('calls-filter').fill('');
  await page.locator('.flame-box').first().waitFor();
  assert.deepEqual(complaints, []);
});
