// A plain nginx before several servers, from Debian's package.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { Service, freePort, scratch } from './service.mjs';

const nginx = process.env.NGINX ?? 'nginx';
const documented = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../docs/deploy/nginx.conf');

/**
 * Starts the nginx of docs/deploy before copies of the program: it passes requests to `servers` (`host:port`) in turn.
 * `origin` is its address, `logged()` returns its logs.
 */
export async function startNginx(test, servers) {
  // Its workers give up the rights of root.
  const folder = scratch(test, { forNobody: true });
  const port = await freePort();
  const written = fs.readFileSync(documented, 'utf8');
  const [, parameters] = written.match(/^ *server 127[^ ;]*(.*);$/m);
  const changed = written
    .replace(/^ *server 127.*;\n(?= *server)/m, '')
    .replace(/^ *server 127.*;$/m, upstream(servers, parameters))
    .replace(/^ *listen .*$/m, `listen 127.0.0.1:${port};`)
    .replace(/^ *ssl_.*$/gm, '')
    .replaceAll('/var/log/nginx', folder);
  const proxy = await start(test, folder, port, changed);
  const logged = () => ['syclscope.log', 'syclscope-error.log'].map((name) => fs.readFileSync(path.join(folder, name), 'utf8')).join('');
  return Object.assign(proxy, { logged });
}

/** Starts an nginx that only distributes requests among `servers`. */
export async function startBalancer(test, servers) {
  const port = await freePort();
  const config = `
upstream pool {
${upstream(servers, ' max_fails=0')}
  keepalive 32;
}
access_log off;
server {
  listen 127.0.0.1:${port};
  client_max_body_size 0;
  location / {
    proxy_pass http://pool;
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header Connection "";
    proxy_request_buffering off;
    proxy_buffering off;
  }
}
`;
  return start(test, scratch(test, { forNobody: true }), port, config);
}

const upstream = (servers, parameters) => servers.map((server) => `  server ${server}${parameters};`).join('\n');

async function start(test, folder, port, http) {
  const config = path.join(folder, 'nginx.conf');
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  fs.writeFileSync(
    config,
    `daemon off;
pid ${folder}/nginx.pid;
error_log stderr warn;
worker_processes 1;
worker_rlimit_nofile 16384;
events { worker_connections 8192; }
http {
${places.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
${http}
}
`,
  );
  const origin = `http://127.0.0.1:${port}`;
  // Any answer shows that nginx runs, even if no server behind it does.
  const isReady = () => fetch(`${origin}/`).then(() => true);
  const service = new Service(test, 'nginx', [nginx, '-e', 'stderr', '-p', folder, '-c', config], isReady);
  await service.start();
  return Object.assign(service, { origin });
}
