// Calls of the Unified Runtime against the runtime's own call trace (SYCL_UR_TRACE=2) of the same run.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { syclscope } from './lib/environment.mjs';
import { readCallTrace } from './lib/oracles/call_trace.mjs';
import { recorded } from './lib/once.mjs';
import { program } from './lib/programs.mjs';
import { Recording, count, differences } from './lib/recording.mjs';
import { run } from './lib/run.mjs';

const programs = [
  ['diamond', []], ['heat', ['--size', '256']], ['command_graph', []], ['eventless', []], ['usm', []], ['buffers', []],
  ['images', []], ['host_task', []], ['diagnostics', []], ['unreleased', []], ['user_streams', []], ['interop', []], ['graphs', []],
];

for (const [name, args] of programs)
  test(`${name}: the recording holds the calls that the runtime prints, by name and number`, async () => {
    const result = await recorded(program(name), args, { env: { SYCL_UR_TRACE: '2' } });
    assert.equal(result.code, 0, result.stderr.toString());
    const recording = Recording.parse(result.bytes);
    const calls = recording.slicesOf('ur');
    const printed = readCallTrace(result.stdout + result.stderr);
    assert.ok(printed.size > 10, 'the runtime printed no calls');
    assert.deepEqual(differences(count(calls.map((call) => call.name)), printed), []);
    assert.deepEqual(calls.filter((call) => call.end === null || call.end < call.start), []);

    // The same by the program's own table.
    const table = await run(syclscope, ['summary', '--calls', '--format', 'csv', result.file]);
    const [head, ...lines] = table.stdout.toString().trim().split('\n').map((line) => line.split(','));
    assert.deepEqual(head.slice(0, 2), ['name', 'count']);
    assert.deepEqual(differences(new Map(lines.map(([call, times]) => [call, Number(times)])), printed), []);
  });
