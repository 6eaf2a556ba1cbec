// A derived file that is cut short under a running server: the server lives, gives no wrong answer, and creates the
// file again.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { trace } from '../traces/unpack.mjs';
import { copy } from './lib/copies.mjs';
import { scratch, until } from './lib/service.mjs';
import { whole } from './lib/soak.mjs';

const CUTS = whole(20, 500);
const CLIENTS = 8;
const QUESTIONS = ['', '/report', '/critical_path', '/contents'];

test(`a derived file is cut short ${CUTS} times while ${CLIENTS} clients ask`, async (t) => {
  const data = scratch(t);
  const server = await copy(t, ['--data', data]);
  await server.start();
  const stored = await fetch(`${server.origin}/api/v1/traces?name=heat.pftrace`, { method: 'POST', body: fs.readFileSync(trace('heat')) });
  const { id } = await stored.json();
  const ask = async (question) => {
    const answer = await fetch(`${server.origin}/api/v1/traces/${id}${question}`);
    return { status: answer.status, text: await answer.text() };
  };
  const right = new Map();
  for (const question of QUESTIONS) right.set(question, await ask(question));
  for (const { status, text } of right.values()) assert.equal(status, 200, text);

  let goesOn = true;
  let refused = 0;
  const clients = Array.from({ length: CLIENTS }, async (_, number) => {
    for (let count = number; goesOn; count += 1) {
      const question = QUESTIONS[count % QUESTIONS.length];
      const answer = await ask(question);
      if (answer.status === 200) assert.equal(answer.text, right.get(question).text, `a wrong answer to ${question || 'the info'}`);
      else {
        assert.equal(answer.status, 503, answer.text);
        assert.match(answer.text, /cut_short/);
        refused += 1;
      }
    }
  });
  const folder = path.join(data, 'traces', id);
  const derived = () => fs.readdirSync(folder).filter((name) => name.startsWith('derived')).map((name) => path.join(folder, name))[0];
  for (let cut = 0; cut < CUTS; cut += 1) {
    const file = await until('there is a derived file', derived, { every_ms: 5 });
    const { size } = fs.statSync(file);
    fs.truncateSync(file, Math.floor(Math.random() * size));
    // An answer arrives when the server reads the new file, and not the trace from which it wrote that file.
    await until('it is made again', async () => (await ask('')).status === 200 && fs.statSync(file).size === size, { every_ms: 5 });
  }
  goesOn = false;
  await Promise.all(clients);
  t.diagnostic(`${refused} questions were refused`);
  assert.ok(server.isRunning, server.printed().slice(-2000));
  for (const [question, answer] of right) assert.deepEqual(await ask(question), answer);
});
