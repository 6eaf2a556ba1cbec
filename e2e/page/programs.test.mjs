// Rarer features of programs on the page: a false dependence through sub-buffers, command graphs of every kind, images,
// and a device that reports its free memory.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { drawLog, graphLog, idle, openPage, picture, serverOf, trace, visit } from './support.mjs';

const whole = fileURLToPath(new URL('../../trace/engine/tests/data/whole.json', import.meta.url));

test('a false dependence through sub-buffers is listed, and leads to both commands, their lines and the buffer', async (t) => {
  const server = await serverOf(trace('sub_buffers-bad'));
  const { pairs, count, gain_ns: gain } = await server.ask('serialised?limit=100');
  const pair = pairs.find(({ reason }) => reason === 'false_dependence');
  assert.ok(pair && gain > 0, JSON.stringify(pairs));
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=row(graph:600,timeline:400)&g=full`);
  await page.getByTestId('side-serialised').click();
  assert.match(await page.getByTestId('serialised-sum').innerText(), new RegExp(`^${count} commands could have overlapped`));
  const shown = page.getByTestId('serialised-pair').nth(pairs.indexOf(pair));
  assert.match(await shown.innerText(), /False dependence[\s\S]*parts of buffer 1 that do not overlap[\s\S]*Use a buffer for each part/);
  await picture(page, 'missed-overlap');
  for (const [at, command] of [pair.first, pair.second].entries()) {
    const line = shown.locator('.serialised-command').nth(at);
    assert.ok((await line.innerText()).includes(command.name));
    await line.getByRole('button').first().click();
    const log = await graphLog(page);
    assert.deepEqual(log.selected, [String(command.node)]);
    assert.equal((await drawLog(page)).selected, command.at.slice);
  }
  // A link opens the panel again; from there a link leads to the buffer that both use.
  await page.reload();
  await idle(page);
  await page.getByTestId('serialised-pair').nth(pairs.indexOf(pair)).getByRole('button', { name: `object ${pair.object}` }).click();
  await page.getByTestId('details-name').getByText(`Buffer ${pair.object}`).waitFor();
  const { file, line } = pair.second.location;
  const place = page.getByTestId('serialised-pair').nth(pairs.indexOf(pair)).locator('.serialised-command').nth(1);
  await place.getByRole('button', { name: `${path.basename(file)}:${line}` }).click();
  await page.getByTestId('source-lines').locator(`#line-${line}`).waitFor();
  assert.deepEqual(complaints, []);

  const good = await serverOf(trace('sub_buffers-good'));
  await visit(page, `${good.timeline}?v=graph&gs=serialised`);
  await page.getByTestId('graph-side').waitFor();
  assert.doesNotMatch(await page.getByTestId('graph-side').innerText(), /False dependence/);
});

test('command graphs are regions with their partitions, executions, and a word where there was none', async (t) => {
  const server = await serverOf(trace('graphs'));
  const { page, complaints } = await openPage(t, { viewport: { width: 1900, height: 1500 } });
  const full = await server.ask('graph?level=full');
  const { frames } = full;
  assert.deepEqual(frames.map(({ partitions, run_count: runs }) => [partitions, runs]), [[1, 3], [1, 2], [2, 2], [2, 2], [1, 2], [1, 1], [1, 0]]);
  await visit(page, `${server.timeline}?v=graph&g=full`);
  const log = await graphLog(page);
  assert.equal(log.titles.length, frames.length);
  assert.ok(log.titles.some((title) => /, 1 of 2|partition 1 of 2/.test(title)), log.titles.join());
  assert.ok(log.titles.some((title) => /, 2 of 2|partition 2 of 2/.test(title)), log.titles.join());
  assert.ok(log.titles.some((title) => /never/.test(title)), log.titles.join());
  // No region contains a command of another one.
  const node = (number) => log.nodes.find(({ id }) => id === full.nodes[number].id);
  const regions = frames.map((frame) => {
    const rects = frame.nodes.map(node);
    return {
      left: Math.min(...rects.map(({ x }) => x)), right: Math.max(...rects.map(({ x, w }) => x + w)),
      top: Math.min(...rects.map(({ y }) => y)), bottom: Math.max(...rects.map(({ y, h }) => y + h)),
    };
  });
  for (const [at, region] of regions.entries())
    for (const [other, frame] of frames.entries()) {
      if (at === other) continue;
      for (const { x, y, w, h } of frame.nodes.map(node))
        assert.ok(x >= region.right || x + w <= region.left || y >= region.bottom || y + h <= region.top, `${at} holds one of ${other}`);
    }
  await picture(page, 'command-graphs');

  await page.getByTestId('side-graphs').click();
  const listed = page.getByTestId('command-graph');
  await listed.first().waitFor();
  assert.equal(await listed.count(), full.frames.length);
  const texts = await listed.allInnerTexts();
  for (const [at, frame] of full.frames.entries()) {
    const text = texts[at];
    if (frame.partitions > 1) assert.ok(text.includes(`partition ${frame.place + 1} of ${frame.partitions}`), text);
    if (frame.run_count === 0) assert.ok(text.includes('never executed') && !text.includes('execution 1'), text);
    else assert.ok(text.includes(`execution ${frame.run_count}`), text);
    // In recorded order.
    const commands = await listed.nth(at).getByTestId('graph-command').allInnerTexts();
    assert.deepEqual(commands, frame.nodes.map((number) => full.names[full.nodes[number].name]));
  }
  // Every execution links to its slice, or to its command if it has no device times.
  const untimed = full.frames.findIndex((frame) => frame.runs.some((run) => !run.at));
  const run = full.frames[untimed].runs.findIndex((one) => !one.at);
  await listed.nth(untimed).getByRole('button', { name: `execution ${run + 1}`, exact: true }).click();
  assert.deepEqual((await graphLog(page)).selected, [String(full.frames[untimed].runs[run].node)]);
  const timed = full.frames.findIndex((frame) => frame.runs.some((one) => one.at));
  const at = full.frames[timed].runs.findIndex((one) => one.at);
  await listed.nth(timed).getByText(`execution ${at + 1}`, { exact: true }).click();
  await page.getByTestId('timeline-canvas').waitFor();
  assert.equal((await drawLog(page)).selected, full.frames[timed].runs[at].at.slice);

  // Folded by place, graphs that share nodes are one region, whose title does not lie over another's.
  await visit(page, `${server.timeline}?v=graph`);
  const folded = await graphLog(page);
  assert.ok(folded.titles.length < frames.length && folded.titles.some((title) => /graphs/.test(title)), folded.titles.join());
  await picture(page, 'command-graphs-folded');

  // The summary counts executions without device times.
  await page.keyboard.press('1');
  const report = await server.ask('report');
  const known = report.commands.filter(({ kind }) => kind === 'command_graph').reduce((sum, { count }) => sum + count, 0);
  const missing = (await server.ask()).counts.graph_runs - known;
  assert.ok(missing > 0);
  assert.match(await page.getByTestId('unseen').first().innerText(), new RegExp(`^${missing} executions of command graphs without device times`));
  const used = report.queues.filter((queue) => queue.busy_ns > 0).length;
  assert.match(await page.getByTestId('unused-queues').innerText(), new RegExp(`${report.queues.length - used} queues without executions`));
  assert.deepEqual(complaints, []);
});

test('images are objects with their ranges and places', async (t) => {
  const server = await serverOf(trace('images'));
  const { objects } = await server.ask('objects?limit=100');
  const images = objects.filter(({ what }) => what === 'image');
  assert.ok(images.length >= 2);
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=memory&mv=objects`);
  const table = page.getByTestId('memory-objects');
  for (const image of images) {
    const row = table.locator('.long-row').filter({ hasText: `mage ${image.object}` });
    const text = await row.first().innerText();
    assert.ok(text.includes(image.range.join(' × ')) && text.includes(`images.cpp:${image.location.line}`), text);
    await row.first().locator('.name-button').click();
    await page.getByTestId('object-lane').waitFor();
    assert.match(await page.getByTestId('details-name').innerText(), new RegExp(`mage ${image.object}`));
    await page.keyboard.press('Escape');
  }
  await picture(page, 'memory-images');
  assert.deepEqual(complaints, []);
});

test('the free memory of a device that tells it stands below what is in use', async (t) => {
  const server = await serverOf(whole);
  const { free } = await server.ask('memory_use');
  assert.equal(free.length, 1);
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=memory`);
  await page.getByTestId('memory-chart').waitFor();
  await idle(page);
  const saved = page.waitForEvent('download');
  await page.keyboard.press('Control+p');
  await page.keyboard.type("Save the memory view as a picture (svg");
  await page.keyboard.press('Enter');
  const svg = fs.readFileSync(await (await saved).path(), 'utf8');
  assert.ok(svg.includes(`free memory of ${free[0].device}`));
  await picture(page, 'memory-free');
  assert.deepEqual(complaints, []);
});
