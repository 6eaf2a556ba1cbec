// Recordings that several tests look at: each is made once in a run of all tests, or else once for a test file.
import crypto from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { record } from './run.mjs';

/** Where the run keeps them: `cargo xtask test` empties this folder before it starts. */
const kept = process.env.RECORDINGS ? path.resolve(process.env.RECORDINGS) : temporary();

/**
 * What `record` gives for a program that ran in `folder`, where it left its files: as JSON, if no other format is asked
 * for. What is there is that of other tests, too: it is only read.
 */
export async function recorded(program, args = [], { format = 'json', flags = [], env = {} } = {}) {
  const asked = JSON.stringify([program, args, format, flags, env]);
  const name = crypto.createHash('sha256').update(asked).digest('hex').slice(0, 12);
  const folder = path.join(kept, `${path.basename(program)}-${name}`);
  const [file, stdout, stderr, ended] = ['run', '.stdout', '.stderr', '.ended'].map((part) => path.join(folder, part));
  if (!fs.existsSync(ended)) {
    fs.rmSync(folder, { recursive: true, force: true });
    fs.mkdirSync(folder, { recursive: true });
    const result = await record(file, program, args, { format, flags, env, cwd: folder });
    fs.writeFileSync(stdout, result.stdout);
    fs.writeFileSync(stderr, result.stderr);
    fs.writeFileSync(ended, JSON.stringify({ code: result.code, signal: result.signal }));
  }
  const read = (path) => (fs.existsSync(path) ? fs.readFileSync(path) : null);
  return { ...JSON.parse(read(ended)), stdout: read(stdout), stderr: read(stderr), folder, file, bytes: read(file) };
}

function temporary() {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'syclscope-recordings-'));
  process.on('exit', () => fs.rmSync(made, { recursive: true, force: true }));
  return made;
}
