// Answers about a million allocations in WebAssembly, the code that the page would run: one JSON line a figure.
// `cargo xtask bench memory` builds the module and gives its path.
import { figure } from './page/figure.mjs';
import { TILE_GOAL, fastest, instances, once, printTimes } from './wasm.mjs';

const ZOOMS = 13;
const PICTURES = 3;

const instance = instances();
// The same pictures of memory as the native benchmark's.
for (const [usage, used] of ['reused', 'half of it kept'].entries()) {
  const exports = instance();
  const name = (what) => `memory tile${what}, wasm, 10^6 allocations, ${used}`;
  exports.allocate(1_000_000, usage);
  figure(name(' of the whole run'), fastest(exports.memory_tile), 'ms', { goal: TILE_GOAL });
  const times = [];
  for (let zoom = 0; zoom < ZOOMS; zoom++) {
    for (let addressZoom = 0; addressZoom < ZOOMS; addressZoom++) {
      for (let picture = 0; picture < PICTURES; picture++) {
        exports.choose_memory(zoom, addressZoom);
        times.push(fastest(exports.memory_tile));
      }
    }
  }
  printTimes(times, (what) => name(`, ${what}`));
  for (let question = 0; question < exports.memory_questions(); question++) {
    const place = [exports.memory_question_text(question), exports.memory_question_length(question)];
    const text = new TextDecoder().decode(new Uint8Array(exports.memory.buffer, ...place));
    const what = `${text}, wasm, 10^6 allocations, ${used}`;
    const ask = () => exports.ask_memory(question);
    figure(`${what}, at first`, once(ask), 'ms');
    figure(what, fastest(ask), 'ms');
  }
}
