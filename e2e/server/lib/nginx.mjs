// A plain nginx before several servers, from Debian's package.
import fs from 'node:fs';
import path from 'node:path';

import { Service, freePort, scratch } from './service.mjs';

const nginx = process.env.NGINX ?? 'nginx';

/**
 * Starts an nginx that hands requests to `servers` (`host:port`) in turn; `origin` is its address. `location` are further
 * lines for the location that does so, `http` for all.
 */
export async function startNginx(test, { servers, location = '', http = '' }) {
  // Its workers give up the rights of root.
  const folder = scratch(test, { forNobody: true });
  const port = await freePort();
  const config = path.join(folder, 'nginx.conf');
  const pool = servers.map((server) => `    server ${server} max_fails=0;`).join('\n');
  fs.writeFileSync(
    config,
    `daemon off;
pid ${folder}/nginx.pid;
error_log stderr warn;
worker_processes 1;
events { worker_connections 4096; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  upstream pool {
${pool}
    keepalive 32;
  }
  ${http}
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
      ${location}
    }
  }
}
`,
  );
  const origin = `http://127.0.0.1:${port}`;
  // Whatever it answers comes from it, even where no server behind it does.
  const isReady = () => fetch(`${origin}/`).then(() => true);
  const service = new Service(test, 'nginx', [nginx, '-e', 'stderr', '-p', folder, '-c', config], isReady);
  await service.start();
  return Object.assign(service, { origin });
}
