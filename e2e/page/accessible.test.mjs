// axe looks at every page and view, in both themes.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { heatServer, idle, openPage, serverOf, trace, visit } from './support.mjs';

const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds wrong, in a few words each. */
async function violations(page) {
  // As an expression, not as a script element: the page's policy forbids those.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return violations.flatMap((found) =>
    found.nodes.map((node) => `${found.id}: ${node.target.join(' ')} ${node.failureSummary.split('\n')[1] ?? ''}`),
  );
}

for (const colorScheme of ['dark', 'light']) {
  test(`axe finds nothing wrong with any view, ${colorScheme}`, async (t) => {
    const server = await heatServer();
    const slow = await serverOf(trace('heat-slow'));
    const { page } = await openPage(t, { colorScheme });
    const found = {};
    const look = async (name) => {
      await idle(page);
      const wrong = await violations(page);
      if (wrong.length > 0) found[name] = wrong;
    };
    await visit(page, `${server.origin}/`);
    await look('list');
    for (const query of [
      '',
      '?v=summary',
      '?v=source',
      '?v=memory',
      '?v=memory&mv=map&mt=0-2250000000',
      '?v=memory&mv=objects&s=a1',
      '?v=memory&mv=transfers',
      '?v=memory&mv=leaks',
      '?v=graph&gp=1&gs=node&gf=kernel',
      '?v=graph&g=iterations&gs=whatif',
      '?v=graph&gs=serialised',
      '?v=graph&gs=components&gt=1',
      '?v=graph&gk=advise',
      '?v=calls',
      '?v=calls&cv=log',
      '?v=calls&cv=flame',
      '?v=kernel',
      '?v=compare',
      `?v=compare&xb=${slow.entry.id}&xr=0`,
      '?v=kernel&kd=1000000-9000000&s=12',
      '?v=row(timeline:500,column(summary:500,calls:500):500)',
      '?s=12',
      '?p=problems',
      '?p=area&area=0-9000000000&pin=1&find=category:kernel&dim=1&path=1',
      '?p=area&area=0-9000000000&a1=1',
      '?p=recording',
    ]) {
      await visit(page, `${server.timeline}${query}`);
      await look(query);
    }
    await page.keyboard.press('?');
    await look('help');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+F10');
    await look('menu');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+p');
    await look('palette');
    await visit(page, `${server.origin}/?file=gone.pftrace`);
    await look('local file');
    await page.getByTestId('local-input').setInputFiles(trace('heat'));
    await page.getByTestId('timeline-canvas').waitFor();
    await look('local file open');
    await visit(page, `${server.origin}/t/nothing-here`);
    await look('no trace');
    // Pages that the server writes have no program that could be busy.
    for (const plain of ['history/default', 'history/nothing']) {
      await page.goto(`${server.origin}/${plain}`);
      const wrong = await violations(page);
      if (wrong.length > 0) found[plain] = wrong;
    }
    assert.deepEqual(found, {});
  });
}
