// Commands that could have run side by side are found in programs that hold them back, with the reason and both places,
// and not in the same programs without the fault.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { syclscope } from './lib/environment.mjs';
import { ATTEMPTS, recorded } from './lib/once.mjs';
import { program } from './lib/programs.mjs';
import { run } from './lib/run.mjs';

/** Returns the answer about the first run of a program whose answer satisfies `isMeant`, or about the last. */
async function serialised(name, how, isMeant, flags = ['--detail', 'high']) {
  for (let attempt = 0; ; attempt += 1) {
    const env = attempt > 0 ? { ATTEMPT: `${attempt}` } : {};
    const { code, stdout, stderr, file } = await recorded(program('faults'), [name, how], { format: 'perfetto', flags, env });
    assert.equal(code, 0, `${stdout}${stderr}`);
    const asked = await run(syclscope, ['ask', file, 'serialised']);
    assert.equal(asked.code, 0, `${asked.stderr}`);
    const answer = JSON.parse(asked.stdout);
    if (isMeant(answer) || attempt + 1 === ATTEMPTS) return answer;
  }
}

const of = (pairs, reason) => pairs.filter((pair) => pair.reason === reason);
const counted = (pairs) => pairs.reduce((sum, pair) => sum + pair.count, 0);

// Program, reason, and the least number of pairs.
const FAULTS = [
  { name: 'order', reason: 'in_order_queue', count: 16 },
  { name: 'sub_buffers', reason: 'false_dependence', count: 8 },
  { name: 'host_waits', reason: 'host_wait', count: 6 },
];

for (const { name, reason, count } of FAULTS) {
  test(`${reason} is found in a program that does it`, async () => {
    const { pairs, gain_ns: gain } = await serialised(name, 'bad', ({ pairs }) => counted(of(pairs, reason)) >= count);
    const found = of(pairs, reason);
    assert.ok(found.length > 0, JSON.stringify(pairs, null, 1));
    assert.ok(counted(found) >= count, JSON.stringify(found, null, 1));
    for (const { first, second, overlap_ns: overlap, message } of found) {
      assert.ok(overlap > 0 && overlap <= gain);
      assert.ok(first.end_ns <= second.begin_ns, 'the pair did overlap');
      assert.ok(overlap <= second.end_ns - second.begin_ns);
      assert.notEqual(first.node, second.node);
      for (const { location } of [first, second]) assert.match(location.file, /(faults\.cpp|kernels\.hpp)$/);
      assert.ok(message.length > 40);
    }
    if (reason === 'host_wait') for (const { wait, first } of found) assert.ok(wait.at.start_ns <= first.end_ns, 'not waited for');
    if (reason === 'false_dependence') for (const { object } of found) assert.equal(object, 1);
    if (reason === 'in_order_queue') for (const { queue } of found) assert.equal(queue, 1);
  });

  test(`${reason} is not found in the same program without the fault`, async () => {
    const { pairs } = await serialised(name, 'good', ({ pairs }) => of(pairs, reason).length === 0);
    assert.deepEqual(of(pairs, reason), []);
  });
}

test('what the recording does not tell is counted, not claimed', async () => {
  const { pairs, unknown } = await serialised('order', 'bad', ({ unknown }) => unknown >= 16, []);
  const kernels = pairs.filter((pair) => pair.reason === 'in_order_queue' && pair.second.kind === 'kernel');
  assert.deepEqual(kernels, []);
  assert.ok(unknown >= 16, `${unknown}`);
});
