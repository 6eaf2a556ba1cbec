// Figures, and helpers to measure them.

/** Prints a figure; `goal`, `baseline` and `ratio` may be left out. Less is better. */
export function figure(name, value, unit, { goal, baseline, ratio } = {}) {
  console.log(JSON.stringify({ name, value, unit, goal, baseline, ratio, better: 'lower' }));
}

export function median(values) {
  return quantile(values, 0.5);
}

export function quantile(values, share) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/**
 * Counts the responses that a page loads: their number, their transferred bytes with headers, and of these the bytes of
 * the API's responses.
 */
export async function countTransfers(context, page) {
  const session = await context.newCDPSession(page);
  const counted = { bytes: 0, answers: 0, asked: 0 };
  const addresses = new Map();
  session.on('Network.requestWillBeSent', ({ requestId, request }) => addresses.set(requestId, request.url));
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    counted.bytes += encodedDataLength;
    counted.answers += 1;
    if (addresses.get(requestId)?.includes('/api/v1/')) counted.asked += encodedDataLength;
  });
  await session.send('Network.enable');
  return counted;
}

/** Stores in a page the time at which `isThere`, a JavaScript expression, is first true after a painted frame. */
export function noteWhen(page, name, isThere) {
  return page.addInitScript(
    ([name, isThere]) => {
      const look = new Function(`return (${isThere})`);
      const channel = new MessageChannel();
      channel.port1.onmessage = () => (window[name] = performance.now());
      const again = () => (look() ? channel.port2.postMessage(0) : requestAnimationFrame(again));
      requestAnimationFrame(again);
    },
    [name, isThere],
  );
}

/** Returns the time stored by [`noteWhen`], in milliseconds from the start of the navigation. */
export async function noted(page, name, timeout = 60_000) {
  await page.waitForFunction((name) => window[name], name, { timeout });
  return page.evaluate((name) => window[name], name);
}

/** Opens a page in a browser of its own, passes it to `use`, and closes both. */
export async function inOwnBrowser(openPage, options, use) {
  const own = [];
  try {
    return await use(await openPage({ after: (clean) => own.push(clean) }, options));
  } finally {
    for (const clean of own.reverse()) await clean();
  }
}

/** The screen on which the page is measured. */
export const SCREEN = { viewport: { width: 1600, height: 1000 } };
export const PAINTED = 'window.__syclscope?.slicesPainted() > 0';
