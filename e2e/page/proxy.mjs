// An nginx before a server, with the settings that docs/DEPLOY.md recommends.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Service, freePort, scratch } from '../server/lib/service.mjs';

const GUIDE = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../docs/DEPLOY.md');

/** Layouts behind a proxy: the page's path, and the options that the server gets. */
export const LAYOUTS = {
  own: { prefix: '', options: [] },
  stripped: { prefix: '/tools/syclscope', options: [] },
  kept: { prefix: '/tools/syclscope', options: ['--prefix', '/tools/syclscope'] },
};

/** Returns the guide's settings for a layout, for a server at another address. */
function settings(layout, server) {
  const found = fs.readFileSync(GUIDE, 'utf8').match(new RegExp(`^\`\`\`nginx ${layout}\\n(.*?)^\`\`\``, 'ms'));
  if (!found) throw new Error(`docs/DEPLOY.md has no settings "${layout}"`);
  return found[1].replaceAll('127.0.0.1:4717', server);
}

/** Starts an nginx before the server at `host:port`; returns its origin. It ends with the test. */
export async function startProxy(test, layout, server) {
  const folder = scratch(test);
  const config = path.join(folder, 'nginx.conf');
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`);
  // nginx runs as one process under this account, so the server accepts it.
  fs.writeFileSync(
    config,
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr warn;
events {}
http { access_log off; ${temporary.join(' ')} server { listen 127.0.0.1:${port}; ${settings(layout, server)} } }`,
  );
  const origin = `http://127.0.0.1:${port}`;
  const isReady = () => fetch(origin).then(() => true);
  const command = [process.env.NGINX ?? 'nginx', '-e', 'stderr', '-p', folder, '-c', config];
  await new Service(test, 'nginx', command, isReady).start();
  return origin;
}
