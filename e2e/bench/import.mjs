// Times the importers in WebAssembly, the code that the page would run, and prints MB/s by format as JSON.
// `cargo xtask bench import` builds the module and gives its path.

import { readFileSync } from "node:fs";

const COMMANDS = 60_000;
const RUNS = 5;

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {});
const { prepare, import: open } = instance.exports;
const rates = ["perfetto", "chrome json"].map((name, format) => {
  const bytes = prepare(format, COMMANDS);
  let best = Infinity;
  for (let run = 0; run < RUNS; run += 1) {
    const start = performance.now();
    if (open() !== COMMANDS * 5) throw new Error(`${name} does not open`);
    best = Math.min(best, performance.now() - start);
  }
  return [name, bytes / 1e3 / best];
});
console.log(JSON.stringify(Object.fromEntries(rates)));
