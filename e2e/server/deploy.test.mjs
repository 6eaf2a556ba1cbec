// The files of docs/deploy work unchanged, as far as this machine can check.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { syclscope } from './lib/copies.mjs';
import { Service, freePort, scratch } from './lib/service.mjs';

const deploy = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../docs/deploy');
const read = (name) => fs.readFileSync(path.join(deploy, name), 'utf8');

const PROGRAM = '/usr/local/bin/syclscope';

/** Returns the command lines of the documents. */
const COMMANDS = {
  'syclscope.service': (text) => text.match(/^ExecStart=(.*)$/m)[1].split(' '),
  Containerfile: (text) => ['ENTRYPOINT', 'CMD'].flatMap((name) => JSON.parse(text.match(new RegExp(`^${name} (.*)$`, 'm'))[1])),
  'kubernetes.yaml': (text) => [PROGRAM, ...JSON.parse(text.match(/^ *args: (.*)$/m)[1])],
};

for (const [name, commandOf] of Object.entries(COMMANDS))
  test(`the command line of ${name} starts a server`, async (t) => {
    const [program, ...args] = commandOf(read(name));
    assert.equal(program, PROGRAM);
    const port = await freePort();
    const data = scratch(t);
    const here = args.map((word) => word.replace(/^(\/data|\/var\/lib\/syclscope)$/, data).replace(/:4717$/, `:${port}`));
    assert.notDeepEqual(here, args);
    const isReady = () => fetch(`http://127.0.0.1:${port}/api/v1/health`).then((answer) => answer.ok);
    await new Service(t, name, [syclscope, ...here], isReady).start();
    assert.ok(fs.readdirSync(data).length > 0, 'it stores where the document says');
  });

const analyser = spawnSync('systemd-analyze', ['--version']);
const withoutSystemd = analyser.status === 0 ? false : 'systemd-analyze is not installed';

test('systemd understands the unit and finds it closed', { skip: withoutSystemd }, (t) => {
  const unit = path.join(scratch(t), 'syclscope.service');
  fs.writeFileSync(unit, read('syclscope.service').replace(PROGRAM, syclscope));
  const verified = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
  assert.equal(verified.status, 0, verified.stderr);
  assert.equal(verified.stderr, '');
  // The scale is from 0, nothing is exposed, to 10.
  const rated = spawnSync('systemd-analyze', ['security', '--offline=yes', '--threshold=25', unit], { encoding: 'utf8' });
  assert.equal(rated.status, 0, rated.stdout + rated.stderr);
});
