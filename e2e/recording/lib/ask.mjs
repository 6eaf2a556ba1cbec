// Queries of a recording by their names, as the page sends them.
import assert from 'node:assert/strict';

import { syclscope } from './environment.mjs';
import { run } from './run.mjs';

/** Returns the answer to a question about a file. */
export async function ask(file, question) {
  const asked = await run(syclscope, ['ask', file, question]);
  assert.equal(asked.code, 0, `${question}: ${asked.stderr}`);
  return JSON.parse(asked.stdout);
}
