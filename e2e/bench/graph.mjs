// Drawings of task graphs in WebAssembly, as the page's worker makes them: one JSON line a figure.
// `cargo xtask bench graph` builds the module and gives its path.

import { readFileSync } from "node:fs";

const SIZES = [1_000, 10_000, 50_000];
const RUNS = 3;
// In the order of the module's questions.
const QUESTIONS = [
  "by place",
  "by rounds",
  "by place, one group unfolded",
  "neighbourhood of 3",
  "2,000 of all",
  "all, redundant ones marked",
];

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
for (const size of SIZES) {
  const { exports } = new WebAssembly.Instance(module, {});
  exports.make_graph(size);
  if (exports.graph_questions() !== QUESTIONS.length) throw new Error("the module has other questions");
  const name = (what) => `${what}, wasm, ${size} nodes`;
  const walk = fastest(() => exports.walk_graph());
  const figure = (what, value, goal) =>
    print({ name: name(what), value, unit: "ms", baseline: walk, ratio: walk / value, goal, better: "lower" });
  figure("layout of all", fastest(() => exports.draw_graph()), 4000);
  QUESTIONS.forEach((what, number) => {
    const goal = what.startsWith("all") ? 4000 : 200;
    figure(`answer ${what}`, fastest(() => exports.ask_graph(number)), goal);
  });
}

// The fastest of several runs: what else the machine does is not the question's cost.
function fastest(run) {
  let milliseconds = Infinity;
  for (let count = 0; count < RUNS; count++) {
    const begun = performance.now();
    run();
    milliseconds = Math.min(milliseconds, performance.now() - begun);
  }
  return milliseconds;
}

function print(figure) {
  console.log(JSON.stringify(figure));
}
