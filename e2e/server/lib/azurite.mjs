// Azure's own emulator of its blob storage, from npm.
import crypto from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { Service, freePort, scratch } from './service.mjs';

const program = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../node_modules/.bin/azurite-blob');

/** The emulator's only account, which is no secret: Microsoft's documents have its key. */
export const ACCOUNT = 'devstoreaccount1';
const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
const CONTAINER = 'traces';

/**
 * Starts an emulator with one container. `store` is its name as an address, `env` the environment variables that a
 * client needs.
 */
export async function startAzurite(test) {
  const folder = scratch(test);
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}/${ACCOUNT}`;
  const command = [
    program, '--blobPort', String(port), '--location', folder, '--silent', '--skipApiVersionCheck', '--disableTelemetry',
  ];
  const isReady = () => fetch(`${endpoint}?comp=list`).then((answer) => answer.status > 0);
  const service = new Service(test, 'azurite', command, isReady);
  await service.start();
  await createContainer(endpoint);
  const env = {
    AZURE_STORAGE_ACCOUNT_NAME: ACCOUNT,
    AZURE_STORAGE_ACCOUNT_KEY: KEY,
    AZURE_STORAGE_ENDPOINT: endpoint,
    AZURE_ALLOW_HTTP: 'true',
  };
  return Object.assign(service, { store: `az://${CONTAINER}`, endpoint, env });
}

/** Creates the container, in a request that is signed as Azure requires it. */
async function createContainer(endpoint) {
  const headers = { 'x-ms-date': new Date().toUTCString(), 'x-ms-version': '2021-12-02' };
  const names = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  // The eleven standard headers between the method and these are empty.
  const signed = `PUT${'\n'.repeat(12)}${names.join('')}/${ACCOUNT}/${ACCOUNT}/${CONTAINER}\nrestype:container`;
  const signature = crypto.createHmac('sha256', Buffer.from(KEY, 'base64')).update(signed).digest('base64');
  const answer = await fetch(`${endpoint}/${CONTAINER}?restype=container`, {
    method: 'PUT',
    headers: { ...headers, Authorization: `SharedKey ${ACCOUNT}:${signature}` },
  });
  if (!answer.ok) throw new Error(`making the container: ${answer.status} ${await answer.text()}`);
}
