// The tests' own Level Zero driver under the real loader and the real adapters: what a program needs in its environment.
// `cargo xtask test` names the driver and the loaders, or says why there is none.
import fs from 'node:fs';
import path from 'node:path';

import { venv } from './environment.mjs';

const driver = process.env.LEVEL_ZERO_DRIVER;
const loader = process.env.LEVEL_ZERO_LOADER;

/** The reason for which tests on the driver cannot run, or false. */
export const skip = missing('LEVEL_ZERO_LOADER', loader);

/** The same for tests on the oldest loader that the adapters accept. */
export const skipOld = missing('LEVEL_ZERO_OLD_LOADER', process.env.LEVEL_ZERO_OLD_LOADER);

/** The two adapters of the Unified Runtime, each with what chooses it. */
export const adapters = [
  { adapter: 'v1', choice: { SYCL_UR_USE_LEVEL_ZERO_V2: '0' } },
  { adapter: 'v2', choice: { SYCL_UR_USE_LEVEL_ZERO_V2: '1' } },
];

/** The environment in which a program runs on the driver, set by `words` (e2e/driver/README.md), with its log in `log`. */
export function onDriver(words = '', { log, loaders = loader, drivers = driver } = {}) {
  return {
    ONEAPI_DEVICE_SELECTOR: 'level_zero:gpu',
    LD_LIBRARY_PATH: [path.join(venv, 'lib'), ...(loaders ? [loaders] : [])].join(':'),
    ZE_ENABLE_ALT_DRIVERS: drivers,
    ZE_TEST_DRIVER: [...(log ? [`log=${log}`] : []), words].filter(Boolean).join(';'),
  };
}

/** The oldest loader's folder. */
export const oldLoader = process.env.LEVEL_ZERO_OLD_LOADER;

/** The driver's log, a line for each call, command and object; times are nanoseconds of the machine's clock. */
export function readLog(file) {
  // Times of this machine fit into a double; handles and ticks are compared nowhere.
  return fs.readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
}

/** The commands of a log that do something: kernels, copies and fills, in the order in which they began. */
export function work(log) {
  const kinds = new Set(['kernel', 'copy', 'fill']);
  return log.filter(({ sort, kind }) => sort === 'command' && kinds.has(kind)).sort((a, b) => a.begin - b.begin);
}

function missing(name, folder) {
  if (!driver) return 'LEVEL_ZERO_DRIVER is not set';
  return folder ? false : process.env[`${name}_MISSING`] ?? `${name} is not set`;
}
