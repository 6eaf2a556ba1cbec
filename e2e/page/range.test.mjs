// A part of the run: the selected area with its idle time, findings and summary, and steps from one idle gap to the
// next.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canvasBox, drawLog, heatServer, idle, openPage, picture, serverOf, trace, visit } from './support.mjs';

const areaOf = (page) => new URL(page.url()).searchParams.get('area');

/** Selects an area of the queue's track with the mouse; returns its begin and end. */
async function selectArea(page) {
  await page.keyboard.press('e');
  const log = await drawLog(page);
  const queue = log.tracks.find((track) => track.kind === 'queue');
  const box = await canvasBox(page);
  await page.keyboard.down('Control');
  await page.mouse.move(box.x + box.width * 0.3, box.y + queue.y + 3);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + queue.y + 6);
  await page.mouse.move(box.x + box.width * 0.6, box.y + queue.y + 8);
  await page.mouse.up();
  await page.keyboard.up('Control');
  await idle(page);
  return areaOf(page).split(':')[0].split('-').map(Number);
}

/** Returns a point of the canvas below all tracks. */
async function nowhere(page) {
  const [box, log] = [await canvasBox(page), await drawLog(page)];
  const last = log.tracks.reduce((most, track) => Math.max(most, track.y + track.height), 0);
  assert.ok(last + 10 < box.height, 'there is room below the tracks');
  return [box.x + box.width - 30, box.y + last + 8];
}

test('an area goes away by Escape and by a click on nothing, and Back brings it back', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t, { viewport: { width: 1440, height: 1400 } });
  await visit(page, server.timeline);
  await selectArea(page);
  const area = areaOf(page);
  await page.keyboard.press('Escape');
  await idle(page);
  assert.equal(areaOf(page), null, 'Escape');
  assert.equal(await page.getByTestId('panel').isVisible(), false, 'the panel is gone with it');
  await page.keyboard.press('Alt+ArrowLeft');
  await page.waitForFunction((area) => new URL(location).searchParams.get('area') === area, area);
  await page.mouse.click(...(await nowhere(page)));
  await idle(page);
  assert.equal(areaOf(page), null, 'a click on nothing');
  await page.keyboard.press('Alt+ArrowLeft');
  await page.waitForFunction((area) => new URL(location).searchParams.get('area') === area, area);
  // The area was the first history entry, so another Back removes it.
  await page.keyboard.press('Alt+ArrowLeft');
  await page.waitForFunction(() => !new URL(location).searchParams.get('area'));
  await page.keyboard.press('Alt+ArrowRight');
  await page.waitForFunction((area) => new URL(location).searchParams.get('area') === area, area);
  assert.deepEqual(complaints, []);
});

test('F fits the selected area', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  const [from, to] = await selectArea(page);
  await page.keyboard.press('f');
  const log = await drawLog(page);
  const near = (one, other) => Math.abs(one - other) < (to - from) / 100;
  assert.ok(near(log.start_ns, from) && near(log.end_ns, to), `${log.start_ns} to ${log.end_ns}, not ${from} to ${to}`);
  assert.deepEqual(complaints, []);
});

test('a drag that Escape ends leaves no area', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('e');
  const queue = (await drawLog(page)).tracks.find((track) => track.kind === 'queue');
  const box = await canvasBox(page);
  await page.keyboard.down('Control');
  await page.mouse.move(box.x + box.width * 0.3, box.y + queue.y + 3);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + queue.y + 8, { steps: 3 });
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await page.keyboard.up('Control');
  // A change of the range writes the state to the address, including the area.
  await page.keyboard.press('ArrowRight');
  await idle(page);
  assert.equal(areaOf(page), null);
});

test('Escape clears the selection before an area that its panel does not show', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, server.timeline);
  await selectArea(page);
  await page.keyboard.press('.');
  await idle(page);
  assert.ok(new URL(page.url()).searchParams.get('s'));
  await page.keyboard.press('Escape');
  await idle(page);
  assert.equal(new URL(page.url()).searchParams.get('s'), null);
  assert.ok(areaOf(page));
  await page.keyboard.press('Escape');
  await idle(page);
  assert.equal(areaOf(page), null);
});

test("an area's panel tells of its idle time and of its findings", async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  const [from, to] = await selectArea(page);
  const gaps = await server.ask(`gaps?from=${from}&to=${to}&limit=20`);
  const findings = await server.ask(`findings?from=${from}&to=${to}`);
  assert.ok(gaps.idle_ns > 0);
  const own = page.getByTestId('area-idle');
  await own.waitFor();
  await own.locator('summary').click();
  assert.equal(await own.locator('tbody tr').count(), gaps.classes.length);
  assert.equal(await own.locator('.finding').count(), gaps.gaps.length);
  const told = page.getByTestId('area-findings');
  await told.waitFor();
  assert.deepEqual(findings.findings, [], "heat's loop has no fault");
  assert.equal(await told.innerText(), 'No findings here.');
  await picture(page, 'area-range');
  assert.deepEqual(complaints, []);
});

test('the summary follows the selected area or the visible range, and a link keeps that', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  let release;
  let released = Promise.resolve();
  await page.route(/\/(gaps|report)\?/, async (route) => (await released, route.continue()));
  await visit(page, server.timeline);
  const whole = await server.ask('gaps?limit=5');
  const [from, to] = await selectArea(page);
  await page.getByTestId('area-summary').click();
  await page.getByTestId('scope-area').waitFor();
  await idle(page);
  assert.match(page.url(), /[?&]of=area/);
  const part = `from=${from}&to=${to}`;
  const gaps = await server.ask(`gaps?${part}&limit=5`);
  const report = await server.ask(`report?${part}`);
  const path = report.critical_path;
  assert.notEqual(gaps.idle_ns, whole.idle_ns);
  const card = (name) => page.getByTestId(name);
  assert.equal(await card('idle-time').locator('tbody tr').count(), gaps.classes.length);
  assert.equal(await card('critical-path').locator('tbody tr').count(), path.steps.length);
  const rows = (name) => card(name).locator('tbody tr').count();
  assert.equal(await rows('top-commands'), report.commands.length);
  assert.equal(await rows('waits'), report.waits.length);
  assert.equal(await rows('memory'), report.memory.length);
  assert.equal(await card('queues').getByRole('listitem').count() > 0, report.queues.some((queue) => queue.busy_ns > 0));
  const runTime = parseFloat(await card('run-time').locator('.big').innerText());
  assert.ok(Math.abs(runTime - report.split.run_ns / 1e6) < 0.1, `${runTime} ms`);
  const says = (name) => card(name).locator('.of-run').isVisible();
  assert.deepEqual([await says('start-up'), await card('run-time').locator('.of-run').count()], [true, 0]);
  await picture(page, 'summary-area');

  await visit(page, page.url());
  assert.equal(await page.getByTestId('scope-area').getAttribute('aria-pressed'), 'true');
  assert.equal(await card('critical-path').locator('tbody tr').count(), path.steps.length);
  const ofArea = await card('idle-time').innerText();
  await page.getByTestId('scope-visible').click();
  await idle(page);
  assert.match(page.url(), /[?&]of=visible/);
  await page.waitForFunction((before) => document.querySelector('[data-testid=idle-time]')?.innerText !== before, ofArea);
  // Until the next range's metrics arrive, the old ones stay, paler.
  const figures = await card('idle-time').innerText();
  released = new Promise((done) => (release = done));
  await page.evaluate(() => history.pushState(null, '', location.href.replace(/([?&])r=[^&]*/, '$1').replace(/\?/, `?r=0-${5e7}&`)));
  await page.evaluate(() => dispatchEvent(new PopStateEvent('popstate')));
  await page.locator('.lasting.is-old').first().waitFor({ state: 'attached' });
  assert.equal(await card('idle-time').innerText(), figures);
  assert.equal(await page.getByText(/^Loading /).count(), 0);
  release();
  await page.waitForFunction((before) => document.querySelector('[data-testid=idle-time]')?.innerText !== before, figures);
  await page.locator('.lasting.is-old').first().waitFor({ state: 'detached' });
  await page.getByTestId('scope-run').click();
  await idle(page);
  assert.doesNotMatch(page.url(), /[?&]of=/);
  const all = await server.ask('report');
  assert.equal(await card('critical-path').locator('tbody tr').count(), all.critical_path.steps.length);
  assert.equal(await says('start-up'), false);
  await page.keyboard.press('Alt+ArrowLeft');
  await page.waitForFunction(() => /of=visible/.test(location.search));
  assert.deepEqual(complaints, []);
});

test('keys step from one idle stretch of a track to the next, and its panel counts them', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await page.keyboard.press('e');
  const log = await drawLog(page);
  const kernel = log.slices.filter((slice) => slice.category === 'kernel' && slice.count === 1)[0];
  await visit(page, `${server.timeline}?s=${kernel.id}`);
  const { at } = await server.ask(`slices/${kernel.id}`);
  const shortest = Math.floor((log.end_ns - log.start_ns) * 0.004);
  const { gaps } = await server.ask(`gaps?track=${at.track}&shortest=${shortest}&limit=10000`);
  const later = gaps.filter((gap) => gap.from_ns >= at.start_ns + at.duration_ns).sort((one, other) => one.from_ns - other.from_ns);
  assert.ok(later.length > 1, 'there are two stretches to step to');
  const step = async (key) => {
    await page.keyboard.press(key);
    await idle(page);
    return (await drawLog(page)).gap;
  };
  const ends = ({ from_ns, to_ns }) => [from_ns, to_ns];
  assert.deepEqual(await step('>'), ends(later[0]));
  const all = await server.ask(`gaps?track=${at.track}&limit=10000`);
  const place = all.gaps.filter((gap) => gap.from_ns <= later[0].from_ns).length;
  await page.waitForFunction(
    (text) => document.querySelector('[data-testid=gap-place]')?.textContent === text,
    `${place} of ${all.count} of this track`,
  );
  assert.deepEqual(await step('>'), ends(later[1]));
  assert.deepEqual(await step('<'), ends(later[0]));
  await picture(page, 'gap-steps');
  assert.deepEqual(complaints, []);
});

test("a finding's slices are highlighted, and stepped through", async (t) => {
  const server = await serverOf(trace('sub_buffers-bad'));
  const { findings } = await server.ask('findings');
  const finding = findings.find((one) => one.slices.length > 1);
  assert.ok(finding, 'a finding has several slices');
  const { page, complaints } = await openPage(t);
  await visit(page, `${server.timeline}?v=summary`);
  const button = page.getByTestId('finding-steps').first();
  const text = await button.innerText();
  const count = finding.slices.length;
  assert.equal(text, finding.count > count ? `Step through the first ${count} of ${finding.count}` : `Step through its ${count} slices`);
  await button.click();
  await idle(page);
  const words = () => page.getByTestId('search-count').innerText();
  const starts = finding.slices.map((slice) => slice.slice);
  assert.equal((await drawLog(page)).selected, starts[0]);
  await page.waitForFunction((end) => document.querySelector('#search-count')?.textContent.endsWith(end), ` of ${count}`);
  const seen = new Set();
  for (let at = 0; at < count; at += 1) {
    seen.add((await drawLog(page)).selected);
    await page.keyboard.press('j');
    await idle(page);
  }
  assert.deepEqual([...seen].sort((one, other) => one - other), [...starts].sort((one, other) => one - other), await words());
  await picture(page, 'finding-steps');
  assert.deepEqual(complaints, []);
});
