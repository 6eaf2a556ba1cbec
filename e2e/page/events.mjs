// Sums of the recorded events of a trace, by its tables alone, and numbers in the page's format.
import { execFileSync } from 'node:child_process';
import { syclscope } from './servers.mjs';

/** Returns the rows that a statement selects from the tables of a recording, as objects. */
export function rows(file, statement) {
  const told = execFileSync(syclscope, ['sql', '--format', 'json', '--limit', '100000', file, statement], { maxBuffer: 1 << 28 });
  const { columns, rows } = JSON.parse(told);
  return rows.map((row) => Object.fromEntries(row.map((value, place) => [columns[place].name, value])));
}

/** Executions by start, with the place and kind of their commands. */
export const executions = (file) =>
  rows(
    file,
    `SELECT e.*, e.start_ns + e.duration_ns AS end_ns, n.file, n.line, n.number FROM executions e JOIN nodes n ON n.node = e.node
     WHERE NOT e.in_pieces ORDER BY e.start_ns`,
  );

export const total = (some) => some.reduce((sum, { duration_ns }) => sum + duration_ns, 0);

/** Returns the parts of a range of time in which none of `some`, ordered by start, ran. */
export function idleTime(some, from_ns, to_ns) {
  const found = [];
  let until = from_ns;
  for (const { start_ns, end_ns } of [...some, { start_ns: to_ns, end_ns: to_ns }]) {
    if (until < Math.min(start_ns, to_ns)) found.push({ from_ns: until, to_ns: Math.min(start_ns, to_ns) });
    until = Math.max(until, end_ns);
  }
  return found;
}

export const length = (stretches) => stretches.reduce((sum, { from_ns, to_ns }) => sum + to_ns - from_ns, 0);

/** Returns the time in which at least one of them ran. */
export function covered(some) {
  const last = Math.max(0, ...some.map(({ end_ns }) => end_ns));
  return last - length(idleTime(some, 0, last));
}

/** Direct dependences of each command, without edges for some reasons. */
export function needs(file, except = '') {
  const found = new Map();
  for (const { source, target } of rows(file, `SELECT source, target FROM edges WHERE reason <> '${except}'`))
    found.set(target, [...(found.get(target) ?? []), source]);
  return found;
}

/** Returns the duration of the longest chain of dependences, if each command takes `duration`. */
export function longestChain(file, duration) {
  const [needed, ends] = [needs(file), new Map()];
  const own = new Map(executions(file).map((row) => [row.node, duration(row)]));
  const waiting = rows(file, 'SELECT node FROM nodes').map(({ node }) => node);
  while (waiting.length) {
    const node = waiting.at(-1);
    const before = needed.get(node) ?? [];
    const open = before.filter((other) => !ends.has(other));
    if (open.length) waiting.push(...open);
    else ends.set(waiting.pop(), (own.get(node) ?? 0) + Math.max(0, ...before.map((other) => ends.get(other))));
  }
  return Math.max(...ends.values());
}

const inUnits = (value, units) => {
  const [size, unit] = units.find(([size]) => value >= size * 0.999_95) ?? units.at(-1);
  return `${+(value / size).toPrecision(4)} ${unit}`;
};

export const duration = (ns) => inUnits(ns, [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']]);
export const bytes = (count) => inUnits(count, [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']]);

/** Returns a duration in the page's format in nanoseconds. */
export const nanoseconds = (text) => {
  const [, number, unit] = text.match(/([\d.]+) (ns|µs|ms|s)\b/);
  return Number(number) * { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 }[unit];
};
