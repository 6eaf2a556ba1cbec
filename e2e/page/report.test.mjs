// The report of a run as one HTML file: in both themes, on a phone, and printed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { syclscope } from './servers.mjs';
import { artefacts, heatServer, openPage, picture, scratch, trace, visit } from './support.mjs';

const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Widths of A4 and of a phone in CSS pixels. */
const [A4, PHONE] = [794, 390];

const TITLES = ['In short', 'Run time', 'Queues over time', 'Possible gains', 'Idle time of devices', 'Busiest commands', 'Iterations', 'Memory'];

async function violations(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/** Width of the content beyond the window. */
const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Number of pages of a PDF, and the titles of its outline. */
function pdf(bytes) {
  const text = bytes.toString('latin1');
  const titles = [...text.matchAll(/\/Title ?\(([^)]*)/g)].map(([, title]) => title);
  return { pages: text.match(/\/Type ?\/Page\b(?!s)/g)?.length ?? 0, titles };
}

test('the report is readable in both themes, at the width of paper and of a phone, and prints', async (t) => {
  const file = path.join(scratch(t), 'report.html');
  execFileSync(syclscope, ['summary', '--format', 'html', '-o', file, trace('dpnp')]);
  const { page, complaints } = await openPage(t, { bypassCSP: true });
  await page.goto(pathToFileURL(file).href);
  const grounds = new Set();
  for (const colorScheme of ['light', 'dark'])
    for (const width of [A4, PHONE]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 1123 });
      assert.equal(await overflow(page), 0, `${colorScheme}, ${width} px`);
      assert.deepEqual(await violations(page), [], `${colorScheme}, ${width} px`);
      grounds.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
      await page.screenshot({ path: path.join(artefacts, `report-${colorScheme}-${width}.png`), fullPage: true });
    }
  assert.equal(grounds.size, 2);
  for (const title of TITLES)
    assert.equal(await page.getByRole('heading', { name: title, exact: true }).count(), 1, title);

  // The dark theme is set, to check that paper stays light.
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  await page.emulateMedia({ media: null });
  const client = await page.context().newCDPSession(page);
  const { data } = await client.send('Page.printToPDF', { printBackground: false, preferCSSPageSize: true, generateTaggedPDF: true, generateDocumentOutline: true });
  const bytes = Buffer.from(data, 'base64');
  fs.writeFileSync(path.join(artefacts, 'report.pdf'), bytes);
  const { pages, titles } = pdf(bytes);
  assert.ok(pages >= 1 && pages <= 6, `${pages} pages`);
  for (const title of TITLES) assert.ok(titles.includes(title), `${title} is not in ${titles}`);
  assert.deepEqual(complaints, []);
});

test('the page opens the report of its trace, which leads back to it', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await page.getByTestId('share').click();
  const [report] = await Promise.all([page.context().waitForEvent('page'), page.getByTestId('share-page.report').click()]);
  await report.getByRole('heading', { name: 'heat', exact: true }).waitFor();
  assert.equal(await report.evaluate(() => getComputedStyle(document.querySelector('.bar')).height), '8px', 'the policy allows its style');
  const link = report.getByRole('link', { name: /^Interactive view/ });
  assert.equal(await link.evaluate((link) => link.href), server.timeline);
  await picture(report, 'report-of-server');
  assert.deepEqual(complaints, []);
});
