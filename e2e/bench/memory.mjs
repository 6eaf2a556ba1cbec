// Answers about a million allocations in WebAssembly, the code that the page would run: one JSON line a figure.
// `cargo xtask bench memory` builds the module and gives its path.

import { readFileSync } from "node:fs";

const RUNS = 5;
const MEMORY_ZOOMS = 13;
const PICTURES = 3;

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
// The same pictures of memory as the native benchmark's.
for (const [usage, used] of ["reused", "half of it kept"].entries()) {
  const { exports } = new WebAssembly.Instance(module, {});
  const name = (what) => `memory tile${what}, wasm, 10^6 allocations, ${used}`;
  exports.allocate(1_000_000, usage);
  print({ name: name(" of the whole run"), value: fastest(exports.memory_tile), unit: "ms", goal: 4, better: "lower" });
  const times = [];
  for (let zoom = 0; zoom < MEMORY_ZOOMS; zoom++) {
    for (let addressZoom = 0; addressZoom < MEMORY_ZOOMS; addressZoom++) {
      for (let picture = 0; picture < PICTURES; picture++) {
        exports.choose_memory(zoom, addressZoom);
        times.push(fastest(exports.memory_tile));
      }
    }
  }
  printTimes(times, (what) => name(`, ${what}`));
  for (let question = 0; question < exports.memory_questions(); question++) {
    const text = new TextDecoder().decode(
      new Uint8Array(exports.memory.buffer, exports.memory_question_text(question), exports.memory_question_length(question)),
    );
    const what = `${text}, wasm, 10^6 allocations, ${used}`;
    const begun = performance.now();
    exports.ask_memory(question);
    print({ name: `${what}, at first`, value: performance.now() - begun, unit: "ms", better: "lower" });
    print({ name: what, value: fastest(() => exports.ask_memory(question)), unit: "ms", better: "lower" });
  }
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
