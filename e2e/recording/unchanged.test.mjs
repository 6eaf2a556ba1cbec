// Recording must not change what a program prints or how it ends.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';

import { scratch, syclscope } from './lib/environment.mjs';
import { recorded } from './lib/once.mjs';
import { program } from './lib/programs.mjs';
import { record, recordArguments, run, start } from './lib/run.mjs';

// Programs with every way to end, and their exit code or signal without recording.
const programs = [
  { name: 'heat', args: ['--size', '512', '--steps', '60'], code: 0 },
  { name: 'exit3', code: 3 },
  { name: 'aborts', signal: 'SIGABRT' },
  { name: 'uncaught', signal: 'SIGABRT' },
  { name: 'forks', code: 0 },
  { name: 'diagnostics', code: 0 },
  { name: 'eventless', code: 0 },
  { name: 'command_graph', code: 0 },
  { name: 'host_task', code: 0 },
  { name: 'unreleased', code: 0 },
  { name: 'usm', code: 0 },
  { name: 'buffers', code: 0 },
  { name: 'images', code: 0 },
  { name: 'user_streams', code: 0 },
  { name: 'graphs', code: 0 },
  { name: 'interop', code: 0 },
];

for (const { name, args = [], code = null, signal = null } of programs)
  test(`${name} ends as ever and prints the same when recorded`, async (t) => {
    const alone = await run(program(name), args, { cwd: scratch(t) });
    assert.deepEqual([alone.code, alone.signal], [code, signal], `unrecorded: ${alone.stdout}${alone.stderr}`);

    for (const format of ['perfetto', 'json']) {
      const result = await recorded(program(name), args, { format });
      assert.equal(result.stdout.toString(), alone.stdout.toString(), format);
      assert.deepEqual([result.code, result.signal], [code, signal], `${format}: ${result.stderr}`);
      const own = result.stderr.toString().split('\n').filter((line) => !line.startsWith('syclscope: ')).join('\n');
      assert.equal(own.trimEnd(), alone.stderr.toString().trimEnd(), format);
      assert.ok(result.bytes?.length > 0, `nothing was written as ${format}`);
    }
  });

test('SIGTERM reaches the program, which may end in its own way', async (t) => {
  const file = path.join(scratch(t), 'run.pftrace');
  const recording = start(syclscope, recordArguments(file, program('endless'), ['--polite']));
  await recording.line('ready');
  recording.child.kill('SIGTERM');
  const { code, stdout } = await recording.ended;
  assert.equal(code, 7);
  assert.match(stdout.toString(), /^terminated$/m);
});

test('SIGTERM ends a program that does not catch it, and the recorder ends likewise', async (t) => {
  const file = path.join(scratch(t), 'run.pftrace');
  const recording = start(syclscope, recordArguments(file, program('endless')));
  await recording.line('ready');
  recording.child.kill('SIGTERM');
  const { signal, stderr } = await recording.ended;
  assert.equal(signal, 'SIGTERM', stderr.toString());
});

test('a Python program is recorded like any other', { skip: !process.env.SYCL_PYTHON_VENV && 'SYCL_PYTHON_VENV is not set' }, async (t) => {
  const { repository } = await import('./lib/environment.mjs');
  const venv = process.env.SYCL_PYTHON_VENV;
  const env = { LD_LIBRARY_PATH: path.join(venv, 'lib'), OCL_ICD_FILENAMES: path.join(venv, 'lib/libintelocl.so') };
  const command = [path.join(venv, 'bin/python'), [path.join(repository, 'examples/python/eigenvalue.py'), '--size', '64']];
  const alone = await run(...command, { env });
  const recorded = await record(path.join(scratch(t), 'run.pftrace'), ...command, { env });
  assert.equal(alone.code, 0, alone.stderr.toString());
  assert.equal(recorded.code, 0, recorded.stderr.toString());
  assert.equal(recorded.stdout.toString(), alone.stdout.toString());
  assert.match(recorded.stderr.toString(), / 0 dropped/);
});
