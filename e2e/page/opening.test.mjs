// The opening range of a run: its activity, with start-up and compilation labelled.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawLog, idle, openPage, picture, serverOf, trace, visit } from './support.mjs';

/** Returns the overview's names of phases; with `tracks`, those over the tracks. */
const phases = (log, where) =>
  log.phases.filter(([name, [y]]) => name && (where === 'tracks' ? y >= 80 : y < 54)).map(([name]) => name);

test('a run with a long start opens on what its device did, and one key shows all of it', async (t) => {
  const server = await serverOf(trace('heat-slow'));
  const info = await server.ask();
  const [start, end] = info.active_ns;
  assert.ok(start > 10e9 && end - start < 2e9, 'the start is most of this run');
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  assert.doesNotMatch(page.url(), /r=/);
  let log = await drawLog(page);
  assert.ok(log.start_ns < start && log.start_ns > start - (end - start) * 0.1, `from ${log.start_ns}`);
  assert.ok(log.end_ns > end && log.end_ns < end + (end - start) * 0.1, `to ${log.end_ns}`);
  assert.ok(phases(log, 'overview').some((name) => /^Start-up · 1\d\.\d+ s$/.test(name)), `${phases(log, 'overview')}`);
  assert.ok(log.phases.filter(([, [y]]) => y < 54).length > 1, 'compilation is marked beside it');
  await picture(page, 'opening');

  // The key `0` shows the whole run, which has a link of its own.
  await page.keyboard.press('0');
  log = await drawLog(page);
  assert.equal(log.start_ns, 0);
  assert.ok(log.end_ns >= info.duration_ns);
  assert.ok(phases(log, 'tracks').some((name) => name.startsWith('Start-up')), `${phases(log, 'tracks')}`);
  await page.waitForFunction(() => location.search.includes('r=all'));
  await picture(page, 'opening-whole');
  await visit(page, page.url());
  assert.equal((await drawLog(page)).start_ns, 0, 'a link keeps the whole run');
  await page.keyboard.press('e');
  assert.ok((await drawLog(page)).start_ns > 10e9);
  await page.waitForFunction(() => !location.search.includes('r='));
  await page.getByTestId('fit').click();
  assert.equal((await drawLog(page)).start_ns, 0);
  assert.deepEqual(complaints, []);
});

test('compilation has its name where it is in sight', async (t) => {
  const server = await serverOf(trace('heat-slow'));
  const { slices } = await server.ask('slices?where=category:ur%20name:ProgramBuild&sort=-duration&limit=1');
  const { start_ns, duration_ns } = slices[0].at;
  const { page } = await openPage(t);
  await visit(page, `${server.timeline}?r=${start_ns - duration_ns}-${start_ns + 2 * duration_ns}`);
  const log = await drawLog(page);
  assert.ok(phases(log, 'tracks').some((name) => name.startsWith('Run-time compilation')), `${phases(log, 'tracks')}`);
  await picture(page, 'opening-compilation');
});

test('a link of before with a range opens that range', async (t) => {
  const server = await serverOf(trace('heat-slow'));
  const { page } = await openPage(t);
  await visit(page, `${server.timeline}?r=1000000000-2000000000`);
  const log = await drawLog(page);
  assert.equal(log.start_ns, 1e9);
  assert.equal(log.end_ns, 2e9);
});

test('times that are near each other read differently', async (t) => {
  const server = await serverOf(trace('heat-slow'));
  const info = await server.ask();
  const { page } = await openPage(t);
  await visit(page, `${server.timeline}?s=k${encodeURIComponent(info.kernels[0].name)}`);
  const first = page.getByTestId('slices-first');
  await first.getByRole('listitem').first().waitFor();
  const starts = (await first.getByRole('listitem').allInnerTexts()).map((line) => line.match(/(?:^| )at (.*)$/m)[1]);
  assert.equal(new Set(starts).size, starts.length, `${starts}`);
  assert.match(await page.locator('.readout-start').innerText(), /^from 15\.\d{4,} s$/);
  await idle(page);
});
