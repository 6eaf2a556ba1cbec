// `syclscope mcp`, queried by the Model Context Protocol's own client: every tool, and refused requests.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import zlib from 'node:zlib';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { PATIENCE_MS } from '../patience.mjs';
import { trace as unpacked } from '../traces/unpack.mjs';
import { syclscope } from './lib/copies.mjs';
import { scratch } from './lib/service.mjs';

/** By default the client gives up after a minute. */
const patient = { timeout: PATIENCE_MS };

/** Returns a client of a server that may read a folder with some of the recordings, and the folder. */
async function connected(t, ...names) {
  const folder = path.join(scratch(t), 'runs');
  fs.mkdirSync(folder);
  for (const name of names) fs.copyFileSync(unpacked(name), path.join(folder, `${name}.pftrace`));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: syclscope, args: ['mcp', folder], stderr: 'pipe' }), patient);
  t.after(() => client.close());
  const call = async (name, args = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: args }, undefined, patient);
    assert.equal(content.length, 1);
    return { ...content[0], isError };
  };
  return { client, call, folder };
}

/** Returns the answer of a tool from all of its pages, each of which continues a list of the one before. */
async function whole(call, name, args) {
  const first = JSON.parse((await call(name, args)).text);
  if (!first.pages) return first;
  for (let number = 2; number <= first.pages; number += 1) {
    const { text } = await call(name, { ...args, page: number });
    assert.ok(text.length <= 20_000);
    const { at, from, answer } = JSON.parse(text);
    const place = at.split('/').slice(1).reduce((value, key) => value[key], first.answer);
    assert.equal(place.length, from, at);
    place.push(...answer);
  }
  return first.answer;
}

test('an assistant lists, summarises, asks and compares recordings', async (t) => {
  const { client, call } = await connected(t, 'sub_buffers-bad', 'sub_buffers-good');
  assert.equal(client.getServerVersion().name, 'syclscope');
  assert.match(client.getInstructions(), /list_traces/);
  await client.ping();
  const { tools } = await client.listTools();
  assert.ok(tools.every(({ annotations, inputSchema }) => annotations.readOnlyHint && inputSchema.type === 'object'));

  const { traces, has_more: hasMore } = JSON.parse((await call('list_traces')).text);
  assert.deepEqual(traces.map(({ trace }) => trace).sort(), ['sub_buffers-bad.pftrace', 'sub_buffers-good.pftrace']);
  assert.equal(hasMore, false);

  const [bad, good] = ['sub_buffers-bad.pftrace', 'sub_buffers-good.pftrace'];
  const summary = await call('summary', { trace: bad });
  assert.match(summary.text, /grow_buffer/);
  const report = await whole(call, 'ask', { trace: bad, question: 'report' });
  assert.deepEqual(JSON.parse((await call('findings', { trace: bad })).text), report.findings);

  const selected = JSON.parse((await call('select', { trace: bad, where: 'kind:kernel', sort: 'count' })).text);
  assert.equal(selected.groups[0].name, 'grow_buffer');
  const slice = selected.groups[0].longest.slice;
  const around = await call('neighbourhood', { trace: bad, slice });
  assert.ok(JSON.parse(around.text), around.text);

  const compared = await call('compare', { a: [bad], b: [good] });
  assert.match(compared.text, /A → B/);
  for (const args of [{ trace: bad }, { a: [bad], b: [good] }]) {
    const { content: [image, title] } = await client.callTool({ name: 'picture', arguments: args }, undefined, patient);
    assert.deepEqual([image.type, image.mimeType, title.type], ['image', 'image/png', 'text']);
    const png = Buffer.from(image.data, 'base64');
    assert.equal(png.toString('latin1', 1, 4), 'PNG');
    const [width, height, length] = [16, 20, 33].map((at) => png.readUInt32BE(at));
    assert.equal(zlib.inflateSync(png.subarray(41, 41 + length)).length, height * (width * 3 + 1));
    assert.ok(width > 1_000 && height > 200, `${width} × ${height}`);
  }
  const gaps = JSON.parse((await call('gaps', { trace: bad, limit: 3 })).text);
  assert.equal(gaps.idle_ns, gaps.classes.reduce((sum, { total_ns: ns }) => sum + ns, 0));
  const path = await whole(call, 'critical_path', { trace: bad, limit: 100 });
  assert.equal(path.length_ns, report.critical_path.length_ns);
  assert.ok(JSON.parse((await call('iterations', { trace: bad, limit: 100 })).text).message);
  const counted = "SELECT count(*) AS n FROM executions WHERE name LIKE '%grow_buffer%'";
  const { columns, rows } = JSON.parse((await call('sql', { trace: bad, statement: counted })).text);
  assert.deepEqual([columns, rows], [[{ name: 'n', kind: 'integer' }], [[selected.groups[0].count]]]);
  const tries = await call('tries');
  assert.ok(tries.isError);
  assert.match(tries.text, /no ledger found: `syclscope try -- \.\/program` creates one/);
  const { resources } = await client.listResources();
  for (const { uri, name } of resources) {
    const { contents } = await client.readResource({ uri });
    const folder = name === 'SKILL.md' ? 'program/cli/src/skill' : 'docs';
    const written = fs.readFileSync(new URL(`../../${folder}/${name}`, import.meta.url), 'utf8');
    assert.deepEqual([uri, contents[0].text], [`syclscope://docs/${name}`, written]);
  }
  // A long document has pages, each with a note of how many there are.
  let [text, pages] = ['', 1];
  for (let page = 1; page <= pages; page += 1) {
    const { content: [part, note] } = await client.callTool({ name: 'document', arguments: { name: 'QUERIES.md', page } }, undefined, patient);
    text += part.text;
    pages = Number(/^Page \d+ of (\d+)/.exec(note.text)[1]);
  }
  assert.ok(pages > 1);
  assert.equal(text, fs.readFileSync(new URL('../../docs/QUERIES.md', import.meta.url), 'utf8'));
  // Every tool was called, so that none is only listed.
  assert.deepEqual(tools.map(({ name }) => name).sort(), [
    'ask', 'compare', 'critical_path', 'document', 'findings', 'gaps', 'iterations', 'list_traces', 'neighbourhood', 'picture',
    'select', 'sql', 'summary', 'tries',
  ]);
});

test('what an assistant may not or can not have is said to it', async (t) => {
  const { client, call, folder } = await connected(t, 'heat');
  fs.writeFileSync(path.join(folder, '..', 'outside.pftrace'), 'secret');
  fs.symlinkSync(path.join(folder, '..', 'outside.pftrace'), path.join(folder, 'link.pftrace'));
  fs.writeFileSync(path.join(folder, 'no.pftrace'), 'no trace');
  const refused = [
    ['summary', { trace: '../outside.pftrace' }, /^no /],
    ['summary', { trace: 'link.pftrace' }, /^no /],
    ['summary', { trace: '/etc/passwd' }, /^no /],
    ['summary', { trace: 'no.pftrace' }, /no\.pftrace/],
    ['summary', {}, /argument trace is missing/],
    ['ask', { trace: 'heat.pftrace', question: 'nonsense' }, /nonsense/],
    ['select', { trace: 'heat.pftrace', where: 'duration>' }, /./],
    ['neighbourhood', { trace: 'heat.pftrace' }, /argument slice is missing/],
    ['compare', { a: ['heat.pftrace'], b: [] }, /b must be a list of recordings/],
    ['compare', { a: ['heat.pftrace', './heat.pftrace'], b: ['heat.pftrace'] }, /twice/],
    ['ask', { trace: 'heat.pftrace', question: 'report', page: 1000 }, /no page 1000; the answer has \d+/],
    ['summary', { trace: 'heat.pftrace', section: 'nothing' }, /possible values/],
    ['document', { name: 'NOTHING.md' }, /QUERIES\.md/],
  ];
  for (const [name, args, words] of refused) {
    const { text, isError } = await call(name, args);
    assert.equal(isError, true, `${name}: ${text}`);
    assert.match(text, words);
  }
  await assert.rejects(client.callTool({ name: 'delete', arguments: {} }), /unknown tool/);
  await assert.rejects(client.readResource({ uri: 'syclscope://docs/../README.md' }), /no resource/);
  // A long answer has pages.
  const all = { trace: 'heat.pftrace', question: 'slices?limit=10000&args=true' };
  const { page, pages, cut } = JSON.parse((await call('ask', all)).text);
  assert.deepEqual([page, Object.keys(cut)], [1, ['/slices']]);
  assert.ok(pages > 10);
  assert.equal((await whole(call, 'ask', all)).slices.length, cut['/slices']);
  const { traces } = JSON.parse((await call('list_traces')).text);
  assert.deepEqual(traces.map(({ trace }) => trace).sort(), ['heat.pftrace', 'no.pftrace']);
  // The server still answers after all of that.
  assert.match((await call('summary', { trace: 'heat.pftrace' })).text, /diffuse/);
});
