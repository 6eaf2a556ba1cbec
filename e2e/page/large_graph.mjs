// A recording of a solver with any number of commands, in the JSON form of recordings: rounds of kernels on the parts
// of a grid, whose borders depend on their neighbours, with an occasional copy out.
import fs from 'node:fs';

const PARTS = 8;
const ROUND = 25;

/** Writes a recording with this number of commands. */
export function writeLargeGraph(file, commands) {
  const events = [];
  const instant = (cat, name, ts, args) =>
    events.push({ ph: 'i', cat: `sycl.${cat}`, name, pid: 1, tid: 1_000_000_000, ts, s: 't', args });
  instant('recording', 'recording', 0, { format: 1, pid: 1, process_name: 'solver', recorder: 'a test' });
  instant('queue', 'queue created', 0.001, {
    queue: 1,
    runtime_id: 1,
    handle: '0x10',
    order: 'out_of_order',
    device: 'a device',
    device_type: 'GPU',
    device_handle: '0x20',
    context: '0x30',
  });
  const written = new Array(PARTS).fill(null);
  let last = 0;
  const add = (kind, name, line, waitsFor) => {
    const node = ++last;
    const ts = node * 2;
    instant('node', name, ts, { node, kind, tid: 1, queue: 1, file: '/solver.cpp', line, kernel_name: name });
    for (const source of waitsFor.filter((one) => one !== null))
      instant('edge', 'edge', ts + 0.1, { source, target: node, reason: 'accessor', access_mode: 'read' });
    events.push({
      ph: 'X',
      cat: `sycl.execution,${kind}`,
      name,
      pid: 1_000_000_000,
      tid: 1_000_000_002 + (node % 4),
      ts: ts + 1,
      dur: 1 + (node % 7) / 4,
      args: { node, queue: 1, kind },
    });
    return node;
  };
  for (let round = 0; last < commands; ++round) {
    const before = [...written];
    for (let step = 0; step < ROUND && last < commands; ++step) {
      const part = step % PARTS;
      const around = [part, (part + 1) % PARTS, (part + PARTS - 1) % PARTS].map((one) => before[one]);
      written[part] = add('kernel', `smooth ${step % 3}`, 10 + (step % 5), [...new Set(around)]);
    }
    if (round % 10 === 9 && last < commands) add('copy', 'residual', 40, written);
  }
  fs.writeFileSync(file, JSON.stringify(events));
}
