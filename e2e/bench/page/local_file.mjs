// A large file of this computer: how long until it is drawn, and the memory that its page takes.
import fs from 'node:fs';
import { idle, openPage } from '../../page/browser.mjs';
import { figure, inOwnBrowser, median, PAINTED, SCREEN } from './figure.mjs';

const REPEATS = 3;
const PATIENCE_MS = 120_000;

export async function localFile(origin, file) {
  const bytes = fs.statSync(file).size;
  const seen = [];
  for (let repeat = 0; repeat < REPEATS; ++repeat)
    seen.push(await inOwnBrowser(openPage, SCREEN, (opened) => open(opened, origin, file)));
  const middle = (choose) => median(seen.map(choose));
  const size = `local ${Math.round(bytes / 1e6)} MB file`;
  const read = middle((one) => one.readMs);
  figure(`${size}: interactive`, middle((one) => one.interactiveMs), 'ms', { goal: 5000, baseline: read });
  const baseline = bytes / 1e6;
  figure(`${size}: memory of the page`, middle((one) => one.memory.now) / 1e6, 'MB', { goal: 1200, baseline });
  figure(`${size}: memory of the page, most`, middle((one) => one.memory.most) / 1e6, 'MB', { goal: 1200, baseline });
}

async function open({ browser, page }, origin, file) {
  await page.goto(`${origin}/`);
  await idle(page);
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
  const memory = await rendererMemory(browser);
  const readMs = await readingAlone(page, file);
  return { interactiveMs, memory, readMs };
}

/** Memory in bytes of the process that holds page and worker: now, and the most that it has been. */
async function rendererMemory(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const sizes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => fs.readFileSync(`/proc/${id}/status`, 'utf8'))
    .map((status) => ({ now: field(status, 'VmRSS'), most: field(status, 'VmHWM') }));
  return sizes.sort((one, other) => other.most - one.most)[0];
}

function field(status, name) {
  return Number(status.match(new RegExp(`${name}:\\s*(\\d+) kB`))[1]) * 1024;
}

/** What the browser takes to read the file, piece by piece, and nothing else. */
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
