// Programs that run in the background of a test: started, stopped, killed, started again, and ended with the test.
import { spawn } from 'node:child_process';
import dgram from 'node:dgram';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

import { PATIENCE_MS } from '../../patience.mjs';

/** Time after which a service that does no work yet is started again. */
const STARTS_WITHIN_MS = 300_000;

/** The account for programs that refuse to run as root: `nobody`. */
const NOBODY = '65534';

const ends = new WeakMap();

/**
 * Runs `end` when a test ends, in the reverse order of registration: the test runner itself would begin with the first.
 */
export function atEnd(test, end) {
  if (!ends.has(test)) {
    ends.set(test, []);
    test.after(async () => {
      for (const end of ends.get(test).reverse()) await end();
    });
  }
  ends.get(test).push(end);
}

/** A new folder for one test's files, removed when the test ends. `forNobody` gives it to the account of services. */
export function scratch(test, { forNobody = false } = {}) {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'syclscope-server-'));
  if (forNobody && isRoot()) fs.chownSync(made, Number(NOBODY), Number(NOBODY));
  atEnd(test, () => fs.rmSync(made, { recursive: true, force: true, maxRetries: 20 }));
  return made;
}

/** Returns the environment without any settings of the program. */
export const withoutSettings = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SYCLSCOPE_')));

export const isRoot = () => process.getuid() === 0;

/** Returns a command line that runs `command` without the rights of root, if this process has them. */
export const withoutRoot = (command) =>
  isRoot() ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', ...command] : command;

/**
 * Returns a port of the loopback interface without a listener, which no other test file gets. It is below the ports that
 * the system gives to connections, so that no connection takes it while a service is down.
 */
export async function freePort() {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 22_000);
    if (!(await reserve(port))) continue;
    const isFree = await new Promise((resolve) => {
      const probe = net.createServer();
      probe.once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

/**
 * Reserves a port until this process ends. True unless another process has reserved it. A socket of UDP does not disturb
 * the service that will listen on the port.
 */
function reserve(port) {
  return new Promise((resolve) => {
    const mark = dgram.createSocket('udp4');
    mark.once('error', () => resolve(false));
    mark.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      mark.unref();
      resolve(true);
    });
  });
}

/**
 * Calls `question` until its answer is neither false nor an error; `what` names the condition if that takes too long.
 */
export async function until(what, question, { patience_ms = PATIENCE_MS, every_ms = 50 } = {}) {
  const end = Date.now() + patience_ms;
  let last;
  do {
    try {
      const answer = await question();
      if (answer) return answer;
      last = undefined;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, every_ms));
  } while (Date.now() < end);
  throw new Error(`waited ${patience_ms / 1000} s in vain: ${what}${last ? ` (${last.message})` : ''}`);
}

/** A program in the background. `printed()` returns its output. */
export class Service {
  /**
   * `command` is its command line, `isReady` checks whether it does its work, `stopSignal` requests its end. It ends
   * with `test`, and in any case with this process.
   */
  constructor(test, name, command, isReady, { env = {}, cwd, stopSignal = 'SIGTERM' } = {}) {
    Object.assign(this, { name, command, isReady, env, cwd, stopSignal, output: [], child: null });
    atEnd(test, () => this.stop());
  }

  /** Starts it and waits until it does its work; one that hangs is started again, once. */
  async start() {
    const isThere = () =>
      until(`${this.name} is ready`, () => !this.isRunning || this.isReady(this), { patience_ms: STARTS_WITHIN_MS });
    this.launch();
    await isThere().catch(async () => {
      await this.kill();
      this.launch();
      await isThere();
    });
    if (!this.isRunning) throw new Error(`${this.name} ended: ${this.printed().slice(-2000)}`);
    return this;
  }

  /** Starts it, and does not wait. */
  launch() {
    // If a test is killed, the kernel ends all processes that it has started.
    const [program, ...args] = this.command;
    const deathly = program === 'setpriv' ? args : [program, ...args];
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...deathly], {
      env: { ...withoutSettings(), ...this.env },
      cwd: this.cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => resolve(this.output.push(Buffer.from(String(error)))));
      child.once('close', (code, signal) => resolve({ code, signal }));
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => this.output.push(bytes));
  }

  get isRunning() {
    return this.child !== null && this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The program's process id. */
  get pid() {
    return this.child.pid;
  }

  /** Its output, of all of its processes. */
  printed() {
    return Buffer.concat(this.output).toString();
  }

  /** Requests its end, and kills it if it does not end. Returns its exit code and signal. */
  async stop() {
    if (!this.isRunning) return this.ended;
    const children = descendants(this.pid);
    this.child.kill(this.stopSignal);
    const hanging = setTimeout(() => this.child.kill('SIGKILL'), PATIENCE_MS);
    const ended = await this.ended;
    clearTimeout(hanging);
    for (const pid of children) end(pid);
    return ended;
  }

  /** Ends it and all its processes at once, without clean-up: `kill -9`. */
  async kill() {
    if (!this.isRunning) return;
    for (const pid of [this.pid, ...descendants(this.pid)]) end(pid);
    await this.ended;
  }
}

function end(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended before.
  }
}

/** Returns the children of a process, and all of their descendants. */
export function descendants(pid) {
  const children = new Map();
  for (const entry of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = parentOf(entry);
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const below = (id) => (children.get(id) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(pid);
}

function parentOf(pid) {
  try {
    // The name before it is in brackets and may contain any character.
    return Number(fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ')[1]);
  } catch {
    return null;
  }
}

/** Returns the maximum resident memory of a process so far in bytes, mapped files included. */
export function peakResidentBytes(pid) {
  return Number(fs.readFileSync(`/proc/${pid}/status`, 'utf8').match(/^VmHWM:\s+(\d+) kB$/m)[1]) * 1024;
}
