// Two runs side by side: chosen from the server's list, from files of this computer, and by a link. The page shows the
// answers of the server's API.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { idle, openPage, openServer, picture, scratch, serverOf, trace, visit } from './support.mjs';

const before = trace('heat');
const now = trace('heat-slow');

/** Returns both recordings on this file's server, and its comparison of them. */
async function both() {
  const a = await serverOf(before);
  const b = await serverOf(now);
  const overview = await a.ask(`compare/${b.entry.id}/overview?limit=500`);
  return { a, b, overview };
}

/** Returns the rows of the table of commands as shown. */
const rows = async (page) => {
  await page.getByTestId('compare-commands').waitFor();
  await idle(page);
  const lines = page.getByTestId('compare-commands').locator('tbody tr');
  return lines.evaluateAll((all) => all.map((line) => [...line.cells].map((cell) => cell.textContent)));
};

/** Name of a row in the table: a copy has its direction. */
const WORDS = { host_to_device: 'host → device', device_to_host: 'device → host', device_to_device: 'on the device' };
const title = ({ a, b }) => {
  const { name, direction } = b ?? a;
  return WORDS[direction] ? `${name}, ${WORDS[direction]}` : name;
};

const query = (page) => new URL(page.url()).searchParams;

test('another trace of the server is chosen, and every part of the answer is shown', async (t) => {
  const { a, b, overview } = await both();
  const { page, complaints } = await openPage(t);
  await visit(page, a.timeline);
  await page.keyboard.press('8');
  await page.getByTestId('compare-choose').waitFor();
  await idle(page);
  await picture(page, 'compare-choose');
  await page.getByTestId('compare-traces').getByRole('button', { name: b.entry.name }).click();
  const shown = await rows(page);
  assert.equal(query(page).get('xb'), b.entry.id);
  assert.equal(shown.length, overview.rows.length);
  const names = overview.rows.map(title);
  assert.deepEqual(shown.map((line) => line[0]), names, 'most time gained or lost comes first');
  assert.ok(new Set(names).size < names.length, 'rows of one name');
  const placeOf = (side) => (side?.location?.file ? `${path.basename(side.location.file)}:${side.location.line}` : '');
  const places = overview.rows.map(({ a, b }) => [...new Set([a, b].map(placeOf).filter(Boolean))].join(' → '));
  assert.deepEqual(shown.filter((_, place) => places[place]).map((line) => line[1]), places.filter(Boolean), 'their lines tell them apart');
  assert.match(await page.getByTestId('compare-verdict').innerText(), new RegExp(`Verdict: ${overview.duration.verdict}`));
  assert.deepEqual(await page.getByTestId('compare-notes').locator('li').allInnerTexts(), overview.notes.map((note) => note.message.replaceAll('`', '')));
  assert.ok(overview.notes.some((note) => note.kind === 'one_run_each'));
  // The steps lead from A's time to B's.
  const steps = page.getByTestId('compare-waterfall').locator('tbody tr');
  assert.ok((await steps.count()) > 3);
  assert.match(await page.locator('.warp-lines').getAttribute('d'), /^M/, 'lines join the same moments');
  await picture(page, 'compare');

  // Back undoes the choice.
  await page.goBack();
  await page.getByTestId('compare-choose').waitFor();
  await page.goForward();
  await page.getByTestId('compare-result').waitFor();
  assert.deepEqual(complaints, []);
});

test('iterations, and the time of an area, are compared in the place of the runs', async (t) => {
  const { a, b } = await both();
  const { page, complaints } = await openPage(t);
  await visit(page, `${a.timeline}?v=compare&xb=${b.entry.id}&area=0-3000000`);
  const part = page.getByTestId('compare-part');
  await part.fill('3-5');
  await part.press('Enter');
  const verdict = page.getByTestId('compare-facts');
  await verdict.getByText('Verdict (iterations 3-5):').waitFor();
  const overview = await a.ask(`compare/${b.entry.id}/overview?limit=500&iterations=3-5`);
  assert.deepEqual((await rows(page)).map((line) => line[0]), overview.rows.map(title));
  assert.equal(query(page).get('xp'), 'iterations=3-5');
  // The link contains the compared part.
  await page.reload();
  await verdict.getByText('Verdict (iterations 3-5):').waitFor();
  assert.equal(await part.inputValue(), '3-5');
  await page.getByTestId('compare-area').click();
  await verdict.getByText('Verdict (up to 3 ms):').or(verdict.getByText('Verdict (from 0 ns to 3 ms):')).waitFor();
  assert.equal(await part.inputValue(), '');
  await page.getByTestId('compare-area').click();
  await verdict.getByText('Verdict:').waitFor();
  // An unknown part gives an error, and can be corrected.
  await part.fill('nothing');
  await part.press('Enter');
  await page.getByText("no region of the trace is named 'nothing'").waitFor();
  await part.fill('');
  await part.press('Enter');
  await verdict.getByText('Verdict:').waitFor();
  assert.deepEqual(complaints.filter((one) => !one.includes('404')), []);
});

test('a row is one selection in all views, on both sides', async (t) => {
  const { a, b, overview } = await both();
  const { page, complaints } = await openPage(t);
  await visit(page, `${a.timeline}?v=compare&xb=${b.entry.id}`);
  await rows(page);
  const picked = overview.rows.find((row) => row.a && row.b && row.matched > 1);
  const number = overview.rows.indexOf(picked);
  const line = page.getByTestId('compare-commands').locator('tbody tr').nth(number);
  await line.getByRole('button').click();
  await page.getByTestId('compare-pairs').locator('tbody tr').first().waitFor();
  await idle(page);
  assert.equal(query(page).get('s'), `n${picked.a.nodes[0]}`);
  assert.equal(query(page).get('xr'), String(picked.row));
  assert.match(await line.getAttribute('class'), /is-selected/);
  assert.match(await page.getByTestId('compare-counterpart').innerText(), /in A.*in B/);
  const pairs = await a.ask(`compare/${b.entry.id}/commands?row=${picked.row}&limit=50`);
  assert.equal(await page.getByTestId('compare-pairs').locator('tbody tr').count(), pairs.commands.length);

  // A command selected in another view marks its row.
  const other = overview.rows.find((row) => row !== picked && row.a && row.a.nodes.length > 0);
  await visit(page, `${a.timeline}?v=compare&xb=${b.entry.id}&s=n${other.a.nodes[0]}`);
  const marked = page.getByTestId('compare-commands').locator('tr.is-selected');
  await marked.waitFor();
  assert.equal(await marked.locator('th').innerText(), title(other));

  // Swapped, the page's own trace is the candidate B.
  await page.keyboard.press('x');
  await idle(page);
  assert.equal(query(page).get('xs'), '1');
  const swapped = await b.ask(`compare/${a.entry.id}/overview?limit=500`);
  assert.deepEqual((await rows(page)).map((one) => one[0]), swapped.rows.map(title));
  assert.match(await page.getByTestId('compare-verdict').innerText(), /B, now: this trace/i);
  await page.goBack();
  await idle(page);
  assert.equal(query(page).get('xs'), null);

  // The filter and the order are in the address.
  await page.getByTestId('compare-filter').fill('nothing has this name');
  await page.getByText('No matches').waitFor();
  await page.getByTestId('compare-filter').fill(picked.a.name.slice(0, 8));
  assert.ok((await rows(page)).length >= 1);
  await page.getByTestId('compare-commands').getByRole('button', { name: 'Change' }).click();
  await idle(page);
  assert.equal(query(page).get('xo'), 'ratio');
  assert.deepEqual(complaints, []);
});

test('the task graphs of both are drawn as one', async (t) => {
  const a = await serverOf(trace('sub_buffers-bad'));
  const b = await serverOf(trace('sub_buffers-good'));
  const { page, complaints } = await openPage(t);
  await visit(page, `${a.timeline}?v=compare&xb=${b.entry.id}`);
  const graph = await a.ask(`compare/${b.entry.id}/graph?limit=40`);
  const changed = (edge) => edge.reasons.some((one) => one.presence !== 'both' || one.new_reason);
  assert.ok(graph.nodes.length > 2 && graph.edges.some(changed), JSON.stringify(graph));
  const card = page.getByTestId('compare-graph');
  await card.waitFor();
  await idle(page);
  const nodes = card.locator('.merged-node');
  assert.equal(await nodes.count(), graph.nodes.length);
  assert.equal(await card.locator('.merged-line').count(), graph.edges.length);
  assert.equal(await card.locator('.merged-line:not(.is-same)').count(), graph.edges.filter(changed).length);
  await card.scrollIntoViewIfNeeded();
  await picture(page, 'compare-graph');

  // The wheel scrolls the view, not the graph in it.
  const merged = card.locator('.merged');
  const top = () => merged.evaluate((element) => element.closest('.view-body').scrollTop);
  assert.ok(await merged.evaluate((element) => element.scrollHeight - element.clientHeight <= 1));
  // Moving the pointer there may scroll the view, too.
  await merged.hover({ position: { x: 3, y: 3 } });
  await idle(page);
  const before = await top();
  assert.ok(before > 0, 'there is something to scroll');
  await page.mouse.wheel(0, -200);
  await page.waitForFunction((before) => document.querySelector('.merged').closest('.view-body').scrollTop < before, before);

  // A click on a node marks its row. The neighbourhood of a row has fewer nodes.
  const number = graph.nodes.findIndex((node) => node.a_node !== null);
  await nodes.nth(number).click();
  await idle(page);
  assert.equal(query(page).get('xr'), String(graph.nodes[number].row));
  assert.equal(query(page).get('s'), `n${graph.nodes[number].a_node}`);
  assert.match(await nodes.nth(number).getAttribute('class'), /is-selected/);
  await page.getByTestId('compare-around').click();
  const near = await a.ask(`compare/${b.entry.id}/graph?around=${graph.nodes[number].row}&limit=40`);
  await idle(page);
  assert.equal(await nodes.count(), near.nodes.length);
  assert.equal(query(page).get('xg'), '1');
  assert.deepEqual(complaints, []);
});

test('the page shows live memory at the same moments of both', async (t) => {
  const a = await serverOf(trace('leaks-twice'));
  const b = await serverOf(trace('transfers'));
  const { page, complaints } = await openPage(t);
  await visit(page, `${a.timeline}?v=compare&xb=${b.entry.id}`);
  const whole = await a.ask(`compare/${b.entry.id}/live?limit=40`);
  const card = page.getByTestId('compare-live');
  await card.waitFor();
  await idle(page);
  const slider = page.getByTestId('compare-moment');
  assert.equal(await slider.getAttribute('max'), String(whole.moments.length - 1));
  assert.equal(await card.locator('tbody tr').count(), whole.places.length);
  await card.scrollIntoViewIfNeeded();
  await picture(page, 'compare-memory');

  // Another moment is in the address, and the table lists its allocation sites.
  await slider.fill('0');
  await idle(page);
  assert.equal(query(page).get('xm'), String(whole.moments[0].a_ns));
  const there = await a.ask(`compare/${b.entry.id}/live?side=a&at=${whole.moments[0].a_ns}&limit=40`);
  assert.equal(await card.locator('tbody tr').count(), there.places.length);
  assert.match(await page.getByTestId('compare-moment-text').innerText(), /^A has .* live at .*, B has .* at /);
  assert.deepEqual(complaints, []);
});

test('several runs of each side decide together', async (t) => {
  const { a, b } = await both();
  const folder = scratch(t);
  // Runs with the same contents, packed differently, because a server stores equal bytes only once.
  const more = [];
  for (const [level, file] of [[1, before], [5, before], [1, now], [5, now]]) {
    const packed = path.join(folder, `${path.basename(file, '.pftrace')}-${level}.pftrace.gz`);
    fs.writeFileSync(packed, gzipSync(fs.readFileSync(file), { level }));
    more.push((await serverOf(packed)).entry);
  }
  const { page, complaints } = await openPage(t);
  await visit(page, `${a.timeline}?v=compare&xb=${b.entry.id}`);
  await rows(page);
  assert.equal(await page.getByTestId('compare-notes').count(), 1);
  const runs = page.getByTestId('compare-runs');
  await runs.locator('summary').click();
  for (const [entry, side] of [[more[0], 'A'], [more[1], 'A'], [more[2], 'B'], [more[3], 'B']])
    await runs.getByRole('button', { name: `A run of ${side}: ${entry.name}`, exact: true }).click();
  await page.getByText('Statistics of 3 and 3 runs').waitFor();
  await idle(page);
  assert.match(await runs.locator('summary').innerText(), /3 runs of A, 3 of B/);
  assert.deepEqual([query(page).get('xw'), query(page).get('xv')], [[0, 1], [2, 3]].map((side) => side.map((n) => more[n].id).join('.')));
  const [xw, xv] = [query(page).get('xw'), query(page).get('xv')];
  const overview = await a.ask(`compare/${b.entry.id}/overview?limit=500&more_a=${xw}&more_b=${xv}`);
  assert.deepEqual([overview.a.runs, overview.b.runs], [3, 3]);
  assert.ok(overview.rows.some((row) => row.time.low !== null));
  assert.ok((await rows(page)).some((line) => / to /.test(line[5])), 'there are intervals');
  await picture(page, 'compare-runs');
  // The other trace's page shows the same comparison, mirrored.
  await page.getByTestId('compare-verdict').getByRole('link').click();
  await page.getByText('Statistics of 3 and 3 runs').waitFor();
  assert.deepEqual([query(page).get('xw'), query(page).get('xv'), query(page).get('xs')], [xv, xw, '1']);
  await page.goBack();
  await page.getByText('Statistics of 3 and 3 runs').waitFor();
  assert.deepEqual(complaints, []);
});

test('a link to two traces leads to their comparison', async (t) => {
  const { a, b } = await both();
  const { page, complaints } = await openPage(t);
  await page.goto(`${a.origin}/compare/${a.entry.id}/${b.entry.id}?xo=-name`);
  await rows(page);
  assert.match(new URL(page.url()).pathname, new RegExp(`/t/${a.entry.id}$`));
  assert.deepEqual([query(page).get('xb'), query(page).get('xo')], [b.entry.id, '-name']);
  // A trace compared with itself.
  await visit(page, `${a.timeline}?v=compare&xb=${a.entry.id}`);
  await page.getByTestId('compare-result').waitFor();
  await idle(page);
  assert.match(await page.getByTestId('compare-verdict').innerText(), /Verdict: same/);
  for (const part of ['waterfall', 'figures', 'loops', 'edges', 'memory', 'differences'])
    assert.equal(await page.getByTestId(`compare-${part}`).count(), 0, part);
  assert.deepEqual(complaints, []);
});

test('of the files of a folder those of the same program come first, and one that is no trace is among the others', async (t) => {
  const folder = scratch(t);
  for (const file of [before, now]) fs.copyFileSync(file, path.join(folder, path.basename(file)));
  fs.writeFileSync(path.join(folder, 'notes.json'), 'no trace');
  const server = await openServer(t, folder);
  const { page, complaints } = await openPage(t);
  await visit(page, server.origin);
  // The list shows their programs soon after the folder is listed.
  await page.waitForFunction(() => document.querySelectorAll('[data-testid=trace] img').length === 2);
  await page.getByRole('link', { name: 'heat.pftrace', exact: true }).click();
  await page.getByTestId('timeline-canvas').waitFor();
  await page.keyboard.press('8');
  const list = page.getByTestId('compare-traces');
  await list.waitFor();
  assert.match(await list.innerText(), /Runs of heat[^]*heat-slow\.pftrace[^]*Other runs[^]*notes\.json/);
  await list.getByRole('button', { name: 'heat-slow.pftrace' }).click();
  await page.getByTestId('compare-result').waitFor();
  assert.deepEqual(complaints, []);
});

test('a list of the newest traces says that there may be others', async (t) => {
  const { a, b } = await both();
  const { page } = await openPage(t);
  const known = { ...b.entry, by: null, leaves_unix_ns: null, figures: null };
  let count = 99;
  await page.route(/\/api\/v1\/traces(\?q=\w+)?$/, (route) =>
    route.fulfill({ json: Array.from({ length: count }, (_, place) => ({ ...known, name: `${place}.pftrace` })) }),
  );
  await visit(page, `${a.timeline}?v=compare`);
  await page.getByTestId('compare-traces').waitFor();
  const note = page.getByText('Of the newest 100.');
  assert.equal(await note.count(), 0);
  count = 100;
  await page.getByTestId('compare-search').fill('heat');
  await note.waitFor();
});

test('two local files are compared as a server compares them, and nothing of them is sent', async (t) => {
  const { a, b, overview } = await both();
  const { page, complaints } = await openPage(t);
  await visit(page, `${a.timeline}?v=compare&xb=${b.entry.id}`);
  const hosted = await rows(page);
  await visit(page, `${a.origin}/`);
  const sent = [];
  page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`));
  await page.getByTestId('local-input').setInputFiles(before);
  await page.getByTestId('timeline-canvas').waitFor();
  await page.keyboard.press('8');
  await page.getByTestId('compare-input').setInputFiles(now);
  assert.deepEqual(await rows(page), hosted);
  assert.equal(query(page).get('xl'), path.basename(now));
  assert.deepEqual(sent.filter((line) => !line.startsWith('GET')), []);
  assert.deepEqual(sent.filter((line) => line.includes('/compare/')), []);
  const picked = overview.rows.find((row) => row.a && row.b && row.matched > 1);
  await page.getByTestId('compare-commands').locator('tbody tr').nth(overview.rows.indexOf(picked)).getByRole('button').click();
  await page.getByTestId('compare-pairs').locator('tbody tr').first().waitFor();
  assert.match(await page.getByTestId('compare-counterpart').innerText(), /in A.*in B/);
  await page.keyboard.press('x');
  await idle(page);
  assert.match(await page.getByTestId('compare-verdict').innerText(), /B, now: this trace/i);
  assert.deepEqual(complaints, []);
});

test('a local file is compared with a trace of the server', async (t) => {
  const { a, b } = await both();
  const { page, complaints } = await openPage(t);
  await visit(page, `${a.timeline}?v=compare&xb=${b.entry.id}`);
  const hosted = await rows(page);
  await page.keyboard.press('o');
  await page.getByTestId('compare-input').setInputFiles(now);
  assert.deepEqual(await rows(page), hosted);
  // The browser forgets files, so the link names the one to choose again.
  await page.reload();
  await page.getByTestId('compare-wanted').waitFor();
  assert.match(await page.getByTestId('compare-wanted').innerText(), new RegExp(path.basename(now)));
  await page.getByTestId('compare-input').setInputFiles(now);
  assert.deepEqual(await rows(page), hosted);
  assert.deepEqual(complaints, []);
});

test('several local files are the runs of a side, and decide as they do on a server', async (t) => {
  const { a, b } = await both();
  const folder = scratch(t);
  // Runs with the same contents, packed differently, as on the server.
  const copy = (file, level) => {
    const packed = path.join(folder, `${path.basename(file, '.pftrace')}-${level}.pftrace.gz`);
    fs.writeFileSync(packed, gzipSync(fs.readFileSync(file), { level }));
    return packed;
  };
  const more = { a: [copy(before, 1), copy(before, 5)], b: [copy(now, 1), copy(now, 5)] };
  const ids = {};
  for (const side of ['a', 'b']) {
    const entries = [];
    for (const file of more[side]) entries.push((await serverOf(file)).entry.id);
    ids[side] = entries.join('.');
  }
  const { page, complaints } = await openPage(t);
  await visit(page, `${a.timeline}?v=compare&xb=${b.entry.id}&xw=${ids.a}&xv=${ids.b}`);
  await page.getByText('Statistics of 3 and 3 runs').waitFor();
  const hosted = await rows(page);
  assert.ok(hosted.some((line) => / to /.test(line[5])), 'there are intervals');
  await visit(page, `${a.origin}/`);
  await page.getByTestId('local-input').setInputFiles(before);
  await page.getByTestId('timeline-canvas').waitFor();
  await page.keyboard.press('8');
  // Several files at once form one side. The first one is shown.
  await page.getByTestId('compare-input').setInputFiles([now, ...more.b]);
  await page.getByText('Statistics of 1 and 3 runs').waitFor();
  await idle(page);
  assert.equal(query(page).get('xl'), path.basename(now));
  await page.getByTestId('compare-runs').locator('summary').click();
  assert.match(await page.getByTestId('compare-runs').innerText(), /1 run of A, 3 of B[^]*heat-slow-1.pftrace.gz, heat-slow-5.pftrace.gz/);
  await page.getByTestId('compare-input-a').setInputFiles(more.a);
  await page.getByText('Statistics of 3 and 3 runs').waitFor();
  assert.deepEqual(await rows(page), hosted);
  // One run on each side again.
  await page.getByTestId('compare-runs').locator('summary').click();
  await picture(page, 'compare-local-runs');
  await page.getByTestId('compare-forget-runs').click();
  await page.getByTestId('compare-verdict').waitFor();
  await idle(page);
  assert.ok(!(await page.getByTestId('compare-verdict').innerText()).includes('Statistics of'));
  // Dropped files form a side, too.
  const files = [now, more.b[0]].map((file) => [path.basename(file), fs.readFileSync(file).toString('base64')]);
  const data = await page.evaluateHandle((files) => {
    const data = new DataTransfer();
    for (const [name, bytes] of files) data.items.add(new File([Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0))], name));
    return data;
  }, files);
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: data });
  await page.getByTestId('drop-compare').dispatchEvent('drop', { dataTransfer: data });
  await page.getByText('Statistics of 1 and 2 runs').waitFor();
  assert.deepEqual(complaints, []);
});

test('what cannot be compared says so', async (t) => {
  const { a } = await both();
  const { page } = await openPage(t);
  await visit(page, `${a.timeline}?v=compare&xb=${'a'.repeat(26)}`);
  await page.getByTestId('view-failure').waitFor();
  await page.getByTestId('compare-other').click();
  await page.getByTestId('compare-choose').waitFor();
  // A file that is not a trace.
  const folder = scratch(t);
  const note = path.join(folder, 'note.txt');
  fs.writeFileSync(note, 'not a trace');
  await page.getByTestId('compare-input').setInputFiles(note);
  await page.getByTestId('compare-failure').waitFor();
  await picture(page, 'compare-failure');
  // A trace of another program.
  const other = fileURLToPath(new URL('../../trace/engine/tests/data/whole.json', import.meta.url));
  await page.getByTestId('compare-input').setInputFiles(other);
  await page.getByTestId('compare-notes').waitFor();
  assert.ok((await page.getByTestId('compare-notes').locator('li').count()) > 0);
  await picture(page, 'compare-others');
});

test('the file that was chosen last is compared, however long an earlier one takes', async (t) => {
  const { a } = await both();
  const { page, complaints } = await openPage(t);
  const text = fs.readFileSync(fileURLToPath(new URL('../../trace/engine/tests/data/foreign/unitrace.json', import.meta.url)), 'utf8').trimEnd();
  const large = path.join(scratch(t), 'large.json');
  fs.writeFileSync(large, `${text.slice(0, -1)}${' '.repeat(256 << 20)}${text.slice(-1)}`);
  await visit(page, `${a.origin}/`);
  await page.getByTestId('local-input').setInputFiles(before);
  await page.getByTestId('timeline-canvas').waitFor();
  await page.keyboard.press('8');
  await idle(page);
  // The page itself navigates back as soon as it reads and its address has changed: from outside it may be too late.
  const isBack = page.evaluate(
    (before) =>
      new Promise((resolve) => {
        const look = () => {
          const isReading = document.body.innerText.includes('Reading large.json');
          if (!isReading || location.href === before) return void requestAnimationFrame(look);
          addEventListener('popstate', () => setTimeout(resolve), { once: true });
          history.back();
        };
        look();
      }),
    page.url(),
  );
  await page.getByTestId('compare-input').setInputFiles(large);
  await isBack;
  await page.getByTestId('compare-input').setInputFiles(now);
  const shown = await rows(page);
  for (const _ of [1, 2]) {
    await page.keyboard.press('x');
    await idle(page);
  }
  assert.deepEqual(await rows(page), shown);
  assert.deepEqual(complaints, []);
});
