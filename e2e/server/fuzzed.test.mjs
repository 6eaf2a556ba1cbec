// Unusual requests, which schemathesis generates from the server's own description, cause no server error.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { test } from 'node:test';

import { trace } from '../traces/unpack.mjs';
import { copy, syclscope } from './lib/copies.mjs';
import { scratch } from './lib/service.mjs';
import { whole } from './lib/soak.mjs';

const schemathesis = process.env.SCHEMATHESIS;
/** Requests for each route and phase. */
const EXAMPLES = whole(8, 1500);
const CHECKS = 'not_a_server_error,response_schema_conformance,content_type_conformance';

// Options of the server by kind of access: with full access a request may delete the trace that others need.
const TARGETS = {
  'everybody, who may do everything': () => [],
  'who shows nothing': () => ['--sign-in', 'token'],
  'an admin with a token': (data) => {
    const token = execFileSync(syclscope, ['token', 'create', 'fuzz', '--data', data, '--role', 'admin'], { encoding: 'utf8' }).trim();
    return ['--sign-in', 'token', { Authorization: `Bearer ${token}` }];
  },
};

for (const [who, options] of Object.entries(TARGETS)) {
  test(`${EXAMPLES} made-up requests for each route by ${who}`, async (t) => {
    const data = scratch(t);
    const first = await copy(t, ['--data', data]);
    await first.start();
    const stored = await fetch(`${first.origin}/api/v1/traces?name=heat.pftrace`, { method: 'POST', body: fs.readFileSync(trace('heat')) });
    assert.equal(stored.status, 201, await stored.text());
    await first.stop();
    const more = options(data);
    const headers = more.find((option) => typeof option === 'object') ?? {};
    const args = more.filter((option) => typeof option === 'string');
    const server = await copy(t, ['--data', data, '--max-upload-bytes', '1000000', ...args]);
    if (args.length > 0) server.command = server.command.filter((word) => word !== '--any-account');
    await server.start();
    const report = await run(schemathesis, [
      'run', `${server.origin}/api/v1/openapi.json`, '--checks', CHECKS, '--phases', 'examples,coverage,fuzzing,stateful',
      '--max-examples', String(EXAMPLES), '--seed', String(whole(1, Math.floor(Math.random() * 1e9))), '--request-timeout', '600',
      '--no-color', ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ]);
    t.diagnostic(report.slice(-600));
    assert.ok(server.isRunning, server.printed().slice(-2000));
    const log = server.printed();
    assert.doesNotMatch(log, /answered 500|panicked/, log.slice(-2000));
  });
}

function run(program, args) {
  return new Promise((resolve, reject) => {
    execFile(program, args, { maxBuffer: 1 << 28, env: { ...process.env, HYPOTHESIS_STORAGE_DIRECTORY: '/tmp/syclscope-hypothesis' } }, (error, out, err) =>
      error ? reject(new Error(`${error.message.slice(0, 300)}\n${out.slice(-6000)}\n${err.slice(-2000)}`)) : resolve(out),
    );
  });
}
