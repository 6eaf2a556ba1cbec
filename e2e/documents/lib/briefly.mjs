// Runs a command that serves until Ctrl-C, and ends it once it answers: briefly.mjs PROGRAM open FILE
//
// It gets a free port and opens no browser. After Ctrl-C it must exit with success.
import { spawn } from 'node:child_process';

import { freePort, until } from '../../server/lib/service.mjs';

const [program, command, ...args] = process.argv.slice(2);
const port = await freePort();
const where = command === 'serve' ? ['--listen', `127.0.0.1:${port}`] : ['--port', `${port}`, '--no-browser'];
const child = spawn(program, [command, ...args, ...where], { stdio: 'inherit' });
const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
const isRunning = () => child.exitCode === null && child.signalCode === null;
const get = async (address) => {
  const answer = await fetch(`http://127.0.0.1:${port}${address}`);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer;
};
try {
  await until(`${command} answers`, () => !isRunning() || get('/api/v1/health'));
  if (isRunning()) {
    await get('/');
    const traces = await (await get('/api/v1/traces')).json();
    if (command !== 'serve' && !(traces.length > 0)) throw new Error(`${command} shows no trace`);
  } else throw new Error(`${command} ended before it answered`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
child.kill('SIGINT');
const { code, signal } = await ended;
if (code !== 0) {
  console.error(`${command} ended with ${signal ?? code}`);
  process.exitCode = 1;
}
