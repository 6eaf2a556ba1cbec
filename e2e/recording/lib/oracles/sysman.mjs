// Expected counters of GPUs, from the answers in the driver's log.

/** Returns the processes that have read the clock of a device, which only the recorder's does. */
export function recorders(log) {
  return [...new Set(log.filter(({ sort, kind }) => sort === 'reading' && kind === 'Clock').map(({ process }) => process))];
}

/**
 * Returns the samples of each counter of a device that follow from the answers to a process, in their order: `value`,
 * and the times of the first answer, `from`, and of the last one, `at`.
 */
export function expectedCounters(log, process, device) {
  const answers = (kind, isPart = () => true) => log.filter(
    (line) => line.sort === 'reading' && line.process === process && line.device === device && line.kind === kind && isPart(line),
  );
  // Each sample queries every tile once, in the same order.
  const samples = (readings) => {
    const tiles = new Set(readings.map(({ tile }) => tile)).size;
    return Array.from({ length: Math.floor(readings.length / tiles) }, (_, index) => readings.slice(index * tiles, (index + 1) * tiles));
  };
  const each = (readings, value) => samples(readings).map((parts) => ({ from: parts[0].at, at: parts.at(-1).at, value: value(parts) }));
  const rates = (readings, value) => {
    const all = samples(readings);
    return all.slice(1).map((parts, index) => ({
      from: parts[0].at,
      at: parts.at(-1).at,
      value: value(parts.map((now, part) => {
        const last = all[index][part];
        return (now.value - last.value) / (now.at_us - last.at_us);
      })),
    }));
  };
  const highest = (key) => (parts) => Math.max(...parts.map((part) => part[key]));
  const isWhole = ({ tile }) => tile === undefined;
  return {
    'GPU clock': each(answers('Clock'), highest('mhz')),
    'GPU power': rates(answers('Power', isWhole), ([watts]) => watts),
    'GPU temperature': each(answers('Temperature'), highest('celsius')),
    'GPU utilisation': rates(answers('Engine'), (shares) => Math.min(Math.max(...shares) * 100, 100)),
    'GPU memory used': each(answers('Memory'), ([{ size, free }]) => size - free),
  };
}
