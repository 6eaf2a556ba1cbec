// axe checks every page and view, in both themes.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { heatServer, idle, openPage, serverOf, trace, visit } from './support.mjs';

const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the faults that axe finds, in a few words each; only those of `rules`, if given. */
async function violations(page, rules) {
  // Evaluate axe as an expression, because the page's policy forbids script elements.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: { type: 'rule', values: rules } }) };
  const { violations } = await page.evaluate((options) => window.axe.run(document, options), options);
  return violations.flatMap((found) =>
    found.nodes.map((node) => `${found.id}: ${node.target.join(' ')} ${node.failureSummary.split('\n')[1] ?? ''}`),
  );
}

test('axe finds nothing wrong with any view, dark or light', async (t) => {
  const server = await heatServer();
  const slow = await serverOf(trace('heat-slow'));
  const { page } = await openPage(t);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const found = {};
  /** Checks both themes. In the light theme the elements are the same, and only their colours differ. */
  const both = async (name, settled) => {
    await settled();
    const dark = await ground();
    const wrong = await violations(page);
    await page.emulateMedia({ colorScheme: 'light' });
    await settled();
    assert.notEqual(await ground(), dark, name);
    wrong.push(...(await violations(page, ['color-contrast', 'link-in-text-block'])).map((one) => `light: ${one}`));
    await page.emulateMedia({ colorScheme: 'dark' });
    if (wrong.length > 0) found[name] = wrong;
  };
  const look = (name) => both(name, () => idle(page));
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
    '?v=sql',
    '?v=sql&sql=SELECT%20name,%20count(*)%20FROM%20slices%20GROUP%20BY%20name',
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
  // Pages written by the server run no program, so there is nothing to wait for.
  for (const plain of ['history/default', 'history/nothing']) {
    await page.goto(`${server.origin}/${plain}`);
    await both(plain, () => page.waitForLoadState());
  }
  assert.deepEqual(found, {});
});
