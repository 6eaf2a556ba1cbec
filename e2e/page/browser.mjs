// A browser for tests and benchmarks of the page.
import { createRequire } from 'node:module';
import { PATIENCE_MS } from '../patience.mjs';

// `import` would first search its 7 MB for names of exports, which takes a fifth of a second.
const { chromium } = createRequire(import.meta.url)('playwright-core');

/** Starts a browser, which is closed when `test` ends. */
export async function launch(test) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    timeout: PATIENCE_MS,
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
  return browser;
}

/** Opens a page in a browser of its own. */
export async function openPage(test, options) {
  return openPageIn(test, await launch(test), options);
}

/**
 * Opens a page without any state of other pages. `complaints` collects errors and warnings on the console, exceptions,
 * violations of the content security policy, and failed requests.
 *
 * A test must change requests (`page.route`) before it visits the page: Chromium applies a change to an open page late,
 * and on a busy machine requests are sent before that.
 */
export async function openPageIn(test, browser, options = {}) {
  const opened = { complaints: [] };
  tellOfFailure(test, opened);
  const context = await newContext(test, browser, options);
  const page = await context.newPage();
  opened.page = page;
  const { complaints } = opened;
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
    window.__told = [];
    const hear = () => {
      const text = document.querySelector('[data-testid=notice]')?.textContent.trim();
      if (text && window.__told.at(-1) !== text) window.__told.push(text);
    };
    new MutationObserver(hear).observe(document, { subtree: true, childList: true, characterData: true });
  });
  return { browser, context, page, complaints };
}

/**
 * Adds the page's state to the error of a failed test: a test that waited in vain reports little by itself, and the
 * next run may not show it again. Called before the page is opened: hooks run in their order, and one closes the page.
 */
function tellOfFailure(test, opened) {
  test.after(async () => {
    const { page, complaints } = opened;
    if (test.passed !== false || !page) return;
    const late = new Promise((resolve) => setTimeout(resolve, 5_000, 'it does not answer').unref());
    const seen = page.evaluate(() => ({
      address: location.href,
      visibility: document.visibilityState,
      isIdle: window.__syclscope?.idle(),
      focus: document.activeElement?.outerHTML.slice(0, 120),
      text: document.body.innerText.slice(0, 1_500),
    }));
    const state = await Promise.race([seen, late]).catch((failure) => failure.message);
    const failure = test.error?.cause ?? test.error;
    if (failure) failure.stack += `\nthe page then: ${JSON.stringify(state)}\ncomplaints: ${JSON.stringify(complaints)}`;
  });
}

/** Opens the browser of another user, which shares nothing with open pages, and is closed when the test ends. */
export async function newContext(test, browser, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    colorScheme: 'dark',
    reducedMotion: 'reduce',
    acceptDownloads: true,
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  test.after(() => context.close());
  return context;
}

/** True for Chromium's warning about a test that reads pixels. */
function isHarmless(text) {
  return text.includes('Multiple readback operations using getImageData');
}

/**
 * Waits until the page has announced a sentence that begins with `words`, and returns it. It may be hidden again by
 * then, since it is shown for seconds.
 */
export async function told(page, words) {
  const heard = await page.waitForFunction((words) => window.__told.find((text) => text.startsWith(words)), words, { polling: 50 });
  return heard.jsonValue();
}

/** Number of calls of `idle`, which a page must not confuse. */
let waits = 0;

/**
 * Waits until the page, or the page in a frame, has nothing left to load, move or paint.
 *
 * Some work begins without a trace in the page: the browser reports a new size or scroll position only in the next
 * frame. So the page must have begun nothing for two whole frames.
 */
export async function idle(page) {
  await page.waitForFunction(() => window.__syclscope?.idle(), undefined, { polling: 50 });
  waits += 1;
  await page.waitForFunction(hasRested, waits, { polling: 'raf' });
}

/** Called in each frame. True if the page is idle and has begun nothing since the second last frame. */
function hasRested(wait) {
  const begun = window.__syclscope?.idle() ? window.__syclscope.begun() : null;
  const last = window.__rest;
  const isSame = last?.wait === wait && last.begun === begun;
  window.__rest = { wait, begun, frames: isSame ? last.frames + 1 : 0 };
  return begun !== null && window.__rest.frames === 2;
}

/** The canvas' place on the page. */
export async function canvasBox(page) {
  return page.locator('[data-testid=timeline-canvas]').boundingBox();
}
