// What the tests of the page share: a server, a browser, and words for what the timeline drew.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** The `syclscope` binary under test, with its page inside. */
export const syclscope = required('SYCLSCOPE_BIN', 'the syclscope binary (cargo xtask build)');

/** A recording of the C++ example. */
export const demoTrace = required('SYCLSCOPE_DEMO_TRACE', 'a recording of the C++ example (cargo xtask demo)');

/** Where pictures are left for a look after the run. */
export const artefacts = path.resolve(process.env.ARTEFACTS ?? path.join(repository, 'target/e2e-artefacts'));

const LAUNCH_MS = 20_000;

/** A new folder for one test's files, removed when the test ends. */
export function scratch(test) {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'syclscope-page-'));
  test.after(() => fs.rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Starts `syclscope serve` on a free port with an empty data folder; it ends with the test. */
export async function startServer(test) {
  const data = scratch(test);
  return { data, ...(await start(test, ['serve', '--data', data, '--listen', '127.0.0.1:0'])) };
}

/** Starts `syclscope open` of a file or folder on a free port; it ends with the test. */
export async function openServer(test, path) {
  return start(test, ['open', path, '--no-browser', '--port', '0']);
}

async function start(test, args) {
  const child = spawn(syclscope, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  test.after(async () => {
    if (child.exitCode === null) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
    }
  });
  const address = await new Promise((resolve, reject) => {
    let out = '';
    let err = '';
    const timer = setTimeout(() => reject(new Error(`syclscope ${args[0]} printed no address: ${err}`)), LAUNCH_MS);
    child.stdout.on('data', (bytes) => {
      out += bytes;
      const line = out.match(/^http:\S+$/m);
      if (line) {
        clearTimeout(timer);
        resolve(line[0]);
      }
    });
    child.stderr.on('data', (bytes) => (err += bytes));
    child.once('exit', (code) => reject(new Error(`syclscope ${args[0]} ended with ${code}: ${err}`)));
  });
  return { address, origin: new URL(address).origin };
}

/** Stores a file on a server, past the page. */
export async function store(server, file, name = path.basename(file)) {
  const answer = await fetch(`${server.origin}/api/v1/traces?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    body: fs.readFileSync(file),
  });
  if (!answer.ok) throw new Error(`storing ${file}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** A server that holds the demo's recording, and the address of its timeline. */
export async function demoServer(test) {
  const server = await startServer(test);
  const entry = await store(server, demoTrace, 'demo.pftrace');
  return { ...server, entry, timeline: `${server.origin}/t/${entry.id}` };
}

/**
 * Opens a browser page. `complaints` collects what must not happen: errors and warnings on the console, exceptions,
 * violations of the content security policy, requests that fail.
 */
export async function openPage(test, options = {}) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  test.after(() => browser.close());
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    colorScheme: 'dark',
    reducedMotion: 'reduce',
    acceptDownloads: true,
    ...options,
  });
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isHarmless(message.text()))
      complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`exception: ${error}`));
  page.on('requestfailed', (request) => {
    if (request.failure()?.errorText !== 'net::ERR_ABORTED')
      complaints.push(`failed: ${request.method()} ${request.url()} ${request.failure()?.errorText}`);
  });
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`content security policy: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  return { browser, context, page, complaints };
}

/** Chromium says this of every preloaded WebAssembly file with a checksum, and of a test that reads pixels. */
function isHarmless(text) {
  return (
    text.includes('`integrity` attribute is currently ignored for preload destinations') ||
    text.includes('Multiple readback operations using getImageData')
  );
}

/** Waits until the page has nothing left to load, move or paint. */
export async function idle(page) {
  await page.waitForFunction(() => window.__syclscope?.idle(), undefined, { timeout: 20_000, polling: 50 });
  // What was set by the last answer is rendered in the next frames.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.waitForFunction(() => window.__syclscope.idle(), undefined, { timeout: 20_000, polling: 50 });
}

/** Opens an address and waits until it is drawn. */
export async function visit(page, address) {
  await page.goto(address);
  await page.waitForSelector('header');
  if (new URL(address).pathname.startsWith('/t/'))
    await page.waitForSelector('.pane, [data-testid=trace-failure]');
  await idle(page);
}

/** What the timeline drew last. */
export async function drawLog(page) {
  await idle(page);
  return JSON.parse(await page.evaluate(() => window.__syclscope.drawLog()));
}

/** The canvas' place on the page. */
export async function canvasBox(page) {
  return page.locator('[data-testid=timeline-canvas]').boundingBox();
}

/** A point inside a slice of a draw log, in coordinates of the page. */
export async function pointIn(page, slice) {
  const box = await canvasBox(page);
  const left = Math.max(slice.x, 0);
  const right = Math.min(slice.x + slice.w, box.width);
  return { x: box.x + (left + right) / 2, y: box.y + slice.y + slice.h / 2 };
}

/**
 * The widest kernel's slice that stands alone. In the view of the whole run there may be none: how long the kernels
 * take beside the program's start depends on the machine, so fit the executions (`E`) first.
 */
export function wideKernel(log) {
  const kernels = log.slices.filter((slice) => slice.category === 'kernel' && slice.count === 1);
  if (kernels.length === 0) throw new Error('no kernel stands alone in this view');
  return kernels.sort((one, other) => other.w - one.w)[0];
}

/** Fits the executions and clicks the widest kernel that stands alone; it is selected then. */
export async function chooseKernel(page) {
  await page.keyboard.press('e');
  const kernel = wideKernel(await drawLog(page));
  const point = await pointIn(page, kernel);
  await page.mouse.click(point.x, point.y);
  await idle(page);
  return kernel;
}

/** How many pixels of two pictures differ by more than what smoothed edges do; none may differ in size. */
export async function differingPixels(browser, one, other) {
  const page = await browser.newPage();
  const addresses = [one, other].map((bytes) => `data:image/png;base64,${bytes.toString('base64')}`);
  const count = await page.evaluate(async (addresses) => {
    const pixels = async (address) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d', { willReadFrequently: true });
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height).data;
    };
    const [one, other] = [await pixels(addresses[0]), await pixels(addresses[1])];
    if (one.length !== other.length) return Infinity;
    let count = 0;
    for (let at = 0; at < one.length; at += 4)
      if ([0, 1, 2].some((channel) => Math.abs(one[at + channel] - other[at + channel]) > 40)) count += 1;
    return count;
  }, addresses);
  await page.close();
  return count;
}

/** Leaves a picture of the page among the artefacts. */
export async function picture(page, name) {
  fs.mkdirSync(artefacts, { recursive: true });
  const file = path.join(artefacts, `${name}.png`);
  await page.screenshot({ path: file });
  return file;
}

function required(name, what) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: it must name ${what}`);
  if (!fs.existsSync(value)) throw new Error(`${name} names ${value}, which is not there: it must name ${what}`);
  return path.resolve(value);
}
