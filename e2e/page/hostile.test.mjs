// Texts of a trace from an attacker, in every place and every view: none becomes markup, an address or a script.
// Messages of other windows change nothing.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isSoak } from '../server/lib/soak.mjs';
import { canvasBox, drawLog, idle, openPage, scratch, startServer, store, visit } from './support.mjs';

const recording = fileURLToPath(new URL('../../trace/engine/tests/data/whole.json', import.meta.url));

/** Signs that a script ran, and an address that must get no request. */
const MARK = 'window.__ran=1';
const ELSEWHERE = 'evil.invalid';

const HOSTILE = [
  `<img src=x onerror="${MARK}">`,
  `"><script>${MARK}</script>`,
  `'"><svg/onload=${MARK}>`,
  `</title></style></textarea></script><script>${MARK}</script>`,
  `javascript:${MARK}`,
  `](javascript:${MARK})![x](https://${ELSEWHERE}/a.png)`,
  `<a href="https://${ELSEWHERE}/" id=location name=cookie>x</a>`,
  `<style>@import url(https://${ELSEWHERE}/);*{background:url(https://${ELSEWHERE}/)}</style>`,
  `<iframe srcdoc="<script>parent.__ran=1</script>"></iframe><base href="https://${ELSEWHERE}/">`,
  `<meta http-equiv=refresh content="0;url=https://${ELSEWHERE}/">`,
  `<!--<![CDATA[ ]]>--><?xml-stylesheet href="https://${ELSEWHERE}/"?>&#60;script&#62;&lt;b&gt;`,
  '`|x|\\|`\n\n# heading\n<b>',
  '\u0000\u0001\u001b[31m\r\n\t\u2028\u2029\ufeff',
  '\u202egnp.exe\u2066\u200f\u200b',
  '__proto__', 'constructor', 'toString', '%s%n%00', '../../../etc/passwd', '\ud83d\ude00\u0301'.repeat(50),
  `<b>${'long '.repeat(2_000)}`,
  '',
];

/** True for a word of the recording's own language: with another word it would be another kind of event. */
const isWord = (text) => /^[a-z][a-z_]*$/.test(text) || /^0x[0-9a-f]+$|^[+-]?\d+$|^[0-9a-f]{64}$|^$/.test(text);

/**
 * Returns the recording with a hostile text for each name and value, and in new arguments; `number` is the index of the
 * first text.
 */
function hostile(number) {
  const next = () => HOSTILE[number++ % HOSTILE.length];
  // Equal names stay equal.
  const known = new Map();
  const other = (text) => known.get(text) ?? known.set(text, next()).get(text);
  const events = JSON.parse(fs.readFileSync(recording, 'utf8'));
  const fixed = new Set(['process_name', 'sycl.track']);
  for (const event of events) {
    if (event.ph === 'E') continue;
    if (!fixed.has(event.name) && !event.cat?.startsWith('sycl.')) event.name = other(event.name);
    if (['sycl.node', 'sycl.device', 'sycl.source_file', 'sycl.fact'].includes(event.cat)) event.name = other(event.name);
    for (const [key, value] of Object.entries(event.args ?? {}))
      if (typeof value === 'string' && !(isWord(value) && key !== 'name')) event.args[key] = other(value);
    if (event.ph === 'B') event.args = { ...event.args, [next()]: next(), [next()]: 1, [next()]: true };
  }
  return JSON.stringify(events);
}

/** Opens a page and lists its requests. */
async function watched(t) {
  const opened = await openPage(t);
  const asked = [];
  opened.context.on('request', (request) => asked.push(request.url()));
  return { ...opened, asked };
}

/** Asserts that no script of the trace ran, the policy was not needed, and no other server got a request. */
async function isUntouched({ page, complaints, asked }, origin, where) {
  assert.equal(await page.evaluate(() => window.__ran), undefined, where);
  const odd = complaints.filter((line) => /content security policy|exception/.test(line));
  assert.deepEqual(odd, [], where);
  const others = asked.filter((address) => !address.startsWith(`${origin}/`) && !/^(data|blob):/.test(address));
  assert.deepEqual(others, [], where);
  // No element has an inline handler or a script address, and none of the dangerous kinds is in the body.
  const bad = await page.evaluate(() =>
    [...document.querySelectorAll('*')].filter((element) =>
      ['SCRIPT', 'IFRAME', 'OBJECT', 'EMBED', 'META', 'BASE', 'STYLE', 'LINK'].includes(element.tagName) && document.body.contains(element) ||
      [...element.attributes].some(({ name, value }) => /^on/i.test(name) || /^(href|src|action|formaction|xlink:href)$/i.test(name) && /^\s*(javascript|data:text)/i.test(value)))
      .map((element) => element.outerHTML.slice(0, 200)));
  assert.deepEqual(bad, [], where);
}

const VIEWS = ['timeline', 'graph', 'kernel', 'calls', 'source', 'memory', 'summary', 'compare', 'sql&sql=SELECT%20name%20FROM%20slices'];

/** Opens a saved file as a page of its own, and asserts that nothing in it runs or sends a request. */
async function opensQuietly(t, file, name) {
  const { page, asked } = await watched(t);
  const address = `file://${file}`;
  await page.goto(address);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  assert.equal(await page.evaluate(() => window.__ran), undefined, name);
  assert.deepEqual(asked.filter((one) => one !== address), [], name);
}

// Each round puts every text somewhere; a soak puts each in each place.
for (const number of [...HOSTILE.keys()].filter((number) => isSoak || number % 11 === 0))
  test(`no text of a trace is more than a text, beginning with ${JSON.stringify(HOSTILE[number].slice(0, 30))}`, async (t) => {
    const folder = scratch(t);
    const file = path.join(folder, 'hostile.json');
    fs.writeFileSync(file, hostile(number));
    const server = await startServer(t);
    const name = HOSTILE[number].replace(/[\u0000-\u001f]/g, '') || 'a';
    const entry = await store(server, file, name.slice(0, 200));
    const json = { 'content-type': 'application/json' };
    const put = (where, method, body) => fetch(`${server.origin}/api/v1/traces/${entry.id}/${where}`, { method, headers: json, body: JSON.stringify(body) });
    await put('labels/branch', 'PUT', { value: name.slice(0, 100) });
    for (const pin of ['n1', 't5-9', '0']) await put('comments', 'POST', { pin, about: name.slice(0, 200), text: HOSTILE[number].slice(0, 3_000) || 'a' });
    const opened = await watched(t);
    const { page } = opened;
    const timeline = `${server.origin}/t/${entry.id}`;
    await visit(page, `${server.origin}/`);
    await isUntouched(opened, server.origin, 'the list');
    for (const view of VIEWS) {
      await visit(page, `${timeline}?v=${view}`);
      // The mouse moves over everything, and presses in the middle.
      const { width, height } = page.viewportSize();
      for (let at = 1; at < 8; at += 1) await page.mouse.move((width * at) / 8, (height * ((at * 3) % 8)) / 8);
      await page.mouse.click(width / 3, height / 3);
      await idle(page);
      await isUntouched(opened, server.origin, view);
    }
    for (const thing of ['n1', 'n2', 'n3', 'q1', 'o1', 'a0', '0', '1', `k${encodeURIComponent(HOSTILE[number].slice(0, 500))}`, `l1.${encodeURIComponent(HOSTILE[number].slice(0, 500))}`]) {
      await visit(page, `${timeline}?s=${thing}`);
      await isUntouched(opened, server.origin, `s=${thing.slice(0, 40)}`);
    }
    // Slices of the timeline under the mouse, then a search.
    await visit(page, timeline);
    const log = await drawLog(page);
    const box = await canvasBox(page);
    for (const slice of log.slices.slice(0, 20)) await page.mouse.move(box.x + Math.max(slice.x, 0) + 1, box.y + slice.y + 2);
    await page.getByTestId('search').fill(HOSTILE[number].slice(0, 1_000));
    await idle(page);
    await isUntouched(opened, server.origin, 'the search');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    const [svg] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Shift+S')]);
    await svg.saveAs(path.join(folder, 'view.svg'));
    await opensQuietly(t, path.join(folder, 'view.svg'), 'the picture');
    for (const [part, kind] of [['summary.md', 'txt'], ['summary.html', 'html'], ['picture.svg', 'svg']]) {
      const answer = await fetch(`${server.origin}/api/v1/traces/${entry.id}/${part}`);
      assert.equal(answer.status, 200, part);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff', part);
      const saved = path.join(folder, `saved.${kind}`);
      fs.writeFileSync(saved, Buffer.from(await answer.arrayBuffer()));
      await opensQuietly(t, saved, part);
      await page.goto(`${server.origin}/api/v1/traces/${entry.id}/${part}`).catch(() => {});
      assert.equal(await page.evaluate(() => window.__ran), undefined, part);
    }
    // The same from this computer: the worker reads the file, and the page never sends it.
    await visit(page, `${server.origin}/`);
    await page.getByTestId('local-input').setInputFiles(file);
    await page.getByTestId('timeline-canvas').waitFor();
    await idle(page);
    await isUntouched(opened, server.origin, 'a file of this computer');
  });

/** Serves pages of another site; `localhost` and 127.0.0.1 are different sites. */
async function otherSite(t, pages) {
  const server = http.createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(pages[new URL(request.url, 'http://any').pathname] ?? '<!doctype html><title>other</title>');
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => (server.closeAllConnections(), server.close()));
  return `http://localhost:${server.address().port}`;
}

/** Sends a window messages that no page of ours sends, in any shape and size. */
const shout = (target) => {
  const deep = Array.from({ length: 2_000 }).reduce((inner) => ({ inner }), {});
  const shapes = [
    null, undefined, 0, NaN, '', 'PING', 'PONG', 'x'.repeat(1 << 20), true, [], {}, deep, new Date(), /x/, new Map([['name', 'ready:response']]),
    { name: 'ready:request' }, { name: 'ready:response' }, { name: 'inject-profile', profile: new ArrayBuffer(1 << 22) },
    { name: { toString: 1 } }, { perfetto: { buffer: new ArrayBuffer(1 << 22), title: '<b>' } }, new ArrayBuffer(1 << 24),
    { name: '<img src=x onerror="window.__ran=1">', data: 'javascript:window.__ran=1' }, { __proto__: { name: 'PONG' } },
  ];
  for (const shape of shapes) target.postMessage(shape, '*');
  return shapes.length;
};

test('another site keeps no hold of a page that it opens, and messages of one that may frame it change nothing', async (t) => {
  const pages = {};
  const origin = await otherSite(t, pages);
  const server = await startServer(t, undefined, ['--frame-ancestors', origin]);
  const file = path.join(scratch(t), 'a.json');
  fs.writeFileSync(file, hostile(0));
  const entry = await store(server, file, 'a.json');
  const address = `${server.origin}/t/${entry.id}`;
  pages['/framing'] = `<!doctype html><title>framing</title><iframe width="1200" height="700" src="${address}?embed"></iframe>`;
  const { context, page: attacker, complaints } = await openPage(t);
  await attacker.goto(origin);
  const [opened] = await Promise.all([
    context.waitForEvent('page'),
    attacker.evaluate((address) => void (window.opened = window.open(address)), address),
  ]);
  await opened.getByTestId('timeline-canvas').waitFor();
  assert.deepEqual(await Promise.all([attacker.evaluate(() => window.opened.closed), opened.evaluate(() => window.opener)]), [true, null]);
  await opened.close();

  await attacker.goto(`${origin}/framing`);
  const frame = await (await attacker.waitForSelector('iframe')).contentFrame();
  await frame.getByTestId('timeline-canvas').waitFor();
  await idle(frame);
  const state = async () => [frame.url(), JSON.parse(await frame.evaluate(() => window.__syclscope.drawLog())), await frame.evaluate(() => document.body.innerText)];
  const before = await state();
  await frame.evaluate(() => {
    window.__heard = 0;
    addEventListener('message', () => (window.__heard += 1));
  });
  const sent = await attacker.evaluate(`(${shout})(document.querySelector('iframe').contentWindow)`);
  await frame.waitForFunction((count) => window.__heard >= count, sent);
  assert.deepEqual(await state(), before);
  assert.equal(await frame.evaluate(() => window.__ran), undefined);
  assert.deepEqual(complaints, []);
});

test('only the viewer that was opened gets the trace, whoever says to be it', async (t) => {
  const attacker = await otherSite(t, {});
  // The viewer counts pings and traces, and answers only when the test tells it to. A frame in it belongs to the
  // attacker.
  const viewer = `<!doctype html><title>viewer</title><iframe src="${attacker}/"></iframe><script>
    window.pings = 0; window.traces = 0;
    addEventListener('message', ({ data }) => { if (data === 'PING') window.pings += 1; if (data?.perfetto) window.traces += 1; });
  </script>`;
  const ui = await otherSite(t, { '/': viewer });
  const server = await startServer(t, undefined, ['--perfetto-ui', ui]);
  const file = path.join(scratch(t), 'a.json');
  fs.writeFileSync(file, hostile(0));
  const entry = await store(server, file, 'a.json');
  const { context, page, complaints } = await openPage(t);
  // Ten times slower pings make the page try for five minutes, enough for a busy machine.
  await page.addInitScript(() => {
    const own = window.setTimeout.bind(window);
    window.setTimeout = (then, ms, ...more) => own(then, ms === 150 ? 1_500 : ms, ...more);
  });
  await visit(page, `${server.origin}/t/${entry.id}`);
  await page.getByTestId('share').click();
  const [opened] = await Promise.all([context.waitForEvent('page'), page.getByTestId('share-page.perfetto').click()]);
  await opened.waitForFunction(() => window.pings > 0);
  const frame = await (await opened.waitForSelector('iframe')).contentFrame();
  await frame.evaluate(`(${shout})(window.top.opener)`);
  // The page keeps pinging, so it ignored the attacker's answer.
  const pings = await opened.evaluate(() => window.pings);
  await opened.waitForFunction((pings) => window.pings >= pings + 3, pings);
  assert.equal(await opened.evaluate(() => window.traces), 0);
  await opened.evaluate(() => window.opener.postMessage('PONG', '*'));
  await opened.waitForFunction(() => window.traces === 1);
  assert.deepEqual(complaints, []);
});
