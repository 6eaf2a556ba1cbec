// The timeline of the C++ example in a real browser.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import {
  canvasBox,
  drawLog,
  heatServer,
  idle,
  openPage,
  picture,
  pointIn,
  scratch,
  sentence,
  serverOf,
  trace,
  visit,
  wideKernel,
} from './support.mjs';

test('the example opens with its kernels, threads and memory', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const info = await server.ask();
  await visit(page, server.timeline);
  const log = await drawLog(page);

  const names = new Set(log.slices.map((slice) => slice.name));
  await page.getByTestId('tab-kernels').click();
  const table = page.getByTestId('kernels');
  for (const kernel of ['diffuse_band', 'diffuse', 'change', 'colour'])
    assert.equal(await table.getByText(kernel, { exact: true }).count(), 1, `${kernel} is in the table`);
  assert.ok(names.has('colour'), `a kernel is drawn: ${[...names]}`);
  const kinds = new Set(log.tracks.map((track) => track.kind));
  for (const kind of ['device', 'queue', 'counter', 'process', 'thread'])
    assert.ok(kinds.has(kind), `a ${kind} is shown: ${[...kinds]}`);
  assert.equal(info.counts.dropped, 0);
  const facts = (await page.getByTestId('facts').innerText()).replaceAll(/\s+/g, ' ');
  for (const fact of ['318 ms', '325 executions', '339 commands', '1,119 edges', '883 calls', '10 allocations', '1 never released'])
    assert.ok(facts.includes(fact), `${fact} in ${facts}`);
  await picture(page, 'timeline-whole');
  await page.getByTestId('fit-device').click();
  await idle(page);
  await picture(page, 'timeline-dark');
  assert.deepEqual(complaints, []);
});

test('every kernel is drawn under its name once the view is close enough', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  const info = await server.ask();
  const missing = new Set(info.kernels.filter((kernel) => kernel.kind === 'kernel').map((kernel) => kernel.name));
  await visit(page, server.timeline);
  await page.keyboard.press('e');
  const fit = await drawLog(page);
  const width = (fit.end_ns - fit.start_ns) / 16;
  for (let part = 0; part < 16 && missing.size > 0; part += 1) {
    const from = Math.max(0, Math.floor(fit.start_ns + part * width));
    await visit(page, `${server.timeline}?r=${from}-${Math.ceil(from + width)}`);
    for (const slice of (await drawLog(page)).slices) missing.delete(slice.name);
  }
  assert.deepEqual([...missing], []);
});

test('a click selects, shows the details and highlights what belongs together', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('e');
  const kernel = wideKernel(await drawLog(page));
  const at = await pointIn(page, kernel);

  await page.mouse.move(at.x, at.y);
  await idle(page);
  assert.match(await page.getByTestId('tooltip').innerText(), new RegExp(escaped(kernel.name)));

  await page.mouse.click(at.x, at.y);
  await idle(page);
  assert.equal((await drawLog(page)).selected, kernel.id);
  await page.getByTestId('details').waitFor();
  assert.equal(await page.getByTestId('details-name').innerText(), kernel.name);
  const detail = await server.ask(`slices/${kernel.id}`);
  assert.match(await page.getByTestId('details-source').innerText(), /with_(buffers|usm)\.hpp:\d+/);
  assert.equal(await page.getByTestId('waits-for').locator('li').count(), Math.min(12, detail.node.waits_for.length));
  await picture(page, 'timeline-selected');

  await page.keyboard.press('Enter');
  await idle(page);
  assert.equal((await drawLog(page)).selected, detail.node.submission.slice);
  await page.keyboard.press('Enter');
  await idle(page);
  assert.equal((await drawLog(page)).selected, kernel.id);
  await page.keyboard.press('Escape');
  assert.equal((await drawLog(page)).selected, null);
  assert.deepEqual(complaints, []);
});

test('a click on idle time explains it, and its link opens it again', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const info = await server.ask();
  const queue = info.queues[0].track;
  const { gaps } = await server.ask(`gaps?track=${queue}&limit=200`);
  const gap = gaps.find((gap) => gap.before && gap.after && gap.to_ns - gap.from_ns < 2e6);
  const around = (gap.to_ns - gap.from_ns) / 4;
  await visit(page, `${server.timeline}?r=${Math.floor(gap.from_ns - around)}-${Math.ceil(gap.to_ns + around)}`);
  const log = await drawLog(page);
  const row = log.tracks.find((track) => track.id === queue);
  const box = await canvasBox(page);
  const x = ((gap.from_ns + gap.to_ns) / 2 - log.start_ns) / (log.end_ns - log.start_ns) * box.width;
  await page.mouse.click(box.x + x, box.y + row.y + row.height / 2);
  await page.getByTestId('gap-message').waitFor();
  assert.equal(await sentence(page.getByTestId('gap-message')), gap.message.replaceAll('`', ''));
  assert.equal(await page.getByTestId('gap-part').count(), gap.parts.length);
  assert.deepEqual((await drawLog(page)).gap, [gap.from_ns, gap.to_ns]);
  await picture(page, 'timeline-gap');

  const link = page.url();
  assert.match(link, /s=g\d+\.\d+/);
  await page.keyboard.press('Escape');
  assert.equal((await drawLog(page)).gap, null);
  await visit(page, link);
  await page.getByTestId('gap-message').waitFor();
  assert.deepEqual((await drawLog(page)).gap, [gap.from_ns, gap.to_ns]);
  assert.deepEqual(complaints, []);
});

test('the summary lists idle time by cause and leads to its longest stretches', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const { idle_ns, classes, gaps } = await server.ask('gaps?limit=5');
  assert.equal(classes.reduce((sum, { total_ns }) => sum + total_ns, 0), idle_ns);
  await visit(page, `${server.timeline}?v=summary`);
  const card = page.getByTestId('idle-time');
  await card.waitFor();
  assert.equal(await card.locator('tbody tr').count(), classes.length);
  assert.match(await sentence(card.locator('.big')), /^[\d.]+ \S?s$/, 'one device: nothing is summed');
  assert.equal(await sentence(card.locator('li').first().locator('p').first()), gaps[0].message.replaceAll('`', ''));
  await picture(page, 'summary-idle');
  await card.getByRole('button', { name: 'Show in timeline' }).first().click();
  await page.getByTestId('gap-message').waitFor();
  assert.equal(await sentence(page.getByTestId('gap-message')), gaps[0].message.replaceAll('`', ''));
  assert.deepEqual(complaints, []);
});

test('the summary has iterations, start-up and builds', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const iterations = await server.ask('iterations?limit=1000');
  await visit(page, `${server.timeline}?v=summary`);
  const card = page.getByTestId('iterations');
  await card.waitFor();
  assert.equal(await sentence(card.locator('p').nth(1)), iterations.message);
  const chart = await card.locator('polyline').getAttribute('points');
  assert.equal(chart.split(' ').length, iterations.count);
  const start = await server.ask('start_up');
  const steps = await page.getByTestId('start-up').locator('tbody tr').count();
  assert.equal(steps, Math.min(start.steps.length, 8));
  const { builds } = await server.ask('builds');
  assert.equal(await page.getByTestId('builds').locator('tbody tr').count(), builds.length);
  await picture(page, 'summary-iterations');
  const slowest = iterations.iterations.find((row) => row.number === iterations.steady.slowest);
  await card.getByRole('button', { name: 'Show the slowest in timeline' }).click();
  await page.waitForFunction(() => new URL(location.href).searchParams.get('v') !== 'summary');
  const shown = await drawLog(page);
  assert.ok(shown.start_ns <= slowest.from_ns && shown.end_ns >= slowest.to_ns);
  assert.deepEqual(complaints, []);
});

test('dependences can be walked with the keyboard', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, server.timeline);
  const slice = (id) => server.ask(`slices/${id}`);
  await page.keyboard.press('e');
  const kernels = (await drawLog(page)).slices.filter((drawn) => drawn.category === 'kernel' && drawn.count === 1);
  let start;
  for (const kernel of kernels) {
    const detail = await slice(kernel.id);
    if (detail.node?.waits_for.some((edge) => edge.at)) {
      start = detail;
      break;
    }
  }
  assert.ok(start, 'a kernel of the example waits for another command');
  await visit(page, `${server.timeline}?s=${start.at.slice}`);
  await page.keyboard.press('[');
  const goal = start.node.waits_for.find((edge) => edge.at).at.slice;
  assert.equal((await drawLog(page)).selected, goal);
  const back = await slice(goal);
  await page.keyboard.press(']');
  assert.equal((await drawLog(page)).selected, back.node.waited_by.find((edge) => edge.at).at.slice);
});

test('wheel, keys, box and brush change the view, and Back undoes them', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?r=all`);
  const whole = await drawLog(page);
  const box = await canvasBox(page);
  const span = (log) => log.end_ns - log.start_ns;

  // Ctrl + wheel zooms, and the time under the pointer stays.
  const x = box.x + box.width * 0.6;
  await page.mouse.move(x, box.y + 200);
  await page.keyboard.down('Control');
  for (let turn = 0; turn < 4; turn += 1) await page.mouse.wheel(0, -120);
  await page.keyboard.up('Control');
  const zoomed = await drawLog(page);
  assert.ok(span(zoomed) < span(whole) / 2);
  const under = (log) => log.start_ns + 0.6 * span(log);
  assert.ok(Math.abs(under(zoomed) - under(whole)) < span(zoomed) * 0.01, 'the pointer keeps its time');

  // Shift + wheel moves through time without zooming.
  await page.keyboard.down('Shift');
  await page.mouse.wheel(0, 120);
  await page.keyboard.up('Shift');
  const moved = await drawLog(page);
  assert.ok(moved.start_ns > zoomed.start_ns);
  assert.ok(Math.abs(span(moved) - span(zoomed)) < span(zoomed) * 1e-6);

  // Keys.
  await page.keyboard.press('a');
  assert.ok((await drawLog(page)).start_ns < moved.start_ns);
  await page.keyboard.press('w');
  assert.ok(span(await drawLog(page)) < span(moved));
  await page.keyboard.press('s');
  await page.keyboard.press('0');
  assert.deepEqual(view(await drawLog(page)), view(whole));
  await page.keyboard.press('e');
  const executions = await drawLog(page);
  assert.ok(span(executions) < span(whole));
  assert.ok(executions.slices.some((slice) => slice.category === 'kernel'));
  await page.keyboard.press('0');
  await idle(page);

  // Shift + drag zooms to the box.
  const from = { x: box.x + box.width * 0.25, y: box.y + 220 };
  await page.keyboard.down('Shift');
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + box.width * 0.25, from.y + 10, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  const boxed = await drawLog(page);
  assert.ok(Math.abs(span(boxed) / span(whole) - 0.25) < 0.01, `${span(boxed)} of ${span(whole)}`);

  // Dragging moves the content with the pointer.
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 100, from.y, { steps: 4 });
  await page.mouse.up();
  const dragged = await drawLog(page);
  const moved_px = ((boxed.start_ns - dragged.start_ns) / span(boxed)) * box.width;
  assert.ok(Math.abs(moved_px - 100) < 1.5, `${moved_px}`);

  // Dragging the brush's inside moves the view.
  const middle = ((dragged.start_ns + dragged.end_ns) / 2 / whole.end_ns) * box.width;
  await page.mouse.move(box.x + middle, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + middle + 50, box.y + 20, { steps: 3 });
  await page.mouse.up();
  const brushed = await drawLog(page);
  assert.ok(brushed.start_ns > dragged.start_ns && Math.abs(span(brushed) - span(dragged)) < 1);

  // Back and Forward.
  await page.keyboard.press('0');
  assert.deepEqual(view(await drawLog(page)), view(whole));
  await page.goBack();
  const back = await drawLog(page);
  assert.ok(Math.abs(back.start_ns - brushed.start_ns) < span(brushed) * 1e-4);
  await page.goForward();
  assert.deepEqual(view(await drawLog(page)), view(whole));
  assert.deepEqual(complaints, []);
});

test('a link reopens exactly the same view', async (t) => {
  const server = await heatServer();
  const { page, context } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('e');
  const kernel = wideKernel(await drawLog(page));
  const at = await pointIn(page, kernel);
  await page.mouse.click(at.x, at.y);
  await idle(page);
  await page.keyboard.press('f');
  await idle(page);
  await page.mouse.move(at.x + 40, at.y);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, 37);
  await page.keyboard.up('Control');
  await page.locator('[data-testid=track].is-group').last().click();
  const sent = await drawLog(page);
  const received = await context.newPage();
  await visit(received, page.url());
  const opened = await drawLog(received);
  assert.deepEqual(opened, sent);
  assert.match(page.url(), /r=[\d.]+-[\d.]+/);
  assert.match(page.url(), new RegExp(`s=${kernel.id}`));
  assert.match(page.url(), /c=\d+/);
});

test('tracks collapse and expand by mouse and keyboard', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, server.timeline);
  const before = await drawLog(page);
  const group = page.locator('[data-testid=track].is-group').first();
  await group.click();
  const collapsed = await drawLog(page);
  assert.ok(collapsed.tracks.length < before.tracks.length);
  assert.equal(await group.getAttribute('aria-expanded'), 'false');
  await group.focus();
  await page.keyboard.press('ArrowRight');
  assert.deepEqual((await drawLog(page)).tracks, before.tracks);
});

test('the help lists the keys and closes again', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('?');
  const help = page.getByTestId('help');
  await help.waitFor();
  assert.match(await help.innerText(), /Zoom/);
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
});

test('the theme follows the system until the user chooses, and stays chosen', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t, { colorScheme: 'light' });
  // Nothing is drawn after the run's end.
  await visit(page, `${server.timeline}?r=all`);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const pixel = () =>
    page.evaluate(() => {
      const canvas = document.querySelector('[data-testid=timeline-canvas]');
      return [...canvas.getContext('2d').getImageData(canvas.width - 3, canvas.height - 2, 1, 1).data];
    });
  assert.equal(await ground(), 'rgb(255, 255, 255)');
  assert.deepEqual(await pixel(), [255, 255, 255, 255]);
  await picture(page, 'timeline-light');
  await page.getByTestId('theme').click();
  await idle(page);
  assert.notEqual(await ground(), 'rgb(255, 255, 255)');
  const dark = await pixel();
  assert.ok(dark[0] < 60, `${dark}`);
  await page.reload();
  await idle(page);
  assert.notEqual(await ground(), 'rgb(255, 255, 255)');
  assert.deepEqual(complaints, []);
});

test('a tab takes the theme that another one chooses, and keeps its link\'s until then', async (t) => {
  const server = await heatServer();
  const { page, context, complaints } = await openPage(t, { colorScheme: 'light' });
  await visit(page, `${server.timeline}?theme=dark`);
  const other = await context.newPage();
  await visit(other, server.timeline);
  const heard = await page.evaluateHandle(() => {
    const heard = [];
    const isDark = () => getComputedStyle(document.body).backgroundColor !== 'rgb(255, 255, 255)';
    window.addEventListener('storage', ({ key }) => heard.push([key, isDark()]));
    return heard;
  });
  await other.evaluate(() => localStorage.setItem('syclscope.text-scale', '110'));
  for (let presses = 0; presses < 2; presses += 1) await other.getByTestId('theme').click();
  await page.waitForFunction((heard) => heard.length === 3, heard, { polling: 50 });
  assert.deepEqual(await heard.jsonValue(), [
    ['syclscope.text-scale', true],
    ['syclscope.theme', true],
    ['syclscope.theme', false],
  ]);
  assert.deepEqual(complaints, []);
});

test('the backing store has the screen\'s pixels', async (t) => {
  const server = await heatServer();
  for (const ratio of [1, 2]) {
    const { page } = await openPage(t, { deviceScaleFactor: ratio, viewport: { width: 1200, height: 700 } });
    await visit(page, server.timeline);
    const size = await page.evaluate(() => {
      const canvas = document.querySelector('[data-testid=timeline-canvas]');
      return [canvas.width, canvas.height, canvas.clientWidth, canvas.clientHeight];
    });
    assert.deepEqual(size.slice(0, 2), [size[2] * ratio, size[3] * ratio]);
    assert.equal((await drawLog(page)).device_pixel_ratio, ratio);
    await page.keyboard.press('e');
    await idle(page);
    if (ratio === 2) await picture(page, 'timeline-dense-screen');
    const before = size[2];
    await page.setViewportSize({ width: 1000, height: 700 });
    await idle(page);
    const after = await page.evaluate(() => {
      const canvas = document.querySelector('[data-testid=timeline-canvas]');
      return [canvas.width, canvas.clientWidth];
    });
    assert.equal(after[0], after[1] * ratio);
    assert.equal(after[1], before - 200);
  }
});

test('a recording that was cut short says so in plain sight', async (t) => {
  const whole = fs.readFileSync(trace('heat'));
  const file = path.join(scratch(t), 'cut.pftrace');
  fs.writeFileSync(file, whole.subarray(0, Math.floor(whole.length / 2)));
  const server = await serverOf(file);
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  assert.ok((await drawLog(page)).slices.length > 0, 'what was recorded is shown');
  const alerts = page.getByTestId('alerts');
  assert.match(await alerts.innerText(), /cut short/);
  await alerts.click();
  assert.match(await page.getByTestId('problems').innerText(), /cut short/);
  await idle(page);
  await picture(page, 'timeline-cut-short');

  // If nothing of a file is readable, the page blames the file, not the program.
  const stump = path.join(scratch(t), 'stump.pftrace');
  fs.writeFileSync(stump, whole.subarray(0, 300));
  await visit(page, (await serverOf(stump)).timeline);
  assert.match(await page.getByTestId('empty-trace').innerText(), /missing or damaged/);
  await page.getByTestId('view-summary').click();
  assert.match(await page.getByTestId('view-empty').innerText(), /missing or damaged/);
  assert.deepEqual(complaints, []);
});

test('parts that can not be loaded are named, and come after a retry', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  const body = JSON.stringify({ error: { code: 'internal', message: 'The disk is on fire.' } });
  await page.route('**/tiles/timeline/**', (route) => route.fulfill({ status: 500, body }));
  await visit(page, server.timeline);
  const failure = page.getByTestId('tile-failure');
  assert.match(await failure.innerText(), /could not be loaded.*on fire/s);
  assert.equal((await drawLog(page)).slices.length, 0);
  await page.unroute('**/tiles/timeline/**');
  await failure.getByRole('button').click();
  await failure.waitFor({ state: 'detached' });
  assert.ok((await drawLog(page)).slices.length > 0);
});

test('an unknown trace says so and leads back', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, `${server.origin}/t/nothing-here`);
  const failure = page.getByTestId('trace-failure');
  const text = await failure.innerText();
  assert.equal(text.match(/not found/gi).length, 1, `said once: ${text}`);
  await failure.getByText('All traces').click();
  await page.getByTestId('traces').waitFor();
});

function view(log) {
  return { start_ns: log.start_ns, end_ns: log.end_ns, tracks: log.tracks };
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

test('the canvas shows what a picture of the same view shows, thin slices and overview too', async (t) => {
  const server = await heatServer();
  for (const deviceScaleFactor of [1, 2]) {
    const { page, complaints } = await openPage(t, { deviceScaleFactor });
    await visit(page, server.timeline);
    const log = await drawLog(page);
    const thin = log.slices.filter((slice) => slice.w <= 2);
    assert.ok(thin.length > 50, `${thin.length} thin slices`);
    await page.mouse.move(5, 5);
    await page.getByTestId('pictures').click();
    const name = `save-png-${deviceScaleFactor}`;
    const [png] = await Promise.all([page.waitForEvent('download'), page.getByTestId(name).click()]);
    const address = `data:image/png;base64,${fs.readFileSync(await png.path()).toString('base64')}`;
    await idle(page);
    const differ = await page.evaluate(async ([address, ratio, height]) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      const shown = document.querySelector('[data-testid=timeline-canvas]');
      const own = Object.assign(document.createElement('canvas'), { width: shown.width, height: shown.height });
      const context = own.getContext('2d');
      // Left of the view are the names, above it is the title.
      context.drawImage(image, -230 * ratio, -34 * ratio);
      const [saved, seen] = [context, shown.getContext('2d')].map(
        (from) => from.getImageData(0, 0, shown.width, Math.floor(height * ratio)).data,
      );
      let count = 0;
      for (let at = 0; at < seen.length; at += 4)
        if ([0, 1, 2].some((channel) => Math.abs(seen[at + channel] - saved[at + channel]) > 40)) count += 1;
      return count / (seen.length / 4);
    }, [address, deviceScaleFactor, log.height]);
    // Smoothed edges of letters may differ a little.
    assert.ok(differ < 0.001, `${(differ * 100).toFixed(3)} % of the pixels differ at ${deviceScaleFactor}×`);
    assert.deepEqual(complaints, []);
  }
});

test('merged slices are as tall as the time that they fill, and the pointer tells how much that is', async (t) => {
  const server = await serverOf(trace('crowd'));
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?r=all`);
  const log = await drawLog(page);
  const merged = log.slices.filter((slice) => slice.count > 1);
  assert.ok(merged.length > 0 && merged.every((slice) => slice.filled > 0 && slice.filled <= 1));
  assert.ok(log.slices.some((slice) => slice.count === 1 && slice.filled === 1 && slice.w > 4));
  const thin = merged.sort((one, other) => other.w - one.w || one.filled - other.filled)[0];
  const point = await pointIn(page, thin);
  await page.mouse.move(point.x, point.y);
  await page.waitForFunction(
    (text) => document.querySelector('[data-testid=tooltip]')?.innerText.includes(text),
    `busy ${(thin.filled * 100).toFixed(3)} % of the time here`,
  );
  assert.deepEqual(complaints, []);
});
