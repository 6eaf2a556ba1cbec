// `syclscope mcp`, asked by the Model Context Protocol's own client: every tool, and what is refused.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { trace as unpacked } from '../traces/unpack.mjs';
import { syclscope } from './lib/copies.mjs';
import { scratch } from './lib/service.mjs';

/** A client of a server that may read a folder with some of the recordings, and the folder. */
async function connected(t, ...names) {
  const folder = path.join(scratch(t), 'runs');
  fs.mkdirSync(folder);
  for (const name of names) fs.copyFileSync(unpacked(name), path.join(folder, `${name}.pftrace`));
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StdioClientTransport({ command: syclscope, args: ['mcp', folder], stderr: 'pipe' }));
  t.after(() => client.close());
  const call = async (name, args = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: args });
    assert.equal(content.length, 1);
    return { ...content[0], isError };
  };
  return { client, call, folder };
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
  const report = JSON.parse((await call('ask', { trace: bad, question: 'report' })).text);
  assert.deepEqual(JSON.parse((await call('findings', { trace: bad })).text), report.findings);

  const selected = JSON.parse((await call('select', { trace: bad, where: 'kind:kernel', sort: 'count' })).text);
  assert.equal(selected.groups[0].name, 'grow_buffer');
  const slice = selected.groups[0].longest.slice;
  const around = await call('neighbourhood', { trace: bad, slice });
  assert.ok(JSON.parse(around.text), around.text);

  const compared = await call('compare', { a: [bad], b: [good] });
  assert.match(compared.text, /A → B/);
  for (const args of [{ trace: bad }, { a: [bad], b: [good] }]) {
    const { type, resource } = await call('picture', args);
    assert.deepEqual([type, resource.mimeType], ['resource', 'image/svg+xml']);
    assert.match(resource.text, /^<svg /);
  }
  // Every tool was called, so that none is only listed.
  assert.deepEqual(tools.map(({ name }) => name).sort(), [
    'ask', 'compare', 'findings', 'list_traces', 'neighbourhood', 'picture', 'select', 'summary',
  ]);
});

test('what an assistant may not or can not have is said to it', async (t) => {
  const { client, call, folder } = await connected(t, 'heat');
  fs.writeFileSync(path.join(folder, '..', 'outside.pftrace'), 'secret');
  fs.symlinkSync(path.join(folder, '..', 'outside.pftrace'), path.join(folder, 'link.pftrace'));
  fs.writeFileSync(path.join(folder, 'no.pftrace'), 'no trace');
  const refused = [
    ['summary', { trace: '../outside.pftrace' }, /there is no/],
    ['summary', { trace: 'link.pftrace' }, /there is no/],
    ['summary', { trace: '/etc/passwd' }, /there is no/],
    ['summary', { trace: 'no.pftrace' }, /no\.pftrace/],
    ['summary', {}, /which trace/],
    ['ask', { trace: 'heat.pftrace', question: 'nonsense' }, /nonsense/],
    ['select', { trace: 'heat.pftrace', where: 'duration>' }, /./],
    ['neighbourhood', { trace: 'heat.pftrace' }, /which slice/],
    ['compare', { a: ['heat.pftrace'], b: [] }, /which runs/],
    ['compare', { a: ['heat.pftrace', './heat.pftrace'], b: ['heat.pftrace'] }, /twice/],
    ['ask', { trace: 'heat.pftrace', question: 'slices?limit=10000&args=true' }, /ask for less/],
  ];
  for (const [name, args, words] of refused) {
    const { text, isError } = await call(name, args);
    assert.equal(isError, true, `${name}: ${text}`);
    assert.match(text, words);
  }
  await assert.rejects(client.callTool({ name: 'delete', arguments: {} }), /no tool/);
  const { traces } = JSON.parse((await call('list_traces')).text);
  assert.deepEqual(traces.map(({ trace }) => trace).sort(), ['heat.pftrace', 'no.pftrace']);
  // It goes on after all of that.
  assert.match((await call('summary', { trace: 'heat.pftrace' })).text, /diffuse/);
});
