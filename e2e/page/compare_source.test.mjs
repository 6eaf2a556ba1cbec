// The source of two runs with a column for each: times from the API, lines from both texts.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { idle, openPage, picture, scratch, serverOf, trace, visit } from './support.mjs';

const FILE = '/tmp/syclscope-traces/heat/with_usm.hpp';
const query = (page) => new URL(page.url()).searchParams;

/**
 * Returns the lines of a table of source: the cells before the numbers, the number on either side (one column if both
 * are equal), the text, and the line's classes.
 */
const lines = async (page) => {
  await page.getByTestId('compare-source-lines').waitFor();
  await idle(page);
  return page.getByTestId('compare-source-lines').locator('tbody tr:not(.is-skipped)').evaluateAll((rows) =>
    rows.map((row) => {
      const cells = [...row.cells].map((cell) => cell.innerText.trim());
      const text = cells.pop();
      const numbers = [...row.cells].filter((cell) => cell.matches('.has-cost, .line-number')).length;
      const [a, b = a] = cells.splice(-numbers);
      return { times: cells, a, b, text, class: row.className };
    }),
  );
};

/** Returns a duration in the page's format in nanoseconds. */
const ns = (text) => {
  const [number, unit] = text.split(' ');
  return Number(number) * { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 }[unit];
};

/**
 * Returns the recording heat with a source text in which two lines are swapped and one has another word, of the same
 * length.
 */
function edited(t) {
  const bytes = fs.readFileSync(trace('heat'));
  const edit = (before, after) => {
    assert.equal(before.length, after.length);
    const at = bytes.indexOf(before);
    assert.ok(at > 0, before);
    bytes.write(after, at);
  };
  const moved = ['  const std::size_t n = start.size;\n', '  const std::size_t rows = n / bands;\n'];
  edit(moved.join(''), moved.toReversed().join(''));
  edit('stepped[band] = log.add("diffuse_band"', 'stepped[band] = log.set("diffuse_band"');
  const file = path.join(scratch(t), 'edited.pftrace');
  fs.writeFileSync(file, bytes);
  return file;
}

test('each line has the time of both runs, and their ratio', async (t) => {
  const a = await serverOf(trace('heat'));
  const b = await serverOf(trace('heat-slow'));
  const { page, complaints } = await openPage(t);
  await visit(page, `${a.timeline}?v=compare&xb=${b.entry.id}`);
  const card = page.getByTestId('compare-source');
  await card.waitFor();
  // The file with the largest difference is shown first.
  assert.equal(await page.getByTestId('compare-file-choice').inputValue(), FILE);
  const shown = await lines(page);
  const asked = await Promise.all([a, b].map((side) => side.ask(`lines?path=${FILE}`)));
  const text = (await a.ask('sources/1')).text.split('\n');
  const busy = new Set(asked.flatMap((file) => file.lines.filter((line) => line.device_ns + line.wait_ns > 0).map((line) => line.line)));
  for (const number of busy) {
    const row = shown.find((line) => line.a === String(number));
    assert.ok(row, `line ${number}`);
    assert.deepEqual([row.b, row.text], [row.a, text[number - 1].trim()]);
    const cost = asked.map((file) => file.lines.find((line) => line.line === number));
    // Two runs and the ratio, of device time and of waits.
    assert.equal(row.times.length, 6);
    for (const [place, name] of [[0, 'device_ns'], [3, 'wait_ns']]) {
      const known = cost.map((line) => line?.[name] ?? 0);
      for (const side of [0, 1]) {
        const cell = row.times[place + side];
        if (known[side] === 0) assert.equal(cell, '');
        else assert.ok(Math.abs(ns(cell) / known[side] - 1) < 0.01, `${cell} for ${known[side]}`);
      }
      const ratio = row.times[place + 2];
      if (known.includes(0)) assert.equal(ratio, '');
      else if (known[1] / known[0] > 2) assert.equal(ratio, `${(known[1] / known[0]).toFixed(2)}×`);
      else assert.notEqual(ratio, '');
    }
  }
  assert.match(await page.getByTestId('compare-source-text').innerText(), /The text is the same on both sides/);
  assert.ok((await card.locator('tr.is-skipped').count()) > 0, 'what takes no time is left out');
  await card.scrollIntoViewIfNeeded();
  await picture(page, 'compare-source');

  // Another file is in the address. A line links to the view Source.
  await page.getByTestId('compare-file-choice').selectOption({ label: FILE.replace('usm', 'buffers') });
  await idle(page);
  assert.equal(query(page).get('xk'), FILE.replace('usm', 'buffers'));
  assert.ok((await lines(page)).some((line) => line.times[0] !== ''));
  const link = card.locator('tbody th button').first();
  const number = await link.innerText();
  await link.click();
  await page.getByTestId('source-view').waitFor();
  await idle(page);
  assert.match(query(page).get('s'), new RegExp(`^l${number}\\..*with_buffers.hpp$`));
  assert.deepEqual(complaints, []);
});

test('a file that one side alone names has its text, and no columns for the other', async (t) => {
  const a = await serverOf(trace('heat'));
  const b = await serverOf(trace('diamond'));
  const { page, complaints } = await openPage(t);
  const table = page.getByTestId('compare-source-lines');
  const { lines: asked } = await a.ask(`lines?path=${FILE}`);
  const busy = asked.filter((line) => line.device_ns + line.wait_ns > 0).map((line) => String(line.line));
  for (const [shown, other, letter] of [[a, b, 'A'], [b, a, 'B']]) {
    await visit(page, `${shown.timeline}?v=compare&xb=${other.entry.id}`);
    await page.getByTestId('compare-file-choice').selectOption(FILE);
    const rows = await lines(page);
    assert.equal(await page.getByTestId('compare-source-text').innerText(), `Only ${letter} names this file.`);
    const heads = await table.locator('thead tr').last().locator('th').allInnerTexts();
    assert.deepEqual(heads.slice(0, -1), [letter, letter, 'Line'], 'device time and waits');
    assert.deepEqual(rows.filter((row) => row.times.some((time) => time !== '')).map((row) => row.a), busy);
    assert.ok(rows.length > busy.length && rows.every((row) => row.class === ''), 'the text around, and nothing added or removed');
    await table.scrollIntoViewIfNeeded();
    await picture(page, `compare-source-only-${letter}`);
  }
  assert.deepEqual(complaints, []);
});

test('a text that differs says which lines moved or changed', async (t) => {
  const a = await serverOf(trace('heat'));
  const b = await serverOf(edited(t));
  const { page, complaints } = await openPage(t, { colorScheme: 'light', viewport: { width: 1280, height: 800 } });
  await visit(page, `${a.timeline}?v=compare&xb=${b.entry.id}&xk=${encodeURIComponent(FILE)}`);
  const shown = await lines(page);
  const of = (name) => shown.filter((line) => line.class.split(' ').includes(name));
  const [moved] = of('is-moved');
  assert.equal(of('is-moved').length, 1);
  assert.deepEqual([moved.a, moved.b].toSorted(), ['43', '44']);
  assert.match(moved.text, /^moved +const/);
  assert.deepEqual(of('is-changed').map((line) => [line.a, line.b]), [['71', '71']]);
  assert.match(of('is-changed')[0].text, /log\.set/);
  assert.match(await card(page).locator('tr.is-changed').getAttribute('title'), /log\.add/);
  assert.match(await page.getByTestId('compare-source-text').innerText(), /The text differs: 1 line added, removed or changed, 1 line moved/);
  await card(page).scrollIntoViewIfNeeded();
  await picture(page, 'compare-source-differs');
  assert.deepEqual(complaints, []);
});

test('further runs of a side have columns of their own', async (t) => {
  const a = await serverOf(trace('heat'));
  const b = await serverOf(trace('heat-slow'));
  const packed = path.join(scratch(t), 'again.pftrace.gz');
  fs.writeFileSync(packed, gzipSync(fs.readFileSync(trace('heat')), { level: 1 }));
  const more = (await serverOf(packed)).entry;
  const { page, complaints } = await openPage(t, { viewport: { width: 800, height: 900 } });
  await visit(page, `${a.timeline}?v=compare&xb=${b.entry.id}&xw=${more.id}`);
  const shown = await lines(page);
  const heads = page.getByTestId('compare-source-lines').locator('thead tr').nth(1).locator('th.cost');
  assert.deepEqual(await heads.allInnerTexts(), ['A', 'A2', 'B', 'Ratio', 'A', 'A2', 'B', 'Ratio']);
  const busy = shown.filter((line) => line.times[0] !== '');
  assert.ok(busy.length > 2);
  for (const line of busy) assert.equal(line.times[1], line.times[0], 'it is the same run once more');
  await card(page).scrollIntoViewIfNeeded();
  await picture(page, 'compare-source-narrow');
  assert.deepEqual(complaints, []);
});

/** Visible texts of the table, and true if it has to be scrolled sideways. */
const sight = (page) =>
  page.locator('.compare-source').evaluate((pane) => {
    const box = pane.getBoundingClientRect();
    const texts = [...pane.querySelectorAll('.source-code pre')].map((text) => {
      const range = document.createRange();
      range.selectNodeContents(text);
      return range.getBoundingClientRect();
    });
    const numbers = [...pane.querySelectorAll('tbody tr:not(.is-skipped) td.source-code')].map((cell) => cell.previousElementSibling.getBoundingClientRect());
    return {
      width: box.width,
      isScrolled: pane.scrollWidth > pane.clientWidth,
      inside: texts.every((text) => text.left >= box.left && text.right <= box.left + pane.clientWidth + 1),
      room: box.left + pane.clientWidth - Math.min(...texts.map((text) => text.left)),
      beside: numbers.every((number) => number.right <= texts.reduce((least, text) => Math.min(least, text.left), Infinity) + 1 && number.right <= box.left + pane.clientWidth),
    };
  });

test('the text is in sight in narrow windows, whatever is before it', async (t) => {
  const a = await serverOf(trace('heat'));
  const b = await serverOf(trace('heat-slow'));
  const copies = [];
  for (const level of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const packed = path.join(scratch(t), `copy-${level}.pftrace.gz`);
    fs.writeFileSync(packed, gzipSync(fs.readFileSync(trace('heat')), { level }));
    copies.push((await serverOf(packed)).entry.id);
  }
  for (const width of [800, 1024, 1440]) {
    const { page, complaints } = await openPage(t, { viewport: { width, height: 900 } });
    await visit(page, `${a.timeline}?v=compare&xb=${b.entry.id}`);
    await lines(page);
    const two = await sight(page);
    assert.ok(two.inside && two.beside && two.room > two.width * 0.45, JSON.stringify(two));
    // At 800 the last columns of two runs are already under the text.
    assert.equal(two.isScrolled, width < 1024, `${width}: ${JSON.stringify(two)}`);
    await card(page).scrollIntoViewIfNeeded();
    await picture(page, `compare-source-${width}`);

    // Ten runs: their columns are under the text, at any scroll position.
    await visit(page, `${a.timeline}?v=compare&xb=${b.entry.id}&xw=${copies.slice(0, 4).join('.')}&xv=${copies.slice(4).join('.')}`);
    await lines(page);
    const heads = page.getByTestId('compare-source-lines').locator('thead tr').nth(1).locator('th.cost');
    assert.deepEqual((await heads.allInnerTexts()).slice(0, 11), ['A', 'A2', 'A3', 'A4', 'A5', 'B', 'B2', 'B3', 'B4', 'B5', 'Ratio']);
    for (const left of [0, 200, 10_000]) {
      await page.locator('.compare-source').evaluate((pane, left) => (pane.scrollLeft = left), left);
      const many = await sight(page);
      assert.ok(many.inside && many.beside && many.room > many.width * 0.45, `${left}: ${JSON.stringify(many)}`);
    }
    await card(page).scrollIntoViewIfNeeded();
    await picture(page, `compare-source-runs-${width}`);
    assert.deepEqual(complaints, []);
  }
});

test('further local runs have columns, as those of a server have', async (t) => {
  const a = await serverOf(trace('heat'));
  const b = await serverOf(trace('heat-slow'));
  const files = {};
  const ids = {};
  for (const [side, of, level] of [['a', 'heat', 1], ['a', 'diamond', 1], ['b', 'heat-slow', 1], ['b', 'heat', 5]]) {
    const packed = path.join(scratch(t), `${of}-${level}.pftrace.gz`);
    fs.writeFileSync(packed, gzipSync(fs.readFileSync(trace(of)), { level }));
    (files[side] ??= []).push(packed);
    (ids[side] ??= []).push((await serverOf(packed)).entry.id);
  }
  const { page, complaints } = await openPage(t);
  await visit(page, `${a.timeline}?v=compare&xb=${b.entry.id}&xw=${ids.a.join('.')}&xv=${ids.b.join('.')}`);
  const hosted = await lines(page);
  assert.ok(hosted.some((line) => line.times[1] !== '' && line.times[1] === line.times[0]));
  await visit(page, `${a.origin}/`);
  await page.getByTestId('local-input').setInputFiles(trace('heat'));
  await page.getByTestId('timeline-canvas').waitFor();
  await page.keyboard.press('8');
  await page.getByTestId('compare-input').setInputFiles([trace('heat-slow'), ...files.b]);
  await lines(page);
  await page.getByTestId('compare-runs').locator('summary').click();
  await page.getByTestId('compare-input-a').setInputFiles(files.a);
  await page.getByText('Statistics of 3 and 3 runs').waitFor();
  const local = await lines(page);
  const heads = page.getByTestId('compare-source-lines').locator('thead tr').nth(1).locator('th.cost');
  assert.deepEqual((await heads.allInnerTexts()).slice(0, 7), ['A', 'A2', 'A3', 'B', 'B2', 'B3', 'Ratio']);
  // Files give the same as the server: the program without the file has no times.
  assert.deepEqual(local, hosted);
  await card(page).scrollIntoViewIfNeeded();
  await picture(page, 'compare-source-local');
  // Swapping the sides swaps their columns.
  await page.keyboard.press('x');
  const swapped = await lines(page);
  assert.deepEqual(swapped.map((line) => line.times.slice(0, 6)), local.map((line) => [...line.times.slice(3, 6), ...line.times.slice(0, 3)]));
  assert.deepEqual(complaints, []);
});

const card = (page) => page.getByTestId('compare-source');
