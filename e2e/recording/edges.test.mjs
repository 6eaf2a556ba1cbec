// Dependences against the scheduler's own graph (SYCL_PRINT_EXECUTION_GRAPH=always) of the same run.
//
// Compared are the edges that accessors cause, counted by source kind, target kind, kernel names, access mode and the
// memory object's address. Left out, since only one side has them:
//   - releases of memory: the recording has nodes and edges for them, the DOT files do not show them;
//   - a host accessor is two commands in the DOT files ("update on host", then an empty one that holds the lock) and
//     one node for XPTI, so that the arrow between the two has no counterpart;
//   - dependences by events, by in-order queues and by host tasks: USM commands are not in the DOT files.
// Where a command waits for a map or unmap, or is one, the scheduler may have tidied up before the first file: see
// lib/oracles/execution_graph.mjs. There the recording must hold at least what the files hold.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import { scratch } from './lib/environment.mjs';
import { readExecutionGraphs } from './lib/oracles/execution_graph.mjs';
import { program } from './lib/programs.mjs';
import { Recording, count, differences } from './lib/recording.mjs';
import { record } from './lib/run.mjs';

const tidied = new Set(['map', 'unmap']);

for (const [name, args] of [['diamond', []], ['heat', ['--size', '256', '--steps', '60']]])
  test(`${name}: the recording holds the edges of the scheduler's graph`, async (t) => {
    const folder = scratch(t);
    const recorded = await record(path.join(folder, 'run.json'), program(name), args, {
      format: 'json', cwd: folder, env: { SYCL_PRINT_EXECUTION_GRAPH: 'always' },
    });
    assert.equal(recorded.code, 0, recorded.stderr.toString());
    const graph = readExecutionGraphs(folder);
    assert.ok(graph.edges.length > 10, `only ${graph.edges.length} arrows in ${graph.files} DOT files`);

    const expected = graph.edges
      .filter(({ source, target }) => !(source.kind === 'host_accessor' && target.kind === 'host_accessor'))
      .map(({ source, target, mode, memory }) => ({ source, target, mode, memory }));
    const recording = Recording.parse(recorded.bytes);
    const seen = recording.edges
      .filter(({ reason }) => reason === 'accessor')
      .map((edge) => ({
        source: recording.nodes.get(edge.source), target: recording.nodes.get(edge.target),
        mode: edge.access_mode, memory: edge.memory_object,
      }))
      .filter(({ source, target }) => source.kind !== 'deallocation' && target.kind !== 'deallocation');

    const involved = ({ source, target }) => tidied.has(source.kind) || tidied.has(target.kind);
    const exact = (edges) => count(edges.filter((edge) => !involved(edge)).map(key));
    // An arrow to an allocation may stand for one to a map or unmap that was over already.
    const replaced = differences(exact(seen), exact(expected)).filter((line) => !line.startsWith('allocation '));
    assert.deepEqual(replaced, []);

    const few = count(seen.map(key));
    for (const [edge, times] of count(expected.filter(involved).filter(({ source }) => source.kind !== 'allocation').map(key)))
      assert.ok((few.get(edge) ?? 0) >= times, `${edge}: recorded ${few.get(edge) ?? 0}, the scheduler has ${times}`);
  });

test('every edge joins two nodes of the recording, and none points back in time', async (t) => {
  const recorded = await record(path.join(scratch(t), 'run.json'), program('heat'), ['--size', '256'], { format: 'json' });
  const recording = Recording.parse(recorded.bytes);
  const run = new Map(recording.executions.map((execution) => [execution.node, execution]));
  for (const edge of recording.edges) {
    assert.ok(recording.nodes.has(edge.source) && recording.nodes.has(edge.target), JSON.stringify(edge));
    const [source, target] = [run.get(edge.source), run.get(edge.target)];
    if (source && target)
      assert.ok(source.end <= target.start, `${source.name} (${edge.source}) ends after ${target.name} (${edge.target}) starts: ${edge.reason}`);
  }
});

test('dependences that the program names by events are edges', async (t) => {
  const recorded = await record(path.join(scratch(t), 'run.json'), program('heat'), ['--size', '2048', '--steps', '2'], { format: 'json' });
  const recording = Recording.parse(recorded.bytes);
  const bands = [...recording.nodes.values()].filter(({ name }) => name === 'diffuse_band').sort((a, b) => a.node - b.node);
  assert.equal(bands.length, 8);
  const sources = (target) => recording.edges.filter((edge) => edge.target === target.node).map((edge) => edge.source);
  // The second step's bands wait for their neighbours of the first; what is over when a command is submitted is
  // not passed on by the runtime, so nothing but those may appear.
  bands.slice(4).forEach((band, i) => {
    const neighbours = bands.slice(0, 4).filter((_, j) => Math.abs(i - j) <= 1).map(({ node }) => node);
    const kernels = sources(band).filter((node) => bands.some((other) => other.node === node));
    assert.ok(kernels.every((node) => neighbours.includes(node)), `band ${i} waits for ${kernels}, its neighbours are ${neighbours}`);
  });
  assert.ok(bands.slice(4).some((band) => sources(band).length > 0), 'no dependence by an event was recorded');
});

function key({ source, target, mode, memory }) {
  const name = (node) => (node.kind === 'kernel' ? `kernel ${node.name}` : node.kind);
  return `${name(source)} -> ${name(target)} ${mode} ${memory}`;
}
