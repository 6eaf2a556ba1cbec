// Measures the page on the demo's recording: when its timeline is first drawn, and its frames while it moves.
// Prints one figure a line as JSON; `cargo xtask bench page` runs it and shows them as a table.
import { canvasBox, demoTrace, idle, openPage, openServer } from '../page/support.mjs';

const OPENINGS = 9;
const MOVES = 240;

const afterwards = [];
const run = { after: (clean) => afterwards.push(clean) };
try {
  const server = await openServer(run, demoTrace);
  const openings = [];
  for (let opening = 0; opening < OPENINGS; ++opening) openings.push(await firstPaint(server.address));
  figure('first contentful paint, median', median(openings.map((one) => one.content)), 'ms');
  figure('timeline drawn, median', median(openings.map((one) => one.drawn)), 'ms', 1000);
  figure('timeline drawn, slowest', Math.max(...openings.map((one) => one.drawn)), 'ms');

  const { page } = await openPage(run);
  await page.goto(server.address);
  await drawn(page);
  for (const [name, move] of [['panning', pan], ['zooming', zoom]]) {
    const frames = await framesDuring(page, move);
    figure(`${name}: time between frames, median`, median(frames.intervals), 'ms', 17);
    figure(`${name}: time between frames, 95 %`, quantile(frames.intervals, 0.95), 'ms');
    figure(`${name}: our work in a frame, median`, median(frames.work), 'ms', 8);
    figure(`${name}: our work in a frame, 95 %`, quantile(frames.work, 0.95), 'ms');
  }
} finally {
  for (const clean of afterwards.reverse()) await clean();
}

/** Opens the timeline in a browser that has never seen it; times count from the start of the navigation. */
async function firstPaint(address) {
  const own = [];
  const { page } = await openPage({ after: (clean) => own.push(clean) });
  await page.addInitScript(() => {
    const look = () => {
      const log = window.__syclscope?.idle() ? JSON.parse(window.__syclscope.drawLog()) : null;
      if (log?.slices?.length) window.__drawnAt = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(address);
  await drawn(page);
  const times = await page.evaluate(() => ({
    content: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
    drawn: window.__drawnAt,
  }));
  for (const clean of own.reverse()) await clean();
  return times;
}

async function drawn(page) {
  await idle(page);
  await page.waitForFunction(() => JSON.parse(window.__syclscope.drawLog())?.slices?.length > 0, undefined, {
    timeout: 20_000,
  });
  await idle(page);
}

/** What the browser's frames took while `move` was at work. */
async function framesDuring(page, move) {
  await page.evaluate(() => {
    const frames = { intervals: [], work: [], last: performance.now(), on: true };
    const look = (now) => {
      frames.intervals.push(now - frames.last);
      frames.work.push(window.__syclscope.frameMs());
      frames.last = now;
      if (frames.on) requestAnimationFrame(look);
    };
    requestAnimationFrame((now) => {
      frames.last = now;
      requestAnimationFrame(look);
    });
    window.__frames = frames;
  });
  await move(page);
  const frames = await page.evaluate(() => {
    window.__frames.on = false;
    return { intervals: window.__frames.intervals, work: window.__frames.work };
  });
  await idle(page);
  return frames;
}

async function pan(page) {
  const box = await canvasBox(page);
  const middle = box.x + box.width / 2;
  const height = box.y + box.height / 2;
  // Close enough that there is something to move through.
  await page.mouse.move(middle, height);
  await page.keyboard.down('Control');
  for (let step = 0; step < 8; ++step) await page.mouse.wheel(0, -120);
  await page.keyboard.up('Control');
  await page.mouse.down();
  for (let step = 0; step < MOVES; ++step) await page.mouse.move(middle + 300 * Math.sin(step / 20), height);
  await page.mouse.up();
}

async function zoom(page) {
  const box = await canvasBox(page);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.keyboard.down('Control');
  for (let step = 0; step < MOVES; ++step) await page.mouse.wheel(0, step % 40 < 20 ? -60 : 60);
  await page.keyboard.up('Control');
}

function figure(name, value, unit, goal) {
  console.log(JSON.stringify({ name, value, unit, goal, better: 'lower' }));
}

function median(values) {
  return quantile(values, 0.5);
}

function quantile(values, share) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
