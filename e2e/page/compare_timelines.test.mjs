// Both timelines of a comparison: they move together along matched moments, and share one selection.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { drawLog, idle, openPage, picture, scratch, serverOf, tap, trace, visit } from './support.mjs';

const query = (page) => new URL(page.url()).searchParams;

/** Latest drawings of both timelines, the page's own trace first. */
const logs = async (page) => {
  await idle(page);
  return JSON.parse(await page.evaluate(() => window.__syclscope.drawLogs())).slice(1);
};

/** The timeline of a side. */
const side = (page, letter) => page.getByTestId(`compare-timeline-${letter}`);

/** Opens a comparison with both timelines in sight. */
async function opened(t, options, more = '') {
  const a = await serverOf(trace('heat'));
  const b = await serverOf(trace('heat-slow'));
  const { page, complaints } = await openPage(t, options);
  await visit(page, `${a.timeline}?v=compare&xb=${b.entry.id}${more}`);
  await page.getByTestId('compare-warp').waitFor();
  await page.getByTestId('compare-warp').evaluate((strip) => strip.scrollIntoView({ block: 'center' }));
  await idle(page);
  const anchors = await a.ask(`compare/${b.entry.id}/anchors?limit=5000`);
  return { a, b, page, complaints, anchors };
}

/** Returns the moment of B for a moment of A, or the reverse, from the API's anchors. */
function across(anchors, [from, to], at) {
  let place = anchors.findIndex((anchor) => anchor[from] > at);
  if (place < 0) return anchors.at(-1)[to] + (at - anchors.at(-1)[from]);
  const [before, after] = [anchors[place - 1], anchors[place]];
  const share = (at - before[from]) / Math.max(after[from] - before[from], 1);
  return before[to] + share * (after[to] - before[to]);
}

/** Asserts that both show the same part, according to the anchors. */
function assertLinked(anchors, [own, other], from = 'a_ns', to = 'b_ns') {
  const [one, two] = from === 'a_ns' ? [own, other] : [other, own];
  const span = two.end_ns - two.start_ns;
  for (const end of ['start_ns', 'end_ns']) {
    const wanted = Math.max(across(anchors, [from, to], one[end]), 0);
    assert.ok(Math.abs(two[end] - wanted) < span * 0.01 + 40, `${end}: ${two[end]} for ${wanted} of ${span}`);
  }
}

/** Returns a point in a slice of one of the timelines, in coordinates of the page. */
async function pointIn(page, letter, slice) {
  const canvas = side(page, letter).getByTestId('timeline-canvas');
  // The page's panel may cover the canvas.
  await canvas.evaluate((canvas) => canvas.scrollIntoView({ block: 'start' }));
  const box = await canvas.boundingBox();
  const left = Math.max(slice.x, 0);
  const right = Math.min(slice.x + slice.w, box.width);
  return { x: box.x + (left + right) / 2, y: box.y + slice.y + slice.h / 2 };
}

const alone = (log, isMeant) =>
  log.slices
    .filter((slice) => slice.category === 'kernel' && slice.count === 1 && slice.w > 3 && slice.y > 84 && slice.y + slice.h < log.height && isMeant(slice))
    .sort((one, other) => other.w - one.w)[0];

test('moving in one timeline moves the other to the same part of the run', async (t) => {
  const { page, complaints, anchors } = await opened(t, { viewport: { width: 1280, height: 900 } });
  const begin = await logs(page);
  assert.equal(begin.length, 2);
  assert.ok(begin.every((log) => log.slices.length > 0 && log.tracks.length > 3), 'lanes and slices are drawn in both');
  assertLinked(anchors, begin);
  assert.ok((await page.locator('.warp-lines').getAttribute('d')).split('M').length > 20, 'lines join the same moments');
  await picture(page, 'compare-timelines');

  // By keys, which are those of the view Timeline: zoom, then move to later times.
  await side(page, 'a').getByTestId('timeline-canvas').click({ position: { x: 300, y: 40 } });
  for (let times = 0; times < 4; times += 1) await tap(page, 'w');
  await tap(page, 'd');
  const zoomed = await logs(page);
  assert.ok(zoomed[0].end_ns - zoomed[0].start_ns < (begin[0].end_ns - begin[0].start_ns) * 0.9);
  assertLinked(anchors, zoomed);
  // The range of A is the page's range of time, which is in the address.
  const range = query(page).get('r').split('-').map(Number);
  assert.ok(Math.abs(range[0] - zoomed[0].start_ns) < 2);

  // By the wheel in B.
  const canvas = side(page, 'b').getByTestId('timeline-canvas');
  await canvas.hover({ position: { x: 300, y: 150 } });
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -600);
  await page.keyboard.up('Control');
  const wheeled = await logs(page);
  assert.ok(wheeled[1].end_ns - wheeled[1].start_ns < (zoomed[1].end_ns - zoomed[1].start_ns) * 0.9);
  assertLinked(anchors, wheeled, 'b_ns', 'a_ns');

  // The pointer's moment is marked in both.
  assert.equal(await page.locator('.compare-beam').count(), 2);
  assert.match(await page.locator('.warp-moment').getAttribute('d'), /^M[\d.-]+ 0L[\d.-]+ 40$/);
  await picture(page, 'compare-timelines-zoomed');

  // The whole run, in both.
  await canvas.focus();
  await page.keyboard.press('0');
  const whole = await logs(page);
  assert.ok(whole.every((log) => log.start_ns === 0));
  assert.ok(whole[1].end_ns > 16e9);

  // A reload shows the same.
  await page.goBack();
  const before = await logs(page);
  assertLinked(anchors, before);
  await page.reload();
  await page.getByTestId('compare-warp').waitFor();
  const again = await logs(page);
  assert.ok(Math.abs(again[0].start_ns - before[0].start_ns) < 2 && Math.abs(again[1].end_ns - before[1].end_ns) < 2_000);
  assert.deepEqual(complaints, []);
});

test('a key that is down moves its timeline until it is up, wherever the focus goes', async (t) => {
  const { page, complaints } = await opened(t, { viewport: { width: 1280, height: 900 } });
  const [before] = await logs(page);
  await side(page, 'a').getByTestId('timeline-canvas').focus();
  await page.keyboard.down('w');
  await side(page, 'b').getByTestId('timeline-canvas').focus();
  await page.keyboard.down('w');
  await page.keyboard.up('w');
  const [own] = await logs(page);
  assert.ok(own.end_ns - own.start_ns < before.end_ns - before.start_ns);
  // A key that is still down would move it in each frame.
  await page.evaluate(async () => {
    for (let frame = 0; frame < 10; frame += 1) await new Promise(requestAnimationFrame);
  });
  const [later] = await logs(page);
  assert.deepEqual([later.start_ns, later.end_ns], [own.start_ns, own.end_ns]);
  assert.deepEqual(complaints, []);
});

test('what is selected in one timeline is selected in both, and on the page', async (t) => {
  const { a, b, page, complaints } = await opened(t, { viewport: { width: 1280, height: 900 }, colorScheme: 'light' });
  // A range in which kernels are wide.
  await side(page, 'a').getByTestId('timeline-canvas').focus();
  await page.keyboard.press('e');
  const [own] = await logs(page);
  const kernel = alone(own, () => true);
  const point = await pointIn(page, 'a', kernel);
  await page.mouse.click(point.x, point.y);
  await idle(page);
  assert.equal(query(page).get('s'), String(kernel.id));
  const node = (await a.ask(`slices/${kernel.id}`)).node.id;
  const counterpart = await a.ask(`compare/${b.entry.id}/counterpart?side=a&node=${node}`);
  const both = await logs(page);
  assert.deepEqual(both.map((log) => log.selected), [kernel.id, counterpart.command.b.slice]);
  assert.match(await page.getByTestId('compare-counterpart').innerText(), /in A.*in B/);
  await picture(page, 'compare-timelines-selected');

  // A slice of B: its counterpart is selected on the page.
  const other = alone(both[1], (slice) => slice.id !== both[1].selected);
  const there = await pointIn(page, 'b', other);
  await page.mouse.click(there.x, there.y);
  await idle(page);
  const found = await a.ask(`compare/${b.entry.id}/counterpart?side=b&node=${(await b.ask(`slices/${other.id}`)).node.id}`);
  assert.equal(query(page).get('s'), String(found.command.a.slice));
  assert.deepEqual((await logs(page)).map((log) => log.selected), [found.command.a.slice, other.id]);

  // A row of the table: its first command is selected in both, and its commands are joined.
  await page.getByTestId('compare-commands').locator('tbody tr').first().getByRole('button').click();
  await page.getByTestId('compare-pairs').waitFor();
  const overview = await a.ask(`compare/${b.entry.id}/overview?limit=5`);
  const first = await a.ask(`compare/${b.entry.id}/counterpart?side=a&node=${overview.rows[0].a.nodes[0]}`);
  assert.deepEqual((await logs(page)).map((log) => log.selected), [first.command.a.slice, first.command.b.slice]);
  assert.match(await page.locator('.warp-bands').getAttribute('d'), /^M/);

  // No selection.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  assert.deepEqual((await logs(page)).map((log) => log.selected), [null, null]);
  // The page's own timeline has no selection either.
  assert.equal((await drawLog(page)).selected, null);
  assert.deepEqual(complaints, []);
});

test('Back to another comparison takes no selection along', async (t) => {
  const { b, page, complaints } = await opened(t, { viewport: { width: 1280, height: 900 } });
  await page.getByTestId('compare-other').click();
  await page.getByTestId('compare-traces').getByRole('button', { name: b.entry.name, exact: true }).click();
  await page.getByTestId('compare-warp').waitFor();
  await side(page, 'b').getByTestId('timeline-canvas').focus();
  await page.keyboard.press('e');
  const [, log] = await logs(page);
  // A slice without a command has no counterpart.
  let lone;
  for (const slice of log.slices.filter(({ count, w, y, h }) => count === 1 && w > 3 && y > 84 && y + h < log.height))
    if (!(await b.ask(`slices/${slice.id}`)).node) lone ??= slice;
  const there = await pointIn(page, 'b', lone);
  await page.mouse.click(there.x, there.y);
  await page.getByText('The selection exists in B only.').waitFor();
  while ((await page.getByTestId('compare-choose').count()) === 0) {
    await page.goBack();
    await idle(page);
  }
  await page.goBack();
  await page.getByTestId('compare-warp').waitFor();
  await idle(page);
  assert.equal(await page.getByTestId('compare-alone').innerText(), '');
  assert.deepEqual(complaints, []);
});

test('tracks that are folded are in the address, and a narrow page has room', async (t) => {
  const { page, complaints } = await opened(t, { viewport: { width: 520, height: 900 } });
  const tracks = side(page, 'b').getByTestId('track');
  const count = await tracks.count();
  await side(page, 'b').locator('[data-testid=track][aria-expanded=true]').first().click();
  await idle(page);
  assert.ok((await tracks.count()) < count);
  const folded = await tracks.count();
  assert.match(query(page).get('xj'), /c=/);
  assert.equal(query(page).get('xi'), null);
  assert.ok((await side(page, 'a').getByTestId('track').count()) > folded, 'the other one stays');
  const box = await side(page, 'a').getByTestId('timeline-canvas').boundingBox();
  assert.ok(box.width > 200, `${box.width}`);
  // The lines between the timelines are as wide as the timelines.
  const strip = await page.getByTestId('compare-warp').boundingBox();
  assert.ok(Math.abs(strip.x - box.x) < 2 && Math.abs(strip.width - box.width) < 3, JSON.stringify({ strip, box }));
  await picture(page, 'compare-timelines-narrow');
  await page.reload();
  await page.getByTestId('compare-warp').waitFor();
  await idle(page);
  assert.equal(await tracks.count(), folded);
  assert.deepEqual(complaints, []);
});

test('swapped sides and local files have both timelines, too', async (t) => {
  const { page, complaints, anchors } = await opened(t, {}, '&xs=1');
  const [own, other] = await logs(page);
  // Swapped, the page's own trace is B, below A.
  const places = await Promise.all(['a', 'b'].map(async (letter) => (await side(page, letter).boundingBox()).y));
  assert.ok(places[0] < places[1]);
  assertLinked(anchors, [own, other]);
  const { origin } = await serverOf(trace('heat'));
  await visit(page, `${origin}/`);
  await page.getByTestId('local-input').setInputFiles(trace('heat'));
  await page.getByTestId('timeline-canvas').waitFor();
  await page.keyboard.press('8');
  await page.getByTestId('compare-input').setInputFiles(trace('heat-slow'));
  await page.getByTestId('compare-warp').waitFor();
  const local = await logs(page);
  assert.ok(local.length === 2 && local.every((log) => log.slices.length > 0));
  assertLinked(anchors, local);
  assert.deepEqual(complaints, []);
});

/** Writes a recording of `count` kernels on one queue; `begins(n)` is the start of the n-th one, in microseconds. */
function writeKernels(file, count, begins) {
  const instant = (cat, name, ts, args) => ({ ph: 'i', cat: `sycl.${cat}`, name, pid: 1, tid: 1_000_000_000, ts, s: 't', args });
  const events = [instant('recording', 'recording', 0, { format: 1, pid: 1, process_name: 'steps', recorder: 'a test' })];
  const device = { device: 'a device', device_type: 'GPU', device_handle: '0x20', context: '0x30' };
  events.push(instant('queue', 'queue created', 0.001, { queue: 1, runtime_id: 1, handle: '0x10', order: 'in_order', ...device }));
  for (let node = 1; node <= count; ++node) {
    const ts = begins(node);
    events.push(instant('node', 'step', ts - 0.5, { node, kind: 'kernel', tid: 1, queue: 1, file: '/steps.cpp', line: 7, kernel_name: 'step' }));
    const args = { node, queue: 1, kind: 'kernel' };
    events.push({ ph: 'X', cat: 'sycl.execution,kernel', name: 'step', pid: 1_000_000_000, tid: 1_000_000_002, ts, dur: 0.4, args });
  }
  fs.writeFileSync(file, JSON.stringify(events));
}

test('a part of a run with very many commands is linked by all of them', async (t) => {
  // B pauses in every third command, so interpolating between every third command gives wrong times for the others.
  const [count, folder] = [12_000, scratch(t)];
  const of = { a: (node) => node * 2, b: (node) => node * 2 + Math.floor(node / 3) * 5 + (node % 3) };
  const files = Object.fromEntries(Object.entries(of).map(([side, begins]) => [side, path.join(folder, `${side}.json`)]));
  for (const side of ['a', 'b']) writeKernels(files[side], count, of[side]);
  // The reference: the moments of all commands as written. The recording begins at the first event.
  const moments = Array.from({ length: count }, (_, place) => ({ a_ns: of.a(place + 1) * 1e3, b_ns: of.b(place + 1) * 1e3 }));
  const exact = (log, from = 'a_ns', to = 'b_ns') => {
    const [one, two] = from === 'a_ns' ? log : log.toReversed();
    const pixel = (two.end_ns - two.start_ns) / 500;
    for (const end of ['start_ns', 'end_ns']) {
      const wanted = across(moments, [from, to], one[end]);
      assert.ok(Math.abs(two[end] - wanted) < pixel, `${end}: ${two[end]} for ${wanted}, ${pixel} a pixel`);
    }
  };
  const [a, b] = [await serverOf(files.a), await serverOf(files.b)];
  const info = await a.ask();
  assert.ok(Math.abs(info.duration_ns - moments.at(-1).a_ns) < 5_000, JSON.stringify(info));
  const some = await a.ask(`compare/${b.entry.id}/anchors?limit=5000`);
  assert.equal(some.length, 5_002);
  const part = await a.ask(`compare/${b.entry.id}/anchors?side=b&from=30000000&to=30100000&limit=5000`);
  const inside = moments.filter(({ b_ns }) => b_ns > 30_000_000 && b_ns <= 30_100_000);
  assert.deepEqual(part.slice(1, -1), inside);

  // Open a link to a few commands, and move on from there.
  const { page, complaints } = await openPage(t, { viewport: { width: 1280, height: 900 } });
  const range = [10_000_700, 10_012_300];
  // Check the test itself: the coarse moments of the whole run would put B elsewhere.
  const known = range.map((at) => across(some, ['a_ns', 'b_ns'], at) - across(moments, ['a_ns', 'b_ns'], at));
  assert.ok(known.some((far) => Math.abs(far) > 300), JSON.stringify(known));
  await visit(page, `${a.timeline}?v=compare&xb=${b.entry.id}&r=${range.join('-')}`);
  await page.getByTestId('compare-warp').waitFor();
  const opened = await logs(page);
  assert.deepEqual([opened[0].start_ns, opened[0].end_ns], range);
  exact(opened);
  await page.getByTestId('compare-warp').evaluate((strip) => strip.scrollIntoView({ block: 'center' }));
  await picture(page, 'compare-timelines-exact');

  // A move by hand in B: B stays there, and A follows.
  const canvas = side(page, 'b').getByTestId('timeline-canvas');
  await canvas.click({ position: { x: 300, y: 180 } });
  for (let times = 0; times < 6; times += 1) await page.keyboard.press('d');
  const moved = await logs(page);
  assert.ok(moved[1].start_ns > opened[1].start_ns + 10_000, JSON.stringify([opened[1].start_ns, moved[1].start_ns]));
  exact(moved, 'b_ns', 'a_ns');
  // A move by hand in A, far away.
  await side(page, 'a').getByTestId('timeline-canvas').click({ position: { x: 300, y: 180 } });
  for (let times = 0; times < 6; times += 1) await page.keyboard.press('a');
  exact(await logs(page));
  // Back restores both ranges.
  await page.goBack();
  exact(await logs(page));
  assert.deepEqual(complaints, []);
});
