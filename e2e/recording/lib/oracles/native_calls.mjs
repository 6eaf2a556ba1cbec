// Calls of Level Zero: those of a recording, and those that the driver's log says came from its program.

/**
 * For each thread, by its number, the calls that the recording holds and those that the driver has seen, as lines
 * `name` or `name: failed`: `{ seen, expected, names }`.
 *
 * The driver sees more calls than there are to be recorded: of the recorder itself, which are made in no call of the
 * runtime; of the loader and of an adapter that gets its driver, which the recorder does not see all of; and those that
 * the adapter makes by an address that it has asked for, past the loader.
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

/** Calls of Level Zero that are in no call of the Unified Runtime on their thread. */
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
