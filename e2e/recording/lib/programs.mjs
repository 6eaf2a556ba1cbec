// The compiled test programs: from EXAMPLES_DIR where that is set, else compiled here into the cache.
import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

import { cache, repository, venv } from './environment.mjs';

const sources = [path.join(repository, 'examples/cpp'), path.join(repository, 'e2e/recording/programs')];

/**
 * Path of the compiled program `name` (its source file's name without `.cpp`), for the runtime in the Python
 * environment `runtime`.
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

function compile(name, runtime) {
  const source = sources.map((folder) => path.join(folder, `${name}.cpp`)).find(fs.existsSync);
  if (!source) throw new Error(`there is no ${name}.cpp in ${sources.join(' or ')}`);

  const compiled = path.join(cache, 'e2e-programs', `${name}-${fingerprint(path.dirname(source), runtime)}`);
  if (fs.existsSync(compiled)) return compiled;
  fs.mkdirSync(path.dirname(compiled), { recursive: true });
  const flags = /^\/\/ flags: (.*)$/m.exec(fs.readFileSync(source, 'utf8'))?.[1].split(' ') ?? [];
  const unfinished = `${compiled}.${process.pid}`;
  execFileSync(process.env.CXX ?? 'g++', [
    '-std=c++17', '-O1', '-w', ...flags, '-I', path.join(runtime, 'include'), '-I', path.join(runtime, 'include/sycl'), source,
    '-L', path.join(runtime, 'lib'), '-lsycl', `-Wl,-rpath,${path.join(runtime, 'lib')}`, '-o', unfinished,
  ], { stdio: ['ignore', 'inherit', 'inherit'] });
  fs.renameSync(unfinished, compiled); // two test files may compile the same program at once
  return compiled;
}

// Changes with anything in the program's folder and with the runtime.
function fingerprint(folder, runtime) {
  const hash = crypto.createHash('sha256').update(fs.realpathSync(runtime));
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(cpp|hpp)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name)).sort())
    hash.update(entry).update(fs.readFileSync(entry));
  return hash.digest('hex').slice(0, 12);
}
