// docs/QUESTIONS.md on the page: the places that it names exist, and show the sums of the recorded events. Expected
// values are computed from the tables, not from the page's queries.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { packed } from '../traces/unpack.mjs';
import { bytes, covered, duration, executions, idleTime, length, longestChain, nanoseconds, needs, rows, total } from './events.mjs';
import { PLACES, VIEWS, goTo, opened, show } from './questions.mjs';
import { canvasBox, drawLog, graphLog, heatServer, idle, openPage, sentence, serverOf, trace, visit } from './support.mjs';

const heat = trace('heat');
const ran = executions(heat);
const named = (name) => ran.filter((row) => row.name === name);
const [{ end_ns: RUN }] = rows(heat, 'SELECT max(at_ns) AS end_ns FROM clocks');

const words = sentence;
const close = (value, truth, share) => assert.ok(Math.abs(value - truth) <= truth * share, `${value} for ${truth}`);

test('there are ten questions, and their views are in the bar', async (t) => {
  assert.equal(PLACES.size, 10);
  const server = await heatServer();
  const { page } = await openPage(t);
  await visit(page, server.timeline);
  assert.equal(VIEWS.length, 6);
  for (const view of VIEWS) await show(page, view);
});

const GAPS = 'There are big gaps in which nothing happens. Why?';
test(GAPS, async (t) => {
  const { server, page, complaints, said, place } = await opened(t, GAPS);
  const stretches = idleTime(ran, 0, RUN).sort((one, other) => other.to_ns - other.from_ns - (one.to_ns - one.from_ns));
  assert.equal(await words(place.locator('.big')), duration(length(stretches)));
  const causes = await place.locator('tbody td:nth-child(2)').allInnerTexts();
  close(causes.map(nanoseconds).reduce((sum, ns) => sum + ns), length(stretches), 0.001);
  const sentences = await Promise.all((await place.locator('li p:first-child').all()).map(words));
  assert.ok(sentences.length > 2);
  sentences.forEach((sentence, at) => {
    const { from_ns, to_ns } = stretches[at];
    assert.ok(sentence.startsWith(`Idle for ${duration(to_ns - from_ns)}`), sentence);
    const next = ran.find(({ start_ns }) => start_ns === to_ns);
    assert.ok(next ? sentence.includes(`Then ${next.name} ran`) : sentence.includes('after the last command'), sentence);
  });

  // Idle time between two commands of the device and of a queue, and between two events of a thread.
  assert.match(said, /In Timeline, click the idle time of a device, a queue or a thread/);
  const slices = `SELECT start_ns, start_ns + duration_ns AS end_ns, track FROM slices WHERE category <> 'signal' ORDER BY start_ns`;
  const onThread = rows(heat, slices);
  for (const kind of ['device', 'queue', 'thread']) {
    await visit(page, server.timeline);
    const track = (await drawLog(page)).tracks.find((one) => one.kind === kind);
    const own = kind === 'device' ? ran : (kind === 'queue' ? ran : onThread).filter((row) => row.track === track.id);
    const inner = idleTime(own, own[0].start_ns, own.at(-1).start_ns);
    const { from_ns, to_ns } = inner.sort((one, other) => other.to_ns - other.from_ns - (one.to_ns - one.from_ns))[0];
    const around = (to_ns - from_ns) / 4;
    await visit(page, `${server.timeline}?r=${Math.max(0, Math.floor(from_ns - around))}-${Math.ceil(to_ns + around)}`);
    const log = await drawLog(page);
    const row = log.tracks.find(({ id }) => id === track.id);
    const box = await canvasBox(page);
    const x = (((from_ns + to_ns) / 2 - log.start_ns) / (log.end_ns - log.start_ns)) * box.width;
    await page.mouse.click(box.x + x, box.y + row.y + row.height / 2);
    const message = page.getByTestId('gap-message');
    await message.waitFor();
    assert.deepEqual((await drawLog(page)).gap, [from_ns, to_ns], kind);
    assert.ok((await words(message)).includes(duration(to_ns - from_ns)), `${kind}: ${await words(message)}`);
  }
  assert.deepEqual(complaints, []);
});

const ITERATIONS = 'How long is an iteration without the warm-up, and which one was slow?';
test(ITERATIONS, async (t) => {
  const { page, complaints, said, place } = await opened(t, ITERATIONS);
  const starts = named('diffuse_band').map(({ start_ns }) => start_ns);
  const rounds = starts.slice(1).map((start_ns, at) => ({ from_ns: starts[at], to_ns: start_ns, duration_ns: start_ns - starts[at] }));
  const second = rounds.slice(rounds.length / 2).map(({ duration_ns }) => duration_ns).sort((one, other) => one - other);
  const usual = second[Math.floor(second.length / 2)];
  const steady = rounds.slice(rounds.findIndex(({ duration_ns }) => duration_ns <= usual * 1.5));
  const slowest = steady.reduce((one, other) => (other.duration_ns > one.duration_ns ? other : one));
  const sorted = steady.map(({ duration_ns }) => duration_ns).sort((one, other) => one - other);
  const median = duration(sorted[Math.ceil(sorted.length / 2) - 1]);
  assert.equal(await words(place.locator('.big')), median);
  const message = await words(place.locator('p:not(.big)').first());
  const numbers = `terations ${rounds.length - steady.length + 1} to ${rounds.length} of 240`;
  assert.ok(starts.length === 240 && message.includes(numbers), message);
  assert.ok(message.includes(`: median ${median}, mean ${duration(total(steady) / steady.length)} ±`), message);
  assert.ok(message.includes(`the slowest is ${rounds.indexOf(slowest) + 1}: ${duration(slowest.duration_ns)}`), message);
  assert.equal((await place.locator('polyline').getAttribute('points')).split(' ').length, 240);
  assert.match(said, /with a button to the slowest one/);
  await place.getByRole('button', { name: /slowest/ }).click();
  await page.waitForFunction(() => new URL(location.href).searchParams.get('v') !== 'summary');
  const shown = await drawLog(page);
  assert.ok(shown.start_ns <= slowest.from_ns && shown.end_ns >= slowest.to_ns, JSON.stringify([shown.start_ns, shown.end_ns]));
  close(shown.end_ns - shown.start_ns, slowest.duration_ns, 0.5);
  assert.deepEqual(complaints, []);
});

const BUILDS = 'Which kernels were compiled, and why again?';
test(BUILDS, async (t) => {
  const { complaints, place } = await opened(t, BUILDS);
  const [build, ...more] = rows(heat, "SELECT duration_ns FROM calls WHERE name = 'urProgramBuild'");
  const kernels = rows(heat, "SELECT DISTINCT name FROM nodes WHERE kind = 'kernel' ORDER BY node").map(({ name }) => name);
  assert.deepEqual([kernels, more], [['diffuse', 'change', 'diffuse_band', 'colour'], []]);
  assert.equal(await words(place.locator('.big')), duration(build.duration_ns));
  assert.equal(await place.getByText('1 build', { exact: true }).count(), 1, 'and none again');
  const row = place.locator('tbody tr');
  assert.equal(await row.getAttribute('title'), kernels.join('\n'));
  assert.equal(await words(row.locator('td')), duration(build.duration_ns));
  assert.match(await words(row), /^diffuse \+3 from a binary\s+with_buffers\.hpp:42\s/);
  assert.deepEqual(complaints, []);
});

const START = 'Where does the time before the first command go?';
test(START, async (t) => {
  const { complaints, place } = await opened(t, START);
  const [first] = ran;
  assert.equal(await words(place.locator('.big')), duration(first.start_ns));
  assert.ok((await words(place)).includes(`before the first command, ${first.name}`));
  for (const name of ['urAdapterGet', 'urContextCreate', 'urProgramBuild']) {
    const calls = rows(heat, `SELECT duration_ns FROM calls WHERE name = '${name}' AND start_ns < ${first.start_ns}`);
    assert.equal(await words(place.locator(`tr[title=${name}] td`)), duration(total(calls)), name);
  }
  assert.deepEqual(complaints, []);
});

const PATH = 'What decided how long the run took?';
test(PATH, async (t) => {
  const { page, complaints, said, place } = await opened(t, PATH);
  const chain = longestChain(heat, ({ duration_ns }) => duration_ns);
  assert.equal(await words(place.locator('.big')), duration(RUN));
  assert.ok((await words(place)).includes(`Dependences alone need at least ${duration(chain)}.`), await words(place));
  await place.getByTestId('more').click();
  const steps = (await place.locator('tbody tr').allInnerTexts()).map((step) => step.replace(/\s+/g, ' '));
  close(steps.map((step) => nanoseconds(step.match(/[\d.]+ \S+$/)[0])).reduce((sum, ns) => sum + ns), RUN, 0.001);
  const longest = (name) => Math.max(0, ...named(name).map(({ duration_ns }) => duration_ns));
  const onDevice = steps.map((step) => step.match(/^(.+) on device .*?([\d.]+ \S+)$/)).filter(Boolean);
  assert.ok(onDevice.length > 100);
  for (const [step, name, took] of onDevice) assert.ok(nanoseconds(took) <= longest(name) * 1.0005, step);

  const [, one, other, key] = said.match(/In (\w+) and (\w+), press `(\w)`/);
  await show(page, one);
  assert.equal((await drawLog(page)).path_steps, 0);
  await page.keyboard.press(key.toLowerCase());
  const drawn = await drawLog(page);
  assert.ok(drawn.path_steps > 0);
  assert.equal(drawn.path_ns[1], RUN);
  close(drawn.path_ns[0], RUN, 0.01);
  await show(page, other);
  await page.getByTestId('graph-canvas').focus();
  if (!(await graphLog(page)).critical) await page.keyboard.press(key.toLowerCase());
  const { critical, nodes } = await graphLog(page);
  assert.ok(critical > 0 && critical < nodes.length, `${critical} of ${nodes.length} nodes`);
  assert.deepEqual(complaints, []);
});

const FASTER = 'What would a faster kernel bring?';
test(FASTER, async (t) => {
  const { server, page, complaints, said, place } = await opened(t, FASTER);
  const part = (name) => place.getByTestId(`what-if-${name}`);
  const figures = async (name) => (await words(part(name).locator('p').first())).match(/^(.+) (?:was|replayed as recorded) (.+)$/).slice(1);
  const all = total(ran);
  const saved = total(named('diffuse')) / 2;

  // Nothing runs beside these kernels, and the host waits for them, so the run gets shorter by all that they save.
  await part('kernel').selectOption('diffuse');
  await part('faster').fill('2');
  await place.getByText('60 commands would change.').waitFor();
  assert.deepEqual(await figures('device'), [all - saved, all].map(duration));
  const chain = (own) => duration(longestChain(heat, own));
  const halved = chain((row) => (row.name === 'diffuse' ? Math.round(row.duration_ns / 2) : row.duration_ns));
  assert.deepEqual(await figures('unlimited'), [halved, chain((row) => row.duration_ns)]);
  const [now, was] = (await figures('path')).map(nanoseconds);
  const [{ last_ns }] = rows(heat, "SELECT max(start_ns + duration_ns) AS last_ns FROM slices WHERE category IN ('kernel', 'copy', 'fill', 'wait')");
  close(was, last_ns, 0.05);
  close(was - now, saved, 0.03);
  assert.ok((await words(part('replay'))).includes(`recorded ${duration(last_ns)} (`));

  // The schedule: each queue as recorded, and below it as predicted.
  assert.match(said, /the predicted schedule of each queue below the recorded one/);
  const lines = await page.getByTestId('what-if-rows').locator('li').allTextContents();
  const queues = rows(heat, 'SELECT q.queue, q.number FROM queues q ORDER BY q.number').map(({ queue, number }) => ({
    number,
    own: ran.filter((row) => row.queue === queue),
  }));
  assert.equal(lines.length, queues.length * 2);
  queues.forEach(({ number, own }, at) => {
    const [recorded, predicted] = lines.slice(at * 2, at * 2 + 2);
    const count = new RegExp(`^queue ${number} · .*: ${own.length} commands$`);
    assert.ok(/, recorded: /.test(recorded) && /, predicted: /.test(predicted), `${recorded}; ${predicted}`);
    for (const line of [recorded, predicted]) assert.match(line, count);
  });

  // Copies, fills and maps that take no time.
  await part('kernel').selectOption({ label: 'no kernel' });
  await part('copies').check();
  const free = ran.filter(({ kind }) => ['copy', 'fill', 'map', 'unmap'].includes(kind));
  await place.getByText(`${free.length} commands would change.`).waitFor();
  assert.deepEqual(await figures('device'), [all - total(free), all].map(duration));
  const [without, replayed] = (await figures('path')).map(nanoseconds);
  assert.ok(without < replayed && replayed - without <= total(free) * 1.01, `${replayed - without} of ${total(free)}`);

  // Only in the visible range, or in the selected area: its first ten kernels change.
  assert.match(said, /for the whole run, the selected area or the visible range/);
  const ten = named('diffuse').slice(0, 10);
  const [from_ns, to_ns] = [ten[0].start_ns, ten[9].end_ns];
  const inRange = ran.map(({ start_ns, end_ns }) => Math.max(0, Math.min(end_ns, to_ns) - Math.max(start_ns, from_ns)));
  const there = inRange.reduce((sum, ns) => sum + ns);
  const range = `${from_ns}-${to_ns}`;
  for (const [address, label] of [[`?r=${range}`, 'visible range'], [`?area=${range}`, 'selected area']]) {
    await visit(page, `${server.timeline}${address}`);
    await goTo(page, FASTER);
    await part('kernel').selectOption('diffuse');
    await place.getByLabel(`but only in the ${label}`).check();
    await place.getByText('10 commands would change.').waitFor();
    assert.deepEqual(await figures('device'), [there - total(ten) / 2, there].map(duration), label);
    assert.ok((await words(part('range'))).startsWith(duration(to_ns - from_ns)));
  }
  assert.deepEqual(complaints, []);
});

test('the findings of the summary show their gains', async (t) => {
  assert.match(PLACES.get(FASTER), /The findings of Summary show their gains\./);
  const server = await serverOf(trace('sub_buffers-bad'));
  const { page, complaints } = await openPage(t);
  await visit(page, server.timeline);
  await show(page, 'Summary');
  // Two parts of a buffer take turns; side by side they would save the time of the shorter part.
  const turns = executions(trace('sub_buffers-bad')).filter(({ name }) => name === 'grow_buffer');
  const shorter = Math.min(...[0, 1].map((part) => total(turns.filter((_, at) => at % 2 === part))));
  const card = page.getByRole('region', { name: 'Findings', exact: true });
  const gain = await words(card.locator('.big'));
  assert.match(gain, /^Could save up to /);
  close(nanoseconds(gain), shorter, 0.05);
  assert.deepEqual(complaints, []);
});

const CHANGE = 'Did my change help?';
test(CHANGE, async (t) => {
  // The server stores equal bytes once, so the same run again is packed as another file.
  for (const file of [packed('heat'), trace('heat-slow')]) await serverOf(file);
  const { page, complaints, said } = await opened(t, CHANGE);
  const choose = async (name) => {
    await page.getByTestId('compare-traces').getByRole('button', { name, exact: true }).click();
    await page.getByTestId('compare-result').waitFor();
    await idle(page);
  };
  const verdict = page.getByTestId('compare-verdict').locator('.big');
  const facts = page.getByTestId('compare-facts');
  const waterfall = page.getByTestId('compare-waterfall');
  await choose('heat.pftrace.gz');
  const commands = rows(heat, "SELECT node FROM nodes WHERE kind <> 'virtual'");
  assert.equal(await words(verdict), `B takes ${duration(RUN)}, as long as A.`);
  assert.match(await words(facts), new RegExp(`^Verdict: same\\. ${commands.length} commands on both sides\\.`));
  const kinds = await page.getByTestId('compare-commands').locator('tbody tr').allInnerTexts();
  assert.ok(kinds.length > 10 && kinds.every((kind) => !/[+−][\d.]+ \S?s/.test(kind)), kinds.join('\n'));
  assert.equal(await waterfall.count(), 0, 'no part of the run differs');

  assert.match(said, /with a field for iterations or a region/);
  const starts = named('diffuse_band').map(({ start_ns }) => start_ns);
  const field = page.getByRole('textbox', { name: 'Iterations or region to compare' });
  await field.fill('3-5');
  await field.press('Enter');
  await facts.getByText('Verdict (iterations 3-5): same.').waitFor();
  assert.equal(await words(verdict), `B takes ${duration(starts[5] - starts[2])}, as long as A.`);
  await field.fill('');
  await field.press('Enter');
  await facts.getByText('Verdict: same.').waitFor();

  // A longer run does not get the verdict "same".
  await page.getByTestId('compare-other').click();
  await choose('heat-slow.pftrace');
  const [{ end_ns }] = rows(trace('heat-slow'), 'SELECT max(at_ns) AS end_ns FROM clocks');
  const told = (await words(verdict)).match(/^B takes (.+?): (.+?) more than A's (.+?) \(/).slice(1);
  told.map(nanoseconds).forEach((ns, at) => close(ns, [end_ns, end_ns - RUN, RUN][at], 0.001));
  // One run on each side proves nothing, but the verdict is not "same".
  assert.doesNotMatch(await words(facts), /^Verdict: same/);
  const parts = await waterfall.locator('tbody tr:not(.is-sum) td:nth-child(2)').allInnerTexts();
  const signed = parts.map((part) => nanoseconds(part) * (part.startsWith('−') ? -1 : 1));
  close(signed.reduce((sum, ns) => sum + ns), end_ns - RUN, 0.001);
  assert.deepEqual(complaints, []);
});

const LINES = 'Which lines wait, copy and compute?';
test(LINES, async (t) => {
  const { page, complaints, place } = await opened(t, LINES);
  const waits = rows(heat, "SELECT file, line, start_ns, start_ns + duration_ns AS end_ns FROM slices WHERE category = 'wait' ORDER BY start_ns");
  const nodes = rows(heat, "SELECT file, line FROM nodes WHERE file <> '' AND submission IS NOT NULL");
  const allocations = rows(heat, 'SELECT file, line, size_bytes FROM allocations');
  const files = [...new Set(nodes.map(({ file }) => file))];
  /**
   * Returns the text of a cell in a line, which is empty without the column: a file has no column for a cost of none of
   * its lines.
   */
  const costOf = async (line, cost) => (await page.locator(`#line-${line} .cost-${cost}`).allInnerTexts()).join('').trim();
  assert.equal(await place.locator('.file-button').count(), files.length);
  for (const file of files) {
    const button = place.locator('.file-button', { hasText: path.basename(file) });
    const [, device, waited] = (await words(button.locator('.file-cost'))).match(/^device (.+?)(?:, waits (.+))?$/);
    assert.equal(device, duration(covered(ran.filter((row) => row.file === file))), file);
    const held = waits.filter((row) => row.file === file);
    // Host accessors also wait in a submission, and buffers where they are destroyed.
    if (!file.endsWith('with_buffers.hpp')) assert.equal(waited, held.length ? duration(covered(held)) : undefined, file);
    await button.click();
    await idle(page);
    if (file.endsWith('enqueue_functions.hpp')) continue; // Its text is not in the recording.
    for (const line of new Set(nodes.filter((row) => row.file === file).map((row) => row.line))) {
      const at = (row) => row.file === file && row.line === line;
      const copied = ran.filter((row) => at(row) && row.kind === 'copy').map(({ args }) => JSON.parse(args).bytes);
      const made = allocations.filter(at).map(({ size_bytes }) => size_bytes);
      const sum = (numbers) => (numbers.length ? bytes(numbers.reduce((one, other) => one + other)) : '');
      const own = ran.filter(at);
      const expected = {
        device: own.length ? duration(covered(own)) : '',
        moved: sum(copied),
        allocated: sum(made),
        submissions: String(nodes.filter(at).length),
      };
      const shown = await Promise.all(Object.keys(expected).map(async (cost) => [cost, await costOf(line, cost)]));
      assert.deepEqual(Object.fromEntries(shown), expected, `${file}:${line}`);
    }
    for (const line of new Set(held.map((row) => row.line))) {
      const own = held.filter((row) => row.line === line);
      const cell = await costOf(line, 'wait');
      if (!file.endsWith('with_buffers.hpp')) assert.equal(cell, duration(covered(own)), `${file}:${line}`);
      else assert.ok(nanoseconds(cell) >= covered(own) * 0.999, `${file}:${line}`);
    }
  }
  assert.deepEqual(complaints, []);
});

const OVERLAP = 'Why do my kernels not run at the same time?';
test(OVERLAP, async (t) => {
  const { page, complaints, place } = await opened(t, OVERLAP);
  const [bySlice, needed] = [new Map(ran.map((row) => [row.slice, row])), needs(heat, 'in_order')];
  const pairs = await place.getByTestId('serialised-pair').all();
  assert.ok(pairs.length > 0);
  for (const pair of pairs) {
    const commands = pair.locator('.serialised-command');
    const both = [];
    for (const command of await commands.all()) {
      await command.getByTitle('Select in all views').click();
      await idle(page);
      const row = bySlice.get(Number(new URL(page.url()).searchParams.get('s')));
      assert.ok((await words(command)).replace(/\s+/g, ' ').startsWith(`${row.name} ${duration(row.duration_ns)}`));
      both.push(row);
    }
    assert.equal(both.length, 2);
    assert.ok(both[0].end_ns <= both[1].start_ns, 'the second began when the first had ended');
    const [known, waiting] = [new Set(), [both[1].node]];
    for (const node of waiting) for (const other of needed.get(node) ?? []) if (!known.has(other)) waiting.push(other), known.add(other);
    assert.ok(!known.has(both[0].node), 'the second does not need the first');
    const shortest = Math.min(...both.map(({ duration_ns }) => duration_ns));
    assert.ok(nanoseconds(await words(pair.locator('h4'))) >= shortest * 0.999);
  }
  assert.deepEqual(complaints, []);
});

const MEMORY = 'Who holds the memory, and what is never released?';
test(MEMORY, async (t) => {
  const { page, complaints, place } = await opened(t, MEMORY);
  const allocations = rows(heat, 'SELECT *, coalesce(released_ns, at_ns + 1e18) AS ends_ns FROM allocations');
  const held = (at_ns) => allocations.filter((one) => one.at_ns <= at_ns && at_ns < one.ends_ns);
  const size = (some) => some.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const peak = allocations.map(({ at_ns }) => at_ns).sort((one, other) => size(held(other)) - size(held(one)) || one - other)[0];
  const title = page.getByTestId('moment-title');
  await title.waitFor();
  assert.equal(await words(title), `At ${peak / 1e6} ms (the peak): ${bytes(size(held(peak)))} in ${held(peak).length} allocations`);
  const [unreleased, ...more] = allocations.filter(({ released_ns }) => released_ns === null);
  assert.deepEqual([unreleased.size_bytes, more], [1_024, []]);
  await place.getByRole('button', { name: 'Leaks and misuse' }).click();
  assert.equal(await words(page.getByTestId('leaks-at-end')), '1 KiB in 1 allocation');
  const row = await words(page.getByTestId('never-released-by-place').locator('tbody tr'));
  assert.match(row, new RegExp(`^${path.basename(unreleased.file)}:${unreleased.line}\\s+USM device · .*\\s1 KiB\\s+1\\s`));
  assert.deepEqual(complaints, []);
});
