// Facts about a recording besides its slices: devices, settings, sources, pauses, findings. Facts about a command:
// accessors, command graph, native handles. The recording is the readable one of the trace engine's tests.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { drawLog, idle, openPage, picture, scratch, serverOf, visit } from './support.mjs';

const recording = fileURLToPath(new URL('../../trace/engine/tests/data/whole.json', import.meta.url));

/**
 * Starts a server with the recording; also returns the recording's description and the details of all of its slices.
 */
async function wholeServer() {
  const server = await serverOf(recording);
  const info = await server.ask();
  const slices = [];
  for (let id = 0; id < info.counts.slices; id += 1) slices.push(await server.ask(`slices/${id}`));
  return { ...server, info, slices };
}

/** Returns the first slice that satisfies `is`. */
function sliceWhere(server, is) {
  const found = server.slices.find(is);
  assert.ok(found, `among ${server.slices.map((slice) => slice.name)}`);
  return found.at.slice;
}

test('the recording tells its process, settings, devices, pauses and source files', async (t) => {
  const server = await wholeServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await page.getByTestId('tab-problems').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowRight');
  await idle(page);
  const panel = page.getByTestId('recording');
  const text = await panel.innerText();
  for (const fact of [
    './stencil --size 64',
    'node1',
    '4711',
    'normally',
    'ONEAPI_DEVICE_SELECTOR',
    'opencl:cpu',
    'libsycl',
    'Intel(R) OpenCL',
    '2026.21.9',
    '±90 ns',
    '3 properties',
    'signal',
    '/src/generated.hpp',
  ])
    assert.ok(text.includes(fact), `${fact} in ${text}`);
  assert.ok(!text.includes('return 0;'), 'a text is loaded when somebody asks for it');

  const source = page.getByRole('button', { name: '/src/stencil.cpp' });
  await source.focus();
  await page.keyboard.press('Enter');
  await page.getByTestId('source-text').getByText('return 0;').waitFor();
  await page.getByText('3 properties').click();
  assert.match(await panel.innerText(), /max_compute_units\s+2/);
  await picture(page, 'recording-dark');
  assert.match(page.url(), /p=recording/);

  // A link opens the same panel.
  await visit(page, page.url());
  assert.ok(await page.getByTestId('recording').isVisible());
  assert.deepEqual(complaints, []);
});

test('pauses lie over the tracks', async (t) => {
  const server = await wholeServer();
  const { page } = await openPage(t);
  await visit(page, `${server.timeline}?r=40000-60000`);
  const log = await drawLog(page);
  assert.equal(log.pauses.length, 1);
  const [x, , width, height] = log.pauses[0];
  assert.ok(Math.abs(x - log.width / 2) < 2 && Math.abs(width - (log.width * 8) / 20) < 2, `${log.pauses[0]}`);
  assert.ok(height > 100);
  await picture(page, 'pause-dark');
});

test('findings stand among the problems and lead to their call', async (t) => {
  const server = await wholeServer();
  const { page, complaints } = await openPage(t, { colorScheme: 'light' });
  await visit(page, `${server.timeline}?p=problems`);
  const problems = page.getByTestId('problems');
  const text = await problems.innerText();
  for (const part of ['kept handle never released', 'queue 0x11110000', '/src/stencil.cpp:50:7', 'paused 1 time'])
    assert.ok(text.includes(part), `${part} in ${text}`);
  await picture(page, 'findings-light');
  await problems.getByTestId('jump').click();
  await idle(page);
  assert.equal(await page.getByTestId('details-name').innerText(), 'urQueueCreateWithNativeHandle');
  const handle = await page.getByTestId('native-handles').innerText();
  for (const part of ['0x11110000', 'into SYCL', 'kept', 'released']) assert.ok(handle.includes(part), handle);
  await picture(page, 'native-handle-light');
  assert.deepEqual(complaints, []);
});

test('a command shows its accessors and their buffer', async (t) => {
  const server = await wholeServer();
  const { page, complaints } = await openPage(t);
  const slice = sliceWhere(server, (slice) => slice.node?.id === 2 && slice.category === 'submission');
  await visit(page, `${server.timeline}?s=${slice}`);
  const text = await page.getByTestId('accessors').innerText();
  for (const part of ['read write on device', 'Buffer 1 · float × 64 × 32 · 8 KiB', '/src/stencil.cpp:12:7', '0x7f0030000000'])
    assert.ok(text.includes(part), `${part} in ${text}`);
  assert.match(await page.getByTestId('waits-for').innerText(), /object 1/);
  await picture(page, 'accessors-dark');

  const barrier = sliceWhere(server, (slice) => slice.category === 'barrier');
  await visit(page, `${server.timeline}?s=${barrier}`);
  assert.equal(await page.getByTestId('barrier-reason').innerText(), 'enqueue');
  const message = sliceWhere(server, (slice) => slice.category === 'diagnostic');
  await visit(page, `${server.timeline}?s=${message}`);
  assert.match(await page.getByTestId('details').innerText(), /Kernel · node 2/);
  assert.deepEqual(complaints, []);
});

test('a command shows its place in a command graph, and a run what it runs', async (t) => {
  const server = await wholeServer();
  const { page, complaints } = await openPage(t);
  const command = sliceWhere(server, (slice) => slice.node?.id === 4);
  await visit(page, `${server.timeline}?s=${command}`);
  const graphs = page.getByTestId('command-graphs');
  const text = await graphs.innerText();
  for (const part of ['command graph 1, partition 1 of 2', '2 of 2', '104', 'finalized at', 'released at'])
    assert.ok(text.includes(part), `${part} in ${text}`);
  await graphs.getByTestId('jump').first().click();
  await idle(page);
  const run = await graphs.innerText();
  for (const part of ['Execution of command graph 1', '1 of 2', 'memory fill · node 3', 'Step · node 4'])
    assert.ok(run.includes(part), `${part} in ${run}`);
  await picture(page, 'command-graph-dark');
  assert.deepEqual(complaints, []);
});

test('a stream of a thread lies below its thread', async (t) => {
  const server = await wholeServer();
  const { page } = await openPage(t);
  await visit(page, server.timeline);
  const { tracks } = await drawLog(page);
  const thread = tracks.findIndex((track) => track.kind === 'thread');
  assert.equal(tracks[thread + 1].name, 'Level Zero');
  assert.equal(tracks[thread + 1].kind, 'stream');
});

test('a function without a file is no link to a line', async (t) => {
  const json = JSON.parse(fs.readFileSync(recording, 'utf8'));
  for (const { args } of json.traceEvents ?? json) {
    if (args?.function) for (const part of ['file', 'line', 'column']) delete args[part];
  }
  const file = path.join(scratch(t), 'no_files.json');
  fs.writeFileSync(file, JSON.stringify(json));
  const server = await serverOf(file);
  const { slices } = await server.ask('slices?where=category%3Asubmission&limit=1');
  const { location } = await server.ask(`slices/${slices[0].at.slice}`);
  assert.deepEqual([location.function, location.file, location.line], ['main', '', 0]);
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?s=${slices[0].at.slice}`);
  await page.getByTestId('details-name').waitFor();
  const facts = page.locator('.details-main .facts');
  assert.match(await facts.innerText(), /Function\s+main/);
  assert.equal(await page.getByTestId('details-source').count(), 0);
  assert.equal(await page.locator('[data-testid=details] [data-thing^="l0"]').count(), 0);
  assert.deepEqual(complaints, []);
});
