// `syclscope demo`: the recordings contained in the program, and each address of the tour in the terminal.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demoServer } from './servers.mjs';
import { drawLog, idle, openPage, picture, visit } from './support.mjs';

test('the demo opens on a recording, and every place of its tour shows what it says', async (t) => {
  const server = await demoServer(t);
  const { page, complaints } = await openPage(t);
  const places = [...server.said().matchAll(/^ +(\d)\. (.+)\n +(http:\S+)$/gm)].map(([, , title, address]) => [title, address]);
  /** Check of each place, by its title. */
  const seen = {
    Timeline: async () => assert.ok((await drawLog(page)).slices.length > 20),
    Summary: () => page.getByTestId('summary').waitFor(),
    'One kernel': async () => assert.match(await page.getByTestId('kernel-numbers').innerText(), /^240 executions/),
    'Lines of source': () => page.getByTestId('source-lines').waitFor(),
    Dependences: () => page.getByTestId('graph-canvas').waitFor(),
    Memory: () => page.getByTestId('memory-chart').waitFor(),
    'A program with a fault': async () => {
      await page.getByTestId('serialised-pair').first().waitFor();
      assert.match(await page.getByTestId('serialised-pair').first().innerText(), /Use a buffer for each part, or USM/);
    },
    'The fixed program': async () => {
      const { origin } = new URL(page.url());
      const id = new URL(page.url()).pathname.split('/').pop();
      const { concurrency } = await (await fetch(`${origin}/api/v1/traces/${id}/report`)).json();
      assert.equal(concurrency.max_kernels, 2);
    },
  };
  assert.deepEqual(places.map(([title]) => title), Object.keys(seen));
  assert.equal(places[0][1], server.address);
  for (const [title, address] of places) {
    await visit(page, address);
    await seen[title]();
    await idle(page);
    await picture(page, `demo-${title.toLowerCase().replaceAll(' ', '-')}`);
  }
  assert.deepEqual(complaints, []);
});
