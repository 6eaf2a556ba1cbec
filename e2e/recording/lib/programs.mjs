// The compiled test programs: from EXAMPLES_DIR if that is set, else compiled here into the cache.
import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

import { cache, repository, venv } from './environment.mjs';

const sources = [path.join(repository, 'examples/cpp'), path.join(repository, 'e2e/recording/programs')];

/**
 * Returns the path of the compiled program `name` (its source file's name without `.cpp`), for the runtime in the
 * Python environment `runtime`.
 */
export function program(name, runtime = venv) {
  const given = process.env.EXAMPLES_DIR;
  if (given && runtime === venv) {
    const compiled = path.resolve(given, name);
    if (!fs.existsSync(compiled)) throw new Error(`EXAMPLES_DIR (${given}) holds no compiled program '${name}'`);
    return compiled;
  }
  return compile(name, runtime);
}

/** Returns the path of the compiled program of the problem `name`, from `examples/problems/NAME/PROGRAM.cpp`. */
export function problem(name, program) {
  const given = process.env.EXAMPLES_DIR;
  if (!given) return made(`${program}.cpp`, { place: path.join(repository, 'examples/problems', name), headers: path.join(repository, 'examples/problems') });
  const found = path.resolve(given, 'problems', name, program);
  if (!fs.existsSync(found)) throw new Error(`EXAMPLES_DIR (${given}) holds no compiled program of the problem '${name}'`);
  return found;
}

function compile(name, runtime) {
  const source = sources.map((folder) => path.join(folder, `${name}.cpp`)).find(fs.existsSync);
  if (!source) throw new Error(`there is no ${name}.cpp in ${sources.join(' or ')}`);
  return made(source, { runtime, place: repository, headers: path.dirname(source) });
}

/** Returns the path of the program compiled from a source file of the repository, with further flags. */
export function built(source, flags = []) {
  return made(source, { place: repository, headers: path.dirname(path.join(repository, source)), more: flags });
}

/** Compiles `source` in the folder `place`, with which the paths in recordings begin; returns the program's path. */
function made(source, { runtime = venv, place, headers, more = [] }) {
  const [file, name] = [path.resolve(place, source), path.basename(source, '.cpp')];
  const compiled = path.join(cache, 'e2e-programs', `${name}-${fingerprint(headers, [file, ...more].join(' '), runtime)}`);
  if (fs.existsSync(compiled)) return compiled;
  fs.mkdirSync(path.dirname(compiled), { recursive: true });
  const flags = /^\/\/ flags: (.*)$/m.exec(fs.readFileSync(file, 'utf8'))?.[1].split(' ') ?? [];
  const unfinished = `${compiled}.${process.pid}`;
  execFileSync(process.env.CXX ?? 'g++', [
    '-std=c++17', '-O1', '-w', ...flags, '-I', path.join(runtime, 'include'), '-I', path.join(runtime, 'include/sycl'), source, ...more,
    '-L', path.join(runtime, 'lib'), '-lsycl', `-Wl,-rpath,${path.join(runtime, 'lib')}`, '-o', unfinished,
  ], { cwd: place, stdio: ['ignore', 'inherit', 'inherit'] });
  fs.renameSync(unfinished, compiled); // two test files may compile the same program at once
  return compiled;
}

// Returns a hash that changes with any source in the program's folder, with the program and with the runtime.
function fingerprint(folder, source, runtime) {
  const hash = crypto.createHash('sha256').update(source).update(fs.realpathSync(runtime));
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(cpp|hpp)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name)).sort())
    hash.update(entry).update(fs.readFileSync(entry));
  return hash.digest('hex').slice(0, 12);
}
