// Copies of the program under test, as servers.
import { syclscope } from '../../required.mjs';
import { Service, freePort } from './service.mjs';

export { syclscope };

/**
 * Returns a copy of `syclscope serve` on a free port, with the options `args`; `start()` starts it. nginx and the tests
 * may run under other accounts, so every account may use the copy without limits, unless `open` is false and `args`
 * decide on access.
 */
export async function copy(test, args, { name = 'a copy', env = {}, port = undefined, open = true } = {}) {
  port ??= await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const command = [
    syclscope, 'serve', '--listen', `127.0.0.1:${port}`, '--changes-per-minute', '0', ...(open ? ['--any-account'] : []), ...args,
  ];
  const isReady = () => fetch(`${origin}/api/v1/health`).then((answer) => answer.ok);
  return Object.assign(new Service(test, name, command, isReady, { env }), { origin, host: `127.0.0.1:${port}` });
}
