// Calls of Level Zero in a recording, and the program's calls in the driver's log.

/**
 * Returns for each thread, by its number, the recorded calls and those in the driver's log, as lines `name` or `name:
 * failed`: `{ seen, expected, names }`.
 *
 * The driver sees calls that can't be recorded: those of the recorder itself, outside of any call of the runtime; those
 * of the loader and of an adapter that gets its driver, of which the recorder sees only a part; and those of the
 * adapter by an address that it has queried, past the loader.
 */
export function nativeCalls(recording, log) {
  const threads = new Map(recording.tracks.map(({ tid, shown }) => [`${shown.pid}/${shown.tid}`, tid]));
  const begin = (slice) => Number(recording.machineTime(slice.start));
  const calls = recording.slicesOf('ur').map((call) => ({
    name: call.name, thread: threads.get(call.track), begin: begin(call), end: call.end === null ? Infinity : Number(recording.machineTime(call.end)),
  }));
  const settled = Math.max(...calls.filter(({ name }) => /^ur(Adapter|Platform)Get$/.test(name)).map(({ end }) => end));
  const native = recording.slicesOf('native').filter((call) => begin(call) > settled).sort((a, b) => a.start - b.start);
  const byAddress = new Set(log.filter(({ sort }) => sort === 'address').map(({ name }) => name));
  const given = log.filter(({ sort, name }) => sort === 'call' && !byAddress.has(name));
  const made = given.filter((call) => call.begin > settled && calls.some(
    ({ thread, begin, end }) => thread === call.thread && begin <= call.begin && call.end <= end,
  ));
  const line = (name, hasFailed) => (hasFailed ? `${name}: failed` : name);
  return {
    seen: byThread(native.map(({ track, name, args }) => [threads.get(track), line(name, 'result' in args)])),
    expected: byThread(made.sort((a, b) => a.begin - b.begin).map(({ thread, name, code }) => [thread, line(name, code !== 0)])),
    names: new Set(native.map(({ name }) => name)),
  };
}

/** Returns the calls of Level Zero outside of any call of the Unified Runtime on their thread. */
export function strayCalls(recording) {
  const threads = new Map(recording.tracks.map(({ tid, shown }) => [`${shown.pid}/${shown.tid}`, tid]));
  const calls = recording.slicesOf('ur').map((call) => ({ ...call, thread: threads.get(call.track) }));
  return recording.slicesOf('native').filter((native) => !calls.some(
    ({ thread, start, end }) => thread === threads.get(native.track) && start <= native.start && native.end <= (end ?? Infinity),
  ));
}

function byThread(lines) {
  const threads = {};
  for (const [thread, line] of lines) (threads[thread] ??= []).push(line);
  return threads;
}
