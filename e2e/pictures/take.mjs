// Takes the pictures of docs/images: `node pictures/take.mjs FOLDER`. They show recordings that are kept in e2e/traces, in
// the page that users get, so that they change only where the page does.
import fs from 'node:fs';
import path from 'node:path';
import { launch, newContext } from '../page/browser.mjs';
import { startServer, store } from '../page/servers.mjs';
import { trace } from '../traces/unpack.mjs';

/** Each picture: its recording, what the address says behind the trace, and what is done before it is taken. */
const PICTURES = [
  { name: 'summary', of: 'heat', query: '?v=summary' },
  { name: 'timeline', of: 'heat', query: '', see: chooseKernel },
  { name: 'kernel', of: 'heat', query: '?v=kernel&kn=diffuse_band' },
];

const folder = process.argv[2];
if (!folder) throw new Error('usage: take.mjs FOLDER');
const afterwards = [];
const run = { after: (clean) => afterwards.push(clean) };
try {
  const server = await startServer(run, null);
  const browser = await launch(run);
  const stored = new Map();
  for (const { name, of, query, see } of PICTURES) {
    if (!stored.has(of)) stored.set(of, await store(server, trace(of), of));
    const context = await newContext(run, browser, { viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.goto(`${server.origin}/t/${stored.get(of).id}${query}`);
    await page.waitForSelector('.pane');
    await still(page);
    await see?.(page);
    await still(page);
    const file = path.join(folder, `${name}.png`);
    await page.screenshot({ path: file });
    console.log(`${file} ${Math.round(fs.statSync(file).size / 1024)} KiB`);
    await context.close();
  }
} finally {
  for (const clean of afterwards.reverse()) await clean();
}

/** Fits the device's activity and selects a kernel in it, so that its details are seen. */
async function chooseKernel(page) {
  await page.keyboard.press('e');
  await still(page);
  await page.keyboard.press('/');
  await page.keyboard.type('diffuse category:kernel duration>300us');
  await page.keyboard.press('Enter');
  await page.getByTestId('details').waitFor();
}

/** Waits until the page looks the same for a while: the page that users get has no hooks to ask. */
async function still(page) {
  let before = Buffer.alloc(0);
  for (let same = 0; same < 3; ) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const now = await page.screenshot();
    same = now.equals(before) ? same + 1 : 0;
    before = now;
  }
}
