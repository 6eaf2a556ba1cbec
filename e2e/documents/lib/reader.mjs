// A reader of one document, who runs its commands in order in a folder with everything that the document requires.
// Examples in the commands (a server's address, folders of the system, ids) are replaced by real values.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';

import { PATIENCE_MS } from '../../patience.mjs';
import { repository, syclEnvironment, syclscope, venv } from '../../recording/lib/environment.mjs';
import { program } from '../../recording/lib/programs.mjs';
import { copy } from '../../server/lib/copies.mjs';
import { commandsOf, leftOut } from './left_out.mjs';
import { files, missing, written } from './written.mjs';

const briefly = fileURLToPath(new URL('briefly.mjs', import.meta.url));

/** Traces that a document requires. */
const TRACES = {
  'docs/PYTHON.md': ['runs/one.pftrace', 'runs/two.pftrace'],
  'docs/QUERIES.md': ['run.pftrace'],
  'docs/README.md': ['before-1.pftrace', 'before-2.pftrace', 'after-1.pftrace', 'after-2.pftrace'],
  'docs/SHARING.md': ['run.pftrace'],
  'docs/SUMMARY.md': ['run.pftrace'],
};

/** Data folder of the server that a document requires. */
const SERVERS = { 'docs/DEPLOY.md': 'var/lib/syclscope', 'docs/README.md': 'srv/syclscope', 'docs/SHARING.md': 'srv/syclscope' };

/**
 * Start of such a block: `kill` waits until the program works, and returns when the program has worked on for a while.
 */
const PATIENT_KILL = `
rounds() { wc -l < server.out; }
kill() {
  until [ -s server.out ]; do sleep 0.05; done
  builtin kill "$@"
  local -i seen=$(rounds)
  until [ $(rounds) -gt $((seen + 1)) ]; do sleep 0.05; done
}
`;
/** End of that block: the program ends. */
const END = '\nbuiltin kill -TERM $!\nwait $! || [ $? = 7 ]\n';

/** Returns a reader of `document` in the empty folder `folder`. */
export async function readerOf(t, document, folder) {
  const reader = { document, folder, home: path.join(folder, 'home'), work: path.join(folder, 'work') };
  const write = (name, text) => fs.writeFileSync(path.join(folder, name), text, { mode: 0o755 });
  for (const name of ['bin', 'home', 'work', 'work/target/release', 'usr/local/bin', 'etc/systemd/system', 'backup', 'scratch'])
    fs.mkdirSync(path.join(folder, name), { recursive: true });
  write('bin/syclscope', `#!/bin/bash
case "$1" in
  open | serve | demo) exec '${process.execPath}' '${briefly}' '${syclscope}' "$@" ;;
  *) exec '${syclscope}' "$@" ;;
esac
`);
  // Without this, curl exits with success whatever a server answers.
  write('home/.curlrc', 'fail-with-body\nsilent\nshow-error\n');
  for (const name of ['program', 'stencil', 'stencil.before', 'halo']) fs.copyFileSync(program('usm'), path.join(reader.work, name));
  write('work/server', `#!/bin/bash\nexec '${program('endless')}' --polite > server.out\n`);
  fs.symlinkSync(syclscope, path.join(reader.work, 'target/release/syclscope'));
  for (const name of ['docs', 'examples']) fs.symlinkSync(path.join(repository, name), path.join(reader.work, name));
  for (const name of TRACES[document] ?? []) {
    fs.mkdirSync(path.dirname(path.join(reader.work, name)), { recursive: true });
    const kept = fs.readFileSync(path.join(repository, 'e2e/traces', name.includes('before') ? 'heat-slow.pftrace.gz' : 'heat.pftrace.gz'));
    fs.writeFileSync(path.join(reader.work, name), zlib.gunzipSync(kept));
  }
  reader.env = environment(reader);
  if (SERVERS[document]) await startServer(t, reader, path.join(folder, SERVERS[document]));
  return reader;
}

function environment({ folder, home }) {
  const env = syclEnvironment({
    HOME: home,
    PYTHONPATH: path.join(repository, 'python'),
    // More ranks than cores, and the account of a container.
    OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1', OMPI_MCA_rmaps_base_oversubscribe: '1',
    PATH: [path.join(folder, 'bin'), path.dirname(process.env.DUCKDB_PYTHON ?? ''), process.env.PATH].join(':'),
  });
  for (const name of Object.keys(env)) if (name.startsWith('XDG_')) delete env[name];
  return env;
}

/** Starts a server with sign-in by token; SYCLSCOPE_TOKEN and TOKEN get the token of an admin. */
async function startServer(t, reader, data) {
  reader.server = await copy(t, ['--data', data, '--sign-in', 'token'], { open: false });
  await reader.server.start();
  const token = (name) => spawnSync(syclscope, ['token', 'create', name, '--data', data, '--role', 'admin'], { encoding: 'utf8' });
  const made = token('reader');
  if (made.status !== 0) throw new Error(made.stderr);
  token('spare');
  reader.env.SYCLSCOPE_TOKEN = reader.env.TOKEN = made.stdout.trim().split(/\s+/).at(-1);
  const listed = spawnSync(syclscope, ['token', 'list', '--data', data], { encoding: 'utf8' }).stdout;
  reader.spare = /^.*\bspare\b.*$/m.exec(listed)[0].trim().split(/\s+/)[0];
}

/** Returns the traces of the reader's server. */
export async function tracesOf({ server, env }) {
  const answer = await fetch(`${server.origin}/api/v1/traces`, { headers: { Authorization: `Bearer ${env.TOKEN}` } });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** Returns the commands of a block, before replacements: its own, or those of which its lines are a part. */
export function commandsToRun(document, lines) {
  const commands = commandsOf(lines).filter((command) => !leftOut(document, command));
  return commands.map((command) => {
    if (command.startsWith('https://')) return `curl -L -o /dev/null -H "Authorization: Bearer $TOKEN" '${command}'`;
    if (document === 'docs/QUERIES.md') return `syclscope summary --where '${command.split(/\s{2,}/)[0]}' run.pftrace > /dev/null`;
    return command;
  });
}

/** Replaces examples in a command by real values. */
async function fitted(reader, command) {
  const { folder, home, server, spare } = reader;
  let text = command
    .replace(/(?<=^|\s)sudo /g, '')
    .replace(/(?<=\s)\/(?=(srv|var\/lib|usr\/local|etc|backup|scratch)\/)/g, `${folder}/`)
    .replace('/path/to/the/runtime', venv);
  if (text.includes('subscriber-….so')) {
    const [unpacked] = fs.readdirSync(path.join(home, '.cache/syclscope')).filter((name) => /^subscriber-\w+\.so$/.test(name));
    text = text.replace('subscriber-….so', unpacked);
  }
  if (!server) return text;
  if (text.includes('/traces/ID/')) text = text.replace('/traces/ID/', `/traces/${(await tracesOf(reader))[0].id}/`);
  return text.replaceAll('https://traces.example', server.origin).replace('/latest/PROJECT', '/latest/default').replace('revoke ID', `revoke ${spare}`);
}

/**
 * Runs commands one after another in one shell. Returns `{ status, printed, unwritten }`: the printed text, and names
 * of files that are missing.
 */
export async function runs(reader, commands) {
  const texts = await Promise.all(commands.map((command) => fitted(reader, command)));
  const isKilled = commands.some((command) => command.startsWith('kill '));
  const script = `${isKilled ? PATIENT_KILL : ''}${texts.join('\n')}\n${isKilled ? END : ''}`;
  const before = files(reader.folder);
  const { status, printed } = await bash(script, reader);
  const home = (name) => name.replace(/^~(?=\/)/, reader.home);
  return { status, printed, unwritten: missing(texts.flatMap(written).map(home), reader.work, before, files(reader.folder)) };
}

function bash(script, { work, env }) {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd: work, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [`${script}\n`];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => output.push(bytes.toString()));
  const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(late);
      resolve({ status: code ?? signal, printed: output.join('') });
    });
  });
}
