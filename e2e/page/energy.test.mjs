// Energy by command: the recording of the C++ example with samples of the processor's power.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { syclscope } from './servers.mjs';
import { heatServer, openPage, picture, scratch, serverOf, trace, visit } from './support.mjs';

/** The recording with samples: microseconds and watts. */
function withPower(t, samples) {
  const file = path.join(scratch(t), 'power.json');
  execFileSync(syclscope, ['convert', '-o', file, trace('heat')]);
  const events = JSON.parse(fs.readFileSync(file, 'utf8'));
  const counter = { pid: events[0].pid, tid: 1000000900 };
  const name = 'processor power: package-0';
  events.push({ ph: 'M', name: 'sycl.track', args: { track: 900, kind: 'counter', name, tid: 0, parent: 1 }, ...counter });
  for (const [ts, value] of samples) events.push({ ph: 'C', name, ts, args: { value }, ...counter });
  fs.writeFileSync(file, JSON.stringify(events));
  return file;
}

test('the summary has the energy of commands, as an estimate', async (t) => {
  // 50 W, 80 W and 20 W for 0.1 s each.
  const server = await serverOf(withPower(t, [[0, 50], [100_000, 50], [200_000, 80], [300_000, 20]]));
  const { page, complaints } = await openPage(t);
  const { estimate, counters } = await server.ask('energy');
  const [counter] = counters;
  assert.equal(estimate, 'estimated by time share');
  const parts = [counter.idle_joules, ...[...counter.commands, ...counter.rest].map((part) => part.joules)];
  for (const joules of [counter.joules, parts.reduce((sum, joules) => sum + joules, 0)])
    assert.ok(Math.abs(joules - 15) < 1e-9, JSON.stringify(counter));
  await visit(page, `${server.timeline}?v=summary`);
  const card = page.getByTestId('energy');
  await card.waitFor();
  assert.equal(await card.locator('.big').innerText(), '15 J');
  const words = (await card.locator('p.quiet').allInnerTexts()).join(' ');
  assert.ok(words.includes(`${counter.name}, ${estimate}`) && words.includes('idle '), words);
  const names = await card.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.title));
  assert.deepEqual(names, counter.commands.slice(0, 8).map((command) => command.name));
  await picture(page, 'summary-energy');
  assert.deepEqual(complaints, []);
});

test('a recording without power has no card of energy', async (t) => {
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, `${server.timeline}?v=summary`);
  await page.getByTestId('top-commands').waitFor();
  assert.equal(await page.getByTestId('energy').count(), 0);
});
