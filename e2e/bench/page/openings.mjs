// A hosted trace in a browser that has never seen the page: the time until its slices are drawn, and the transferred
// bytes. The page with hooks for tests gives the time; bytes are counted on the users' page.
import { idle, openPage } from '../../page/browser.mjs';
import { countTransfers, figure, inOwnBrowser, median, noted, noteWhen, PAINTED, SCREEN } from './figure.mjs';

const REPEATS = 5;

export async function openings(small, large, pageBytes) {
  const seen = { small: [], large: [] };
  for (let repeat = 0; repeat < REPEATS; ++repeat) {
    seen.small.push(await opening(small));
    seen.large.push(await opening(large));
  }
  const middle = (choose) => [median(seen.large.map(choose)), median(seen.small.map(choose))];
  const [painted, paintedSmall] = middle((one) => one.painted);
  figure('hosted, 10^5 slices: first useful paint', paintedSmall, 'ms', { goal: 1000 });
  figure('hosted, 10^7 slices: first useful paint', painted, 'ms', { goal: 1000, baseline: paintedSmall });
  figure('hosted, 10^7 against 10^5 slices: first useful paint', painted / paintedSmall, '×', { goal: 1.5 });
  const [settled, settledSmall] = middle((one) => one.settled);
  figure('hosted, 10^7 slices: everything drawn', settled, 'ms', { baseline: settledSmall });
  const [bytes, bytesSmall] = middle((one) => pageBytes + one.asked);
  figure('hosted, 10^5 slices: transferred', bytesSmall, 'bytes', { goal: 2e6 });
  figure('hosted, 10^7 slices: transferred', bytes, 'bytes', { goal: 2e6, baseline: bytesSmall });
  figure('hosted, 10^7 against 10^5 slices: transferred', bytes / bytesSmall, '×', { goal: 1.5 });
  const [answers, answersSmall] = middle((one) => one.answers);
  figure('hosted, 10^7 slices: answers', answers, '', { baseline: answersSmall });
}

async function opening(address) {
  return inOwnBrowser(openPage, SCREEN, async ({ context, page }) => {
    const counted = await countTransfers(context, page);
    await noteWhen(page, '__paintedAt', PAINTED);
    await noteWhen(page, '__settledAt', `${PAINTED} && window.__syclscope.idle()`);
    await page.goto(address);
    const [painted, settled] = [await noted(page, '__paintedAt'), await noted(page, '__settledAt')];
    await idle(page);
    return { painted, settled, ...counted };
  });
}
