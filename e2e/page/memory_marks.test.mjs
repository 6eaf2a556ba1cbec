// One selection: selected entities of all views mark their memory in the memory view, and selected memory marks the
// commands that use it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawLog, heatServer, idle, openPage, picture, visit } from './support.mjs';

const logOf = async (page, name) => {
  await idle(page);
  await page.waitForFunction((name) => JSON.parse(window.__syclscope[name]() ?? 'null'), name);
  await idle(page);
  return JSON.parse(await page.evaluate((name) => window.__syclscope[name](), name));
};

/** True if a row's name is that of an object. */
const isOf = (name, item) => (item.object === null ? name.startsWith('USM') : name.endsWith(` ${item.object}`));

/** Returns a kernel's execution that uses several objects, and these objects. */
async function used(server) {
  const { objects } = await server.ask('objects?what=buffer&sort=-commands&limit=20');
  for (const { id } of objects) {
    const { events } = await server.ask(`objects/${id}?limit=2000`);
    const event = events.find(({ kind, node, at }) => /read|write/.test(kind) && node !== null && at);
    if (event) return { event, ...(await server.ask(`objects?slice=${event.at.slice}`)) };
  }
  throw new Error('no kernel of the example uses a buffer');
}

test('a chosen slice marks its objects in the table, and brings them into sight', async (t) => {
  const server = await heatServer();
  const { event, objects } = await used(server);
  const { page, complaints } = await openPage(t, { viewport: { width: 1200, height: 640 } });
  await visit(page, `${server.timeline}?v=memory&mv=objects&mo=-made`);
  assert.equal(await page.getByTestId('long-marked').count(), 0, 'nothing is chosen');
  await visit(page, `${server.timeline}?v=memory&mv=objects&mo=-made&s=${event.at.slice}`);
  const told = page.getByTestId('long-marked');
  const count = objects.length === 1 ? '1 object' : `${objects.length} objects`;
  await told.getByText(`${count} related to the selection`).waitFor();
  const table = page.getByTestId('memory-objects');
  const marked = table.locator('.long-row.is-marked .name-button');
  await marked.first().waitFor();
  const seen = await marked.allInnerTexts();
  for (const name of seen) assert.ok(objects.some((item) => isOf(name, item)), `${name} is one of them`);
  await picture(page, 'memory-marked-objects');

  // The button brings each related object into sight.
  const { marked: positions } = await server.ask(`objects?sort=-made&slice=${event.at.slice}&mark=true`);
  assert.equal(positions.length, objects.length);
  const all = new Set(seen);
  for (let press = 0; press < positions.length && (await told.getByTestId('marked-show').count()); press++) {
    await told.getByTestId('marked-show').click();
    await idle(page);
    (await marked.allInnerTexts()).forEach((name) => all.add(name));
  }
  assert.equal(all.size, objects.length, `${[...all]}`);
  for (const item of objects) assert.ok([...all].some((name) => isOf(name, item)), `${item.object} in ${[...all]}`);

  // A filter hides related objects, and the table reports it.
  await page.getByTestId('memory-filter').fill('nothing is called so');
  await told.getByText(`${objects.length} not listed`).waitFor();
  await told.getByTestId('marked-all').click();
  await marked.first().waitFor();

  // A selected row is marked, too.
  await marked.first().click();
  await told.getByText('1 object related to the selection').waitFor();
  assert.deepEqual(complaints, []);
});

test('what is chosen in the graph is marked in the copies and on the map', async (t) => {
  const server = await heatServer();
  const { event, objects } = await used(server);
  const { page, complaints } = await openPage(t);
  const { total } = await server.ask(`transfers?node=${event.node}`);
  await visit(page, `${server.timeline}?v=memory&mv=transfers&s=n${event.node}`);
  const told = page.getByTestId('long-marked');
  assert.equal(total.count, 2);
  await told.getByText('2 copies related to the selection').waitFor();
  await page.getByTestId('transfers').locator('.long-row.is-marked').first().waitFor();

  await page.getByTestId('memory-map').click();
  const memory = objects.flatMap((item) => item.memory.map((known) => known.allocation)).filter((row) => row !== null);
  const marks = async () => {
    const log = await logOf(page, 'memoryLog');
    return [...new Set(log.filter((block) => block.is_marked).map((block) => block.allocation))];
  };
  await page.getByTestId('map-marked').getByText(/related to the selection/).waitFor();
  for (const row of await marks()) assert.ok(memory.includes(row), `allocation ${row}`);
  // In another range the line says that the memory is not visible, and one press shows it.
  await visit(page, `${server.timeline}?v=memory&mv=map&r=0-1000&s=n${event.node}`);
  const line = page.getByTestId('map-marked');
  await line.getByText('not visible').waitFor();
  await line.getByTestId('marked-show').click();
  await page.waitForFunction(() => !document.querySelector('[data-testid=map-marked]')?.textContent.includes('not visible'));
  const shown = await marks();
  assert.ok(shown.length > 0 && shown.every((row) => memory.includes(row)), `${shown} of ${memory}`);
  await picture(page, 'memory-marked-map');
  assert.deepEqual(complaints, []);
});

test('memory that is chosen marks the commands that use it in timeline and graph', async (t) => {
  const server = await heatServer();
  const { event, objects } = await used(server);
  const { page, complaints } = await openPage(t);
  const buffer = objects.find((item) => item.object !== null);
  await visit(page, `${server.timeline}?s=o${buffer.object}`);
  await page.keyboard.press('e');
  const timeline = await drawLog(page);
  const alone = timeline.slices.filter((slice) => slice.count === 1);
  const users = await server.ask(`slices?where=buffer%3D${buffer.object}&limit=10000`);
  const slices = new Set(users.slices.map((slice) => slice.at.slice));
  assert.ok(alone.some((slice) => !slice.dimmed) && alone.some((slice) => slice.dimmed));
  for (const slice of alone) assert.equal(!slice.dimmed, slices.has(slice.id), `slice ${slice.id}`);
  await picture(page, 'memory-users-timeline');

  await visit(page, `${server.timeline}?v=graph&g=full&s=o${buffer.object}`);
  const graph = await logOf(page, 'graphLog');
  assert.ok(graph.selected.some((id) => id === `${event.node}`), `${event.node} in ${graph.selected}`);

  // A USM allocation and its known users.
  const { objects: usm } = await server.ask('objects?what=device.shared.host&sort=-commands&limit=1');
  assert.equal(usm[0].commands, 4);
  const { events } = await server.ask(`objects/${usm[0].id}?limit=2000`);
  const nodes = events.map((one) => one.node).filter((node) => node !== null);
  await visit(page, `${server.timeline}?v=graph&g=full&s=a${usm[0].memory[0].allocation}`);
  const { selected } = await logOf(page, 'graphLog');
  for (const node of nodes) assert.ok(selected.some((id) => id === `${node}`), `command ${node}`);
  assert.deepEqual(complaints, []);
});
