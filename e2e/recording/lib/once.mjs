// Recordings that several tests use: each is recorded once in a run of all tests, or else once for a test file.
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { record } from './run.mjs';

/** Folder of a run's results: `cargo xtask test` empties this folder before it starts. */
const kept = process.env.RECORDINGS ? path.resolve(process.env.RECORDINGS) : temporary();

/**
 * Number of runs of a program of which one must be undisturbed. Other work of the machine may stop a program for
 * seconds, and its recording then has findings of this run only.
 */
export const ATTEMPTS = 6;

/**
 * Returns the result of `record` for a program that ran in `folder`, where it left its files: as JSON by default. Other
 * tests use these files, too, so they must not change.
 */
export async function recorded(program, args = [], { format = 'json', flags = [], env = {} } = {}) {
  const asked = JSON.stringify([program, args, format, flags, env]);
  const name = crypto.createHash('sha256').update(asked).digest('hex').slice(0, 12);
  const folder = path.join(kept, `${path.basename(program)}-${name}`);
  const [file, stdout, stderr, ended] = ['run', '.stdout', '.stderr', '.ended'].map((part) => path.join(folder, part));
  // Another test file may be recording it.
  while (!fs.existsSync(ended)) {
    if (isFirst(folder, ended)) {
      const result = await record(file, program, args, { format, flags, env, cwd: folder }).catch((error) => {
        fs.rmSync(makerOf(folder));
        throw error;
      });
      fs.writeFileSync(stdout, result.stdout);
      fs.writeFileSync(stderr, result.stderr);
      fs.writeFileSync(`${ended}.part`, JSON.stringify({ code: result.code, signal: result.signal }));
      fs.renameSync(`${ended}.part`, ended);
    } else await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const read = (path) => (fs.existsSync(path) ? fs.readFileSync(path) : null);
  return { ...JSON.parse(read(ended)), stdout: read(stdout), stderr: read(stderr), folder, file, bytes: read(file) };
}

/**
 * True for the first of several test files that need the same recording, and again if that one has ended without it.
 */
function isFirst(folder, ended) {
  const maker = makerOf(folder);
  fs.mkdirSync(path.dirname(folder), { recursive: true });
  try {
    fs.writeFileSync(maker, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const pid = textOf(maker);
    if (pid && !fs.existsSync(`/proc/${pid}`)) fs.rmSync(maker, { force: true });
    return false;
  }
  // The maker may have ended with its recording a moment ago.
  if (fs.existsSync(ended)) return false;
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder);
  return true;
}

const makerOf = (folder) => `${folder}.maker`;

/** Returns the text of a file; nothing if another test file removes it at the same moment. */
function textOf(file) {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return '';
  }
}

function temporary() {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'syclscope-recordings-'));
  process.on('exit', () => fs.rmSync(made, { recursive: true, force: true }));
  return made;
}
