// Opening and panning task graphs in Chromium: one JSON line a figure. `cargo xtask bench graph` runs it.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { idle, openPage } from '../page/browser.mjs';
import { openServer } from '../page/servers.mjs';
import { median, quantile } from './page/figure.mjs';
import { writeLargeGraph } from '../page/large_graph.mjs';
import { tasksDuring } from './page/tasks.mjs';

const COMMANDS = 50_000;
const OPENINGS = 5;
const MOVES = 180;

const afterwards = [];
const run = { after: (clean) => afterwards.push(clean) };
try {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'syclscope-bench-'));
  run.after(() => fs.rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'graph.json');
  writeLargeGraph(file, COMMANDS);
  const server = await openServer(run, file);
  // The server reads and folds the recording once; only a page's time after that counts.
  await opened(server, '?v=graph');
  const openings = [];
  for (let opening = 0; opening < OPENINGS; ++opening) openings.push(await opened(server, '?v=graph'));
  figure(`folded graph of ${COMMANDS} commands drawn, median`, median(openings.map((one) => one.drawn)), 'ms', 1000);
  figure('longest task while it opened, median', median(openings.map((one) => one.longest)), 'ms', 50);
  const whole = await opened(server, '?v=graph&g=full&gl=50000');
  figure(`all ${COMMANDS} commands drawn`, whole.drawn, 'ms');
  figure('longest task while they opened', whole.longest, 'ms', 50);
  const { browser, page: traced } = await openPage(run);
  const tasks = await tasksDuring(browser, traced, async () => {
    await traced.goto(`${server.address}?v=graph&g=full&gl=50000`);
    await drawn(traced);
  });
  figure('longest task while they opened, its CPU time', Math.max(...tasks), 'ms', 50);
  await traced.close();

  for (const [name, query, zoom] of [
    ['2,000 nodes in sight', '?v=graph&g=full', 0],
    [`all ${COMMANDS} nodes in sight`, '?v=graph&g=full&gl=50000', 0],
    [`readable part of ${COMMANDS} nodes`, '?v=graph&g=full&gl=50000', 1],
  ]) {
    const { page } = await openPage(run);
    await page.goto(server.address + query);
    await drawn(page);
    if (zoom) {
      await page.keyboard.press('Home');
      await page.keyboard.press('f');
      await idle(page);
    }
    const frames = await framesDuring(page);
    figure(`panning, ${name}: time between frames, median`, median(frames.intervals), 'ms', 17);
    figure(`panning, ${name}: time between frames, 95 %`, quantile(frames.intervals, 0.95), 'ms');
    figure(`panning, ${name}: our work in a frame, median`, median(frames.work), 'ms', 8);
    figure(`panning, ${name}: our work in a frame, 95 %`, quantile(frames.work, 0.95), 'ms');
    await page.close();
  }
} finally {
  for (const clean of afterwards.reverse()) await clean();
}

/** Opens a graph in a browser that has never seen it; times count from the start of the navigation. */
async function opened(server, query) {
  const own = [];
  const { page } = await openPage({ after: (clean) => own.push(clean) });
  await page.addInitScript(() => {
    window.__tasks = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.__tasks.push([entry.startTime, entry.duration]);
    }).observe({ type: 'longtask', buffered: true });
    const look = () => {
      const log = window.__syclscope?.idle() ? JSON.parse(window.__syclscope.graphLog()) : null;
      if (log?.total > 0) window.__drawnAt = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(server.address + query);
  await drawn(page);
  // Queries of the test are not the page's work: only tasks before the drawing count.
  const found = await page.evaluate(() => ({
    drawn: window.__drawnAt,
    longest: Math.max(0, ...window.__tasks.filter(([start]) => start < window.__drawnAt - 1).map(([, length]) => length)),
  }));
  for (const clean of own.reverse()) await clean();
  return found;
}

async function drawn(page) {
  await page.waitForFunction(() => window.__syclscope?.idle() && JSON.parse(window.__syclscope.graphLog())?.total > 0, undefined, {
    timeout: 60_000,
    polling: 100,
  });
  await idle(page);
}

/** Returns the durations of the browser's frames while the graph is dragged. */
async function framesDuring(page) {
  const box = await page.getByTestId('graph-canvas').boundingBox();
  await page.evaluate(() => {
    const frames = { intervals: [], work: [], last: performance.now(), on: true };
    const look = (now) => {
      frames.intervals.push(now - frames.last);
      frames.work.push(window.__syclscope.graphFrameMs());
      frames.last = now;
      if (frames.on) requestAnimationFrame(look);
    };
    requestAnimationFrame((now) => {
      frames.last = now;
      requestAnimationFrame(look);
    });
    window.__frames = frames;
  });
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let move = 0; move < MOVES; ++move) {
    const turn = (move / MOVES) * 4 * Math.PI;
    await page.mouse.move(x + 200 * Math.sin(turn), y + 120 * Math.sin(2 * turn));
  }
  await page.mouse.up();
  const frames = await page.evaluate(() => {
    window.__frames.on = false;
    return window.__frames;
  });
  await idle(page);
  return frames;
}

function figure(name, value, unit, goal) {
  console.log(JSON.stringify({ name, value, unit, ...(goal === undefined ? {} : { goal }), better: 'lower' }));
}
