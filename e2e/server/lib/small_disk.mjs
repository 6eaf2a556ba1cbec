// A disk of a few megabytes that only one server sees: it exists as long as the server's process.
import path from 'node:path';

import { isRoot } from './service.mjs';

/**
 * Returns the service, not started yet, with a disk of `size` (as mount expects it: `8m`) in place of `folder`.
 * `diskFromHere()` returns the path of the running service's disk from outside.
 */
export function onSmallDisk(service, folder, size) {
  const script = 'mount -t tmpfs -o "size=$1,mode=700" tmpfs "$2" && shift 2 && exec "$@"';
  const rights = isRoot() ? [] : ['--user', '--map-root-user'];
  service.command = ['unshare', '--mount', ...rights, 'sh', '-c', script, 'sh', size, folder, ...service.command];
  return Object.assign(service, { diskFromHere: () => path.join(`/proc/${service.pid}/root`, folder) });
}
