// Arrows of the selected slice, the life of its command, and the critical path.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drawLog, heatServer, idle, openPage, picture, visit } from './support.mjs';

/** Returns a command of the example that waited for a command that had itself waited. */
async function chained(server) {
  const kernels = await server.ask('slices?where=category%3Akernel&limit=400');
  for (const { at } of kernels.slices.reverse()) {
    const chain = await server.ask(`dependences?slice=${at.slice}&hops=1000000&way=before`);
    if (chain.edges.some((edge) => edge.hop > 1)) return { slice: at.slice, chain };
  }
  throw new Error('no command of the example waits for one that waits');
}

test('arrows show one hop or the chain, by direction and reason, each with its reason', async (t) => {
  const server = await heatServer();
  const { page, complaints } = await openPage(t);
  const { slice, chain } = await chained(server);
  const near = await server.ask(`dependences?slice=${slice}`);
  await visit(page, `${server.timeline}?s=${slice}`);
  await page.keyboard.press('f');
  let log = await drawLog(page);
  assert.deepEqual([log.arrows.length, near.edges.length], [6, 6]);
  for (const arrow of log.arrows) assert.match(arrow.label, /accessor|event|queue|task|sync|dependence/);
  await picture(page, 'timeline-arrows');
  const labels = log.arrows.map(({ place }) => place).filter(Boolean);
  assert.ok(labels.length > 0);
  const meets = ([x, y, w, h], other) => x < other.x + other.w && other.x < x + w && y < other.y + other.h && other.y < y + h;
  const rect = ([x, y, w, h]) => ({ x, y, w, h });
  for (const label of labels) {
    assert.ok(!log.slices.some((slice) => meets(label, slice)), `${label} is off all slices`);
    assert.ok(!labels.some((other) => other !== label && meets(label, rect(other))), `${label} is off other labels`);
  }

  await page.keyboard.press('c');
  await idle(page);
  await page.getByTestId('arrows').click();
  await page.getByTestId('arrows-before').check();
  log = await drawLog(page);
  assert.deepEqual([log.arrows.length, chain.edges.length], [500, 500], 'so many are drawn, and so many are told');
  assert.match(page.url(), /arrows=all\.before/);
  const link = page.url();

  const reason = chain.edges[0].reason;
  await page.getByTestId(`arrows-for-${reason}`).uncheck();
  log = await drawLog(page);
  assert.ok(log.arrows.length < chain.edges.length);
  await page.getByTestId('arrows-none').check();
  assert.equal((await drawLog(page)).arrows.length, 0);

  await visit(page, link);
  assert.equal((await drawLog(page)).arrows.length, 500);
  await page.keyboard.press('[');
  const first = chain.edges.find((edge) => edge.hop === 1);
  assert.equal((await drawLog(page)).selected, first.from.slice);
  assert.deepEqual(complaints, []);
});

test('the details list the phases of a command beside the medians of its kernel', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  // A copy out of a buffer that the program waits for.
  const { slices: [{ at: { slice } }] } = await server.ask(`slices?where=${encodeURIComponent('category:copy "acc to ptr"')}`);
  const life = await server.ask(`life/${slice}`);
  await visit(page, `${server.timeline}?s=${slice}`);
  const rows = page.getByTestId('life').getByTestId('phase');
  assert.equal(await rows.count(), life.phases.length);
  const kinds = life.phases.map((phase) => phase.kind);
  assert.deepEqual(kinds, ['submission', 'dependences', 'hand_over', 'start', 'execution', 'return']);
  for (let next = 1; next < life.phases.length; next += 1)
    assert.equal(life.phases[next].from_ns, life.phases[next - 1].to_ns);
  assert.match(await rows.last().innerText(), /×|=|\+/);
  assert.match(await page.getByTestId('life').innerText(), /Medians of \d/);
  await page.getByTestId('life').getByTestId('jump').click();
  assert.equal((await drawLog(page)).selected, life.wait.slice);
});

test('the critical path lies over the tracks', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, server.timeline);
  assert.equal((await drawLog(page)).path_steps, 0);
  await page.keyboard.press('k');
  await idle(page);
  const drawn = await drawLog(page);
  assert.ok(drawn.path_steps > 0);
  const path = await server.ask('critical_path');
  const [covered, length] = drawn.path_ns;
  assert.equal(length, path.length_ns);
  // Unrecorded time of the path is drawn, too, on its thread.
  assert.ok(path.host_ns + path.call_ns + path.launch_ns > length / 10);
  assert.ok(covered > length * 0.99 && covered <= length, `${covered} of ${length} ns`);
  assert.match(page.url(), /path=1/);
  await picture(page, 'timeline-critical-path');
  await visit(page, page.url());
  assert.ok((await drawLog(page)).path_steps > 0);
  assert.equal(await page.getByTestId('critical-path').getAttribute('aria-pressed'), 'true');
});
