// First and repeated loads of the page.
import { openPage } from '../../page/browser.mjs';
import { countTransfers, figure, inOwnBrowser, median, noted, noteWhen, SCREEN } from './figure.mjs';

const REPEATS = 5;
const SHOWN = 'document.querySelector("[data-testid=traces], [data-testid=empty]")';

/** Measures the page at `origin`, the users' page without hooks for tests. Returns the bytes of a first load. */
export async function firstLoads(origin) {
  const loads = [];
  for (let repeat = 0; repeat < REPEATS; ++repeat)
    loads.push(await inOwnBrowser(openPage, SCREEN, ({ context, page }) => twice(context, page, origin)));
  const middle = (choose) => median(loads.map(choose));
  const empty = middle((load) => load.empty);
  figure('page, first load: list shown', middle((load) => load.first.ms), 'ms', { goal: 1000, baseline: empty });
  figure('page, first load: transferred', middle((load) => load.first.bytes), 'bytes', { goal: 600e3 });
  figure('page, cached: list shown', middle((load) => load.again.ms), 'ms', {
    goal: 1000,
    baseline: middle((load) => load.first.ms),
  });
  figure('page, cached: transferred', middle((load) => load.again.bytes), 'bytes', {
    goal: 20e3,
    baseline: middle((load) => load.first.bytes),
  });
  return middle((load) => load.first.bytes);
}

/** Loads the page with nothing cached, again in the same browser, and a nearly empty response. */
async function twice(context, page, origin) {
  await page.close();
  const first = await load(context, origin);
  const again = await load(context, origin);
  const bare = await context.newPage();
  await noteWhen(bare, '__shownAt', 'document.body');
  await bare.goto(`${origin}/api/v1/health`);
  return { first, again, empty: await noted(bare, '__shownAt') };
}

async function load(context, origin) {
  const page = await context.newPage();
  const counted = await countTransfers(context, page);
  await noteWhen(page, '__shownAt', SHOWN);
  await page.goto(`${origin}/`);
  const ms = await noted(page, '__shownAt');
  await page.waitForLoadState('networkidle');
  return { ms, bytes: counted.bytes };
}
