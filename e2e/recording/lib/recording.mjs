// Reads a recording in Chrome JSON as docs/FORMAT.md describes it, without any of the product's own code: data that the
// tests compare with the runtime's output must not pass through the importer under test.

/** A recording's events by kind. Times are nanoseconds since the recording's start. */
export class Recording {
  /** `text` may lack the closing bracket and end in the middle of a record, as that of a killed program does. */
  static parse(text) {
    return new Recording(parseArray(text.toString()));
  }

  constructor(events) {
    this.events = events;
    this.process = this.#records('sycl.recording')[0]?.args;
    this.tracks = events.filter((event) => event.ph === 'M' && event.name === 'sycl.track').map(({ tid, pid, args }) => ({ ...args, shown: { pid, tid } }));
    this.queues = this.#records('sycl.queue').map(({ args }) => args);
    this.queuesDestroyed = this.#records('sycl.queue_destroy').map(({ args }) => args.queue);
    this.nodes = new Map(this.#records('sycl.node').map((event) => [event.args.node, { ...event.args, name: event.name }]));
    this.edges = this.#records('sycl.edge').map(({ args }) => args);
    this.allocations = this.#records('sycl.allocation').map(({ args, ts }) => ({ ...args, at: nanoseconds(ts) }));
    this.releases = this.#records('sycl.release').map(({ args, ts }) => ({ ...args, at: nanoseconds(ts) }));
    this.dropped = this.#records('sycl.dropped').map(({ args }) => args);
    this.finished = this.#records('sycl.finish').length === 1;
    this.executions = events
      .filter((event) => event.ph === 'X' && event.cat?.startsWith('sycl.execution'))
      .map(({ name, ts, dur, pid, tid, args }) => ({
        ...args, name, lane: `${pid}/${tid}`, start: nanoseconds(ts), end: nanoseconds(ts) + nanoseconds(dur),
      }));
    this.instants = events.filter((event) => event.ph === 'i' && !event.cat?.startsWith('sycl.'));
    this.slices = pair(events);
  }

  /** The arguments of every record of a category, with its name: `sycl.memory_object`, `sycl.fact`, … */
  records(category) {
    return this.#records(category).map(({ name, args }) => ({ name, ...args }));
  }

  /** Slices of a category (`ur`, `wait`, `submission`, …). */
  slicesOf(category) {
    return this.slices.filter((slice) => slice.category === category);
  }

  /** The samples of a counter, `{ at, value }`. */
  counter(name) {
    const samples = this.events.filter((event) => event.ph === 'C' && event.name === name);
    return samples.map(({ ts, args }) => ({ at: nanoseconds(ts), value: args.value }));
  }

  /** The names of all counters. */
  get counterNames() {
    return [...new Set(this.events.filter(({ ph }) => ph === 'C').map(({ name }) => name))].sort();
  }

  /** Events lost while recording. */
  get droppedCount() {
    return this.dropped.reduce((sum, { count }) => sum + count, 0);
  }

  /** A device time of this recording on the machine's clock. */
  machineTime(time) {
    return BigInt(this.process.start_monotonic_ns) + BigInt(time);
  }

  #records(category) {
    return this.events.filter((event) => event.ph === 'i' && event.cat === category);
  }
}

/** Counts of the values. */
export function count(values) {
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Differences of two counts, as lines for a message; empty if they are equal. */
export function differences(seen, expected) {
  const lines = [];
  for (const key of [...new Set([...seen.keys(), ...expected.keys()])].sort())
    if ((seen.get(key) ?? 0) !== (expected.get(key) ?? 0))
      lines.push(`${key}: recorded ${seen.get(key) ?? 0}, expected ${expected.get(key) ?? 0}`);
  return lines;
}

// Converts microseconds with three decimals to whole nanoseconds.
function nanoseconds(microseconds) {
  return Math.round(microseconds * 1000);
}

function parseArray(text) {
  try {
    return JSON.parse(text);
  } catch {
    // One record a line: whole lines are whole records.
    const whole = text.slice(0, text.lastIndexOf('\n'));
    return JSON.parse(`${whole.replace(/,\s*$/, '')}\n]`);
  }
}

// Pairs begins and ends of the same track, innermost first.
function pair(events) {
  const open = new Map();
  const slices = [];
  for (const event of events) {
    const track = `${event.pid}/${event.tid}`;
    if (event.ph === 'B') {
      const slice = {
        track, category: event.cat, name: event.name, start: nanoseconds(event.ts), end: null, args: event.args ?? {},
      };
      slices.push(slice);
      if (!open.has(track)) open.set(track, []);
      open.get(track).push(slice);
    } else if (event.ph === 'E') {
      const slice = open.get(track)?.pop();
      if (!slice) throw new Error(`a slice ends on ${track} at ${event.ts} that never began`);
      slice.end = nanoseconds(event.ts);
      Object.assign(slice.args, event.args);
    }
  }
  return slices;
}

/** Returns every node that can be reached from one. */
export function reach(edges, from) {
  const reached = new Set([from]);
  for (let size = 0; size !== reached.size;) {
    size = reached.size;
    for (const { source, target } of edges) if (reached.has(source)) reached.add(target);
  }
  return reached;
}
