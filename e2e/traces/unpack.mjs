// Recordings for tests of the page: each is next to this file, compressed, and README.md describes it.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';

const kept = path.dirname(fileURLToPath(import.meta.url));
let unpacked;

/** Returns the path of the recording `name`, unpacked: `NAME.pftrace` in a folder that is removed when node ends. */
export function trace(name) {
  unpacked ??= temporary();
  const file = path.join(unpacked, `${name}.pftrace`);
  if (!fs.existsSync(file)) fs.writeFileSync(file, zlib.gunzipSync(fs.readFileSync(packed(name))));
  return file;
}

/** Returns the path of the recording `name`, compressed with gzip. */
export function packed(name) {
  return path.join(kept, `${name}.pftrace.gz`);
}

function temporary() {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'syclscope-traces-'));
  process.on('exit', () => fs.rmSync(made, { recursive: true, force: true }));
  return made;
}
