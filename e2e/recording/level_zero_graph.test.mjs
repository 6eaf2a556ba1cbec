// Command graphs on Level Zero: their recorded commands compared with those that the driver got.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { adapters, recordOn, skip, work } from './lib/level_zero.mjs';
import { count } from './lib/recording.mjs';

for (const { adapter, choice } of adapters)
  test(`${adapter}: a graph's commands, their order, its runs and its change are recorded`, { skip }, async (t) => {
    const { code, stdout, stderr, recording, log } = await recordOn(t, { choice }, 'level_zero_graph');
    assert.deepEqual([code, stdout.toString()], [0, 'level zero graph: ok\n'], stderr.toString());
    const graphs = recording.records('sycl.command_graph');
    assert.deepEqual(graphs.map(({ graph, is_updatable: updatable }) => [graph, updatable]), [[1, false], [2, true]]);
    const changes = recording.records('sycl.graph_change').map(({ graph, change }) => `${graph} ${change}`);
    assert.deepEqual(changes, ['1 finalized', '1 released', '2 finalized', '2 updated', '2 released']);
    const runs = count(recording.records('sycl.graph_run').map(({ graph }) => graph));
    assert.deepEqual([...runs], [[1, 3], [2, 2]]);

    // Each run of a graph submitted each of its commands; the copy back belongs to no graph.
    const kinds = recording.records('sycl.graph_command').map(({ graph, node }) => ({ graph, ...recording.nodes.get(node) }));
    const given = kinds.flatMap(({ graph, kind }) => Array(runs.get(graph)).fill(kind));
    assert.deepEqual(count([...given, 'copy']), count(work(log).map(({ kind }) => kind)));
    // The kernel waits for fill and copy, the last copy for the kernel.
    const first = kinds.filter(({ graph }) => graph === 1).map(({ node }) => node);
    const edges = recording.edges.filter(({ source, target }) => first.includes(source) && first.includes(target));
    const joined = new Set(edges.map(({ source, target }) => `${first.indexOf(source)} ${first.indexOf(target)}`));
    for (const edge of ['0 2', '1 2', '2 3']) assert.ok(joined.has(edge), `${edge} is not in ${[...joined]}`);
    // The change reached the device: half as many work-groups.
    const groups = work(log).filter(({ kind }) => kind === 'kernel').map((kernel) => kernel.groups);
    assert.deepEqual(groups, ['256x1x1', '256x1x1', '256x1x1', '256x1x1', '128x1x1']);
  });
