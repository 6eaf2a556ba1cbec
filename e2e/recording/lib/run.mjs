// Runs of programs, with and without a recorder.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

import { PATIENCE_MS } from '../../patience.mjs';
import { syclEnvironment, syclscope } from './environment.mjs';

/**
 * Starts a command. `ended` resolves to `{ code, signal, stdout, stderr }` with the output as buffers; `line(text)`
 * resolves once the standard output contains a line that begins with `text`, `more()` to true with more output or to
 * false at the end; `printed()` is the standard output so far. With `stdin: 'pipe'` the standard input stays open;
 * otherwise it is empty.
 */
export function start(command, args = [], { env = {}, cwd, stdin = 'ignore' } = {}) {
  const child = spawn(command, args, { env: syclEnvironment(env), cwd, stdio: [stdin, 'pipe', 'pipe'] });
  const output = { stdout: [], stderr: [] };
  const waiting = new Set();
  const look = () => {
    // Each new part requires a search of the whole output, so search only while a caller waits.
    if (waiting.size === 0) return;
    const lines = Buffer.concat(output.stdout).toString().split('\n');
    for (const one of waiting)
      if (lines.some((line) => line.startsWith(one.begin))) {
        waiting.delete(one);
        one.resolve();
      }
  };
  for (const name of ['stdout', 'stderr'])
    child[name].on('data', (bytes) => {
      output[name].push(bytes);
      if (name === 'stdout') look();
    });
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const result = { code, signal, stdout: Buffer.concat(output.stdout), stderr: Buffer.concat(output.stderr) };
      for (const { begin, reject: fail } of waiting)
        fail(new Error(`${path.basename(command)} ended before it printed '${begin}':\n${result.stdout}${result.stderr}`));
      resolve(result);
    });
  });
  const line = (begin) => new Promise((resolve, reject) => {
    waiting.add({ begin, resolve, reject });
    look();
  });
  const printed = () => Buffer.concat(output.stdout).toString();
  const more = () => Promise.race([new Promise((resolve) => child.stdout.once('data', () => resolve(true))), ended.then(() => false)]);
  return { child, ended, line, printed, more };
}

/** Returns the process id of the program `name` that a started `syclscope record` runs. */
export function recordedProcess(recording, name) {
  const { pid } = recording.child;
  const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  // Another child is the process that writes the recording.
  return children.find((child) => path.basename(fs.readlinkSync(`/proc/${child}/exe`)).startsWith(name));
}

/** Runs a command to its end. */
export async function run(command, args, options) {
  return start(command, args, options).ended;
}

/** The command line that records `program`. */
export function recordArguments(file, program, args = [], { format, flags = [] } = {}) {
  return ['record', '-o', file, ...(format ? ['--format', format] : []), ...flags, '--', program, ...args];
}

/** Records a program to its end. The result also has the file's path and bytes (`null` if there is no file). */
export async function record(file, program, args = [], options = {}) {
  const result = await run(syclscope, recordArguments(file, program, args, options), options);
  return { ...result, file, bytes: fs.existsSync(file) ? fs.readFileSync(file) : null };
}

/** Returns the output of `syclscope summary --json` for a file. */
export async function summary(file) {
  const result = await run(syclscope, ['summary', '--json', file]);
  if (result.code !== 0) throw new Error(`syclscope summary ${file} failed (${result.code}):\n${result.stderr}`);
  return JSON.parse(result.stdout);
}
