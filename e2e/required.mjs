// Files that environment variables name for the tests. `cargo xtask test` sets them all.
import fs from 'node:fs';
import path from 'node:path';

/** Returns the file or folder that a variable names. */
export function required(name, what) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: it must name ${what}`);
  if (!fs.existsSync(value)) throw new Error(`${name} names ${value}, which is not there: it must name ${what}`);
  return path.resolve(value);
}

/** The `syclscope` binary under test, with its page inside. */
export const syclscope = required('SYCLSCOPE_BIN', 'the syclscope binary (cargo xtask build)');
