// Output of `t.show()` below a notebook's cell, in a page of another origin, like a notebook's: the view, the time, the
// trace.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import http from 'node:http';
import path from 'node:path';
import readline from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openPage, trace } from './support.mjs';

const root = path.resolve(fileURLToPath(import.meta.url), '../../..');
const SCRIPT = `
import sys, syclscope
trace = syclscope.open(sys.argv[1])
print(trace.show("timeline", start=250_000_000, end=290_000_000, origins=[sys.argv[2]])._repr_html_(), flush=True)
sys.stdin.read()
`;

test("a notebook's cell shows the page at a chosen view and time, until its process ends", async (t) => {
  let cell = '';
  const notebook = http.createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>notebook</title>${cell}`);
  });
  await new Promise((done) => notebook.listen(0, '127.0.0.1', done));
  t.after(() => (notebook.closeAllConnections(), notebook.close()));
  const origin = `http://localhost:${notebook.address().port}`;
  const env = { ...process.env, PYTHONPATH: path.join(root, 'python'), SYCLSCOPE_PROGRAM: process.env.SYCLSCOPE_BIN };
  const python = spawn('python3', ['-c', SCRIPT, trace('heat'), origin], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  t.after(() => python.kill());
  [cell] = await new Promise((done) => readline.createInterface({ input: python.stdout }).once('line', (line) => done([line])));

  const { page } = await openPage(t);
  await page.goto(origin);
  const frame = page.frameLocator('iframe');
  await frame.getByTestId('timeline-canvas').waitFor();
  assert.match(await frame.getByTestId('trace-name').innerText(), /heat/);
  await frame.getByText('from 250 ms').waitFor();

  python.stdin.end();
  await new Promise((done) => python.once('exit', done));
  const address = /src="([^"?]+)/.exec(cell)[1];
  await assert.rejects(fetch(address), 'the server ended with the process');
});
