// Part of minute.sh: runs commands in the empty system, and shows their pages in a browser.
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { chromium } from 'playwright-core';
import { PATIENCE_MS } from '../patience.mjs';

const [root, ...packages] = process.argv.slice(2);
if (packages.length === 0) throw new Error('usage: minute.mjs ROOT PACKAGE…');
const environment = [
  'PATH=/usr/local/bin:/usr/bin:/bin',
  'HOME=/root',
  // The system has only the account root, and no other Python.
  'PIP_BREAK_SYSTEM_PACKAGES=1',
  'PIP_ROOT_USER_ACTION=ignore',
  'PIP_DISABLE_PIP_VERSION_CHECK=1',
  'PIP_CERT=/etc/ssl/certs/ca-certificates.crt',
  'PIP_NO_CACHE_DIR=1',
  // The folder where packages of PyPI have OpenCL's device for the CPU, and where its loader does not search.
  'OCL_ICD_FILENAMES=/usr/local/lib/libintelocl.so',
];
const within = (command) => ['chroot', root, 'env', '--ignore-environment', ...environment, 'bash', '-c', `cd /root && ${command}`];

function run(command) {
  const [name, ...args] = within(command);
  const { status, stdout, stderr } = spawnSync(name, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stdout}${stderr}`);
  return stdout;
}

/** Runs a command that serves a page, and waits until a browser shows a timeline there; then ends it. */
async function shows(browser, command) {
  const [name, ...args] = within(`exec ${command}`);
  const server = spawn(name, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  try {
    let said = '';
    const address = await new Promise((resolve, reject) => {
      for (const stream of [server.stdout, server.stderr])
        stream.on('data', (bytes) => {
          said += bytes;
          const found = said.match(/^http:\S+$/m);
          if (found) resolve(found[0]);
        });
      ended.then(() => reject(new Error(`${command} ended: ${said}`)));
    });
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    // A limit for hangs only: the time is printed, however long it is.
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    await page.goto(address);
    await page.locator('[data-testid=timeline-canvas][aria-busy=false]').waitFor();
    const colours = await page.getByTestId('timeline-canvas').evaluate((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size;
    });
    if (colours <= 5) throw new Error(`${command}: nothing is on the canvas`);
    await context.close();
  } finally {
    server.kill('SIGINT');
    await ended;
  }
}

/** Runs steps and prints the duration of each at once, and then the sum. */
async function timed(title, steps) {
  console.log(title);
  let sum = 0;
  for (const [what, step] of steps) {
    const begun = performance.now();
    await step();
    const seconds = (performance.now() - begun) / 1000;
    sum += seconds;
    console.log(`  ${seconds.toFixed(1).padStart(6)} s  ${what}`);
  }
  console.log(`  ${sum.toFixed(1).padStart(6)} s  together`);
}

// The browser is installed already, as on a user's computer.
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, timeout: PATIENCE_MS, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] });
try {
  await timed('from nothing to the demo on the screen', [
    ['pip install syclscope', () => run('pip install --quiet --no-index /mnt/artefacts/*_$(uname -m).whl')],
    ['syclscope demo, on the screen', () => shows(browser, 'syclscope demo --no-browser --port 0')],
  ]);
  run('pip uninstall --quiet --yes syclscope');
  // The folder's name contains the packages with their versions, so another list is downloaded again.
  const wheels = `/mnt/wheels/${packages.join(',')}`;
  const isKept = fs.existsSync(`${root}${wheels}`);
  const program = [
    ['pip install syclscope', () => run('pip install --quiet --no-index /mnt/artefacts/*_$(uname -m).whl')],
    [`pip install ${packages.join(' ')}, downloaded`, () => run(`pip install --quiet --no-index --find-links '${wheels}' ${packages.join(' ')}`)],
    ['syclscope record -- python3 program.py', () => run('syclscope record --quiet -o run.pftrace -- python3 program.py')],
    ['syclscope open run.pftrace, on the screen', () => shows(browser, 'syclscope open --no-browser --port 0 run.pftrace')],
  ];
  const download = () => run(`pip download --quiet --dest '${wheels}.part' ${packages.join(' ')} && mv '${wheels}.part' '${wheels}'`);
  if (!isKept) program.splice(1, 0, ['their download from PyPI', download]);
  await timed('from nothing to an own program on the screen', program);
  const [size] = run(`du --apparent-size --block-size=MB -s '${wheels}'`).split('\t');
  console.log(`  ${size} of packages${isKept ? ', kept from before' : ''}`);
  if (!/^ *grow +kernel +20 /m.test(run('syclscope summary run.pftrace'))) throw new Error('the recording lacks kernels of program.py');
} finally {
  await browser.close();
}
