// A large local file: the time until it is drawn, and the cost of its page, compared with the Perfetto UI.
import fs from 'node:fs';
import { idle, openPage } from '../../page/browser.mjs';
import { figure, inOwnBrowser, median, PAINTED, SCREEN } from './figure.mjs';
import { inPerfettoUi } from './perfetto_ui.mjs';
import { largestPage } from './processes.mjs';

const REPEATS = 3;
const PATIENCE_MS = 120_000;

export async function localFile(origin, file) {
  const bytes = fs.statSync(file).size;
  const seen = [];
  for (let repeat = 0; repeat < REPEATS; ++repeat)
    seen.push(await inOwnBrowser(openPage, SCREEN, (opened) => open(opened, origin, file)));
  const middle = (choose) => median(seen.map(choose));
  const size = `local ${Math.round(bytes / 1e6)} MB file`;
  const [ms, cpuMs] = [middle((one) => one.interactiveMs), middle((one) => one.cost.cpuMs)];
  figure(`${size}: interactive`, ms, 'ms', { goal: 3500, baseline: middle((one) => one.readMs) });
  figure(`${size}: CPU time of the page`, cpuMs, 'ms');
  const baseline = bytes / 1e6;
  figure(`${size}: memory of the page`, middle((one) => one.cost.now) / 1e6, 'MB', { goal: 1200, baseline });
  figure(`${size}: memory of the page, most`, middle((one) => one.cost.most) / 1e6, 'MB', { goal: 1200, baseline });
  const perfetto = await inPerfettoUi(file);
  figure(`${size}: interactive, beside the Perfetto UI`, ms / perfetto.ms, '×', { goal: 1 / 3 });
  figure(`${size}: CPU time, beside the Perfetto UI`, cpuMs / perfetto.cpuMs, '×', { goal: 1 / 3 });
}

async function open({ browser, page }, origin, file) {
  await page.goto(`${origin}/`);
  await idle(page);
  const before = (await largestPage(browser)).cpuMs;
  await page.evaluate((painted) => {
    const isPainted = new Function(`return (${painted})`);
    const input = document.querySelector('[data-testid=local-input]');
    input.addEventListener('change', () => (window.__chosenAt = performance.now()), { capture: true, once: true });
    const look = () => {
      if (isPainted() && window.__syclscope.idle()) window.__interactiveAt = performance.now();
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, PAINTED);
  await page.getByTestId('local-input').setInputFiles(file);
  await page.waitForFunction(() => window.__interactiveAt, undefined, { timeout: PATIENCE_MS });
  const interactiveMs = await page.evaluate(() => window.__interactiveAt - window.__chosenAt);
  const cost = await largestPage(browser);
  cost.cpuMs -= before;
  const readMs = await readingAlone(page, file);
  return { interactiveMs, cost, readMs };
}

/** Returns the milliseconds in which the browser only reads the file, in chunks. */
async function readingAlone(page, file) {
  await page.evaluate(() => {
    const input = Object.assign(document.createElement('input'), { type: 'file', id: 'alone' });
    document.body.append(input);
  });
  await page.locator('#alone').setInputFiles(file);
  return page.evaluate(async () => {
    const [file] = document.querySelector('#alone').files;
    const start = performance.now();
    for (let at = 0; at < file.size; at += 4_194_304) await file.slice(at, at + 4_194_304).arrayBuffer();
    return performance.now() - start;
  });
}
