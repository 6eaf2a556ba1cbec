// Servers for tests and benchmarks of the page, and the traces stored on them.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PATIENCE_MS } from '../patience.mjs';
import { syclscope } from '../required.mjs';
import { LAYOUTS, startProxy } from './proxy.mjs';

export { syclscope };

/** Time after which a program that was requested to end is killed: editors may wait for their own children for ever. */
const ENDS_WITHIN_MS = 10_000;

/** Processes and folders that end with a test, oldest first. */
const begun = new WeakMap();

/**
 * Runs `end` when the test is over. Ends run in the reverse order of their registration: a program ends before the
 * folder that it writes to is removed. All of them run, even if one fails.
 */
function atEnd(test, end) {
  if (!begun.has(test)) {
    begun.set(test, []);
    test.after(async () => {
      const failures = [];
      for (const one of begun.get(test).reverse()) await Promise.resolve().then(one).catch((failure) => failures.push(failure));
      if (failures.length) throw failures[0];
    });
  }
  begun.get(test).push(end);
}

/** Returns the environment without any settings of the program. */
const withoutSettings = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SYCLSCOPE_')));

/** A new folder for one test's files, removed when the test ends. */
export function scratch(test) {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'syclscope-page-'));
  // Children of an ended program may still be writing to the folder.
  atEnd(test, () => fs.rmSync(made, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
  return made;
}

/**
 * Folder of the page with hooks for tests (`window.__syclscope`), which servers show instead of the page inside the
 * binary; unset if the binary's page has the hooks.
 */
const testPage = process.env.SYCLSCOPE_TEST_PAGE;

/** Layout of the servers behind a proxy (`LAYOUTS`); unset without a proxy. */
const behind = process.env.SYCLSCOPE_BEHIND;

/**
 * Starts `syclscope serve` on a free port with an empty data folder; it ends with the test. `page` is the folder of the
 * page that it shows, or null for the page inside the program; `more` are further options; `layout` is its layout
 * behind a proxy. `origin` is the start of its addresses, without the last `/`.
 */
export async function startServer(test, page = testPage, more = [], layout = behind) {
  const data = scratch(test);
  const { prefix, options } = LAYOUTS[layout] ?? { prefix: '', options: [] };
  const server = await start(test, ['serve', '--data', data, '--listen', '127.0.0.1:0', ...options, ...more], page);
  if (!layout) return { data, ...server };
  const origin = `${await startProxy(test, layout, new URL(server.address).host)}${prefix}`;
  return { data, ...server, address: `${origin}/`, origin };
}

/** Starts `syclscope open` of a file or folder on a free port; it ends with the test. */
export async function openServer(test, path) {
  return start(test, ['open', path, '--no-browser', '--port', '0']);
}

/** Starts `syclscope demo` on a free port; it ends with the test, and `said()` has its tour. */
export async function demoServer(test) {
  const server = await start(test, ['demo', '--no-browser', '--port', '0']);
  // The program prints the tour after the address.
  while (!server.said().includes('Ctrl-C ends it')) await new Promise((resolve) => setTimeout(resolve, 10));
  return server;
}

async function start(test, args, page = testPage) {
  const command = [syclscope, ...args, ...(page ? ['--page', page] : [])];
  const { found, said } = await startPrinting(test, `syclscope ${args[0]}`, command, /^http:\S+$/m);
  return { address: found, origin: new URL(found).origin, said };
}

/**
 * Starts a program that runs until the test ends, and waits until it has printed a match of `pattern`: `found` is the
 * match's first group, or all of it. `said()` returns its standard error so far.
 */
export async function startPrinting(test, name, [program, ...args], pattern, env = withoutSettings()) {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  atEnd(test, async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), ENDS_WITHIN_MS);
    await ended;
    clearTimeout(late);
  });
  const said = { stdout: '', stderr: '' };
  const all = () => said.stdout + said.stderr;
  const found = await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} printed no ${pattern}: ${all()}`)), PATIENCE_MS);
    for (const stream of ['stdout', 'stderr'])
      child[stream].on('data', (bytes) => {
        said[stream] += bytes;
        const match = pattern.exec(said[stream]);
        if (match) (clearTimeout(timer), resolve(match[1] ?? match[0]));
      });
    child.once('exit', (code) => (clearTimeout(timer), reject(new Error(`${name} ended with ${code}: ${all()}`))));
  });
  return { found, said: () => said.stderr };
}

/** Returns the program for notebooks and editors: with the page that has hooks for tests, if there is one. */
export function programWithHooks(folder) {
  if (!testPage) return syclscope;
  const program = path.join(folder, 'syclscope');
  fs.writeFileSync(program, `#!/bin/sh\ncase "$1" in open) exec '${syclscope}' "$@" --page '${testPage}';; esac\nexec '${syclscope}' "$@"\n`);
  fs.chmodSync(program, 0o755);
  return program;
}

/** Stores a file on a server, without the page. */
export async function store(server, file, name = path.basename(file)) {
  const answer = await fetch(`${server.origin}/api/v1/traces?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    body: fs.readFileSync(file),
  });
  if (!answer.ok) throw new Error(`storing ${file}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
