// Command graphs compared with their own pictures (`print_graph`) of the same run: commands and dependences.
import assert from 'node:assert/strict';
import path from 'node:path';
import { before, test } from 'node:test';

import { syclscope } from './lib/environment.mjs';
import { readCommandGraph } from './lib/oracles/command_graph.mjs';
import { recorded } from './lib/once.mjs';
import { program } from './lib/programs.mjs';
import { Recording, count, differences } from './lib/recording.mjs';
import { run } from './lib/run.mjs';

// The program's graphs, in their order: partitions of each, and its number of executions.
const GRAPHS = [
  { name: 'explicit', partitions: 1, runs: 3 },
  { name: 'recorded', partitions: 1, runs: 2 },
  { name: 'host_task', partitions: 2, runs: 2 },
  { name: 'in_order', partitions: 1, runs: 2 },
  { name: 'buffers', partitions: 1, runs: 1 },
  { name: 'unused', partitions: 1, runs: 0 },
];

let folder, file, recording, groups;

before(async () => {
  const result = await recorded(program('graphs'));
  assert.equal(result.code, 0, `${result.stdout}${result.stderr}`);
  ({ folder, file } = result);
  recording = Recording.parse(result.bytes);
  const partitions = recording.records('sycl.command_graph');
  groups = [...new Set(partitions.map(({ group }) => group))].map((group) => partitions.filter((partition) => partition.group === group));
});

const shown = ({ kind, name }) => (kind === 'kernel' ? `kernel ${name}` : kind);
const edge = ({ source, target }) => `${shown(source)} -> ${shown(target)}`;

test('every graph is there, with its partitions', () => {
  assert.deepEqual(groups.map((partitions) => partitions.length), GRAPHS.map(({ partitions }) => partitions));
  for (const partition of groups.flat()) {
    const changes = recording.records('sycl.graph_change').filter(({ graph }) => graph === partition.graph).map(({ change }) => change);
    assert.deepEqual(changes, ['finalized', 'released']);
    assert.equal(partition.is_updatable, false);
  }
  assert.deepEqual(groups.map(([first]) => first.is_in_order), GRAPHS.map(({ name, partitions }) => ['in_order', 'buffers', 'unused'].includes(name) || partitions > 1));
});

GRAPHS.forEach(({ name, partitions, runs }, index) =>
  test(`${name}: commands and dependences are those that print_graph draws`, () => {
    const drawn = readCommandGraph(path.join(folder, `${name}.dot`));
    const graphs = new Set(groups[index].map(({ graph }) => graph));
    const commands = recording.records('sycl.graph_command').filter(({ graph }) => graphs.has(graph));
    const nodes = new Map(commands.map(({ node }) => [node, recording.nodes.get(node)]));

    // A host task is no command of a partition: it runs between two partitions.
    const expected = drawn.commands.filter(({ kind }) => kind !== 'host_task');
    assert.deepEqual(differences(count([...nodes.values()].map(shown)), count(expected.map(shown))), []);
    const inside = recording.edges.filter(({ source, target }) => nodes.has(source) && nodes.has(target));
    const seen = inside.map(({ source, target }) => ({ source: nodes.get(source), target: nodes.get(target) }));
    const arrows = drawn.edges.filter(({ source, target }) => ![source.kind, target.kind].includes('host_task'));
    assert.deepEqual(differences(count(seen.map(edge)), count(arrows.map(edge))), []);

    const executions = recording.records('sycl.graph_run').filter(({ graph }) => graphs.has(graph));
    assert.equal(executions.length, partitions * runs);
    for (const { node } of executions) assert.equal(recording.nodes.get(node).kind, 'command_graph');
  }));

test('a host task between two partitions is a node of each execution', () => {
  const tasks = [...recording.nodes.values()].filter(({ kind }) => kind === 'host_task');
  assert.equal(tasks.length, 2);
  for (const task of tasks)
    assert.ok(recording.edges.some(({ source, target }) => source === task.node || target === task.node), 'it has no edge');
});

test('the drawing keeps the commands of a graph together, in recorded order, with its executions', async () => {
  const asked = await run(syclscope, ['ask', file, 'graph?level=full']);
  assert.equal(asked.code, 0, `${asked.stderr}`);
  const view = JSON.parse(asked.stdout);
  const partitions = groups.flat();
  assert.deepEqual(view.frames.map(({ partition }) => partition), partitions.map(({ graph }) => graph));
  const regions = new Map();
  for (const frame of view.frames) {
    const commands = recording.records('sycl.graph_command').filter(({ graph }) => graph === frame.partition);
    const order = commands.sort((a, b) => a.position - b.position).map(({ node }) => node);
    assert.deepEqual(frame.nodes.map((index) => view.nodes[index].node), order);
    assert.deepEqual([frame.commands, frame.hidden], [order.length, 0]);
    const runs = recording.records('sycl.graph_run').filter(({ graph }) => graph === frame.partition);
    assert.deepEqual(frame.runs.map(({ node }) => node), runs.map(({ node }) => node));
    assert.equal(frame.run_count, runs.length);
    regions.set(frame.graph, [...(regions.get(frame.graph) ?? []), ...frame.nodes]);
  }
  assert.equal(view.frames.at(-1).run_count, 0, 'the last graph is never executed');
  // No other node is in a graph's region.
  for (const [graph, inside] of regions) {
    const nodes = inside.map((index) => view.nodes[index]);
    const [left, right] = [Math.min(...nodes.map(({ x }) => x)), Math.max(...nodes.map(({ x }) => x))];
    const [top, bottom] = [Math.min(...nodes.map(({ y }) => y)), Math.max(...nodes.map(({ y }) => y))];
    const others = view.nodes.filter((_, index) => !inside.includes(index));
    const strangers = others.filter(({ x, y }) => x >= left && x <= right && y >= top && y <= bottom);
    assert.deepEqual(strangers.map(({ id }) => id), [], `in the region of graph ${graph}`);
  }
});
