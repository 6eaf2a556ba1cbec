// `trunk build` builds a page that works: run by `cargo xtask test --only trunk`, since Trunk takes minutes to build.
// `TRUNK_PAGE` is the folder of the built page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage, startServer, store, trace } from './support.mjs';

test("a page that Trunk built shows a server's trace and opens a file of this computer", async (t) => {
  const server = await startServer(t, process.env.TRUNK_PAGE);
  const { id } = await store(server, trace('heat'));
  const { page, complaints } = await openPage(t);
  await page.goto(`${server.origin}/t/${id}`);
  await page.locator('[data-testid=timeline-canvas][aria-busy=false]').waitFor();
  assert.match(await page.getByTestId('tracks').innerText(), /queue 1/);
  await page.keyboard.press('3');
  await page.locator('[data-testid=graph-canvas][aria-busy=false]').waitFor();

  await page.goto(server.origin);
  await page.getByTestId('local-input').setInputFiles(trace('heat'));
  await page.locator('[data-testid=timeline-canvas][aria-busy=false]').waitFor();
  assert.deepEqual(complaints, []);
});
