// Records the recordings in this folder again, all or the named ones: node e2e/traces/make.mjs [NAME…]
//
// Tests contain numbers, source locations and counts of these recordings, so do this only if the recorder reports
// something new that tests of the page need. Run `cargo xtask build` and `cargo xtask setup demo` first.
//
// Programs are compiled and recorded in a folder that is the same everywhere, with an environment that names nothing of
// this machine, and without facts about the user: the files are public.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';

const kept = path.dirname(fileURLToPath(import.meta.url));
const repository = path.resolve(kept, '../..');
const syclscope = path.resolve(process.env.SYCLSCOPE_BIN ?? path.join(repository, 'target/release/syclscope'));
const venv = fs.realpathSync(process.env.SYCL_VENV ?? path.join(repository, 'target/sycl'));
const place = '/tmp/syclscope-traces';

const RECORDINGS = {
  heat: { program: 'heat' },
  'heat-slow': { program: 'heat', slow: true },
  diamond: { program: 'diamond' },
  crowd: { program: 'crowd' },
  command_graph: { program: 'command_graph' },
  graphs: { program: 'graphs' },
  images: { program: 'images' },
  transfers: { program: 'transfers' },
  'leaks-twice': { program: 'leaks', args: ['twice'] },
  'sub_buffers-bad': { program: 'faults', args: ['sub_buffers', 'bad'], flags: ['--detail', 'high'] },
  'sub_buffers-good': { program: 'faults', args: ['sub_buffers', 'good'], flags: ['--detail', 'high'] },
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in RECORDINGS));
if (unknown.length > 0) throw new Error(`there is no recording called ${unknown}, only ${Object.keys(RECORDINGS)}`);

prepare();
for (const [name, how] of Object.entries(RECORDINGS)) if (wanted.length === 0 || wanted.includes(name)) make(name, how);
fs.rmSync(place, { recursive: true });

/**
 * Creates a folder with the sources and the runtime, and nothing of an earlier run, so that no kernel is compiled
 * already.
 */
function prepare() {
  fs.rmSync(place, { recursive: true, force: true });
  for (const sources of ['examples/cpp', 'e2e/recording/programs'])
    fs.cpSync(path.join(repository, sources), place, { recursive: true });
  fs.mkdirSync(path.join(place, 'bin'));
  fs.cpSync(path.join(venv, 'lib'), path.join(place, 'sycl/lib'), { recursive: true, verbatimSymlinks: true });
}

function make(name, { program, args = [], flags = [], slow = false }) {
  if (!fs.existsSync(path.join(place, 'bin', program))) compile(program);
  const file = path.join(place, `${name}.pftrace`);
  const env = {
    PATH: '/usr/bin:/bin',
    LD_LIBRARY_PATH: path.join(place, 'sycl/lib'),
    OCL_ICD_FILENAMES: path.join(place, 'sycl/lib/libintelocl.so'),
    SYCL_CACHE_PERSISTENT: slow ? '0' : '1',
    SYCL_CACHE_DIR: path.join(place, 'kernels'),
    SYCLSCOPE_CACHE: path.join(place, 'cache'),
  };
  const run = (command) => execFileSync(command[0], command.slice(1), { cwd: place, env, stdio: 'inherit' });
  const command = [`bin/${program}`, ...args];
  // Kernels are compiled by a run that isn't recorded, except where the recording is to have a slow start.
  if (!slow) run(command);
  const record = [syclscope, 'record', '--no-environment', '--force', ...flags, '-o', file, '--', ...command];
  if (slow) withOthersAtWork(() => run(['taskset', '-c', '0', 'nice', '-n', '5', ...record]));
  else run(record);
  const bytes = zlib.gzipSync(fs.readFileSync(file), { level: 9 });
  fs.writeFileSync(path.join(kept, `${name}.pftrace.gz`), bytes);
  console.log(`${name}: ${fs.statSync(file).size} bytes, packed ${bytes.length}`);
}

/**
 * Compiles like `cargo xtask test`, but headers of others get names without a file: their text, which we may not
 * distribute, stays out of the recording.
 */
function compile(program) {
  const source = fs.readFileSync(path.join(place, `${program}.cpp`), 'utf8');
  const flags = /^\/\/ flags: (.*)$/m.exec(source)?.[1].split(' ') ?? [];
  const headers = path.join(venv, 'include');
  const named = [`-fmacro-prefix-map=${headers}=/sycl/include`, '-fmacro-prefix-map=/usr/include=/include'];
  const runtime = [...named, '-I', headers, '-L', path.join(venv, 'lib')];
  const command = ['-std=c++17', '-O1', '-w', '-pthread', ...runtime, `${place}/${program}.cpp`, '-lsycl', ...flags, '-o', `bin/${program}`];
  execFileSync(process.env.CXX ?? 'g++', command, { cwd: place, stdio: 'inherit' });
}

/** Runs `act` while another program competes for the first core. */
function withOthersAtWork(act) {
  const others = [1].map(() => spawn('taskset', ['-c', '0', 'sh', '-c', 'while :; do :; done']));
  try {
    act();
  } finally {
    for (const other of others) other.kill();
  }
}
