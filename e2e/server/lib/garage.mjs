// An S3-compatible cluster of three nodes on the loopback interface: Garage.
import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

import { startBalancer } from './nginx.mjs';
import { Service, freePort, scratch, until } from './service.mjs';

/** The program, or undefined if it was not built. */
export const garage = process.env.GARAGE;

/** Reason to leave out tests with a cluster, or false. */
export const withoutGarage = garage ? false : (process.env.GARAGE_MISSING ?? 'GARAGE does not name a garage program');

const BUCKET = 'traces';
const REGION = 'loopback';

/**
 * Starts a cluster of three nodes that store everything three times, with a bucket and a key; any one may be lost.
 * `store` is the bucket's name as an address, `env` the environment variables that a client needs, `endpoint` a plain
 * proxy before all three; `nodes` are services, each with an `endpoint` of its own.
 */
export async function startGarage(test) {
  const secret = crypto.randomBytes(32).toString('hex');
  const token = crypto.randomBytes(16).toString('hex');
  const nodes = await Promise.all([1, 2, 3].map((number) => startNode(test, number, secret, token)));
  const [first] = nodes;
  const names = await Promise.all(nodes.map(async (node) => `${await identity(node)}@127.0.0.1:${node.rpcPort}`));
  await first.ask('ConnectClusterNodes', names);
  // Nodes write the addresses of their peers only once a minute; the settings have them for a node that starts again
  // before.
  for (const { config } of nodes) fs.writeFileSync(config, `bootstrap_peers = ${JSON.stringify(names)}\n${fs.readFileSync(config)}`);
  await until('the nodes know each other', async () => {
    const { nodes } = await first.ask('GetClusterStatus');
    return nodes.filter((node) => node.isUp).length === 3;
  });
  const roles = names.map((name) => ({ id: name.split('@')[0], zone: 'here', capacity: 1 << 30, tags: [] }));
  await first.ask('UpdateClusterLayout', { roles });
  await first.ask('ApplyClusterLayout', { version: 1 });
  await healthy(first);
  const key = await first.ask('CreateKey', { name: 'syclscope' });
  const bucket = await first.ask('CreateBucket', { globalAlias: BUCKET });
  const permissions = { read: true, write: true, owner: true };
  await first.ask('AllowBucketKey', { bucketId: bucket.id, accessKeyId: key.accessKeyId, permissions });
  const proxy = await startBalancer(test, nodes.map((node) => new URL(node.endpoint).host));
  const env = {
    AWS_ENDPOINT: proxy.origin,
    AWS_ALLOW_HTTP: 'true',
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: key.accessKeyId,
    AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
  };
  return { store: `s3://${BUCKET}`, endpoint: proxy.origin, env, nodes, isHealthy: () => healthy(first) };
}

async function startNode(test, number, secret, token) {
  const folder = scratch(test);
  const [rpcPort, s3Port, adminPort] = [await freePort(), await freePort(), await freePort()];
  const config = path.join(folder, 'garage.toml');
  fs.writeFileSync(
    config,
    `metadata_dir = "${folder}/meta"
data_dir = "${folder}/data"
db_engine = "sqlite"
replication_factor = 3
rpc_bind_addr = "127.0.0.1:${rpcPort}"
rpc_public_addr = "127.0.0.1:${rpcPort}"
rpc_secret = "${secret}"
[s3_api]
s3_region = "${REGION}"
api_bind_addr = "127.0.0.1:${s3Port}"
[admin]
api_bind_addr = "127.0.0.1:${adminPort}"
admin_token = "${token}"
`,
    { mode: 0o600 },
  );
  const ask = async (action, body) => {
    const answer = await fetch(`http://127.0.0.1:${adminPort}/v2/${action}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${token}` },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${action}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const isReady = async () => (await ask('GetClusterStatus')).nodes.length > 0;
  const service = new Service(test, `Garage's node ${number}`, [garage, '-c', config, 'server'], isReady);
  await service.start();
  return Object.assign(service, { endpoint: `http://127.0.0.1:${s3Port}`, rpcPort, config, ask });
}

async function identity(node) {
  const { success } = await node.ask('GetNodeInfo?node=self');
  return Object.keys(success)[0];
}

/** Waits until every node answers and has its data. */
async function healthy(node) {
  await until('the cluster is healthy', async () => (await node.ask('GetClusterHealth')).status === 'healthy');
}
