// What the scripts share that time the WebAssembly module of `bench/`, whose path they are given.
import { readFileSync } from 'node:fs';
import { figure, quantile } from './page/figure.mjs';

/** Our goal for a tile or a screen of tiles, in milliseconds. */
export const TILE_GOAL = 4;

/** The exports of instances of the module, each with a memory of its own. */
export function instances() {
  const module = new WebAssembly.Module(readFileSync(process.argv[2]));
  return () => new WebAssembly.Instance(module, {}).exports;
}

/** The fastest of several runs, in milliseconds: what else the machine does is not the question's cost. */
export function fastest(ask, runs = 5) {
  let milliseconds = Infinity;
  for (let run = 0; run < runs; run++) milliseconds = Math.min(milliseconds, once(ask));
  return milliseconds;
}

/** How long something takes, in milliseconds. */
export function once(ask) {
  const begun = performance.now();
  ask();
  return performance.now() - begun;
}

/** Prints the median and the time that 99 of 100 keep to; `name` makes their names. */
export function printTimes(times, name) {
  figure(name('median'), quantile(times, 0.5), 'ms', { goal: TILE_GOAL });
  figure(name('99 of 100'), quantile(times, 0.99), 'ms', { goal: TILE_GOAL });
}
