// Views whose code is loaded on first use: while it loads, when it is missing, and in parallel with the main module.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heatServer, idle, openPage, picture, visit } from './support.mjs';

const PARTS = /\/syclscope-view-[^/]*\.wasm$/;
const MEMORY = /\/syclscope-view-memory-[^/]*\.wasm$/;
const GRAPH = /\/syclscope-view-graph-[^/]*\.wasm$/;
/** The smaller views share a module. */
const OTHERS = /\/syclscope-view-others-[^/]*\.wasm$/;
const MAIN = /\/syclscope-page-[^/]*_bg\.wasm$/;

/** Delays requests that match `pattern` until `release` is called; `asked` is fulfilled by the first request. */
function held(page, pattern) {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  const asked = new Promise((resolve) =>
    page.route(pattern, async (route) => {
      resolve();
      await released;
      await route.continue();
    }),
  );
  return { asked, release };
}

test('the timeline needs no code of other views, and each is loaded once', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const parts = [];
  page.on('request', (request) => PARTS.test(request.url()) && parts.push(request.url()));
  await visit(page, server.timeline);
  assert.deepEqual(parts, []);
  await page.keyboard.press('3');
  await page.getByTestId('graph-counts').waitFor();
  await idle(page);
  const needed = parts.length;
  assert.ok(parts.some((part) => GRAPH.test(part)), `${parts}`);
  await page.keyboard.press('2');
  await page.keyboard.press('3');
  await page.getByTestId('graph-counts').waitFor();
  await idle(page);
  assert.equal(parts.length, needed);
  assert.equal(new Set(parts).size, needed);
  assert.deepEqual(complaints, []);
});

test('a link into a view asks for its code before the main module is there', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const main = held(page, MAIN);
  const asked = page.waitForRequest(GRAPH);
  await page.goto(`${server.timeline}?v=row(timeline:500,graph:500)`);
  await main.asked;
  await asked;
  main.release();
  await page.getByTestId('graph-counts').waitFor();
  await idle(page);
  assert.deepEqual(complaints, []);
});

test('code that is slow shows that it is on its way, and what was asked for meanwhile is done', async (t) => {
  const server = await heatServer();
  const info = await server.ask();
  const name = info.kernels[0].name;
  const { page, complaints } = await openPage(t);
  const kernel = held(page, OTHERS);
  await visit(page, `${server.timeline}?s=k${encodeURIComponent(name)}`);
  await page.getByTestId('details').getByTestId('kernel-link').first().click();
  await kernel.asked;
  const pane = page.getByTestId('pane-kernel');
  await pane.getByText('Loading Kernel…').waitFor();
  await picture(page, 'later-loading');
  kernel.release();
  await page.getByTestId('kernel-histogram').waitFor();
  await idle(page);
  assert.equal(await page.getByTestId('kernel-pick').inputValue(), name);
  assert.deepEqual(complaints, []);
});

test('where code does not come the view says so, and it can be asked for again', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await page.route(PARTS, (route) => route.abort());
  await visit(page, server.timeline);
  await page.keyboard.press('3');
  const failure = page.getByTestId('pane-graph').getByTestId('view-failure');
  await failure.waitFor();
  assert.match(await failure.innerText(), /“Graph” could not be loaded/);
  await picture(page, 'later-failure');
  // The rest of the page works, and so does the graph once its code is loaded.
  await page.keyboard.press('2');
  await page.getByTestId('timeline-canvas').waitFor();
  await page.keyboard.press('3');
  await failure.waitFor();
  await page.unroute(PARTS);
  await failure.getByRole('button', { name: 'Try again' }).click();
  await page.getByTestId('graph-counts').waitFor();
  await idle(page);
});

test('what the panel tells of memory is loaded with the selection', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const { objects } = await server.ask('objects?what=buffer&limit=20');
  const memory = held(page, MEMORY);
  await page.goto(`${server.timeline}?s=o${objects.find((item) => item.object !== null).object}`);
  await memory.asked;
  await page.getByTestId('panel').getByText('Loading Memory…').waitFor();
  memory.release();
  await page.getByTestId('object-events').waitFor();
  await idle(page);
  assert.deepEqual(complaints, []);
});
