// Common parts of all views: panes, the selection, the address, keys.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawLog, heatServer, idle, openPage, picture, visit } from './support.mjs';

const shown = (page) => page.locator('.pane').evaluateAll((panes) => panes.map((pane) => pane.ariaLabel.replace(' view', '')).sort());

test('views open side by side and one above the other, and a link reopens them', async (t) => {
  const server = await heatServer();
  const { page, context, complaints } = await openPage(t);
  await visit(page, server.timeline);
  assert.deepEqual(await shown(page), ['Timeline']);
  await page.getByTestId('open-beside').click();
  await page.getByTestId('open-source').click();
  await page.getByTestId('open-below').click();
  await page.getByTestId('open-calls').click();
  await idle(page);
  assert.deepEqual(await shown(page), ['Calls', 'Source', 'Timeline']);
  const [timeline, source, calls] = await Promise.all(
    ['timeline', 'source', 'calls'].map((view) => page.getByTestId(`pane-${view}`).boundingBox()),
  );
  assert.ok(source.x >= timeline.x + timeline.width - 2, 'beside');
  assert.ok(calls.y >= source.y + source.height - 2 && Math.abs(calls.x - source.x) < 2, 'below');

  // A border moves by pointer and by arrow keys.
  const border = page.getByRole('separator', { name: 'Resize panes' }).first();
  const at = await border.boundingBox();
  await page.mouse.move(at.x + 2, at.y + 200);
  await page.mouse.down();
  await page.mouse.move(at.x + 152, at.y + 200, { steps: 3 });
  await page.mouse.up();
  const wider = await page.getByTestId('pane-timeline').boundingBox();
  assert.ok(Math.abs(wider.width - timeline.width - 150) < 3, `${wider.width} after ${timeline.width}`);
  await border.focus();
  await page.keyboard.press('ArrowLeft');
  assert.ok((await page.getByTestId('pane-timeline').boundingBox()).width < wider.width);
  await idle(page);
  await picture(page, 'shell-panes');

  const received = await context.newPage();
  await visit(received, page.url());
  assert.deepEqual(await shown(received), ['Calls', 'Source', 'Timeline']);
  const [sent, opened] = await Promise.all(
    [page, received].map((one) => one.getByTestId('pane-source').boundingBox()),
  );
  assert.deepEqual(opened, sent);

  // Back undoes one opened view after the other, the last one first.
  await page.goBack();
  await idle(page);
  assert.deepEqual(await shown(page), ['Source', 'Timeline']);
  await page.goForward();
  await idle(page);
  assert.deepEqual(await shown(page), ['Calls', 'Source', 'Timeline']);
  await page.getByTestId('close-source').click();
  await page.getByTestId('pane-source').waitFor({ state: 'detached' });
  assert.deepEqual(await shown(page), ['Calls', 'Timeline']);
  assert.deepEqual(complaints, []);
});

test('the timeline goes away and comes back as it was', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('e');
  const before = await drawLog(page);
  await page.keyboard.press('6');
  await page.getByTestId('calls-by-name').waitFor();
  assert.deepEqual(await shown(page), ['Calls']);
  await page.keyboard.press('2');
  await page.getByTestId('timeline-canvas').waitFor();
  const after = await drawLog(page);
  assert.deepEqual(after.slices, before.slices);
  assert.deepEqual(complaints, []);
});

test('Alt and arrows undo and redo zooming, and never leave the trace', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, `${server.origin}/`);
  await page.getByText('heat.pftrace').click();
  await page.getByTestId('timeline-canvas').waitFor();
  const opened = await drawLog(page);
  await page.keyboard.press('0');
  const whole = await drawLog(page);
  assert.ok(opened.end_ns - opened.start_ns < whole.end_ns - whole.start_ns);
  await page.waitForFunction(() => location.search.includes('r='));
  await page.keyboard.press('Alt+ArrowLeft');
  await page.waitForFunction(() => !location.search.includes('r='));
  assert.equal((await drawLog(page)).end_ns, opened.end_ns);
  await page.keyboard.press('Alt+ArrowLeft');
  await page.keyboard.press('Alt+ArrowLeft');
  await idle(page);
  assert.match(page.url(), /\/t\//);
  await page.keyboard.press('Alt+ArrowRight');
  await page.waitForFunction(() => location.search.includes('r='));
  assert.equal((await drawLog(page)).start_ns, whole.start_ns);
});

test('what is selected in one view shows in the others', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=row(timeline:500,calls:500)`);
  const info = await server.ask();
  const kernel = info.kernels.find((one) => one.kind === 'kernel').name;
  await page.getByTestId('tab-kernels').click();
  await page.getByTestId('kernels').getByRole('button', { name: kernel, exact: true }).click();
  await page.getByTestId('tab-selection').click();
  assert.equal(await page.getByTestId('details-name').innerText(), kernel);
  await idle(page);
  assert.match(page.url(), /s=k/);
  await page.reload();
  await idle(page);
  assert.equal(await page.getByTestId('details-name').innerText(), kernel);
  assert.deepEqual(complaints, []);
});
