// Takes the pictures of docs/images: `node pictures/take.mjs FOLDER`. They show recordings of e2e/traces in the users'
// page, so that they change only with the page.
import fs from 'node:fs';
import path from 'node:path';
import { launch, newContext } from '../page/browser.mjs';
import { startServer, store } from '../page/servers.mjs';
import { trace } from '../traces/unpack.mjs';
import { encoder, moving } from './webp.mjs';

/** Each picture: its recording, the query of its address, and an action before it is taken. */
const PICTURES = [
  { name: 'timeline', of: 'heat', query: '', see: chooseKernel },
  { name: 'summary', of: 'heat', query: '?v=summary' },
  { name: 'kernel', of: 'heat', query: '?v=kernel&kn=diffuse_band' },
  { name: 'source', of: 'heat', query: '?v=source' },
  { name: 'graph', of: 'heat', query: '?v=graph' },
  { name: 'memory', of: 'heat', query: '?v=memory' },
  { name: 'serialised', of: 'sub_buffers-bad', query: '?v=graph&gs=serialised' },
  { name: 'side-by-side', of: 'sub_buffers-good', query: '', see: fit },
];

/** Steps of the moving picture: from the whole run to a kernel, and then other views of the run. */
const MOVING = [
  { query: '', see: whole, ms: 1500 },
  { see: fit, ms: 1000 },
  ...Array.from({ length: 3 }, () => ({ see: zoom, ms: 200 })),
  { see: chooseKernel, ms: 2500 },
  { query: '?v=summary', ms: 2200 },
  { query: '?v=kernel&kn=diffuse_band', ms: 1800 },
  { query: '?v=graph', ms: 2000 },
  { query: '?v=memory', ms: 2000 },
];
const MOVING_SIZE = { width: 1000, height: 620 };
/** Maximum size of the moving picture: it is in the first screen of README.md, which should load at once. */
const MOVING_BYTES = 400_000;

const folder = process.argv[2];
if (!folder) throw new Error('usage: take.mjs FOLDER');
const afterwards = [];
const run = { after: (clean) => afterwards.push(clean) };
try {
  const server = await startServer(run, null);
  const browser = await launch(run);
  const webp = await encoder(await newContext(run, browser));
  const stored = new Map();
  const address = async (of, query) => {
    if (!stored.has(of)) stored.set(of, (await store(server, trace(of), of)).id);
    return `${server.origin}/t/${stored.get(of)}${query}`;
  };
  for (const { name, of, query, see } of PICTURES) {
    const page = await opened(browser, { width: 1280, height: 800 });
    await shown(page, await address(of, query), see);
    keep(`${name}.webp`, await webp.still(await page.screenshot()));
    await page.context().close();
  }

  const page = await opened(browser, MOVING_SIZE);
  const frames = [];
  let before;
  for (const { query, see, ms } of MOVING) {
    await shown(page, query === undefined ? undefined : await address('heat', query), see);
    const now = await page.screenshot();
    const change = await webp.change(now, before);
    if (change) frames.push({ ...change, ms });
    before = now;
  }
  const bytes = moving(frames);
  keep('moving.webp', bytes);
  if (bytes.length > MOVING_BYTES) throw new Error(`moving.webp has ${bytes.length} bytes, more than ${MOVING_BYTES}`);
} finally {
  for (const clean of afterwards.reverse()) await clean();
}

function keep(name, bytes) {
  const file = path.join(folder, name);
  fs.writeFileSync(file, bytes);
  console.log(`${file} ${Math.round(bytes.length / 1024)} KiB`);
}

async function opened(browser, viewport) {
  return (await newContext(run, browser, { viewport })).newPage();
}

/** Opens an address, if there is one, runs `see`, and waits until the page is still. */
async function shown(page, address, see) {
  if (address) {
    await page.goto(address);
    await page.waitForSelector('.pane');
    await still(page);
  }
  await see?.(page);
  await still(page);
}

/** Shows the whole run. */
async function whole(page) {
  await page.keyboard.press('0');
}

/** Fits the device's activity. */
async function fit(page) {
  await page.keyboard.press('e');
}

/** Zooms into the middle, as the wheel does. */
async function zoom(page) {
  const { width, height } = page.viewportSize();
  await page.mouse.move(width / 2, height / 4);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -240);
  await page.keyboard.up('Control');
}

/** Fits the device's activity and selects a kernel in it, so that its details are seen. */
async function chooseKernel(page) {
  await fit(page);
  await still(page);
  await page.keyboard.press('/');
  await page.keyboard.type('diffuse category:kernel duration>300us');
  await page.keyboard.press('Enter');
  await page.getByTestId('details').waitFor();
}

/** Waits until the page looks the same for a while: the users' page has no hooks to query. */
async function still(page) {
  let before = Buffer.alloc(0);
  for (let same = 0; same < 3; ) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const now = await page.screenshot();
    same = now.equals(before) ? same + 1 : 0;
    before = now;
  }
}
