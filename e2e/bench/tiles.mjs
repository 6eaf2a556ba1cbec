// Memory and screens of tiles in WebAssembly, the code that the page would run: one JSON line a figure.
// `cargo xtask bench tiles` builds the module and gives its path.
import { figure } from './page/figure.mjs';
import { fastest, instances, printTimes } from './wasm.mjs';

const SIZES = [100_000, 1_000_000, 10_000_000];
const ZOOMS = 17;
const SCREENS = 40;

const instance = instances();
for (const size of SIZES) {
  const exports = instance();
  const name = (what) => `${what}, wasm, 10^${Math.log10(size)} slices`;
  const bytes = exports.build(size) >>> 0;
  figure(name('memory of a slice'), bytes / size, 'bytes', { goal: 100 });
  const peak = exports.memory.buffer.byteLength;
  figure(name('peak while building'), peak / 1e6, 'MB', { goal: (3 * bytes) / 1e6 });
  const times = [];
  for (let zoom = 0; zoom < ZOOMS; zoom++) {
    for (let screen = 0; screen < SCREENS; screen++) {
      exports.choose(zoom);
      times.push(fastest(exports.screen));
    }
  }
  printTimes(times, (what) => name(`screen, ${what}`));
}
