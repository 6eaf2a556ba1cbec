// The versions of the SYCL runtime that recordings are tested on, each in a Python environment of its own. `cargo xtask
// test` names them by SYCL_VENV_2024_2 and so on, or gives the reason for a missing one by SYCL_VENV_2024_2_MISSING.
import path from 'node:path';

const VERSIONS = [
  // `callTrace` is the variable that enables a version's own log of its calls.
  { version: '2024.2', venv: 'SYCL_VENV_2024_2', callTrace: 'SYCL_PI_TRACE' },
  { version: '2025.0', venv: 'SYCL_VENV_2025_0', callTrace: 'SYCL_UR_TRACE' },
  { version: '2025.2', venv: 'SYCL_VENV_2025_2', callTrace: 'SYCL_UR_TRACE' },
  { version: '2026.2', venv: 'SYCL_PYTHON_VENV', callTrace: 'SYCL_UR_TRACE' },
];

/**
 * Every version: `{ version, skip, env, python, callTrace }`. `skip` is the reason for which its tests cannot run, or
 * false; `env` is what a program needs to find the runtime.
 */
export const versions = VERSIONS.map(({ version, venv, callTrace }) => {
  const folder = process.env[venv];
  if (!folder) return { version, skip: process.env[`${venv}_MISSING`] ?? `${venv} is not set` };
  const env = { LD_LIBRARY_PATH: path.join(folder, 'lib'), OCL_ICD_FILENAMES: path.join(folder, 'lib/libintelocl.so'), SYCL_CACHE_PERSISTENT: '0' };
  return { version, skip: false, venv: folder, env, python: path.join(folder, 'bin/python'), callTrace };
});
