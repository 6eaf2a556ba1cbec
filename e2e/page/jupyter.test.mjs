// A page below a cell of a real JupyterLab: Python reads its selection, and sets it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cell, openNotebook, startJupyter } from './jupyter.mjs';
import { idle, openPage, picture, trace, wideKernel } from './support.mjs';

/** Waits until a frame has drawn everything, and returns the log of its timeline's drawing. */
async function drawn(frame) {
  await idle(frame);
  return JSON.parse(await frame.evaluate(() => window.__syclscope.drawLog()));
}

test('what is selected in a page below a cell is known in Python', async (t) => {
  const address = await startJupyter(t, [
    `import syclscope\nt = syclscope.open(${JSON.stringify(trace('heat'))})\nw = t.show(start=250_000_000, end=290_000_000, height=320)\nw`,
    // As below a hub: through the notebook's own server, at a path of it.
    'v = t.show(proxy="/proxy/", start=250_000_000, end=290_000_000, height=320)\nv',
    'print(w.selection, v.selection)',
    's = w.selection\nprint(s.kind, s.id, t.slice(s.id)["name"], s.range_ns, v.selection)',
    'print(v.selection, w.selection == s)',
    'v.select(t.slice(s.id)["name"])\nprint(v.selection)',
  ]);
  const { page } = await openPage(t, { viewport: { width: 1440, height: 1600 } });
  await openNotebook(page, address);

  const own = await cell(page, 0).shown();
  const proxied = await cell(page, 1).shown();
  assert.match(proxied.url(), /^http:\/\/localhost:\d+\/proxy\/\d+\/t\//);
  assert.equal(await cell(page, 2).printed(), 'None None', 'nothing is selected at first');

  const choose = async (frame, pick) => {
    const log = await drawn(frame);
    const slice = pick(log);
    const canvas = frame.getByTestId('timeline-canvas');
    await canvas.click({ position: { x: Math.max(slice.x, 0) + Math.min(slice.w, 40) / 2, y: slice.y + slice.h / 2 } });
    await frame.waitForFunction(() => /[?&]s=/.test(location.search), undefined, { polling: 50 });
    await idle(frame);
    return { ...slice, id: Number(new URL(frame.url()).searchParams.get('s')) };
  };
  const kernel = await choose(own, wideKernel);
  await picture(page, 'jupyter');
  const [kind, id, ...rest] = (await cell(page, 3).printed()).split(' ');
  assert.deepEqual([kind, Number(id)], ['slice', kernel.id]);
  assert.match(rest.join(' '), /\(\d+, \d+\) None$/, 'the other page has a selection of its own');
  assert.ok(rest.join(' ').startsWith(kernel.name ?? ''), rest.join(' '));

  const other = await choose(proxied, (log) => log.slices.filter((slice) => slice.category === 'kernel' && slice.count === 1 && slice.w > 3)[0]);
  assert.equal(await cell(page, 4).printed(), `${other.id} True`);

  const selected = await cell(page, 5).printed();
  assert.match(selected, /^k./);
  const again = await cell(page, 1).frame();
  await again.waitForURL(/[?&]s=k/);
  await drawn(again);
  assert.equal(new URL(again.url()).searchParams.get('r'), new URL(proxied.url()).searchParams.get('r') ?? '250000000-290000000');
});
