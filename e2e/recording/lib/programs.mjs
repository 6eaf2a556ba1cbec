// The compiled test programs: from EXAMPLES_DIR where that is set, else compiled here into the cache.
import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

import { cache, repository, venv } from './environment.mjs';

const sources = [path.join(repository, 'examples/cpp'), path.join(repository, 'e2e/recording/programs')];

/** Path of the compiled program `name` (its source file's name without `.cpp`). */
export function program(name) {
  const given = process.env.EXAMPLES_DIR;
  if (given) {
    const compiled = path.resolve(given, name);
    if (!fs.existsSync(compiled)) throw new Error(`EXAMPLES_DIR (${given}) holds no compiled program '${name}'`);
    return compiled;
  }
  return compile(name);
}

function compile(name) {
  const source = sources.map((folder) => path.join(folder, `${name}.cpp`)).find(fs.existsSync);
  if (!source) throw new Error(`there is no ${name}.cpp in ${sources.join(' or ')}`);

  const compiled = path.join(cache, 'e2e-programs', `${name}-${fingerprint(path.dirname(source))}`);
  if (fs.existsSync(compiled)) return compiled;
  fs.mkdirSync(path.dirname(compiled), { recursive: true });
  const flags = /^\/\/ flags: (.*)$/m.exec(fs.readFileSync(source, 'utf8'))?.[1].split(' ') ?? [];
  const unfinished = `${compiled}.${process.pid}`;
  execFileSync('g++', [
    '-std=c++17', '-O1', '-w', ...flags, '-I', path.join(venv, 'include'), source,
    '-L', path.join(venv, 'lib'), '-lsycl', `-Wl,-rpath,${path.join(venv, 'lib')}`, '-o', unfinished,
  ], { stdio: ['ignore', 'inherit', 'inherit'] });
  fs.renameSync(unfinished, compiled); // two test files may compile the same program at once
  return compiled;
}

// Changes with anything in the program's folder and with the runtime.
function fingerprint(folder) {
  const hash = crypto.createHash('sha256').update(venv);
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(cpp|hpp)$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name)).sort())
    hash.update(entry).update(fs.readFileSync(entry));
  return hash.digest('hex').slice(0, 12);
}
