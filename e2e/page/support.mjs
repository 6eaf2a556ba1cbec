// Shared parts of the page's tests: a server, a browser, and words for the timeline's drawings.
//
// A file's tests share one server and one browser. Both start on first use and end with the file. The recordings in
// e2e/traces are the same on every machine.
import fs from 'node:fs';
import path from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { trace } from '../traces/unpack.mjs';
import { canvasBox, idle, launch, openPageIn } from './browser.mjs';
import { startServer, store } from './servers.mjs';

export { trace } from '../traces/unpack.mjs';
export { canvasBox, idle, newContext, told } from './browser.mjs';
export { openServer, scratch, startServer, store } from './servers.mjs';

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** Folder for pictures, to inspect after the run. */
export const artefacts = path.resolve(process.env.ARTEFACTS ?? path.join(repository, 'target/e2e-artefacts'));

/** Replaces a test for things that end with the file. A hook that a test itself registers would end with the test. */
const wholeFile = { ends: [], after: (end) => wholeFile.ends.push(end) };
after(async () => {
  for (const end of wholeFile.ends.reverse()) await end();
});

let server;
let browser;
/** Traces of the server, by their files. */
const entries = new Map();

/**
 * Stores a file on this file's server: `timeline` is the address of its timeline, `ask(question)` requests the answer
 * to a question about it, without one its description. Tests must not change this server, because other tests use it,
 * too.
 */
export async function serverOf(file) {
  server ??= startServer(wholeFile);
  const { address, origin } = await server;
  if (!entries.has(file)) entries.set(file, store({ origin }, file));
  const entry = await entries.get(file);
  const ask = async (question = '') => {
    const answer = await fetch(`${origin}/api/v1/traces/${entry.id}${question && `/${question}`}`);
    if (!answer.ok) throw new Error(`${question}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  return { address, origin, entry, timeline: `${origin}/t/${entry.id}`, ask };
}

/** This file's server with the recording of the C++ example, `heat`. */
export const heatServer = () => serverOf(trace('heat'));

/** Opens a page in this file's browser, as for a new user. */
export async function openPage(test, options) {
  browser ??= launch(wholeFile);
  return openPageIn(test, await browser, options);
}

/** Opens an address and waits until it is drawn. */
export async function visit(page, address) {
  await page.goto(address);
  await page.waitForSelector('header');
  if (new URL(address).pathname.includes('/t/'))
    await page.waitForSelector('.pane:visible, [data-testid=trace-failure]');
  await idle(page);
}

/** Returns an element's text, with plain spaces for those where no line breaks: between numbers and their units. */
export async function sentence(element) {
  return (await element.innerText()).replaceAll('\u00a0', ' ');
}

/** Latest drawing of the timeline. */
export async function drawLog(page) {
  await idle(page);
  return JSON.parse(await page.evaluate(() => window.__syclscope.drawLog()));
}

/** Latest drawing of the graph. */
export async function graphLog(page) {
  await idle(page);
  return JSON.parse(await page.evaluate(() => window.__syclscope.graphLog()));
}

/** Returns a point inside a slice of a draw log, in coordinates of the page. */
export async function pointIn(page, slice) {
  const box = await canvasBox(page);
  const left = Math.max(slice.x, 0);
  const right = Math.min(slice.x + slice.w, box.width);
  return { x: box.x + (left + right) / 2, y: box.y + slice.y + slice.h / 2 };
}

/**
 * Returns the widest kernel's slice that is not merged with others. In the view of the whole run there may be none, so
 * fit the device's activity (`E`) first.
 */
export function wideKernel(log) {
  const kernels = log.slices.filter((slice) => slice.category === 'kernel' && slice.count === 1);
  if (kernels.length === 0) throw new Error('no kernel stands alone in this view');
  return kernels.sort((one, other) => other.w - one.w)[0];
}

/**
 * Presses a key that moves as long as it is down, and releases it at the same moment: between the two events of a real
 * press a busy machine may take seconds.
 */
export async function tap(page, key) {
  await page.evaluate((key) => {
    const target = document.activeElement ?? document.body;
    for (const kind of ['keydown', 'keyup'])
      target.dispatchEvent(new KeyboardEvent(kind, { key, code: `Key${key.toUpperCase()}`, bubbles: true, cancelable: true }));
  }, key);
}

/** Fits the executions and selects the widest kernel that is not merged with others, by a click. */
export async function chooseKernel(page) {
  await page.keyboard.press('e');
  const kernel = wideKernel(await drawLog(page));
  const point = await pointIn(page, kernel);
  await page.mouse.click(point.x, point.y);
  await idle(page);
  return kernel;
}

/**
 * Returns the number of pixels of two pictures that differ by more than smoothed edges do; infinity if their sizes
 * differ.
 */
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

/** Delays a page's pauses before further tries; the returned function ends the pauses that have begun. */
export async function holdPauses(page) {
  await page.addInitScript(() => {
    const own = window.setTimeout.bind(window);
    window.__held = [];
    window.setTimeout = (then, ms, ...more) =>
      [500, 1_000, 2_000, 4_000, 8_000].includes(ms) ? window.__held.push(then) : own(then, ms, ...more);
  });
  return () => page.evaluate(() => window.__held.splice(0).forEach((then) => then()));
}

/** Saves a picture of the page among the artefacts, if PICTURES is set: no test reads it. */
export async function picture(page, name) {
  if (!process.env.PICTURES) return;
  fs.mkdirSync(artefacts, { recursive: true });
  await page.screenshot({ path: path.join(artefacts, `${name}.png`) });
}
