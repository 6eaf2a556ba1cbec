// A cleaned copy of a recording in which everything is private: folder, account, program, environment.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { scratch, syclscope } from './lib/environment.mjs';
import { program } from './lib/programs.mjs';
import { record, run, summary } from './lib/run.mjs';

test('nothing of the machine, the account, the environment and the program is in a cleaned copy', async (t) => {
  const home = path.join(scratch(t), 'home/zaphod/Secret Project');
  fs.mkdirSync(home, { recursive: true });
  const own = path.join(home, 'improbability');
  fs.copyFileSync(program('heat'), own);
  fs.chmodSync(own, 0o755);
  const file = path.join(home, 'run.pftrace');
  const env = { SYCL_PROGRAM_COMPILE_OPTIONS: '-DBEEBLEBROX=42', ONEAPI_DEVICE_SELECTOR: 'opencl:cpu' };
  const recorded = await record(file, own, ['--size', '128', '--steps', '4'], { env });
  assert.equal(recorded.code, 0, `${recorded.stdout}${recorded.stderr}`);
  const before = await summary(file);
  const kernels = before.kernels.filter(({ kind }) => kind === 'kernel');
  assert.ok(kernels.length >= 3);
  // Texts to be removed. The recording must contain them, or the test would prove nothing.
  const secrets = ['zaphod', 'Secret Project', 'improbability', 'BEEBLEBROX', 'with_buffers.hpp'];
  // Shorter names are in any bytes by chance.
  if (os.hostname().length > 5) secrets.push(os.hostname());
  secrets.push(...kernels.map(({ name }) => name).filter((name) => name.length > 5));
  for (const secret of secrets) assert.ok(recorded.bytes.includes(secret), `${secret} is not in the recording`);

  const shown = await run(syclscope, ['clean', file, '--show']);
  assert.equal(shown.code, 0, `${shown.stderr}`);
  for (const said of ['zaphod', 'opencl:cpu', os.hostname(), 'Source text'])
    assert.ok(shown.stdout.includes(said), `${said}: ${shown.stdout}`);

  for (const name of ['copy.pftrace', 'copy.json']) {
    const copy = path.join(home, name);
    const cleaned = await run(syclscope, ['clean', file, '-o', copy]);
    assert.equal(cleaned.code, 0, `${cleaned.stderr}`);
    assert.equal(fs.statSync(copy).mode & 0o777, 0o600);
    const bytes = fs.readFileSync(copy);
    for (const secret of secrets)
      for (const form of [secret, encodeURIComponent(secret), secret.toUpperCase()])
        assert.ok(!bytes.includes(form), `${form} is in ${name}`);
    const after = await summary(copy);
    assert.deepEqual(after.counts, before.counts);
    assert.equal(after.duration_ns, before.duration_ns);
    assert.deepEqual(after.kernels.map(({ total_ns: ns }) => ns), before.kernels.map(({ total_ns: ns }) => ns));
  }
});
