// A file in the Perfetto UI, in a real Chromium, with queries to its trace_processor.
import { createRequire } from 'node:module';
import path from 'node:path';

import { PATIENCE_MS } from '../../patience.mjs';
import { artefacts } from '../../recording/lib/environment.mjs';
import { serveUi } from './ui.mjs';

// As in page/browser.mjs.
const { chromium } = createRequire(import.meta.url)('playwright-core');

/** Opens `file`. `query(sql)` resolves to rows as objects (numbers as text), `picture(name)` saves a screenshot. */
export async function openInPerfetto(test, file) {
  const name = `trace${path.extname(file)}`;
  const origin = await serveUi(test, { [name]: file });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    timeout: PATIENCE_MS,
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync',
    ],
  });
  test.after(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
  page.setDefaultTimeout(PATIENCE_MS);
  const elsewhere = [];
  await page.route('**/*', (route) => {
    if (new URL(route.request().url()).origin === origin) return route.continue();
    elsewhere.push(route.request().url());
    return route.abort();
  });
  await page.goto(`${origin}/#!/?url=${encodeURIComponent(`${origin}/${name}`)}`);
  await page.waitForFunction(() => window.app?.trace || document.querySelector('.modal-dialog'));
  const refusal = await page.locator('.modal-dialog').allInnerTexts();
  if (!(await page.evaluate(() => Boolean(window.app?.trace)))) throw new Error(`Perfetto does not open ${file}:\n${refusal.join('\n')}`);
  await page.evaluate(() => window.waitForPerfettoIdle());

  return {
    page,
    query: (sql) => page.evaluate(async (text) => {
      const result = await window.app.trace.engine.query(text);
      const rows = [];
      for (const row = result.iter({}); row.valid(); row.next())
        rows.push(Object.fromEntries(result.columns().map((column) => {
          const value = row.get(column);
          return [column, value === null ? null : String(value)];
        })));
      return rows;
    }, sql),
    picture: (shot) => page.screenshot({ path: path.join(artefacts, `${shot}.png`) }),
  };
}
