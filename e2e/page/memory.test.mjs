// The memory view on the demo's recording: every number is that of the questions it asks, every click leads on.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { demoServer, idle, openPage, picture, visit } from './support.mjs';

const ask = async (server, question) => {
  const answer = await fetch(`${server.origin}/api/v1/traces/${server.entry.id}${question && `/${question}`}`);
  assert.ok(answer.ok, `${question}: ${answer.status}`);
  return answer.json();
};

/** What the map drew last. */
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
  const server = await demoServer(t);
  const { page, complaints } = await openPage(t);
  const usage = await ask(server, 'memory_use');
  const alive = await ask(server, `memory_at?at=${usage.peak.at_ns}`);
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

  // Hover tells the values, a click looks at that moment.
  const box = await canvasBox(page, 'memory-chart');
  const scale = (box.width - 118) / ((await ask(server, '')).duration_ns * 1.01);
  const x = box.x + 118 + usage.peak.at_ns * scale;
  await page.mouse.move(x + 3, box.y + 80);
  await page.getByTestId('memory-tooltip').waitFor();
  assert.ok((await page.getByTestId('memory-tooltip').innerText()).includes(bytes(usage.peak.bytes)));
  await page.mouse.click(box.x + 118 + 20, box.y + 80);
  await page.getByText('Nothing was alive').waitFor();
  assert.match(page.url(), /mt=\d+/);
  await page.keyboard.press('p');
  await page.getByText('(the peak)').waitFor();

  // A hidden kind is no longer in the chart, and the address holds it.
  const kind = page.getByTestId('memory-kind-device');
  await kind.click();
  assert.equal(await kind.getAttribute('aria-pressed'), 'false');
  await idle(page);
  assert.match(page.url(), /mh=device/);
  await page.reload();
  await page.getByTestId('memory-kind-device').waitFor();
  assert.equal(await page.getByTestId('memory-kind-device').getAttribute('aria-pressed'), 'false');

  // A place leads to its line.
  await page.getByTestId('what-was-alive-by-place').locator('tbody button').first().click();
  await page.getByTestId('details-name').getByText('Line').waitFor();
  assert.deepEqual(complaints, []);
});

test('two moments are compared', async (t) => {
  const server = await demoServer(t);
  const { page, complaints } = await openPage(t);
  const { peak } = await ask(server, 'memory_use');
  const { duration_ns: end } = await ask(server, '');
  const { change } = await ask(server, `memory_at?at=${peak.at_ns}&to=${end}`);
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

test('the map shows allocations by address and time, down to one byte', async (t) => {
  const server = await demoServer(t);
  const { page, complaints } = await openPage(t);
  const { allocations } = await ask(server, 'allocations?kinds=device.host.shared&limit=10000');
  await visit(page, `${server.timeline}?v=memory&mv=map`);
  let log = await mapLog(page);
  const alone = () => log.filter((block) => block.count === 1).map((block) => block.allocation);
  const drawn = log.reduce((sum, block) => sum + block.count, 0);
  assert.ok(drawn >= allocations.length, `${drawn} of ${allocations.length} are in sight`);
  await picture(page, 'memory-map');

  // The largest is selected by a click, told in the details, and fitted.
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
  assert.ok(fitted.h > box.height / 4 && fitted.w > (box.width - 118) / 4, JSON.stringify(fitted));
  assert.match(page.url(), /ma=[0-9a-f]+-[0-9a-f]+/);
  assert.match(page.url(), /r=/, 'the timeline has the same range');

  // A link shows the same.
  const address = page.url();
  await visit(page, address);
  const again = (await mapLog(page)).find((one) => one.allocation === block.allocation);
  assert.ok(Math.abs(again.y - fitted.y) < 1 && Math.abs(again.x - fitted.x) < 1);

  // Down to bytes.
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
  const server = await demoServer(t);
  const { page, complaints } = await openPage(t);
  for (const [part, words] of [['use', 'memory in use'], ['map', 'map of the memory']]) {
    await visit(page, `${server.timeline}?v=memory&mv=${part}`);
    await page.getByTestId('space').first().waitFor();
    await idle(page);
    for (const type of ['svg', 'png']) {
      const saved = page.waitForEvent('download');
      await page.keyboard.press('Control+p');
      await page.keyboard.type(`Save the memory's picture (${type}`);
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
