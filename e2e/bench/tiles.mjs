// Memory and screens of tiles in WebAssembly, the code that the page would run: one JSON line a figure.
// `cargo xtask bench tiles` builds the module and gives its path.

import { readFileSync } from "node:fs";

const SIZES = [100_000, 1_000_000, 10_000_000];
const ZOOMS = 17;
const SCREENS = 40;
const RUNS = 5;

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
for (const size of SIZES) {
  const { exports } = new WebAssembly.Instance(module, {});
  const name = (what) => `${what}, wasm, 10^${Math.log10(size)} slices`;
  const bytes = exports.build(size) >>> 0;
  print({ name: name("memory of a slice"), value: bytes / size, unit: "bytes", goal: 100, better: "lower" });
  const peak = exports.memory.buffer.byteLength;
  print({ name: name("peak while building"), value: peak / 1e6, unit: "MB", goal: (3 * bytes) / 1e6, better: "lower" });
  const times = [];
  for (let zoom = 0; zoom < ZOOMS; zoom++) {
    for (let screen = 0; screen < SCREENS; screen++) {
      exports.choose(zoom);
      times.push(fastest(exports.screen));
    }
  }
  printTimes(times, (what) => name(`screen, ${what}`));
}

// The fastest of several runs: what else the machine does is not the query's cost.
function fastest(ask) {
  let fastest = Infinity;
  for (let run = 0; run < RUNS; run++) {
    const begun = performance.now();
    ask();
    fastest = Math.min(fastest, performance.now() - begun);
  }
  return fastest;
}

function printTimes(times, name) {
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor((times.length - 1) * share)];
  print({ name: name("median"), value: at(0.5), unit: "ms", goal: 4, better: "lower" });
  print({ name: name("99 of 100"), value: at(0.99), unit: "ms", goal: 4, better: "lower" });
}

function print(figure) {
  console.log(JSON.stringify({ baseline: null, ...figure }));
}
