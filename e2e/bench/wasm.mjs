// Shared parts of the scripts that time the WebAssembly module of `bench/`, whose path is their argument.
import { readFileSync } from 'node:fs';
import { figure, quantile } from './page/figure.mjs';

/** Our goal for a tile or a screen of tiles, in milliseconds. */
export const TILE_GOAL = 4;

/** Returns a function that creates an instance of the module, with a memory of its own, and returns its exports. */
export function instances() {
  const module = new WebAssembly.Module(readFileSync(process.argv[2]));
  return () => new WebAssembly.Instance(module, {}).exports;
}

/** Returns the least time of several runs, in milliseconds: other work of the machine only adds time. */
export function fastest(ask, runs = 5) {
  let milliseconds = Infinity;
  for (let run = 0; run < runs; run++) milliseconds = Math.min(milliseconds, once(ask));
  return milliseconds;
}

/** Returns the duration of a call in milliseconds. */
export function once(ask) {
  const begun = performance.now();
  ask();
  return performance.now() - begun;
}

/** Prints the median and the 99th percentile; `name` returns their names. */
export function printTimes(times, name) {
  figure(name('median'), quantile(times, 0.5), 'ms', { goal: TILE_GOAL });
  figure(name('99 of 100'), quantile(times, 0.99), 'ms', { goal: TILE_GOAL });
}
