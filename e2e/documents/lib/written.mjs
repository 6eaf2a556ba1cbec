// Files that commands write according to their text.
import fs from 'node:fs';
import path from 'node:path';

/** Options and commands that name a written file or folder. */
const NAMES = [
  /\s-o\s+"?([^\s"]+)/, // record, merge, convert, clean
  /\s--keep\s+(\S+)/, // demo
  /\srecord\b.*\s--spool\s+(\S+)/,
  /\sadmin backup\b.*\s--to\s+(\S+)/,
  /\sadmin restore\b.*\s--data\s+(\S+)/,
  /\ssyclscope man\s+([^\s-]\S*)/,
  /\s>\s+(\S+)/,
  /\sSYCLSCOPE_OUT=(\S+)/,
];

/** Returns the files that a command line writes, with `*` for the shell's substitutions; a folder ends in `/`. */
export function written(command) {
  const line = ` ${command.replace(/\s#\s.*$/, '').replace(/\$\([^)]*\)|\$\w+/g, '*')}`;
  const named = NAMES.map((name) => name.exec(line)?.[1]).filter((name) => name && name !== '/dev/null');
  const copied = [...line.matchAll(/\bTO '([^']+)'/g)].map(([, name]) => name);
  if (/\ssyclscope man --markdown \./.test(line)) named.push('commands.md');
  if (/\ssyclscope record\b/.test(line) && !/\s(-o|--share|--spool)\s/.test(line)) named.push('run*.pftrace');
  const times = Number(/\s--repeat\s+(\d+)/.exec(line)?.[1] ?? 0);
  const all = times ? named.flatMap((name) => Array.from({ length: times }, (_, at) => name.replace(/(?=\.\w+$)/, `-${at + 1}`))) : named;
  return [...all, ...copied];
}

/** Returns a Map from every file below `folder` to a text that changes when the file is written. */
export function files(folder) {
  const found = new Map();
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath ?? entry.path, entry.name);
    const { ino, size, mtimeNs } = fs.statSync(file, { bigint: true });
    if (size > 0n) found.set(file, `${ino} ${size} ${mtimeNs}`);
  }
  return found;
}

/** Returns the `names` (from `written`) that are neither a file that is new in `after` nor a folder with one. */
export function missing(names, folder, before, after) {
  const fresh = [...after].filter(([file, state]) => before.get(file) !== state).map(([file]) => file);
  return names.filter((name) => {
    const whole = path.resolve(folder, name).replace(/[.+^${}()|[\]\\?]/g, '\\$&').replaceAll('*', '[^/]*');
    return !fresh.some((file) => new RegExp(`^${whole}(/|$)`).test(file));
  });
}
