// The kernel view, on the demo's recording.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canvasBox, chooseKernel, drawLog, heatServer, idle, openPage, picture, serverOf, trace, visit } from './support.mjs';

const KERNEL = 'diffuse';

/** Returns the executions of the kernel, and the server's profile of it. */
async function known(server) {
  const where = encodeURIComponent(`name=${KERNEL} category:kernel`);
  const { slices } = await server.ask(`slices?where=${where}&limit=10000`);
  return { slices, profile: await server.ask(`kernel?name=${KERNEL}`) };
}

/** Opens the view of the kernel. */
async function openKernel(page, server, query = '') {
  await visit(page, `${server.timeline}?v=kernel&kn=${KERNEL}${query}`);
  await page.getByTestId('kernel-histogram').waitFor();
  await idle(page);
}

const seconds = (text) => text.replace(/\s+/g, ' ');

test('a kernel has a view of its own, with all that its executions tell', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const { slices, profile } = await known(server);
  assert.equal(profile.all.count, slices.length, 'the question is about all executions');
  await openKernel(page, server);
  assert.match(await page.getByTestId('kernel-numbers').innerText(), new RegExp(`^${slices.length} executions`));
  const rows = async (card) => (await page.getByTestId(card).locator('tbody tr').allInnerTexts()).map(seconds);
  const first = await rows('kernel-first');
  assert.deepEqual(first.map((row) => row.split(' ').slice(0, 2).join(' ')), ['First on', 'All others', 'All ' + slices.length]);
  assert.match(first[0], new RegExp(`queue ${profile.first.count} `));
  assert.match(first[1], new RegExp(`others ${profile.later.count} `));
  assert.equal((await rows('kernel-queues')).length, profile.queues.length);
  const sizes = await rows('kernel-sizes');
  assert.equal(sizes.length, profile.sizes.length);
  assert.match(sizes[0], /1,024 × 1,024 in groups of 16 × 16/);
  // The program of the kernel was built at run time, and the view leads to that call.
  assert.ok(profile.builds.length > 0);
  await page.getByTestId('kernel-builds').getByTestId('jump').click();
  await idle(page);
  assert.match(await page.getByTestId('details-name').innerText(), /^urProgramBuild/);
  await page.goBack();
  await page.getByTestId('kernel-histogram').waitFor();
  await idle(page);
  await page.locator('[data-testid=kernel-over-time] path').waitFor();
  const dots = (await page.locator('.plot-dots').getAttribute('d')).split('M').length - 1;
  assert.equal(dots, slices.length, 'each execution is a dot');
  const chart = page.getByTestId('kernel-over-time');
  const plot = await chart.locator('.plot').boundingBox();
  const levels = chart.locator('.plot-level span');
  const labels = await levels.allInnerTexts();
  assert.ok(labels.length >= 3 && labels.length <= 6, labels.join());
  for (const label of labels) assert.match(label, /^\d{1,3}(\.\d+)?\s(ns|µs|ms|s)$/);
  const boxes = await Promise.all((await levels.all()).map((level) => level.boundingBox()));
  for (const [place, box] of boxes.entries()) {
    assert.ok(box.x + box.width <= plot.x + 1, 'the words stand beside the dots');
    const next = boxes[place + 1];
    assert.ok(next === undefined || next.y + next.height / 2 < box.y + box.height / 2 - 10, 'longer durations are further up');
  }
  assert.equal(await page.getByTestId('kernel-list').locator('tbody tr').count(), Math.min(slices.length, 500));
  // Overlapping times are labelled as summed, and adjacent texts have space between them.
  assert.match(await page.getByTestId('kernel-numbers').innerText(), / summed$/);
  assert.ok((await page.getByTestId('kernel-first').locator('th').allInnerTexts()).includes('Summed'));
  const ticks = await page.locator('[data-testid=kernel-over-time] .plot-ticks span').evaluateAll((ticks) =>
    ticks.map((tick) => ({ text: tick.innerText, left: Number.parseFloat(tick.style.left) })),
  );
  const starts = slices.map(({ at }) => at.start_ns);
  const shown = [Math.min(...starts), Math.max(...starts)].map((ns) => Math.round(ns / 1e3) / 1e3);
  assert.deepEqual(ticks.map(({ text }) => text), shown.map((ms) => (ms < 1e3 ? `${ms} ms` : `${ms / 1e3} s`)));
  assert.ok(ticks[0].left > 1 && ticks[1].left < 99, 'below the first and the last dot');
  const bounds = await page.locator('[data-testid=kernel-histogram] .plot-ticks span').allInnerTexts();
  assert.equal(new Set(bounds).size, bounds.length);
  await picture(page, 'kernel');
  assert.deepEqual(complaints, []);
});

test('a range of durations is selected by a drag or by keys, listed, counted, and found in the timeline', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const { slices, profile } = await known(server);
  await visit(page, `${server.timeline}?v=row(timeline:500,kernel:500)&kn=${KERNEL}`);
  await page.getByTestId('kernel-histogram').waitFor();
  await idle(page);
  const { edges_ns: edges, counts } = profile.bins;
  const inside = (from, to) => slices.filter(({ at }) => at.duration_ns >= from && at.duration_ns < to).length;
  const plot = page.getByTestId('kernel-histogram').locator('.plot');
  const box = await plot.boundingBox();
  const middle = (bin) => box.x + ((bin + 0.5) / counts.length) * box.width;
  const last = counts.length - 1;
  const start = counts.findIndex((_, bin) => inside(edges[bin], edges[last + 1]) < slices.length / 4);
  await page.mouse.move(middle(start), box.y + 60);
  await page.mouse.down();
  await page.mouse.move(middle(last) - 3, box.y + 70, { steps: 4 });
  await page.mouse.up();
  await idle(page);
  const expected = inside(edges[start], edges[last + 1]);
  assert.ok(expected > 0 && expected < slices.length);
  const told = () => page.getByTestId('kernel-selected').innerText();
  assert.match(await told(), new RegExp(`^${expected} of ${slices.length} executions`));
  assert.match(page.url(), new RegExp(`kd=${edges[start]}-${edges[last + 1]}`));
  assert.equal(await page.getByTestId('kernel-list').locator('tbody tr').count(), expected);
  // The timeline next to it searches for these executions, and shows their number.
  assert.match(await page.getByTestId('search-count').innerText(), new RegExp(`^${expected} on `));
  await picture(page, 'kernel-range');

  // A link opens the same selection.
  const address = page.url();
  const other = await openPage(t);
  await visit(other.page, address);
  await other.page.getByTestId('kernel-selected').waitFor();
  await idle(other.page);
  assert.match(await other.page.getByTestId('kernel-selected').innerText(), new RegExp(`^${expected} of `));

  await plot.focus();
  await page.keyboard.press('Escape');
  await idle(page);
  assert.equal(await told(), `All ${slices.length} executions`);
  assert.doesNotMatch(page.url(), /kd=|find=/);
  await plot.focus();
  await page.keyboard.press('ArrowRight');
  await idle(page);
  assert.match(await told(), new RegExp(`^${counts[0]} of `), 'the first press takes the shortest');
  await page.keyboard.press('End');
  await idle(page);
  assert.match(await told(), new RegExp(`^${counts[last]} of `));
  await page.keyboard.press('Shift+Home');
  await idle(page);
  assert.match(await told(), new RegExp(`^${slices.length} of `));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await idle(page);
  const second = counts.findIndex((count, bin) => bin > 0 && count > 0);
  assert.match(await told(), new RegExp(`^${counts[second]} of `), 'empty bins are passed over');
  assert.equal(await plot.getAttribute('aria-valuetext'), await told());
  assert.deepEqual(complaints, []);
});

test('Alt and the left arrow go back also from the durations and the tabs', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=summary`);
  const row = page.getByTestId('top-commands').locator('tr').filter({ has: page.getByRole('button', { name: KERNEL, exact: true }) });
  for (const element of ['[data-testid=kernel-histogram] .plot', '#tab-recording']) {
    await row.getByTestId('kernel-link').click();
    await page.getByTestId('kernel-histogram').waitFor();
    await idle(page);
    await page.locator(element).focus();
    await page.keyboard.press('Alt+ArrowLeft');
    await page.getByTestId('kernel-histogram').waitFor({ state: 'detached' });
    // The summary's code may load a moment after the kernel's view has closed.
    await page.getByTestId('summary').waitFor();
  }
  assert.deepEqual(complaints, []);
});

test('a drag over durations asks once, and marks the timeline where it ends', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=row(timeline:500,kernel:500)&kn=${KERNEL}`);
  await page.getByTestId('kernel-list').waitFor();
  await idle(page);
  const asked = [];
  page.on('request', (request) => {
    if (/duration/.test(decodeURIComponent(request.url()))) asked.push(request.url());
  });
  // The drag's steps leave no time for timers, so a query without debouncing would be sent at each step.
  const bins = await page.getByTestId('kernel-histogram').locator('.plot').evaluate(async (plot) => {
    const { left, top, width } = plot.getBoundingClientRect();
    plot.setPointerCapture = () => {};
    const put = async (type, share) => {
      plot.dispatchEvent(new PointerEvent(type, { bubbles: true, clientX: left + share * width, clientY: top + 20 }));
      for (let turn = 0; turn < 20; turn += 1) await null;
    };
    const words = new Set();
    await put('pointerdown', 0.01);
    for (let share = 0.05; share < 0.9; share += 0.05) {
      await put('pointermove', share);
      words.add(plot.getAttribute('aria-valuetext'));
    }
    if (/find=/.test(location.search)) throw new Error('the timeline is marked before the drag ends');
    await put('pointerup', 0.9);
    return words.size;
  });
  await idle(page);
  assert.ok(bins > 5, 'the words follow the pointer');
  assert.equal(asked.filter((address) => /list|slices\?/.test(address)).length, 1, `${asked}`);
  assert.match(page.url(), /find=/);
  assert.deepEqual(complaints, []);
});

test('the view of a kernel is reached from wherever its name stands', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const link = () => page.getByTestId('kernel-link').first();
  const arrived = async (from, name = KERNEL) => {
    await page.getByTestId('kernel-histogram').waitFor();
    await idle(page);
    assert.equal(await page.locator('.kernel-name').innerText(), name, from);
  };
  await visit(page, `${server.timeline}?v=summary`);
  const named = page.getByRole('button', { name: KERNEL, exact: true });
  const row = page.getByTestId('top-commands').locator('tr').filter({ has: named });
  await row.getByTestId('kernel-link').click();
  await arrived('the summary');

  await visit(page, server.timeline);
  const { name } = await chooseKernel(page);
  await link().click();
  await arrived('the details of a slice', name);

  await visit(page, `${server.timeline}?v=graph&g=kernels&gs=node`);
  await page.getByTestId('graph-canvas').focus();
  await page.keyboard.press('Home');
  await idle(page);
  while (!(await link().isVisible())) {
    await page.keyboard.press('.');
    await idle(page);
  }
  const node = await page.getByTestId('graph-node-name').innerText();
  await link().click();
  await arrived('a node of the graph', node);

  const files = (await server.ask('files')).filter((file) => file.state === 'whole');
  const [file] = files.sort((one, other) => Math.max(other.device_ns, other.wait_ns) - Math.max(one.device_ns, one.wait_ns));
  const { lines } = await server.ask(`lines?source=${file.source}`);
  const costly = lines.filter((one) => one.line > 0).sort((one, other) => other.device_ns - one.device_ns)[0];
  await visit(page, `${server.timeline}?v=source`);
  await page.locator(`#line-${costly.line}`).getByRole('button').click();
  await link().click();
  await page.getByTestId('kernel-histogram').waitFor();
  assert.deepEqual(complaints, []);
});

test('the kernel view shows what is selected, and steps to the others', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const { kernels } = await server.ask();
  await visit(page, server.timeline);
  const { name } = await chooseKernel(page);
  await page.keyboard.press('7');
  await page.getByTestId('kernel-histogram').waitFor();
  await idle(page);
  assert.equal(await page.locator('.kernel-name').innerText(), name);
  assert.equal(await page.locator('.plot-mark').count(), 1, 'the selected one is marked among the dots');
  const names = kernels.map((kernel) => kernel.name);
  const at = names.indexOf(name);
  await page.keyboard.press(at + 1 < names.length ? '.' : ',');
  await idle(page);
  const next = at + 1 < names.length ? names[at + 1] : names[at - 1];
  assert.equal(await page.locator('.kernel-name').innerText(), next);
  await page.getByTestId('kernel-pick').selectOption(name);
  await idle(page);
  assert.equal(await page.locator('.kernel-name').innerText(), name);
  await page.getByTestId('kernel-timeline').click();
  await idle(page);
  assert.ok((await drawLog(page)).slices.length > 0, 'the timeline is there');
  const { all } = await server.ask(`kernel?name=${encodeURIComponent(name)}`);
  assert.match(await page.getByTestId('search-count').innerText(), new RegExp(`^(\\d+ of )?${all.count.toLocaleString('en')}\\b`));
  assert.ok(await canvasBox(page));
  assert.deepEqual(complaints, []);
});

test('the view follows the selection without a detour, also after durations were selected', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const { kernels } = await server.ask();
  const [first, second] = kernels.filter(({ kind }) => kind === 'kernel').map(({ name }) => name);
  await visit(page, `${server.timeline}?v=kernel&s=k${encodeURIComponent(second)}&p=kernels&pc=0`);
  const name = page.locator('.kernel-name');
  assert.equal(await name.innerText(), second);
  await page.evaluate(() => {
    window.names = [];
    const look = () => document.querySelectorAll('.kernel-name').forEach((name) => window.names.push(name.innerText));
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  const dots = await page.locator('.plot-dots').getAttribute('d');
  const places = [...dots.matchAll(/M([\d.]+) ([\d.]+)h0/g)].map(([, x, y]) => [x / 1000, y / 100]);
  for (const [x, y] of [places[0], places.at(-1)]) {
    const box = await page.getByTestId('kernel-over-time').locator('.plot').boundingBox();
    await page.mouse.click(box.x + x * box.width, box.y + y * box.height);
    await page.locator('.plot-mark').waitFor();
    await idle(page);
    assert.equal(await name.innerText(), second);
  }
  assert.deepEqual([...new Set(await page.evaluate(() => window.names))].filter((shown) => shown !== second), []);

  // While durations are selected, the view keeps their kernel; without them it follows the selection again.
  const other = page.getByTestId('kernels').getByRole('button', { name: first, exact: true });
  await page.getByTestId('kernel-histogram').locator('.plot').focus();
  await page.keyboard.press('End');
  await idle(page);
  await page.keyboard.press('Escape');
  await idle(page);
  assert.doesNotMatch(page.url(), /k[dn]=/);
  await page.getByTestId('tab-kernels').click();
  await other.click();
  await idle(page);
  assert.equal(await name.innerText(), first);
  assert.deepEqual(complaints, []);
});

test('a trace without executions says so', async (t) => {
  const server = await serverOf(trace('images'));
  const { page, complaints } = await openPage(t);
  const { kernels } = await server.ask();
  await visit(page, `${server.timeline}?v=kernel${kernels.length === 0 ? '' : '&kn=no%20such%20kernel'}`);
  const empty = page.getByTestId('view-empty');
  await empty.waitFor();
  assert.match(await empty.innerText(), kernels.length === 0 ? /No kernel ran/ : /No executions/);
  assert.deepEqual(complaints, []);
});
