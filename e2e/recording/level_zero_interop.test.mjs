// Interoperability with Level Zero: exported and imported handles, whose ownership recording does not change.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { adapters, recordOn, skip } from './lib/level_zero.mjs';

for (const adapter of adapters)
  test(`${adapter.adapter}: native handles leave and enter with who must release them`, { skip }, async (t) => {
    const { code, stdout, stderr, recording, log } = await recordOn(t, adapter, 'level_zero_interop');
    // The program reads the device's free memory, too, which the driver counts.
    assert.deepEqual([code, stdout.toString()], [0, 'level zero interop: ok\n'], stderr.toString());
    const handles = recording.records('sycl.native_handle');
    const contexts = handles.filter(({ object }) => object === 'context');
    assert.deepEqual(contexts.map(({ direction, ownership }) => [direction, ownership]), [['leaves', 'other'], ['enters', 'keep']]);
    assert.equal(contexts[0].native, contexts[1].native);
    assert.notEqual(contexts[0].handle, contexts[1].handle);
    assert.ok(handles.some(({ object, direction }) => object === 'device' && direction === 'leaves'));
    // The context was created once and destroyed at most once, though two contexts of the runtime had it. No handle was
    // used after its end.
    const calls = (name) => log.filter((line) => line.sort === 'call' && line.name === name).length;
    assert.equal(calls('zeContextCreate'), 1);
    assert.ok(calls('zeContextDestroy') <= 1);
    assert.deepEqual(log.filter(({ sort }) => sort === 'misuse'), []);
  });
