// The memory view: its numbers are those of the answers, and its links work.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { drawLog, heatServer, idle, openPage, picture, serverOf, trace, visit } from './support.mjs';

const shortPlace = ({ file, line }) => `${path.basename(file)}:${line}`;

/** Latest drawing of the map. */
const mapLog = async (page) => {
  await idle(page);
  await page.waitForFunction(() => JSON.parse(window.__syclscope.memoryLog() ?? 'null')?.length > 0);
  await idle(page);
  return JSON.parse(await page.evaluate(() => window.__syclscope.memoryLog()));
};

const canvasBox = (page, name) => page.getByTestId(name).boundingBox();

const bytes = (value) => {
  let unit = 'B';
  for (const next of ['KiB', 'MiB', 'GiB']) {
    if (value < 1023.95) break;
    value /= 1024;
    unit = next;
  }
  return `${+value.toPrecision(4)} ${unit}`;
};

test('memory over time marks the peak and says what was alive', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const usage = await server.ask('memory_use');
  const alive = await server.ask(`memory_at?at=${usage.peak.at_ns}`);
  await visit(page, server.timeline);
  await page.keyboard.press('4');
  await page.getByTestId('memory-chart').waitFor();
  await page.getByTestId('space').first().waitFor();
  const title = await page.getByTestId('moment-title').innerText();
  assert.match(title, /\(the peak\)/);
  assert.ok(title.includes(bytes(usage.peak.bytes)), title);
  assert.ok(title.includes(`${usage.peak.count} allocations`), title);
  assert.equal(await page.getByTestId('space').count(), alive.spaces.filter((space) => space.live.count > 0).length);
  const places = page.getByTestId('what-was-alive-by-place');
  assert.equal(await places.locator('tbody tr').count(), alive.places.length);
  const sums = await places.locator('tbody tr td:nth-child(3)').allInnerTexts();
  assert.deepEqual(sums, alive.places.map((place) => bytes(place.bytes)));
  await picture(page, 'memory-use');

  // Hovering shows the values, a click inspects the moment.
  const box = await canvasBox(page, 'memory-chart');
  const scale = (box.width - 66) / ((await server.ask()).duration_ns * 1.01);
  const x = box.x + 66 + usage.peak.at_ns * scale;
  await page.mouse.move(x + 3, box.y + 80);
  await page.getByTestId('memory-tooltip').waitFor();
  assert.ok((await page.getByTestId('memory-tooltip').innerText()).includes(bytes(usage.peak.bytes)));
  await page.mouse.click(box.x + 66 + 20, box.y + 80);
  await page.getByText('No live memory').waitFor();
  await idle(page);
  assert.match(page.url(), /mt=\d+/);
  await page.keyboard.press('p');
  await page.getByText('(the peak)').waitFor();

  // A hidden kind disappears from the chart, and is in the address.
  const kind = page.getByTestId('memory-kind-device');
  await kind.click();
  assert.equal(await kind.getAttribute('aria-pressed'), 'false');
  await idle(page);
  assert.match(page.url(), /mh=device/);
  await page.reload();
  await page.getByTestId('memory-kind-device').waitFor();
  assert.equal(await page.getByTestId('memory-kind-device').getAttribute('aria-pressed'), 'false');

  // An allocation site links to its source line.
  await page.getByTestId('what-was-alive-by-place').locator('tbody button').first().click();
  await page.getByTestId('details-name').getByText('Line').waitFor();
  assert.deepEqual(complaints, []);
});

test('two moments are compared', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const { peak } = await server.ask('memory_use');
  const { duration_ns: end } = await server.ask();
  const { change } = await server.ask(`memory_at?at=${peak.at_ns}&to=${end}`);
  await visit(page, `${server.timeline}?v=memory`);
  await page.getByTestId('space').first().waitFor();
  await page.keyboard.press('c');
  const table = page.getByTestId('what-differs-by-place');
  await table.waitFor();
  assert.equal(await table.locator('tbody tr').count(), change.places.length);
  const gone = await table.locator('tbody tr td:nth-child(5)').allInnerTexts();
  assert.deepEqual(gone, change.places.map((place) => bytes(place.released.bytes)));
  await page.getByTestId('moment-second').focus();
  await page.keyboard.press('Home');
  await idle(page);
  assert.match(page.url(), new RegExp(`mt=${peak.at_ns}-0`));
  await picture(page, 'memory-compare');
  assert.deepEqual(complaints, []);
});

test('a second moment is compared with the peak while no other is chosen', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const { peak } = await server.ask('memory_use');
  await visit(page, `${server.timeline}?v=memory`);
  await page.getByText('(the peak)').waitFor();
  const box = await canvasBox(page, 'memory-chart');
  await page.keyboard.down('Shift');
  await page.mouse.click(box.x + 66 + 20, box.y + 80);
  await page.keyboard.up('Shift');
  await page.getByTestId('moment-second').waitFor();
  await idle(page);
  assert.match(page.url(), new RegExp(`mt=${peak.at_ns}-\\d+`));
  assert.deepEqual(complaints, []);
});

test('the map shows allocations by address and time, down to one byte', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const { allocations } = await server.ask('allocations?kinds=device.host.shared&limit=10000');
  await visit(page, `${server.timeline}?v=memory&mv=map`);
  let log = await mapLog(page);
  const alone = () => log.filter((block) => block.count === 1).map((block) => block.allocation);
  const drawn = log.reduce((sum, block) => sum + block.count, 0);
  assert.ok(drawn >= allocations.length, `${drawn} of ${allocations.length} are in sight`);
  await picture(page, 'memory-map');

  // A click selects the largest block, the details show it, and a key fits it.
  const block = log.filter((one) => one.count === 1).sort((one, other) => other.w * other.h - one.w * one.h)[0];
  const box = await canvasBox(page, 'memory-map-canvas');
  await page.mouse.move(box.x + block.x + block.w / 2, box.y + block.y + block.h / 2);
  await page.getByTestId('memory-tooltip').waitFor();
  await page.mouse.click(box.x + block.x + block.w / 2, box.y + block.y + block.h / 2);
  await idle(page);
  assert.match(page.url(), new RegExp(`s=a${block.allocation}(&|$)`));
  await page.getByTestId('memory-map-canvas').focus();
  await page.keyboard.press('f');
  log = await mapLog(page);
  const fitted = log.find((one) => one.allocation === block.allocation);
  // The panel has opened for the selection, so the map is less high.
  const lower = await canvasBox(page, 'memory-map-canvas');
  assert.ok(fitted.h > lower.height / 4 && fitted.w > (lower.width - 118) / 4, JSON.stringify(fitted));
  assert.match(page.url(), /ma=[0-9a-f]+-[0-9a-f]+/);
  assert.match(page.url(), /r=/, 'the timeline has the same range');

  // The key again fits everything, and once more the selected block.
  await page.keyboard.press('f');
  await mapLog(page);
  assert.doesNotMatch(page.url(), /[?&]ma=/);
  await page.keyboard.press('f');
  await mapLog(page);
  assert.match(page.url(), /ma=[0-9a-f]+-[0-9a-f]+/);

  // A link shows the same.
  const address = page.url();
  await visit(page, address);
  const again = (await mapLog(page)).find((one) => one.allocation === block.allocation);
  assert.ok(Math.abs(again.y - fitted.y) < 1 && Math.abs(again.x - fitted.x) < 1);

  // Zoom in to single bytes.
  await page.mouse.move(box.x + 600, box.y + 120);
  await page.keyboard.down('Control');
  await page.keyboard.down('Shift');
  for (let turn = 0; turn < 80; turn += 1) await page.mouse.wheel(0, -300);
  await page.keyboard.up('Shift');
  await page.keyboard.up('Control');
  await idle(page);
  const [first, last] = new URL(page.url()).searchParams.get('ma').split('-').map((part) => BigInt(`0x${part}`));
  assert.ok(last - first <= 8n, `${last - first} bytes in sight`);
  await picture(page, 'memory-map-bytes');
  await page.keyboard.press('0');
  log = await mapLog(page);
  assert.ok(alone().includes(block.allocation));
  assert.deepEqual(complaints, []);
});

test('chart and map are saved as pictures', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  for (const [part, words] of [['use', 'memory in use'], ['map', 'memory map']]) {
    await visit(page, `${server.timeline}?v=memory&mv=${part}`);
    await page.getByTestId('space').first().waitFor();
    await idle(page);
    for (const type of ['svg', 'png']) {
      const saved = page.waitForEvent('download');
      await page.keyboard.press('Control+p');
      await page.keyboard.type(`Save the memory view as a picture (${type}`);
      await page.keyboard.press('Enter');
      const file = await (await saved).path();
      const content = fs.readFileSync(file);
      if (type === 'svg') {
        assert.ok(content.toString().includes(words));
        assert.ok(content.toString().includes('USM device'));
      } else assert.equal(content.subarray(1, 4).toString(), 'PNG');
    }
  }
  assert.deepEqual(complaints, []);
});

test('objects are listed, filtered and saved, and each has its life', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const list = await server.ask('objects?limit=10000');
  await visit(page, `${server.timeline}?v=memory&mv=objects`);
  const count = page.getByTestId('long-count');
  await count.waitFor();
  // Three buffers, however often the example swaps their handles, and seven allocations.
  assert.equal(list.total.count, 10);
  assert.equal(await count.innerText(), '10 objects');
  const table = page.getByTestId('memory-objects');
  const names = () => table.locator('.name-button').allInnerTexts();
  const rows = (await names()).length;
  assert.ok(rows >= 5 && rows <= list.total.count, `${rows} rows are in the document`);
  await picture(page, 'memory-objects');
  // A column without a value in any row is not shown.
  const heads = await table.getByRole('columnheader').allInnerTexts();
  const isKnown = ({ untouched_bytes }) => Number.isFinite(untouched_bytes);
  assert.deepEqual([heads.includes('Uses'), heads.includes('Untouched')], [true, list.objects.some(isKnown)]);

  // The largest are first after a press on the head; the order is in the address.
  await table.getByRole('button', { name: 'Size' }).click();
  const bySize = await server.ask('objects?sort=-size&limit=3');
  await page.waitForFunction((text) => document.querySelector('[data-testid=memory-objects] [role=columnheader][aria-sort=descending]')?.textContent.includes(text), 'Size');
  await idle(page);
  const size = table.locator('.long-row:not(.long-head)').first().locator('[role=cell]').nth(1);
  assert.equal(await size.innerText(), bytes(bySize.objects[0].size_bytes));
  assert.match(page.url(), /mo=-size/);

  // Only objects that were never released.
  await page.getByTestId('memory-choice-unreleased').click();
  const leaked = await server.ask('objects?problems=unreleased');
  assert.equal(leaked.total.count, 1);
  await page.getByTestId('long-count').getByText('1 object', { exact: true }).waitFor();
  const saved = page.waitForEvent('download');
  await page.getByTestId('long-csv').click();
  const csv = fs.readFileSync(await (await saved).path(), 'utf8').trim().split('\r\n');
  assert.equal(csv.length, leaked.total.count + 1);
  assert.ok(csv[0].startsWith('Object,Size,Lifetime,Uses') && csv[1].includes(`,${leaked.objects[0].size_bytes},`), csv[1]);
  await page.getByTestId('memory-choice-all').click();

  // A buffer's row links to its life, which links to slices and the map.
  const buffer = list.objects.find((item) => item.what === 'buffer' && item.copied_out.count + item.commands > 2);
  await page.getByTestId('memory-filter').fill(path.basename(buffer.location.file));
  await table.getByRole('button', { name: `Buffer ${buffer.object}`, exact: true }).click();
  await page.getByTestId('object-lane').waitFor();
  const life = await server.ask(`objects/${buffer.id}?limit=2000`);
  assert.equal(await page.getByTestId('object-events').locator('li').count(), life.events.length);
  assert.equal(await page.getByTestId('details-size').innerText(), bytes(buffer.size_bytes));
  await idle(page);
  assert.match(page.url(), new RegExp(`s=o${buffer.object}`));
  await page.getByTestId('fit-life').click();
  await idle(page);
  await picture(page, 'memory-object');
  await page.keyboard.press('Escape');
  await table.getByRole('button', { name: `Buffer ${buffer.object}`, exact: true }).click();
  await page.getByTestId('show-in-map').click();
  const own = (await mapLog(page)).find((block) => buffer.memory.some((memory) => memory.allocation === block.allocation));
  assert.ok(own, 'its memory is on the map');
  await page.getByTestId('object-events').getByTestId('jump').first().click();
  assert.ok((await drawLog(page)).selected !== null, 'a jump leads to the timeline');

  // In the other direction, a slice's accessor links to the object.
  const link = page.getByTestId('object-link').first();
  await link.click();
  await page.getByTestId('object-lane').waitFor();
  assert.deepEqual(complaints, []);
});

test('rows of a table are walked by keys', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=memory&mv=objects`);
  const table = page.getByTestId('memory-objects');
  await table.locator('.name-button').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('data-row')), '2');
  await page.keyboard.press('Enter');
  await page.getByTestId('details-name').waitFor();
  assert.equal(await table.locator('.long-row.is-selected').count(), 1);
  assert.deepEqual(complaints, []);
});

test('where no copy is known to be needed or not, the page says how to record it', async (t) => {
  const { page, complaints } = await openPage(t);
  for (const [name, isUnknown] of [['heat', true], ['transfers', false]]) {
    const server = await serverOf(trace(name));
    const { total, unknown } = await server.ask('transfers?limit=1');
    assert.equal(total.count === unknown.count, isUnknown, name);
    await visit(page, `${server.timeline}?v=memory&mv=transfers`);
    await page.getByTestId('transfer-sums').first().waitFor();
    const hint = page.getByTestId('transfers-unknown');
    assert.equal(await hint.count(), isUnknown ? 1 : 0, name);
    if (isUnknown) assert.match(await hint.innerText(), /Record with --detail high/);
  }
  assert.deepEqual(complaints, []);
});

test('copies say why they were made and whether they were needed', async (t) => {
  const server = await serverOf(trace('transfers'));
  const { page, complaints } = await openPage(t);
  const list = await server.ask('transfers?limit=10000');
  await visit(page, `${server.timeline}?v=memory&mv=transfers`);
  const count = page.getByTestId('long-count');
  await count.waitFor();
  assert.equal(await count.innerText(), `${list.total.count} copies`);
  const sums = await page.getByTestId('transfer-sums').innerText();
  for (const [words, known] of [['Unchanged since the last copy', list.unchanged], ['Never read afterwards', list.never_read]]) {
    assert.ok(known.count > 0, words);
    assert.ok(sums.toLowerCase().includes(words.toLowerCase()), sums);
  }
  assert.ok(sums.includes(bytes(list.total.bytes)), sums);
  await picture(page, 'memory-transfers');

  await page.getByTestId('memory-choice-unchanged').click();
  const unchanged = await server.ask('transfers?need=unchanged');
  await count.getByText(unchanged.total.count === 1 ? '1 copy' : `${unchanged.total.count} copies`, { exact: true }).waitFor();
  await idle(page);
  assert.match(page.url(), /mk=unchanged/);
  const row = page.getByTestId('transfers').locator('.long-row:not(.long-head)').first();
  const told = await row.innerText();
  assert.ok(told.includes('unchanged') && told.includes(unchanged.transfers[0].why), told);
  const cut = await row.getByRole('cell').nth(6).evaluate((cell) => cell.scrollWidth > cell.clientWidth);
  assert.ok(!cut, 'the need is whole');
  assert.ok(!(await page.getByTestId('memory-fit-all').isVisible()), 'a table has no time to fit');
  assert.ok(told.includes(shortPlace(unchanged.transfers[0].location)), told);
  // The copy before is one press away, in the timeline.
  await row.getByRole('button', { name: /^at / }).click();
  assert.equal((await drawLog(page)).selected, unchanged.transfers[0].evidence.slice);
  assert.deepEqual(complaints, []);
});

test('leaks are told by place, growth by round, and misuse with both places', async (t) => {
  const server = await serverOf(trace('leaks-twice'));
  const { page, complaints } = await openPage(t);
  const leaks = await server.ask('leaks');
  await visit(page, `${server.timeline}?v=memory&mv=leaks`);
  const table = page.getByTestId('never-released-by-place');
  await table.waitFor();
  assert.equal(await page.getByTestId('leaks-at-end').innerText(), `${bytes(leaks.at_end.bytes)} in ${leaks.at_end.count} allocations`);
  const rows = await table.locator('tbody tr').allInnerTexts();
  assert.equal(rows.length, leaks.places.length);
  leaks.places.forEach((place, index) => {
    assert.ok(rows[index].includes(shortPlace(place.location)) && rows[index].includes(bytes(place.live.bytes)), rows[index]);
  });
  assert.ok(leaks.growth.length > 0, 'the loop leaves a block behind in each round');
  const growth = await page.getByTestId('what-grows-by-place').locator('tbody tr').allInnerTexts();
  assert.ok(growth[0].includes(bytes(leaks.growth[0].bytes_per_round)), growth[0]);
  const [fault] = leaks.misuse;
  assert.equal(fault.kind, 'double_release');
  const told = page.getByTestId('fault').first();
  const text = await told.innerText();
  assert.ok(text.includes('released twice') && text.includes(fault.message), text);
  for (const place of [fault.location, fault.released_location, fault.allocated_location])
    if (place?.file) assert.ok(text.includes(shortPlace(place)), text);
  await picture(page, 'memory-leaks');
  await told.locator('[data-slice]').first().click();
  assert.equal((await drawLog(page)).selected, (fault.at ?? fault.released_at).slice);
  await page.goBack();
  await page.getByTestId('fault').first().locator('.jump', { hasText: '.cpp' }).first().click();
  await page.getByTestId('source-lines').waitFor();
  assert.deepEqual(complaints, []);
});

test('what of the map could not be loaded is loaded by a retry', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, `${server.timeline}?v=memory&mv=map`);
  const whole = (await mapLog(page)).reduce((sum, block) => sum + block.count, 0);
  for (const part of [/\/memory\/\d/, /\/allocations\?.*kinds=/]) {
    await page.route(part, (route) => route.abort());
    await visit(page, `${server.timeline}?v=memory&mv=map`);
    await page.getByTestId('map-failure').waitFor();
    await idle(page);
    await page.unroute(part);
    await page.getByTestId('map-failure').getByRole('button').click();
    await idle(page);
    assert.equal(await page.getByText('No allocations').count(), 0, String(part));
    assert.equal((await mapLog(page)).reduce((sum, block) => sum + block.count, 0), whole, String(part));
  }
});

test('the title of a moment has no numbers of another one', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  let isBroken = false;
  await page.route(/\/memory_at\?/, (route) => (isBroken ? route.abort() : route.continue()));
  await visit(page, `${server.timeline}?v=memory`);
  await page.getByTestId('space').first().waitFor();
  isBroken = true;
  const box = await canvasBox(page, 'memory-chart');
  await page.mouse.click(box.x + 66 + 20, box.y + 80);
  await idle(page);
  assert.doesNotMatch(await page.getByTestId('moment-title').innerText(), /allocation/);
  assert.equal(await page.getByTestId('space').count(), 0);
  isBroken = false;
  await page.getByTestId('moment').getByRole('button', { name: 'Try again' }).click();
  await page.getByText('No live memory').waitFor();
});

test('a saved table has the rows of one question, whatever is shown meanwhile', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const asked = [];
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route(/\/objects\?.*limit=5000/, async (route) => {
    asked.push(route.request().url());
    if (asked.length === 1) await held;
    const answer = await (await route.fetch()).json();
    answer.total.count = 5_001; // so that a second page is asked for
    await route.fulfill({ json: answer });
  });
  await visit(page, `${server.timeline}?v=memory&mv=objects`);
  await page.getByTestId('long-count').waitFor();
  const saved = page.waitForEvent('download');
  await page.getByTestId('long-csv').click();
  await page.getByTestId('memory-objects').getByRole('button', { name: 'Size' }).click();
  await page.getByTestId('memory-map').click();
  release();
  await saved;
  assert.ok(asked.length > 1 && asked.every((address) => !address.includes('sort=-size')), asked.join('\n'));
  assert.deepEqual(complaints, []);
});
