// Frames while the timeline moves: our work in each, from the input to the picture, and the slices shown while tiles
// are being loaded.
import { canvasBox, idle, openPage } from '../../page/browser.mjs';
import { figure, inOwnBrowser, median, noted, noteWhen, PAINTED, quantile, SCREEN } from './figure.mjs';
import { tasksDuring } from './tasks.mjs';

const MOVES = 240;
const LATE_MS = 500;

export async function movement(address) {
  await inOwnBrowser(openPage, SCREEN, async ({ browser, context, page }) => {
    await noteWhen(page, '__paintedAt', PAINTED);
    await page.goto(address);
    await noted(page, '__paintedAt');
    await idle(page);
    const empty = await emptyPage(context);
    const plain = await plainDrawing(page);
    for (const [name, move] of [
      ['pan', pan],
      ['zoom', zoom],
    ]) {
      const seen = await during(page, move);
      figure(`${name}, 10^7 slices: our work in a frame, 95 %`, quantile(seen.work, 0.95), 'ms', {
        goal: 8,
        baseline: plain,
      });
      figure(`${name}, 10^7 slices: our work in a frame, median`, median(seen.work), 'ms', { baseline: plain });
      figure(`${name}, 10^7 slices: input to paint, 95 %`, quantile(seen.latencies, 0.95), 'ms', {
        goal: 50,
        baseline: quantile(empty.latencies, 0.95),
      });
      const tasks = await tasksDuring(browser, page, () => move(page));
      await idle(page);
      figure(`${name}, 10^7 slices: CPU time of a task of the page, 99 %`, quantile(tasks, 0.99), 'ms');
      figure(`${name}, 10^7 slices: CPU time of the page's longest task`, Math.max(...tasks), 'ms');
      figure(`${name}, 10^7 slices: time between frames, 95 %`, quantile(seen.intervals, 0.95), 'ms', {
        baseline: quantile(empty.intervals, 0.95),
      });
    }
    // From here on every tile arrives late.
    await page.route('**/tiles/**', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, LATE_MS));
      await route.continue();
    });
    const late = await during(page, zoomFurther);
    const blank = late.slices.filter((count) => count === 0).length;
    figure(`zoom with tiles ${LATE_MS} ms late: frames without a slice`, blank, `of ${late.slices.length}`, { goal: 0 });
    figure(`zoom with tiles ${LATE_MS} ms late: our work in a frame, 95 %`, quantile(late.work, 0.95), 'ms', { goal: 8 });
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
}

/** Returns the durations of the browser's frames during `move`, and their numbers of slices. */
async function during(page, move) {
  await page.evaluate(() => {
    const seen = { intervals: [], work: [], slices: [], latencies: [], on: true };
    let last;
    const look = (now) => {
      const page = window.__syclscope;
      if (last !== undefined) {
        seen.intervals.push(now - last);
        seen.work.push(page?.frameMs() ?? 0);
        seen.slices.push(page?.slicesPainted() ?? 0);
      }
      last = now;
      if (seen.on) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    let waiting;
    const painted = new MessageChannel();
    painted.port1.onmessage = () => {
      seen.latencies.push(performance.now() - waiting);
      waiting = undefined;
    };
    const hear = (event) => {
      if (waiting !== undefined || !seen.on) return;
      waiting = event.timeStamp;
      requestAnimationFrame(() => painted.port2.postMessage(0));
    };
    for (const kind of ['wheel', 'pointermove']) addEventListener(kind, hear, { capture: true, passive: true });
    window.__seen = seen;
  });
  await move(page);
  const seen = await page.evaluate(() => {
    window.__seen.on = false;
    return window.__seen;
  });
  if (await page.evaluate(() => Boolean(window.__syclscope))) await idle(page);
  return seen;
}

/** Measures the same movements over an empty page. */
async function emptyPage(context) {
  const page = await context.newPage();
  await page.goto('about:blank');
  const seen = await during(page, async () => {
    await page.mouse.move(800, 500);
    for (let step = 0; step < MOVES; ++step) await page.mouse.move(800 + 300 * Math.sin(step / 20), 500);
  });
  await page.close();
  return seen;
}

/** Returns the median time of drawing the shown slices, each as a rectangle with its colour and name. */
async function plainDrawing(page) {
  return page.evaluate(() => {
    const { slices } = JSON.parse(window.__syclscope.drawLog());
    const shown = document.querySelector('[data-testid=timeline-canvas]');
    const canvas = Object.assign(document.createElement('canvas'), { width: shown.width, height: shown.height });
    const context = canvas.getContext('2d');
    context.font = '11.5px system-ui';
    const times = [];
    for (let repeat = 0; repeat < 30; ++repeat) {
      const start = performance.now();
      context.clearRect(0, 0, canvas.width, canvas.height);
      for (const { x, y, w, h, name } of slices) {
        context.fillStyle = '#4080c0';
        context.fillRect(x, y, w, h);
        if (w > 40) {
          context.fillStyle = '#ffffff';
          context.fillText(name ?? '', x + 4, y + h / 2, w);
        }
      }
      times.push(performance.now() - start);
    }
    return times.sort((one, other) => one - other)[15];
  });
}

async function pan(page) {
  const box = await canvasBox(page);
  const [middle, height] = [box.x + box.width / 2, box.y + box.height / 2];
  // Zooming in first leaves times to move through.
  await page.mouse.move(middle, height);
  await wheel(page, 24, () => -120);
  await page.mouse.down();
  for (let step = 0; step < MOVES; ++step) await page.mouse.move(middle + 300 * Math.sin(step / 20), height);
  await page.mouse.up();
}

async function zoom(page) {
  const box = await canvasBox(page);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await wheel(page, MOVES, (step) => (step % 80 < 40 ? -60 : 60));
}

/** Zooms to times without loaded tiles. */
async function zoomFurther(page) {
  const box = await canvasBox(page);
  await page.mouse.move(box.x + box.width / 4, box.y + box.height / 2);
  await wheel(page, 60, () => 120);
  await wheel(page, MOVES, () => -40);
}

async function wheel(page, steps, delta) {
  await page.keyboard.down('Control');
  for (let step = 0; step < steps; ++step) await page.mouse.wheel(0, delta(step));
  await page.keyboard.up('Control');
}
