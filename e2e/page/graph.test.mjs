// The task graph, on recordings of real programs: the heat example, a diamond of kernels, command graphs.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { writeLargeGraph } from './large_graph.mjs';
import { drawLog, graphLog, heatServer, idle, openPage, picture, scratch, serverOf, told, trace, visit } from './support.mjs';

const canvas = (page) => page.getByTestId('graph-canvas').boundingBox();

/** The middle of a node, in coordinates of the page. */
async function middle(page, node) {
  const box = await canvas(page);
  return { x: box.x + node.x + node.w / 2, y: box.y + node.y + node.h / 2 };
}

async function click(page, node) {
  const { x, y } = await middle(page, node);
  await page.mouse.click(x, y);
  await idle(page);
}

async function doubleClick(page, node) {
  const { x, y } = await middle(page, node);
  await page.mouse.dblclick(x, y);
  await idle(page);
}

const called = (log, name) => log.nodes.find((node) => node.name === name);
const byId = (log, id) => log.nodes.find((node) => node.id === id);

async function download(page, press) {
  const [file] = await Promise.all([page.waitForEvent('download'), press()]);
  return { name: file.suggestedFilename(), bytes: fs.readFileSync(await file.path()) };
}

test('the graph has three levels and more, one click apart, and a link opens the same', async (t) => {
  const server = await heatServer();
  const { page, context, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=timeline`);
  await page.keyboard.press('3');
  await page.getByTestId('graph-canvas').waitFor();
  for (const level of ['iterations', 'kernels', 'full', 'source']) {
    await page.getByTestId(`level-${level}`).click();
    const opened = await graphLog(page);
    // The graph opens at a readable scale; `0` shows all of it.
    const words = opened.nodes.flatMap((node) => node.texts);
    assert.ok(opened.place[2] >= 0.55 && words.length > 0, `${level}: ${opened.place}`);
    assert.ok(level === 'full' || words.includes('diffuse_band'), `${words}`);
    assert.ok(!words.includes('virtual_node'));
    await page.keyboard.press('0');
    const log = await graphLog(page);
    const expected = await server.ask(`graph?level=${level}`);
    assert.equal(log.total, expected.nodes.length, level);
    assert.equal(log.nodes.length + log.small_nodes, expected.nodes.length, `${level}: all of it fits`);
    assert.equal(log.edges > 0, true);
    await picture(page, `graph-${level}`);
  }
  const { nodes } = await server.ask('graph');
  const commands = nodes.reduce((sum, node) => sum + (node.kind === 'virtual' ? 0 : node.count), 0);
  assert.match(await page.getByTestId('graph-counts').innerText(), new RegExp(`^${commands} commands in ${nodes.length} nodes`));
  // Names, counts, durations and bytes are on the nodes if they have space for them.
  await page.keyboard.press('End');
  await page.keyboard.press('f');
  let log = await graphLog(page);
  assert.ok(log.place[2] >= 0.9);
  const node = byId(log, log.cursor);
  assert.ok(node.texts.length >= 2, `${node.texts}`);

  const copy = (await server.ask('graph?level=full')).nodes.find((one) => one.kind === 'copy' && one.direction);
  assert.ok(copy, 'a copy of USM tells from where to where');
  await page.getByTestId('level-full').click();
  // A search steps through drawn nodes, so wait for the level's answer first.
  await idle(page);
  await page.getByTestId('graph-search').fill(copy.id);
  await page.keyboard.press('Enter');
  await page.getByTestId('graph-search').fill('');
  await page.keyboard.press('Escape');
  await idle(page);
  await page.keyboard.press('f');
  log = await graphLog(page);
  assert.match(byId(log, copy.id).texts.join('|'), /[HDS]→[HDS]/);

  await page.getByTestId('level-iterations').click();
  const group = called(await graphLog(page), 'diffuse_band');
  assert.ok(group.count > 1);
  await doubleClick(page, group);
  await page.getByTestId('graph-colour').selectOption('duration');
  await page.getByTestId('graph-critical').click();
  await page.getByTestId('graph-search').fill('diffuse');
  await page.mouse.move(700, 300);
  await page.mouse.wheel(0, 60);
  log = await graphLog(page);
  await page.waitForFunction(() => /gv=/.test(location.href) && /go=/.test(location.href));
  await idle(page);
  const other = await context.newPage();
  await visit(other, page.url());
  const reopened = await graphLog(other);
  assert.deepEqual(reopened, log);
  assert.deepEqual(complaints, []);
});

test('groups unfold where they are and fold again', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  // The panel is closed, because it would cover the last groups.
  await visit(page, `${server.timeline}?v=graph&pc=1`);
  const before = await graphLog(page);
  const group = before.nodes.filter((node) => node.count > 1).sort((one, other) => one.count - other.count)[0];
  await doubleClick(page, group);
  const open = await graphLog(page);
  assert.equal(open.total, before.total + group.count - 1);
  const first = byId(open, open.cursor);
  assert.equal(first.id, group.id.split('x')[0], 'the cursor is at its first command');
  const at = ({ x, y, w, h }) => [x + w / 2, y + h / 2];
  assert.ok(Math.hypot(at(first)[0] - at(group)[0], at(first)[1] - at(group)[1]) < 1.5, 'it stays under the pointer');
  assert.match(await page.getByTestId('graph-foot').innerText(), /Fold 1 group/);
  await page.keyboard.press('Backspace');
  const folded = await graphLog(page);
  assert.equal(folded.cursor, group.id);
  assert.deepEqual(folded.nodes.map((node) => node.id), before.nodes.map((node) => node.id));
  await page.keyboard.press('Enter');
  assert.equal((await graphLog(page)).total, open.total, 'Enter unfolds');
  await page.getByTestId('fold-all').click();
  assert.equal((await graphLog(page)).total, before.total);
  await page.goBack();
  assert.equal((await graphLog(page)).total, open.total, 'Back unfolds again');
  assert.deepEqual(complaints, []);
});

test('a neighbourhood, components, kinds and a limit show a part, and say what is left out', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=graph&g=full`);
  const whole = await graphLog(page);
  assert.equal(whole.total, 386);
  await page.keyboard.press('Home');
  await page.keyboard.press('n');
  let log = await graphLog(page);
  const number = log.cursor;
  const near = async (width) => (await server.ask(`graph?level=full&around=${number}&width=${width}`)).nodes.length;
  assert.equal(log.total, await near(2));
  await page.getByTestId('graph-wider').click();
  assert.equal((await graphLog(page)).total, await near(3));
  await page.keyboard.press('<');
  assert.equal((await graphLog(page)).total, await near(2));
  await page.keyboard.press('n');
  assert.equal((await graphLog(page)).total, whole.total);

  await page.getByTestId('side-components').click();
  const { components } = await server.ask('components');
  const listed = page.getByTestId('component');
  await listed.first().waitFor();
  assert.equal(await listed.count(), components.length);
  await listed.first().click();
  assert.equal((await graphLog(page)).total, components[0].nodes);
  await page.getByTestId('graph-component').click();
  await idle(page);

  await page.getByTestId('graph-kinds').click();
  await idle(page);
  await page.getByTestId('kind-kernel').evaluate((box) => box.click());
  const expected = await server.ask('graph?level=full');
  const kernels = expected.nodes.filter((node) => node.kind === 'kernel').length;
  log = await graphLog(page);
  assert.equal(log.total, whole.total - kernels);
  await page.getByTestId('kind-kernel').evaluate((box) => box.click());
  await idle(page);
  await page.getByTestId('graph-limit').selectOption('500');
  assert.equal((await graphLog(page)).total, whole.total, 'all 386 are within the limit');
  await visit(page, `${server.timeline}?v=graph&g=full&gl=40`);
  assert.equal((await graphLog(page)).total, 40);
  assert.match(await page.getByTestId('graph-foot').innerText(), /Nodes not drawn/);
  assert.deepEqual(complaints, []);
});

test('edges tell their reasons, and are filtered without a node moving', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=graph`);
  const { edges } = await server.ask('graph');
  const counts = {};
  for (const edge of edges) for (const [reason, count] of edge.reasons) counts[reason] = (counts[reason] ?? 0) + count;
  const before = await graphLog(page);
  await page.getByTestId('graph-edges').click();
  const menu = page.locator('details[open] .tool-menu-content');
  for (const [reason, count] of Object.entries(counts))
    assert.match(
      await menu.locator('label', { has: page.getByTestId(`reason-${reason}`) }).innerText(),
      new RegExp(`${count.toLocaleString('en')}$`),
    );
  await page.getByTestId('reason-accessor').uncheck();
  const filtered = await graphLog(page);
  const left = edges.filter((edge) => edge.reasons.some(([reason]) => reason !== 'accessor')).length;
  assert.equal(filtered.edges, left);
  assert.deepEqual(filtered.nodes, before.nodes);
  assert.match(await page.getByTestId('graph-foot').innerText(), /filtered out/);
  await page.getByTestId('reason-accessor').check();

  await page.getByTestId('redundant-hide').check();
  const marked = await server.ask('graph?redundant=mark');
  const hidden = await graphLog(page);
  assert.equal(hidden.edges, marked.edges.filter((edge) => !edge.redundant).length);
  assert.deepEqual(hidden.nodes, before.nodes);
  await page.getByTestId('redundant-show').check();
  await page.getByTestId('graph-order').check();
  await graphLog(page);
  const ordered = await server.ask('graph?order=1');
  assert.ok(ordered.edges.length >= edges.length);
  await page.keyboard.press('Escape');

  // Edges at the cursor's node have labels with their reasons.
  await visit(page, `${server.timeline}?v=graph&g=kernels&gm=${(await server.ask('graph?level=kernels')).nodes[0].id}`);
  await page.keyboard.press('f');
  const log = await graphLog(page);
  assert.ok(log.edge_labels.length > 0);
  assert.match(log.edge_labels.join('|'), /accessor|event|in-order queue|host task|host accessor/);
  await picture(page, 'graph-reasons');
  assert.deepEqual(complaints, []);
});

test('colours and sizes tell what was chosen', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=graph`);
  const seen = new Set();
  for (const colour of ['kind', 'device', 'queue', 'duration', 'slack', 'object']) {
    await page.getByTestId('graph-colour').selectOption(colour);
    const log = await graphLog(page);
    seen.add(log.nodes.map((node) => node.colour).join());
    assert.ok((await page.getByTestId('graph-legend').locator('li').count()) > 0, colour);
    await picture(page, `graph-colour-${colour}`);
  }
  assert.equal(seen.size, 6);
  const flat = await graphLog(page);
  await page.getByTestId('graph-sized').click();
  const sized = await graphLog(page);
  const heights = (log) => new Set(log.nodes.map((node) => Math.round((node.h / log.place[2]) * 10))).size;
  assert.equal(heights(flat), 1);
  assert.ok(heights(sized) > 1);
  assert.deepEqual(complaints, []);
});

test('the critical path stands out, and another run is worked out at once', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=graph`);
  await page.locator('[data-testid=graph-canvas]').focus();
  await page.keyboard.press('k');
  const { nodes } = await server.ask('graph');
  assert.equal((await graphLog(page)).critical, nodes.filter((node) => node.critical > 0).length);
  await page.keyboard.press('x');
  const path = page.getByTestId('what-if-path');
  await path.waitFor();
  const ms = (text) => Number(text.match(/([\d.]+) ms/)?.[1]);
  // The what-if panel opens with the busiest kernel.
  const { kernels } = await server.ask();
  const busiest = kernels.filter(({ kind }) => kind === 'kernel').sort((one, other) => other.total_ns - one.total_ns)[0].name;
  assert.equal(await page.getByTestId('what-if-kernel').inputValue(), busiest);
  await page.getByTestId('what-if-kernel').selectOption('-');
  const plain = await server.ask('what_if');
  await page.getByTestId('what-if-copies').check();
  await idle(page);
  const free = await server.ask('what_if?copies=0');
  assert.equal(ms(await page.getByTestId('what-if-unlimited').locator('b').innerText()), Number((free.changed_unlimited_ns / 1e6).toPrecision(4)));
  assert.match(await page.getByTestId('graph-side').innerText(), new RegExp(`${free.changed} commands would change`));
  assert.ok(free.changed_unlimited_ns <= plain.unlimited_ns);
  await page.getByTestId('what-if-kernel').selectOption('diffuse_band');
  await page.getByTestId('what-if-faster').fill('10');
  await idle(page);
  const both = await server.ask('what_if?kernel=diffuse_band&faster=10&copies=0');
  assert.match(await page.getByTestId('graph-side').innerText(), new RegExp(`${both.changed} commands would change`));
  assert.match(await page.getByTestId('what-if-schedule').innerText(), /Ends: recorded .* ms, predicted .* ms\./);
  await picture(page, 'graph-what-if');
  // Only the time in the selected area changes.
  const to = Math.round(plain.recorded_ns / 2);
  await visit(page, `${page.url()}&area=0-${to}`);
  await page.getByTestId('what-if-part').check();
  await page.getByTestId('what-if-range').waitFor();
  await idle(page);
  const half = await server.ask(`what_if?kernel=diffuse_band&faster=10&copies=0&from=0&to=${to}`);
  assert.ok(half.changed < both.changed, 'a part of the commands');
  assert.match(await page.getByTestId('graph-side').innerText(), new RegExp(`${half.changed} commands would change`));
  await page.getByTestId('what-if-faster').fill('none');
  await page.getByRole('alert').getByText('a number above 0').waitFor();
  await page.reload();
  await idle(page);
  assert.equal(await page.getByTestId('what-if-kernel').inputValue(), 'diffuse_band');
  assert.deepEqual(complaints, []);
});

test('missed overlaps are listed with reasons and both places', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=graph&gs=serialised`);
  const { pairs } = await server.ask('serialised?limit=100');
  assert.equal(pairs.length, 10);
  await page.getByTestId('serialised-sum').waitFor();
  assert.equal(await page.getByTestId('serialised-pair').count(), pairs.length);
  const first = page.getByTestId('serialised-pair').first();
  assert.ok((await first.innerText()).includes(pairs[0].message));
  await first.locator('.serialised-command').last().getByRole('button').first().click();
  const log = await graphLog(page);
  assert.equal(log.selected.length, 1);
  assert.equal(byId(log, log.selected[0]).name, pairs[0].second.name);
  await picture(page, 'graph-serialised');

  // Only the pairs in an area.
  const [from, to] = [pairs[0].second.begin_ns, pairs[0].second.begin_ns + 1_000_000];
  const inArea = await server.ask(`serialised?limit=100&from=${from}&to=${to}`);
  assert.ok(inArea.pairs.length > 0 && inArea.count < (await server.ask('serialised?limit=100')).count);
  await visit(page, `${server.timeline}?v=graph&gs=serialised&area=${from}-${to}`);
  await page.getByTestId('serialised-sum').getByText('In the selected area.').waitFor();
  assert.equal(await page.getByTestId('serialised-pair').count(), inArea.pairs.length);
  assert.deepEqual(complaints, []);
});

test('the selection is the same in graph, timeline and source', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=row(graph:500,timeline:500)&g=full`);
  const { nodes, names } = await server.ask('graph?level=full');
  const kernel = nodes.find((node) => node.kind === 'kernel');
  // From the graph to the timeline.
  await page.getByTestId('graph-search').fill(kernel.id);
  await page.keyboard.press('Enter');
  let log = await graphLog(page);
  assert.equal(log.cursor, kernel.id);
  const selected = (await drawLog(page)).selected;
  const detail = await server.ask(`slices/${selected}`);
  assert.equal(detail.node.id, kernel.node);
  assert.equal(await page.getByTestId('details-name').innerText(), names[kernel.name]);
  // From the timeline to the graph: the command that waited for it.
  await page.getByTestId('waited-by').getByTestId('jump').first().click();
  log = await graphLog(page);
  assert.equal(log.cursor, String(detail.node.waited_by[0].node));
  assert.deepEqual(log.selected, [log.cursor]);
  // A selected source line marks all its commands.
  await page.getByTestId('details-source').click();
  log = await graphLog(page);
  assert.ok(log.selected.length >= 1);
  await picture(page, 'graph-linked');
  // A group of one source location selects its line.
  await visit(page, `${server.timeline}?v=graph`);
  log = await graphLog(page);
  await click(page, called(log, 'diffuse_band'));
  await page.getByTestId('numbers').waitFor();
  assert.match(await page.getByTestId('details-name').innerText(), /^Line \d+/);
  // Enter on a single command shows it in the timeline.
  await page.getByTestId('level-full').click();
  await page.locator('[data-testid=graph-canvas]').focus();
  await page.keyboard.press('Home');
  await idle(page);
  await page.keyboard.press('Enter');
  await page.getByTestId('timeline-canvas').waitFor();
  assert.ok((await drawLog(page)).selected !== null);
  assert.deepEqual(complaints, []);
});

test('keys lead along edges, and a search finds, dims and steps', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=graph`);
  const view = await server.ask('graph');
  await page.locator('[data-testid=graph-canvas]').focus();
  const press = async (key) => {
    await page.keyboard.press(key);
    return (await graphLog(page)).cursor;
  };
  const first = await press('Home');
  assert.equal(first, view.nodes[0].id);
  const below = await press('ArrowDown');
  const ends = (edge) => [view.nodes[edge.source].id, view.nodes[edge.target].id];
  const has = (from, to) => view.edges.some((edge) => ends(edge).join() === [from, to].join());
  assert.ok(has(first, below), `${first} → ${below}`);
  const above = await press('ArrowUp');
  assert.ok(has(above, below));
  const node = (id) => view.nodes.find((one) => one.id === id);
  const beside = await press('ArrowRight');
  assert.equal(node(beside).y, node(above).y);
  assert.ok(node(beside).x >= node(above).x);
  const back = await press('[');
  assert.ok(back === beside || has(back, beside));
  const next = await press('Tab');
  assert.equal(view.nodes.findIndex((one) => one.id === next), view.nodes.findIndex((one) => one.id === back) + 1);
  assert.equal(await press('Shift+Tab'), back);
  assert.match(await page.locator('#graph-spoken').innerText(), /waits for \d+, waited for by \d+/);
  await press('End');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.dataset.testid === 'graph-canvas'), false, 'Tab leads out');

  await page.locator('[data-testid=graph-canvas]').focus();
  assert.equal(await press('Escape'), null, 'Escape takes the cursor away');
  await page.keyboard.press('/');
  await page.keyboard.type('kernel diffuse');
  const wanted = view.nodes.filter((one) => one.kind === 'kernel' && view.names[one.name].includes('diffuse'));
  let log = await graphLog(page);
  assert.match(await page.getByTestId('graph-found').innerText(), new RegExp(`^${wanted.length} match`));
  assert.equal(log.faded, view.nodes.length - wanted.length);
  await picture(page, 'graph-search');
  const cursors = new Set();
  for (let step = 0; step < wanted.length; ++step) {
    await page.keyboard.press('Enter');
    cursors.add((await graphLog(page)).cursor);
  }
  assert.deepEqual([...cursors].sort(), wanted.map((one) => one.id).sort());
  await page.getByTestId('graph-dim').click();
  assert.equal((await graphLog(page)).faded, 0);
  assert.deepEqual(complaints, []);
});

test('legend and overview lie beside the drawing, and below it on a phone', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const legend = page.getByTestId('graph-legend');
  const overlaps = (one, other) =>
    one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height && other.y < one.y + one.height;
  for (const level of ['source', 'full']) {
    await visit(page, `${server.timeline}?v=graph&g=${level}`);
    for (const key of ['0', '+', '+']) {
      await page.locator('[data-testid=graph-canvas]').focus();
      await page.keyboard.press(key);
      const log = await graphLog(page);
      const box = await canvas(page);
      const drawing = { x: box.x, y: box.y, width: log.area[0], height: log.area[1] };
      assert.ok(log.area[0] < box.width, 'there is a column');
      assert.ok(!overlaps(drawing, await legend.boundingBox()), `${level}: the legend is beside it`);
      if (log.overview) {
        const [x, y, width, height] = log.overview;
        const overview = { x: box.x + x, y: box.y + y, width, height };
        assert.ok(!overlaps(drawing, overview) && !overlaps(await legend.boundingBox(), overview), level);
      }
      // The whole drawing fits next to the column.
      if (key === '0') for (const node of log.nodes) assert.ok(node.x >= 0 && node.x + node.w <= log.area[0], node.name);
    }
  }
  assert.ok((await graphLog(page)).overview, 'the last one is cut');
  await picture(page, 'graph-column');
  await page.setViewportSize({ width: 390, height: 844 });
  const narrow = await graphLog(page);
  assert.equal(narrow.overview, null);
  assert.equal(narrow.area[0], (await canvas(page)).width, 'the drawing has all of the width');
  assert.equal(await legend.isVisible(), false);
  await page.getByText('Colours', { exact: true }).click();
  await idle(page);
  const opened = await canvas(page);
  assert.ok(await legend.isVisible());
  assert.ok((await legend.boundingBox()).y >= opened.y + opened.height, 'below the drawing, not over it');
  await picture(page, 'graph-column-phone');
  assert.deepEqual(complaints, []);
});

test('pointer and wheel move and zoom, and the overview leads anywhere', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=graph&g=full`);
  const box = await canvas(page);
  await page.locator('[data-testid=graph-canvas]').focus();
  await page.keyboard.press('0');
  const start = await graphLog(page);
  assert.equal(start.overview, null, 'all is in sight');
  await page.mouse.move(box.x + 300, box.y + 200);
  await page.keyboard.down('Control');
  for (let turn = 0; turn < 6; turn += 1) await page.mouse.wheel(0, -120);
  await page.keyboard.up('Control');
  const zoomed = await graphLog(page);
  assert.ok(zoomed.place[2] > start.place[2] * 3);
  const under = ({ place: [x, y, scale], area: [w, h] }) => [(300 - w / 2) / scale + x, (200 - h / 2) / scale + y];
  const [from, to] = [under(start), under(zoomed)];
  assert.ok(Math.hypot(from[0] - to[0], from[1] - to[1]) < 2, 'what is under the pointer stays there');
  await page.mouse.move(box.x + 300, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 250, box.y + 150, { steps: 4 });
  await page.mouse.up();
  const dragged = await graphLog(page);
  assert.ok(Math.abs((dragged.place[0] - zoomed.place[0]) * zoomed.place[2] - 50) < 1);
  await page.mouse.wheel(0, 40);
  const scrolled = await graphLog(page);
  assert.ok(scrolled.place[1] > dragged.place[1]);
  assert.ok(scrolled.overview);
  const [x, y, w, h] = scrolled.overview;
  await page.mouse.click(box.x + x + w - 12, box.y + y + h - 12);
  const jumped = await graphLog(page);
  assert.ok(jumped.place[0] > scrolled.place[0] && jumped.place[1] > scrolled.place[1]);
  await picture(page, 'graph-overview');
  await page.keyboard.press('0');
  assert.deepEqual((await graphLog(page)).place, start.place);
  await page.mouse.move(box.x + 5, box.y + 5);
  const node = (await graphLog(page)).nodes[0];
  const at = await middle(page, node);
  await page.mouse.move(at.x, at.y);
  await page.getByTestId('graph-tooltip').waitFor();
  assert.deepEqual(complaints, []);
});

test('the drawing is saved as SVG, PNG and DOT, and is a table too', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=graph&gp=1`);
  const view = await server.ask('graph');
  await page.getByTestId('graph-pictures').click();
  const svg = await download(page, () => page.getByTestId('graph-svg').click());
  assert.equal(svg.name, 'graph.svg');
  assert.match(svg.bytes.toString(), /^<svg [^]*source graph[^]*critical path[^]*<\/svg>\n$/);
  const png = await download(page, () => page.getByTestId('graph-png-2').click());
  assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
  const dot = (await download(page, () => page.getByTestId('graph-dot').click())).bytes.toString();
  assert.equal(dot.match(/ -> /g).length, view.edges.length);
  assert.equal(dot.match(/^ {2}"[^"]+" \[label=/gm).length, view.nodes.length);
  await page.keyboard.press('Escape');

  await page.keyboard.press('t');
  const table = page.getByTestId('graph-table');
  await table.waitFor();
  // A table has no picture, and an old drawing must not be saved instead.
  let saved = 0;
  page.on('download', () => (saved += 1));
  await page.keyboard.press('Shift+S');
  await told(page, 'Show the drawing');
  assert.equal(saved, 0);
  assert.equal(await table.locator('tbody tr').count(), view.nodes.length);
  await table.getByRole('button', { name: 'Summed device time', exact: true }).click();
  const most = [...view.nodes].sort((one, other) => other.total_ns - one.total_ns)[0];
  assert.equal(await table.locator('tbody th').first().innerText(), view.names[most.name]);
  await idle(page);
  assert.match(page.url(), /gto=total/);
  const csv = (await download(page, () => page.getByTestId('graph-csv').click())).bytes.toString();
  assert.equal(csv.trimEnd().split('\r\n').length, view.nodes.length + 1);
  await table.locator('tbody th button').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await idle(page);
  assert.equal(await table.locator('tr.is-selected').count(), 1);
  await picture(page, 'graph-table');
  assert.deepEqual(complaints, []);
});

test('a node has a panel with its edges and commands', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=graph&gs=node`);
  const log = await graphLog(page);
  const group = called(log, 'diffuse_band');
  await click(page, group);
  assert.equal(await page.getByTestId('graph-node-name').innerText(), 'diffuse_band');
  await page.getByTestId('graph-members').waitFor();
  assert.match(await page.getByTestId('graph-members').innerText(), new RegExp(`1 to 50 of ${group.count}`));
  await page.getByRole('button', { name: 'Later commands' }).click();
  await idle(page);
  assert.match(await page.getByTestId('graph-members').innerText(), /51 to 100/);
  await picture(page, 'graph-node');
  await page.getByTestId('graph-unfold').click();
  assert.ok((await graphLog(page)).total > log.total);
  await page.getByTestId('graph-fold').click();
  assert.equal((await graphLog(page)).total, log.total);
  assert.deepEqual(complaints, []);
});

test('nothing to draw, an answer that fails, and one that takes its time are told', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  const asked = new Promise((resolve) => page.route('**/graph?level=kernels*', resolve));
  await visit(page, `${server.timeline}?v=graph&gk=advise`);
  await page.getByTestId('graph').getByText('No commands to draw').waitFor();
  await page.getByRole('button', { name: 'Show the whole graph' }).click();
  assert.ok((await graphLog(page)).total > 0);

  await page.getByTestId('level-kernels').click();
  await page.locator('.graph-view > .loading-line.is-active').waitFor();
  assert.ok(JSON.parse(await page.evaluate(() => window.__syclscope.graphLog())).total > 0, 'the old one stays');
  await (await asked).fulfill({ status: 400, json: { error: { code: 'bad', message: 'This is why.' } } });
  await page.getByTestId('graph-failure').getByText('This is why.').waitFor();
  await page.unroute('**/graph?level=kernels*');
  await page.getByRole('button', { name: 'Try again' }).click();
  assert.equal((await graphLog(page)).total, (await server.ask('graph?level=kernels')).nodes.length);
  await visit(page, `${server.timeline}?v=graph&gc=999999`);
  await page.getByTestId('graph-failure').waitFor();
});

test('diamonds and command graphs of real programs', async (t) => {
  const { page, complaints } = await openPage(t);
  for (const [name, graphs] of [['diamond', 0], ['command_graph', 1]]) {
    const server = await serverOf(trace(name));
    const view = await server.ask('graph?level=full');
    await visit(page, `${server.timeline}?v=graph&g=full`);
    await page.keyboard.press('0');
    const log = await graphLog(page);
    assert.deepEqual(log.nodes.map((node) => node.id).sort(), view.nodes.map((node) => node.id).sort());
    assert.equal(log.edges, view.edges.length);
    assert.deepEqual([view.frames.length, log.titles.length], [graphs, graphs]);
    if (graphs > 0) {
      assert.equal(view.frames[0].run_count, 5);
      assert.match(log.titles[0], /5/);
      await page.getByTestId('side-graphs').click();
      await page.getByTestId('command-graph').first().waitFor();
      assert.equal(await page.getByTestId('command-graph').count(), view.frames.length);
      await page.getByTestId('graph-command').first().click();
      assert.equal((await graphLog(page)).cursor, view.nodes[view.frames[0].nodes[0]].id);
    }
    await picture(page, `graph-${name}`);
  }
  assert.deepEqual(complaints, []);
});

test('a large graph opens folded, in parts, and whole', async (t) => {
  const file = path.join(scratch(t), 'large.json');
  writeLargeGraph(file, 20_000);
  const server = await serverOf(file);
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=graph`);
  await page.keyboard.press('0');
  let log = await graphLog(page);
  assert.ok(log.total < 100);
  assert.equal(log.nodes.reduce((sum, node) => sum + node.count, 0), 20_000);
  await page.getByTestId('level-full').click();
  log = await graphLog(page);
  assert.equal(log.total, 2000);
  assert.match(await page.getByTestId('graph-foot').innerText(), /Nodes not drawn: 18,000/);
  await page.getByTestId('graph-kinds').click();
  await idle(page);
  await page.getByTestId('graph-limit').selectOption('20000');
  log = await graphLog(page);
  assert.equal(log.total, 20_000);
  assert.ok(log.place[2] >= 0.69 && log.nodes.some((node) => node.texts.length > 0), 'it opens where it can be read');
  await page.getByTestId('graph-canvas').focus();
  await page.keyboard.press('0');
  log = await graphLog(page);
  assert.ok(log.edges < 6_000 && log.left_out_edges > 0, `${log.edges} of very many lines are drawn`);
  assert.match(await page.getByTestId('graph-foot').innerText(), /zoom in to see them/);
  await picture(page, 'graph-large');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Home');
  await page.keyboard.press('f');
  log = await graphLog(page);
  assert.ok(log.nodes.length < 200 && log.left_out_edges === 0, 'what is outside of the window is not drawn');
  assert.deepEqual(complaints, []);
});

test('an error does not stay over the drawing before it', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  let isBroken = false;
  await page.route('**/graph?*', (route) => (isBroken ? route.abort() : route.continue()));
  await visit(page, `${server.timeline}?v=graph`);
  await graphLog(page);
  isBroken = true;
  await page.getByTestId('level-full').click();
  await page.getByTestId('graph-failure').waitFor();
  isBroken = false;
  await page.goBack();
  await idle(page);
  assert.equal(await page.getByTestId('graph-failure').count(), 0);
});
