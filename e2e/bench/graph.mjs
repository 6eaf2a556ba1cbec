// Drawings of task graphs in WebAssembly, as in the page's worker: one JSON line a figure. `cargo xtask bench graph`
// builds the module and gives its path.
import { figure } from './page/figure.mjs';
import { fastest, instances } from './wasm.mjs';

const SIZES = [1_000, 10_000, 50_000];
const RUNS = 3;
// In the order of the module's questions.
const QUESTIONS = [
  'by place',
  'by rounds',
  'by place, one group unfolded',
  'neighbourhood of 3',
  '2,000 of all',
  'all, redundant ones marked',
];

const instance = instances();
for (const size of SIZES) {
  const exports = instance();
  exports.make_graph(size);
  if (exports.graph_questions() !== QUESTIONS.length) throw new Error('the module has other questions');
  const walk = fastest(exports.walk_graph, RUNS);
  const print = (what, ask, goal) => {
    const value = fastest(ask, RUNS);
    figure(`${what}, wasm, ${size} nodes`, value, 'ms', { goal, baseline: walk, ratio: walk / value });
  };
  print('layout of all', exports.draw_graph, 4000);
  QUESTIONS.forEach((what, number) => {
    print(`answer ${what}`, () => exports.ask_graph(number), what.startsWith('all') ? 4000 : 200);
  });
}
