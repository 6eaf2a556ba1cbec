// The ledger of `syclscope try` in the browser: in its own folder, and by a link of the list in the folder above.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { openPage, openServer, picture, scratch, trace, visit } from './support.mjs';

/** Creates a folder of a program, with a ledger of one try. */
function folder(t) {
  const place = scratch(t);
  const tries = path.join(place, 'syclscope-try');
  for (const [runs, name] of [['runs-1', 'heat-slow'], ['runs-2', 'heat']]) {
    fs.mkdirSync(path.join(tries, runs), { recursive: true });
    for (const run of [1, 2]) fs.copyFileSync(trace(name), path.join(tries, runs, `run-${run}.pftrace`));
  }
  fs.copyFileSync(trace('heat'), path.join(place, 'own.pftrace'));
  const finding = { id: 'wait_after_kernel@heat.cpp:13', kind: 'wait_after_kernel', location: { function: 'main', file: 'heat.cpp', line: 13, column: 3 }, gain_ns: 512000, runs: 2 };
  const time = { a_ns: 1402000, b_ns: 885000, ratio: 0.631, low: 0.63, high: 0.632, a_runs: 2, b_runs: 2, verdict: 'faster', threshold: 0.03 };
  const attempt = { unix_s: 1790000000, folder: 'runs-2', before_folder: 'runs-1', finding, state: 'gone', predicted_ns: 512000, achieved_ns: 517000, verdict: 'faster', time };
  const baseline = { program: 'heat', command: './heat 1000', unix_s: 1790000000, folder: 'runs-1', findings: [finding], runs: [] };
  fs.writeFileSync(path.join(tries, 'ledger.json'), JSON.stringify({ format: 'syclscope ledger 1', baseline, under_test: null, attempts: [attempt], last: null }));
  return place;
}

test('predicted and achieved gains stand side by side, and lead to the comparison of the runs', async (t) => {
  const place = folder(t);
  const server = await openServer(t, place);
  const { page, complaints } = await openPage(t);
  await visit(page, server.address);
  assert.equal(await page.getByTestId('traces').getByText('runs-').count(), 0, 'the list has the folder only');
  await page.getByTestId('tries').click();
  await page.getByRole('heading', { name: 'Tries of heat' }).waitFor();
  const row = page.getByRole('row', { name: /heat\.cpp:13.*≤ 512\.0 µs.*517\.0 µs \[36\.8 % to 37\.0 %\].*faster, gone/ });
  assert.equal(await row.count(), 1);
  assert.equal(await page.getByRole('row', { name: /^wait after kernel 1 \(1 gone\) 1 faster ≤ 512\.0 µs 517\.0 µs$/ }).count(), 1);
  await picture(page, 'tries');
  await page.setViewportSize({ width: 390, height: 800 });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(overflow, 0, 'nothing is cut off on a narrow screen');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole('link', { name: 'Compare' }).click();
  await page.getByTestId('compare-facts').getByText('Statistics of 2 and 2 runs').waitFor();
  assert.deepEqual(complaints, []);

  // A server for the folder itself opens on the ledger.
  const own = await openServer(t, path.join(place, 'syclscope-try'));
  assert.match(own.address, /\/tries$/);
});
