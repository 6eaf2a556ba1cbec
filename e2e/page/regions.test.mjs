// Regions of the program: the recording of the C++ example with regions around some of its submissions.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { syclscope } from './servers.mjs';
import { graphLog, heatServer, idle, openPage, picture, scratch, serverOf, trace, visit } from './support.mjs';

/** The recording with the region "solve" around all submissions and "step 0" to "step 2" in it. */
function withRegions(t) {
  const file = path.join(scratch(t), 'regions.json');
  execFileSync(syclscope, ['convert', '-o', file, trace('heat')]);
  const events = JSON.parse(fs.readFileSync(file, 'utf8'));
  const submissions = events.filter((event) => event.cat === 'submission' && 'BX'.includes(event.ph));
  const [first, last] = [submissions[0], submissions.at(-1)];
  const region = (name, ts, end) => ({ name, cat: 'user', ph: 'X', ts, dur: end - ts, pid: first.pid, tid: first.tid, args: {} });
  const step = (last.ts - first.ts) / 3;
  events.push(region('solve', first.ts - 1, last.ts + 1));
  for (const number of [0, 1, 2]) events.push(region(`step ${number}`, first.ts + number * step, first.ts + (number + 1) * step - 0.001));
  fs.writeFileSync(file, JSON.stringify(events));
  return file;
}

test('the summary has the regions of a program, and the graph folds by them', async (t) => {
  const server = await serverOf(withRegions(t));
  const { page, complaints } = await openPage(t);
  const { regions } = await server.ask('regions');
  assert.deepEqual(regions.map((region) => region.path.at(-1)).sort(), ['solve', 'step 0', 'step 1', 'step 2']);
  await visit(page, `${server.timeline}?v=summary`);
  const card = page.getByTestId('regions');
  await card.waitFor();
  const rows = card.locator('tbody tr');
  assert.equal(await rows.count(), 4);
  assert.match(await rows.first().innerText(), /solve\s+1 ×/);
  assert.ok((await rows.first().getAttribute('title')).includes(`${regions[0].commands} commands`));
  await picture(page, 'summary-regions');
  await page.getByRole('button', { name: 'step 1' }).click();
  await page.waitForFunction(() => /v=timeline/.test(location.href) || !/v=/.test(location.href));

  await page.keyboard.press('3');
  await page.getByTestId('level-regions').click();
  await idle(page);
  await page.keyboard.press('0');
  const log = await graphLog(page);
  const expected = await server.ask('graph?level=regions');
  assert.equal(log.total, expected.nodes.length);
  const within = new Set(expected.nodes.map((node) => expected.names[node.within]));
  assert.ok(within.has('solve / step 1'), [...within].join());
  await page.getByTestId('graph-search').fill('diffuse');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await idle(page);
  await page.keyboard.press('f');
  const words = (await graphLog(page)).nodes.flatMap((node) => node.texts).join('|');
  assert.ok(words.includes('solve / step'), words);
  await picture(page, 'graph-regions');
  assert.deepEqual(complaints, []);
});

test('a program without regions has neither card nor level of them', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, `${server.timeline}?v=summary`);
  await page.getByTestId('top-commands').waitFor();
  assert.equal(await page.getByTestId('regions').count(), 0);
  await page.keyboard.press('3');
  await page.getByTestId('level-kernels').waitFor();
  assert.equal(await page.getByTestId('level-regions').count(), 0);
  assert.equal(await page.getByTestId('level-stacks').count(), 0);
});
