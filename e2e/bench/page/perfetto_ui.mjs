// The same file in the Perfetto UI, in the same browser: until it has read the trace, which is before all is drawn.
import { openPage } from '../../page/browser.mjs';
import { serveUi } from '../../perfetto/lib/ui.mjs';
import { inOwnBrowser, SCREEN } from './figure.mjs';
import { largestPage } from './processes.mjs';

const PATIENCE_MS = 600_000;

/** Returns the milliseconds until the Perfetto UI has read `file`, and the CPU time of its page in milliseconds. */
export async function inPerfettoUi(file) {
  const afterwards = [];
  try {
    const origin = await serveUi({ after: (clean) => afterwards.push(clean) }, {});
    return await inOwnBrowser(openPage, SCREEN, async ({ browser, page }) => {
      await page.goto(origin);
      await page.waitForFunction(() => window.app && document.querySelector('input.trace_file'), undefined, { timeout: PATIENCE_MS });
      const before = (await largestPage(browser)).cpuMs;
      await page.evaluate(() => {
        const input = document.querySelector('input.trace_file');
        input.addEventListener('change', () => (window.__chosenAt = performance.now()), { capture: true, once: true });
        const look = () => {
          if (window.app.trace) window.__readAt = performance.now();
          else setTimeout(look, 5);
        };
        look();
      });
      await page.locator('input.trace_file').setInputFiles(file);
      await page.waitForFunction(() => window.__readAt, undefined, { timeout: PATIENCE_MS });
      const ms = await page.evaluate(() => window.__readAt - window.__chosenAt);
      return { ms, cpuMs: (await largestPage(browser)).cpuMs - before };
    });
  } finally {
    for (const clean of afterwards.reverse()) await clean();
  }
}
