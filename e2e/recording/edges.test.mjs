// Nodes and dependences compared with the scheduler's own graph (SYCL_PRINT_EXECUTION_GRAPH=always) of the same run.
//
// Every command of the DOT files is a node of the recording and the other way round, and every arrow is an edge with the
// same mode and memory object. An edge without an arrow must be one of two kinds:
//   - to or from a release of memory, which the DOT files never show;
//   - from a command that was over, and so no longer in the file, when the other one was added.
// Dependences by events, in-order queues and host tasks are not compared here: commands on USM are not in the DOT files.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { syclscope } from './lib/environment.mjs';
import { readExecutionGraphs } from './lib/oracles/execution_graph.mjs';
import { recorded } from './lib/once.mjs';
import { program } from './lib/programs.mjs';
import { Recording, count, differences } from './lib/recording.mjs';
import { run } from './lib/run.mjs';

for (const [name, args] of [['diamond', []], ['buffers', []], ['heat', ['--size', '256', '--steps', '60']]])
  test(`${name}: the recording holds the nodes and edges of the scheduler's graph`, async () => {
    const result = await recorded(program(name), args, { env: { SYCL_PRINT_EXECUTION_GRAPH: 'always' } });
    assert.equal(result.code, 0, result.stderr.toString());
    const graph = readExecutionGraphs(result.folder);
    assert.ok(graph.edges.length > 10, `only ${graph.edges.length} arrows in ${graph.files} DOT files`);
    const recording = Recording.parse(result.bytes);

    // Commands of USM are not the scheduler's; they have no accessors.
    const edges = recording.edges.filter(({ memory_object: memory }) => memory !== "0x0");
    const used = new Set(edges.flatMap(({ source, target }) => [source, target]));
    const nodes = [...recording.nodes.values()].filter(({ node, kind }) => used.has(node) && kind !== 'deallocation');
    const ofNode = identities(nodes, ({ kind, name: kernel, object }) => [kind, kind === 'kernel' ? kernel : '', kind === 'allocation' ? object : '']);
    const ofCommand = identities(graph.commands, ({ kind, name: kernel, memory }) => [kind, kernel, kind === 'allocation' ? memory : '']);
    assert.deepEqual(differences(count(ofNode.values()), count(ofCommand.values())), []);

    const commands = new Map([...ofCommand].map(([command, identity]) => [identity, command]));
    const arrows = new Map(graph.edges.map((edge) => [key(ofCommand, edge), edge]));
    const seen = new Map();
    for (const edge of edges) {
      const [source, target] = [recording.nodes.get(edge.source), recording.nodes.get(edge.target)];
      if (source.kind === 'deallocation' || target.kind === 'deallocation') continue;
      seen.set(key(ofNode, { source, target, mode: edge.access_mode, memory: edge.memory_object }), { source, target });
    }
    assert.deepEqual([...arrows.keys()].filter((arrow) => !seen.has(arrow)), [], 'arrows without an edge');
    const unexplained = [...seen].filter(([edge, { source, target }]) => {
      const [from, to] = [source, target].map((node) => commands.get(ofNode.get(node)));
      return !arrows.has(edge) && to.around.has(from);
    });
    assert.deepEqual(unexplained.map(([edge]) => edge), [], 'edges without an arrow');
  });

for (const [name, args] of [['diamond', []], ['buffers', []], ['graphs', []], ['heat', ['--size', '256', '--steps', '60']]])
  test(`${name}: the drawing of all commands has every node and edge of the recording`, async () => {
    const result = await recorded(program(name), args);
    assert.equal(result.code, 0, result.stderr.toString());
    const recording = Recording.parse(result.bytes);
    const asked = await run(syclscope, ['ask', result.file, 'graph?level=full&limit=50000']);
    assert.equal(asked.code, 0, asked.stderr.toString());
    const view = JSON.parse(asked.stdout);

    const told = view.nodes.map(({ node, count: members, kind, name: text }) => [node, members, kind, view.names[text]].join(' '));
    const known = [...recording.nodes.values()].map(({ node, kind, name: text }) => [node, 1, kind, text].join(' '));
    assert.deepEqual(differences(count(told), count(known)), []);
    const number = (index) => view.nodes[index].node;
    const drawn = view.edges.flatMap(({ source, target, reasons }) =>
      reasons.flatMap(([reason, times]) => Array(times).fill(`${number(source)} -> ${number(target)} ${reason}`)));
    const edges = recording.edges.map(({ source, target, reason }) => `${source} -> ${target} ${reason}`);
    assert.deepEqual(differences(count(drawn), count(edges)), []);
    assert.deepEqual(view.left_out, { nodes: 0, edges: 0, redundant_edges: 0, unchecked_edges: 0, lines: 0, notes: [] });
  });

test('every edge joins two nodes of the recording, and none points back in time', async () => {
  const result = await recorded(program('heat'), ['--size', '256', '--steps', '60']);
  const recording = Recording.parse(result.bytes);
  const executions = new Map(recording.executions.map((execution) => [execution.node, execution]));
  for (const edge of recording.edges) {
    assert.ok(recording.nodes.has(edge.source) && recording.nodes.has(edge.target), JSON.stringify(edge));
    const [source, target] = [executions.get(edge.source), executions.get(edge.target)];
    if (source && target)
      assert.ok(source.end <= target.start, `${source.name} (${edge.source}) ends after ${target.name} (${edge.target}) starts: ${edge.reason}`);
  }
});

test('dependences that the program names by events are edges', async () => {
  const STEPS = 60;
  const result = await recorded(program('heat'), ['--size', '512', '--steps', `${STEPS}`]);
  const recording = Recording.parse(result.bytes);
  const bands = [...recording.nodes.values()].filter(({ name }) => name === 'diffuse_band').sort((a, b) => a.node - b.node);
  assert.equal(bands.length, 4 * STEPS);
  const sources = (target) => recording.edges.filter((edge) => edge.target === target.node).map((edge) => edge.source);
  // A step's bands wait for their neighbours of the step before. The runtime leaves out commands that are over at the
  // submission, so only these dependences may appear, and over many steps some must.
  const numbers = new Set(bands.map(({ node }) => node));
  let count = 0;
  bands.slice(4).forEach((band, index) => {
    const before = bands.slice(index - (index % 4), index - (index % 4) + 4);
    const neighbours = before.filter((_, other) => Math.abs((index % 4) - other) <= 1).map(({ node }) => node);
    const kernels = sources(band).filter((node) => numbers.has(node));
    assert.ok(kernels.every((node) => neighbours.includes(node)), `band ${index} waits for ${kernels}, its neighbours are ${neighbours}`);
    count += kernels.length;
  });
  assert.ok(count > 0, 'no dependence by an event was recorded');
});

// Returns each command's identity for both sides: its description, and its number among equal ones in the order of
// submission.
function identities(commands, describe) {
  const times = new Map();
  return new Map(commands.map((command) => {
    const what = describe(command).filter(Boolean).join(' ');
    times.set(what, (times.get(what) ?? 0) + 1);
    return [command, `${what} ${times.get(what)}`];
  }));
}

function key(identity, { source, target, mode, memory }) {
  return `${identity.get(source)} -> ${identity.get(target)} ${mode} ${memory}`;
}
