// Measuring: the ruler, gaps, areas with their table, another zero of time, notes, and inertia.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { canvasBox, chooseKernel, drawLog, heatServer, idle, openPage, picture, pointIn, visit, wideKernel } from './support.mjs';

test('the ruler snaps to the edges of slices, and a link keeps what was measured', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('e');
  const kernel = wideKernel(await drawLog(page));
  const { at } = await server.ask(`slices/${kernel.id}`);
  const box = await canvasBox(page);
  const y = box.y + kernel.y + kernel.h / 2;
  await page.keyboard.press('m');
  await page.mouse.move(box.x + kernel.x + 3, y);
  await page.mouse.down();
  await page.mouse.move(box.x + kernel.x + kernel.w / 2, y + 4);
  await page.mouse.move(box.x + kernel.x + kernel.w - 2, y);
  await page.mouse.up();
  await idle(page);
  assert.match(page.url(), new RegExp(`[?&]m=${at.start_ns}-${at.start_ns + at.duration_ns}(&|$)`));
  const measured = await page.getByTestId('measured').innerText();
  assert.match(measured, /[µmn]?s/);
  await picture(page, 'timeline-measured');
  await page.keyboard.press('m');
  await page.mouse.move(box.x + 40, y);
  await page.mouse.down();
  await page.mouse.move(box.x + 200, y);
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await idle(page);
  assert.equal(await page.getByTestId('measured').innerText(), measured, 'Escape during a drag brings it back');
  await visit(page, page.url());
  assert.match(await page.getByTestId('measured').getAttribute('title'), /from .* to /);
  await page.getByTestId('measured').click();
  await idle(page);
  assert.doesNotMatch(page.url(), /[?&]m=/);
});

test('the gap between two slices is measured by keys', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('e');
  const kernels = (await drawLog(page)).slices.filter((slice) => slice.category === 'kernel' && slice.count === 1);
  const one = (await server.ask(`slices/${kernels[0].id}`)).at;
  await visit(page, `${server.timeline}?s=${one.slice}`);
  await page.keyboard.press('g');
  await page.keyboard.press('.');
  const other = (await server.ask(`slices/${(await drawLog(page)).selected}`)).at;
  await page.keyboard.press('g');
  await idle(page);
  assert.match(page.url(), new RegExp(`[?&]m=g${one.start_ns + one.duration_ns}-${other.start_ns}(&|$)`));
  assert.match(await page.getByTestId('measured').innerText(), /gap/);
});

test('an area over the closed line of counters counts nothing of it', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  const counters = page.getByTestId('tracks').getByTestId('track').filter({ hasText: /^counters/ }).first();
  assert.equal(await counters.getAttribute('aria-expanded'), 'false');
  const [line, box] = [await counters.boundingBox(), await canvasBox(page)];
  const drag = async (top) => {
    await page.keyboard.down('Control');
    await page.mouse.move(box.x + 40, top);
    await page.mouse.down();
    await page.mouse.move(box.x + 400, line.y + 8);
    await page.mouse.up();
    await page.keyboard.up('Control');
    await idle(page);
    const [, tracks] = page.url().match(/area=\d+-\d+:([\d.,+%A-Fa-f]+)/);
    return tracks.match(/\d+/g).map(Number);
  };
  for (const top of [line.y + 2, line.y - 30]) {
    for (const track of await drag(top)) assert.ok(track < 1000, `${track} is a recorded track`);
    await page.getByTestId('area-table').or(page.getByTestId('view-empty')).first().waitFor();
    assert.equal(await page.getByTestId('panel').locator('.is-error').count(), 0);
  }
  assert.deepEqual(complaints, []);
});

test('an area is summed up in a table that can be sorted, filtered and saved', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('e');
  const log = await drawLog(page);
  const queue = log.tracks.find((track) => track.kind === 'queue');
  const box = await canvasBox(page);
  await page.keyboard.down('Control');
  await page.mouse.move(box.x + 40, box.y + queue.y + 3);
  await page.mouse.down();
  await page.mouse.move(box.x + 200, box.y + queue.y + 6);
  await page.mouse.move(box.x + box.width - 40, box.y + queue.y + 8);
  await page.mouse.up();
  await page.keyboard.up('Control');
  await idle(page);
  const [, from, to, track] = page.url().match(/area=(\d+)-(\d+):(\d+)/);
  assert.equal(Number(track), queue.id);
  const expected = await server.ask(`select?from=${from}&to=${to}&tracks=${track}`);
  assert.ok(expected.total.count > 0);
  const table = page.getByTestId('area-table');
  assert.equal(await table.locator('tbody tr').count(), expected.groups.length);
  assert.match(await page.getByTestId('area-total').innerText(), new RegExp(`^${expected.total.count.toLocaleString('en')} slice`));
  assert.equal(await table.locator('tbody tr').first().locator('th').innerText(), expected.groups[0].name);
  await picture(page, 'timeline-area');

  await table.locator('thead button', { hasText: 'Count' }).click();
  const counts = (await table.locator('tbody tr td:nth-child(3)').allInnerTexts()).map((text) => Number(text.replaceAll(',', '')));
  assert.deepEqual(counts, [...counts].sort((one, other) => other - one));
  await page.getByTestId('area-filter').fill('category:kernel');
  await idle(page);
  const kinds = new Set(await table.locator('tbody tr td:nth-child(2)').allInnerTexts());
  assert.deepEqual([...kinds], ['kernel']);

  const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('area-csv').click()]);
  const csv = fs.readFileSync(await download.path(), 'utf8');
  assert.match(csv, /^Name,Category,Count,Summed,In the area,Self,Mean,p50,p95,p99,Histogram\r\n/);
  assert.equal(csv.trim().split('\r\n').length, 1 + (await table.locator('tbody tr').count()));
  assert.deepEqual(complaints, []);
});

test('what is in sight is a list too, walked by keys: a press selects the slice', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('e');
  await page.keyboard.press('Shift+B');
  await page.getByTestId('area-csv').waitFor();
  await page.getByTestId('area-one-by-one').click();
  const table = page.getByTestId('slices-in-the-area');
  await table.waitFor();
  assert.equal(await page.getByTestId('area-csv').isVisible(), false, 'it saves the sums, which are not shown');
  await table.getByRole('button', { name: 'Duration' }).click();
  await idle(page);
  const [from, to] = new URL(page.url()).searchParams.get('area').split(':')[0].split('-');
  const asked = `slices?from=${from}&to=${to}&sort=-duration&limit=3`;
  const { slices } = await server.ask(asked);
  const names = table.locator('tbody th');
  await page.waitForFunction(
    (name) => document.querySelector('[data-testid=slices-in-the-area] tbody th')?.innerText === name,
    slices[0].name,
  );
  assert.deepEqual((await names.allInnerTexts()).slice(0, 3), slices.map((slice) => slice.name));
  await names.first().getByRole('button').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  assert.equal((await drawLog(page)).selected, slices[1].at.slice);
  await picture(page, 'timeline-list');
  await visit(page, page.url());
  await table.waitFor();
  assert.equal(await table.locator('tr.is-selected').count(), 1, 'a link shows the list and the slice');
  assert.deepEqual(complaints, []);
});

test('time counts from a slice, and from the start again', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, server.timeline);
  const kernel = await chooseKernel(page);
  await page.keyboard.press('z');
  await idle(page);
  const { at } = await server.ask(`slices/${kernel.id}`);
  assert.match(page.url(), new RegExp(`zero=${at.start_ns}`));
  assert.match(await page.getByTestId('relative-time').innerText(), /0 = /);
  await page.keyboard.press('z');
  await idle(page);
  assert.doesNotMatch(page.url(), /zero=/);
});

test('notes are pinned to a slice and to a moment, changed, removed, and are in the link', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await chooseKernel(page);
  await page.keyboard.press('n');
  await page.getByTestId('note-text').waitFor();
  await page.keyboard.type('first kernel: too late & slow');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  const box = await canvasBox(page);
  await page.mouse.move(box.x + 300, box.y + 300);
  await page.keyboard.press('n');
  await page.getByTestId('note-text').waitFor();
  await page.keyboard.type('here');
  await page.keyboard.press('Enter');
  await idle(page);
  assert.equal((await drawLog(page)).notes.length, 2);
  assert.match(page.url(), /note=s\d+[^&]*too%20late%20%26%20slow.*note=t\d+:here/);
  await picture(page, 'timeline-notes');

  await visit(page, page.url());
  const [x, y, w, h] = (await drawLog(page)).notes[1];
  await page.mouse.click(box.x + x + w / 2, box.y + y + h / 2);
  assert.equal(await page.getByTestId('note-text').inputValue(), 'here');
  await page.getByTestId('note-remove').click();
  await idle(page);
  assert.equal((await drawLog(page)).notes.length, 1);
  assert.deepEqual(complaints, []);
});

test('a text that is being written stays when another note is clicked', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  const box = await canvasBox(page);
  const write = async (x, text) => {
    await page.mouse.move(box.x + x, box.y + 300);
    await page.keyboard.press('n');
    await page.getByTestId('note-text').waitFor();
    await page.keyboard.type(text);
  };
  const click = async (note) => {
    await idle(page);
    const [x, y, w, h] = (await drawLog(page)).notes[note];
    await page.mouse.click(box.x + x + w / 2, box.y + y + h / 2);
  };
  await write(300, 'one');
  await page.keyboard.press('Enter');
  await idle(page);
  await write(500, 'two');
  await click(1);
  assert.equal(await page.getByTestId('note-text').inputValue(), 'two');
  await click(0);
  assert.equal(await page.getByTestId('note-text').inputValue(), 'one');
  await idle(page);
  assert.match(page.url(), /note=t\d+:one.*note=t\d+:two/);
  assert.deepEqual(complaints, []);
});

test('a note without a text goes when another one is clicked', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  const box = await canvasBox(page);
  const field = page.getByTestId('note-text');
  const click = async (note) => {
    const [x, y, w, h] = (await drawLog(page)).notes[note];
    await page.mouse.click(box.x + x + w / 2, box.y + y + h / 2);
    await idle(page);
  };
  for (const [x, text] of [[300, 'one'], [500, 'two']]) {
    await page.mouse.move(box.x + x, box.y + 300);
    await page.keyboard.press('n');
    await field.waitFor();
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    await idle(page);
  }
  await click(0);
  await field.fill('');
  await click(1);
  assert.equal(await field.inputValue(), 'two');
  assert.equal((await drawLog(page)).notes.length, 1);
  assert.match(page.url(), /[?&]note=t\d+:two(&|$)/);
  assert.doesNotMatch(page.url(), /note=.*note=/);
  assert.deepEqual(complaints, []);
});

test('Back ends the writing of a note that is not there then', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?r=1000000-3000000&note=t1500000:first`);
  const box = await canvasBox(page);
  await page.keyboard.press('0');
  const [x, y, w, h] = (await drawLog(page)).notes[0];
  await page.mouse.click(box.x + x + w / 2, box.y + y + h / 2);
  await page.getByTestId('note-remove').click();
  await page.mouse.move(box.x + 500, box.y + 300);
  await page.keyboard.press('n');
  await page.getByTestId('note-text').fill('second');
  await idle(page);
  await page.goBack();
  await page.getByTestId('note-editor').waitFor({ state: 'detached' });
  await idle(page);
  assert.match(page.url(), /[?&]note=t1500000:first(&|$)/);
  assert.equal((await drawLog(page)).notes.length, 1);
  assert.deepEqual(complaints, []);
});

/** Drags the timeline to later times and lets go in motion; `key` is pressed at once. */
async function flick(page, key) {
  // The test sets the clock, so that the release is in motion however busy the machine is.
  await page.getByTestId('timeline-canvas').evaluate((canvas, key) => {
    const { x, bottom } = canvas.getBoundingClientRect();
    let now = performance.now();
    performance.now = () => (now += 0.1);
    const send = (kind, step) =>
      canvas.dispatchEvent(
        new PointerEvent(kind, { clientX: x + 700 - step * 25, clientY: bottom - 40, button: 0, bubbles: true }),
      );
    send('pointerdown', 0);
    for (let step = 1; step <= 6; step += 1) send('pointermove', step);
    send('pointerup', 6);
    delete performance.now;
    if (key) canvas.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  }, key);
}

test('what is let go in motion glides on, unless the user wants less motion', async (t) => {
  const server = await heatServer();
  for (const [reducedMotion, glides] of [['no-preference', true], ['reduce', false]]) {
    const { page } = await openPage(t, { reducedMotion });
    await visit(page, `${server.timeline}?r=1000000-3000000`);
    const box = await canvasBox(page);
    await flick(page);
    const rested = (await drawLog(page)).start_ns;
    const moved = (rested - 1_000_000) / (2_000_000 / box.width);
    if (glides) assert.ok(moved > 170, `${moved} pixels`);
    else assert.ok(Math.abs(moved - 150) < 5, `${moved} pixels`);
  }
});

test('what glides jumps where a key sends it', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t, { reducedMotion: 'no-preference' });
  await visit(page, `${server.timeline}?r=1000000-3000000`);
  await flick(page, '0');
  const { start_ns, end_ns } = await drawLog(page);
  assert.equal(start_ns, 0);
  assert.ok(end_ns > 3_000_000);
});
