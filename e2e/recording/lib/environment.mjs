// Settings of the tests for this machine, from environment variables. `cargo xtask test` sets them all.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { required, syclscope } from '../../required.mjs';

/** The repository's root. */
export const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');

export { syclscope };

/** The Python environment with the SYCL runtime. */
export const venv = required('SYCL_VENV', 'a Python environment with intel-sycl-rt and intel-opencl-rt (cargo xtask setup)');

/** Folder for recordings and pictures, to inspect after the run. */
export const artefacts = folder(process.env.ARTEFACTS ?? path.join(repository, 'target/e2e-artefacts'));

/** Folder for files that take long to create, which stay between runs. */
export const cache = folder(
  process.env.SYCLSCOPE_CACHE ?? path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'), 'syclscope'),
);

/** Returns the environment in which a SYCL program finds its runtime and the CPU device, and nothing is traced. */
export function syclEnvironment(more = {}) {
  const environment = { ...process.env };
  for (const name of Object.keys(environment))
    if (/^(XPTI_|UR_|SYCL_|SYCLSCOPE_|OCL_)/.test(name)) delete environment[name];
  environment.LD_LIBRARY_PATH = path.join(venv, 'lib');
  environment.OCL_ICD_FILENAMES = path.join(venv, 'lib/libintelocl.so');
  // Kernels from source take seconds to compile: each is compiled once.
  environment.SYCL_CACHE_PERSISTENT = '1';
  environment.SYCL_CACHE_DIR = path.join(cache, 'sycl-kernels', path.basename(fs.realpathSync(venv)));
  return { ...environment, ...more };
}

/** A new folder for one test's files, removed when the test ends. */
export function scratch(test) {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'syclscope-e2e-'));
  test.after(() => fs.rmSync(made, { recursive: true, force: true }));
  return made;
}

function folder(name) {
  fs.mkdirSync(name, { recursive: true });
  return path.resolve(name);
}
