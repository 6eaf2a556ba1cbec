// The places on the page that docs/QUESTIONS.md names. Views, cards and panels are found by the document's names only.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { heatServer, idle, openPage, visit } from './support.mjs';

const [intro, ...sections] = fs.readFileSync(new URL('../../docs/QUESTIONS.md', import.meta.url), 'utf8').split(/^## /m);
const inOneLine = (text) => text.replaceAll('\n', ' ').trim();

/** Views that answer questions. */
export const VIEWS = inOneLine(intro)
  .match(/On the page, (.*?) are the views in the bar at the top\./)[1]
  .match(/(?<=\*)\w+(?=\*)/g);

/** The document's sentences about the page, by question. */
export const PLACES = new Map(
  sections.map((section) => [section.split('\n')[0], inOneLine(section.split('\nPage: ')[1].split('\n\n')[0])]),
);

/** Shows a view by its name in the bar at the top. */
export async function show(page, view) {
  const button = page.getByRole('group', { name: 'Views' }).getByRole('button', { name: view, exact: true });
  assert.equal(await button.count(), 1, `the bar has the view ${view}`);
  await button.click();
  await idle(page);
  assert.equal(await button.getAttribute('aria-pressed'), 'true');
}

/** Shows the first place of a question: a card of a view, a panel in one, or a view. */
export async function goTo(page, question) {
  const [, card, name, view] = PLACES.get(question).match(/^(the card )?\*(.+?)\*(?: (?:of|in) (\w+))?/);
  await show(page, view ?? name);
  if (!view) return page.locator('.pane');
  if (card) {
    await page.getByTestId('summary').waitFor();
  } else {
    const toolbar = page.getByRole('toolbar', { name: 'Task graph' });
    await toolbar.waitFor();
    const button = toolbar.getByRole('button', { name, exact: true });
    assert.equal(await button.count(), 1, `${view} has a panel ${name}`);
    await button.click();
  }
  await idle(page);
  const place = page.getByRole(card ? 'region' : 'complementary', { name, exact: true });
  assert.equal(await place.count(), 1, `${view} has ${name}`);
  assert.ok((await place.getByRole('heading').first().innerText()).startsWith(name));
  return place;
}

/** Opens the recording and shows the place of a question. */
export async function opened(t, question) {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  return { server, page, complaints, said: PLACES.get(question), place: await goTo(page, question) };
}
