// Each rule finds its fault in a program that has it, and nothing in the same program without it.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { syclscope } from './lib/environment.mjs';
import { ATTEMPTS, recorded } from './lib/once.mjs';
import { program } from './lib/programs.mjs';
import { run, summary } from './lib/run.mjs';

// Program, kind, the file that the finding links to, and the least count, bytes and sentences of evidence: a busy
// machine may delay the host for so long that it could have used a result, so not all have to be found.
const RULES = [
  { name: 'copies', kind: 'copy_unchanged', place: /faults\.cpp$/, count: 8, bytes: 8 << 22 },
  { name: 'unread', kind: 'copy_never_read', place: /faults\.cpp$/, count: 24, bytes: 24 << 22 },
  { name: 'waits', kind: 'wait_after_kernel', place: /faults\.cpp$/, count: 100 },
  { name: 'order', kind: 'order_without_need', place: /faults\.cpp$/, count: 24, flags: ['--detail', 'high'] },
  { name: 'launches', kind: 'kernels_too_short', place: /kernels\.hpp$/, count: 4096 },
  { name: 'builds', kind: 'build_inside_run', place: /kernels\.hpp$/, count: 3 },
  { name: 'destructors', kind: 'blocking_destructor', place: /faults\.cpp$/, count: 10 },
  { name: 'host_accessors', kind: 'blocking_host_accessor', place: /faults\.cpp$/, count: 10 },
  { name: 'implicit', kind: 'implicit_copies', place: /faults\.cpp$/, count: 19, bytes: 19 << 22 },
  { name: 'allocations', kind: 'small_allocations', place: /faults\.cpp$/, count: 200 },
  { name: 'sub_buffers', kind: 'false_dependence', place: /kernels\.hpp$/, count: 8, evidence: 1, flags: ['--detail', 'high'] },
  { name: 'reads', kind: 'blocking_read', place: /faults\.cpp$/, count: 40 },
  { name: 'graphs', kind: 'graph_built_for_one_run', place: /kernels\.hpp$/, count: 40, evidence: 1 },
  { name: 'devices', kind: 'device_left_idle', place: /kernels\.hpp$/, count: 20 },
];

// If other work occupies the processors, a replay may differ from the run: the gain is unknown then.
const REFUSED = /^The recording can't be simulated well enough: the replay is \d+\.\d % off\.$/;

async function findings(name, how, flags, attempt = 0) {
  // One compute unit: a kernel does not wait for a thread that other work keeps from the processors.
  const env = { DPCPP_CPU_NUM_CUS: '1', ...(attempt > 0 ? { ATTEMPT: `${attempt}` } : {}) };
  const { code, stdout, stderr, file } = await recorded(program('faults'), [name, how], { format: 'perfetto', flags, env });
  assert.equal(code, 0, `${stdout}${stderr}`);
  const { report } = await summary(file);
  return { file, report, found: report.findings };
}

/**
 * Returns the findings of the first run that satisfies `isMeant`, or of the last. If the machine stops a program for
 * seconds, one kernel or one device takes most of that run, which is no fault of the program.
 */
async function attempted(name, how, flags, isMeant) {
  let run;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    run = await findings(name, how, flags, attempt);
    if (isMeant(run.found)) break;
  }
  return run;
}

/** Returns the findings of a program with its fault, of which those of `kinds` have a gain and satisfy `isWhole`. */
const faulty = (kinds, name, flags, isWhole = () => true) =>
  attempted(name, 'bad', flags, (found) => kinds.every((kind) => found.some((one) => one.kind === kind && one.gain?.ns > 0 && isWhole(one))));

/** Returns the findings of a program with a fault whose removal has no known gain. */
const faultyWithoutGain = (kind, name) => attempted(name, 'bad', undefined, (found) => found.some((one) => one.kind === kind));

/** Returns the findings of a program without its fault. */
const sound = (kind, name, flags) => attempted(name, 'good', flags, (found) => !found.some((one) => one.kind === kind));

for (const { name, kind, place, count, bytes = 0, evidence = 2, flags } of RULES) {
  test(`${kind} is found in a program that does it`, async () => {
    const isWhole = (one) => one.count >= count && one.gain.bytes >= bytes && one.evidence.length >= evidence;
    const { file, report, found } = await faulty([kind], name, flags, isWhole);
    const finding = found.find((one) => one.kind === kind);
    assert.ok(finding, `found only: ${found.map((one) => one.kind).join(', ')}`);
    assert.ok(finding.count >= count, `${finding.count} times`);
    assert.match(finding.location.file, place);
    assert.ok(finding.location.line > 0);
    assert.ok(finding.touches_ns > 0);
    if (finding.gain) {
      assert.ok(finding.gain.ns > 0 && finding.gain.ns <= report.together_ns && report.together_ns < report.split.run_ns, `${finding.gain.ns} ns`);
      assert.ok(finding.gain.bytes >= bytes, `${finding.gain.bytes} bytes`);
      // The runtime's own work on builds and graphs is not recorded.
      const bound = /^(build|graph)_/.test(kind) ? /^In recorded time: / : /^At most: /;
      assert.match(finding.gain.how, bound);
    } else assert.match(finding.no_gain, REFUSED);
    assert.ok(finding.evidence.length >= evidence);

    // It links to slices of the run, and its filter selects similar ones.
    assert.ok(finding.slices.length > 0 && finding.slices.length <= 20);
    assert.deepEqual(finding.at, finding.slices[0]);
    assert.ok(finding.at_ns < finding.until_ns);
    const listed = await run(syclscope, ['summary', '--json', '--where', finding.filter, file]);
    assert.equal(listed.code, 0, `${finding.filter}: ${listed.stderr}`);
  });

  test(`${kind} is not found in the same program without the fault`, async () => {
    const { found } = await sound(kind, name, flags);
    assert.ok(!found.some((one) => one.kind === kind), JSON.stringify(found, null, 1));
  });
}

test('one_long_kernel names the launch that takes more than all else, and no gain', async () => {
  const { report, found } = await faultyWithoutGain('one_long_kernel', 'long_kernel');
  const finding = found.find(({ kind }) => kind === 'one_long_kernel');
  assert.ok(finding, `found only: ${found.map(({ kind }) => kind).join(', ')}`);
  assert.match(finding.location.file, /kernels\.hpp$/);
  assert.equal(finding.slices.length, 1);
  assert.ok(finding.touches_ns * 2 > report.covered.device_ns, `${finding.touches_ns} ns`);
  assert.ok(!finding.gain && finding.no_gain.includes('what_if'), JSON.stringify(finding));
  const good = await sound('one_long_kernel', 'long_kernel');
  assert.ok(!good.found.some(({ kind }) => kind === 'one_long_kernel'), JSON.stringify(good.found, null, 1));
});

test('slow_start says where the time before the first command went', async () => {
  const { report, found } = await faultyWithoutGain('slow_start', 'start');
  const finding = found.find(({ kind }) => kind === 'slow_start');
  assert.ok(finding, `found only: ${found.map(({ kind }) => kind).join(', ')}`);
  assert.match(finding.location.file, /faults\.cpp$/);
  assert.ok(finding.touches_ns >= 5e9 && finding.touches_ns < report.split.run_ns, `${finding.touches_ns} ns`);
  assert.match(finding.message, /host code \(not recorded\) of main thread/);
  assert.ok(!finding.gain && finding.no_gain.includes('no device code'), JSON.stringify(finding));
});

test('several faults at once gain no more than the run without all of them', async () => {
  const wanted = ['small_allocations', 'wait_after_kernel'];
  const { report, found } = await faulty(wanted, 'several');
  const kinds = new Set(found.map(({ kind }) => kind));
  for (const kind of wanted)
    assert.ok(kinds.has(kind), `found only: ${[...kinds].join(', ')}`);
  for (const { gain } of found.filter(({ gain }) => gain))
    assert.ok(gain.ns <= report.together_ns, `${gain.ns} of ${report.together_ns} ns`);
  for (const { kind, gain, no_gain: reason } of found)
    if (wanted.includes(kind) && !gain) assert.match(reason, REFUSED);
  assert.ok(report.together_ns < report.split.run_ns, `${report.together_ns} ns`);
  if (found.some(({ kind, gain }) => wanted.includes(kind) && gain?.ns > 0)) assert.ok(report.together_ns > 0);
});

test('the demo has no findings but true ones', async () => {
  // Other work of the machine may cause findings about its start and its iterations, which are no faults of the
  // program.
  const ofMachine = ['host_bound', 'slow_start', 'uneven_iterations'];
  let faults;
  // A fault of the program is in each of its runs; an effect of the machine on one kernel is in one run only.
  for (let attempt = 0; attempt < ATTEMPTS && faults?.length !== 0; attempt += 1) {
    const env = attempt > 0 ? { ATTEMPT: `${attempt}` } : {};
    const { code, stdout, stderr, file } = await recorded(program('heat'), ['--size', '512', '--steps', '60'], { format: 'perfetto', env });
    assert.equal(code, 0, `${stdout}${stderr}`);
    const { report } = await summary(file);
    const seen = report.findings.filter(({ kind }) => !ofMachine.includes(kind));
    faults = seen.filter((one) => !faults || faults.some(({ kind }) => kind === one.kind));
  }
  assert.deepEqual(faults.map(({ kind, message }) => `${kind}: ${message}`), []);
});
