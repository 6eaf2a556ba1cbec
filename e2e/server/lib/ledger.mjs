// Compares the acknowledgements of clients' uploads with the contents of servers.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';

import { until } from './service.mjs';

const sha256 = (bytes) => crypto.createHash('sha256').update(bytes).digest('hex');

/** Returns a small trace unlike any other: Chrome's JSON, with about `bytes` bytes of noise in an argument. */
export function trace(bytes = 0) {
  const name = crypto.randomUUID();
  const noise = crypto.randomBytes(Math.ceil(bytes / 2)).toString('hex');
  const event = { name, ph: 'X', ts: 1, dur: 2, pid: 1, tid: 1, args: { noise } };
  return { name: `${name}.json`, bytes: Buffer.from(JSON.stringify({ traceEvents: [event] })) };
}

/**
 * Returns an answer to `ask()`. On a busy machine a copy may wait for its database in vain, so refused requests are
 * repeated.
 */
export const patient = (ask) =>
  until('the copy has its database', async () => {
    const answer = await ask();
    return answer.status !== 503 && answer;
  });

/** Every upload of a test, and its outcome. */
export class Ledger {
  /** Digests of everything that was ever sent. */
  sent = new Set();
  /** Acknowledged uploads: the trace's id and its digest. */
  acknowledged = new Map();
  /** Refusals by their status, and broken connections. */
  refused = new Map();

  /** Uploads a new trace to a server. True if it was acknowledged. */
  async upload(origin, bytes = Math.floor(Math.random() ** 3 * 400_000)) {
    const made = trace(bytes);
    const digest = sha256(made.bytes);
    this.sent.add(digest);
    let answer;
    try {
      const sent = await fetch(`${origin}/api/v1/traces?name=${made.name}`, { method: 'POST', body: made.bytes });
      answer = { status: sent.status, body: await sent.text() };
    } catch (error) {
      this.#refuse(`no answer (${error.cause?.code ?? error.name})`);
      return false;
    }
    if (answer.status !== 201) {
      this.#refuse(`${answer.status} ${answer.body.slice(0, 200)}`);
      return false;
    }
    this.acknowledged.set(JSON.parse(answer.body).id, digest);
    return true;
  }

  /** Uploads until a trace is acknowledged; refusals are those of a copy that waits for its database. */
  async store(origin) {
    await until('a trace is stored', () => this.upload(origin));
    assert.deepEqual([...this.refused.keys()].filter((how) => !/^503 .*("busy"|does not respond)/.test(how)), []);
  }

  #refuse(how) {
    this.refused.set(how, (this.refused.get(how) ?? 0) + 1);
  }

  /**
   * Uploads to `origin` by `clients` at once until the returned function is called, which waits for the last answers,
   * or `test` ends.
   */
  load(test, origin, clients) {
    let goesOn = true;
    const client = async () => {
      while (goesOn) {
        // A client that is refused doesn't try again in the same moment.
        if (!(await this.upload(origin))) await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const running = Array.from({ length: clients }, client);
    const stop = async () => {
      goesOn = false;
      await Promise.all(running);
    };
    test.after(stop);
    return stop;
  }

  /**
   * Asserts that `origin` has the exact bytes of each acknowledged trace (of `ids` only, if given), and lists nothing
   * that was not sent completely.
   */
  async check(origin, ids = this.acknowledged.keys()) {
    for (const id of ids) assert.equal(await digestOf(origin, id), this.acknowledged.get(id), `trace ${id} is not what was sent`);
    const others = (await list(origin)).filter(({ id }) => !this.acknowledged.has(id));
    for (const { id } of others) {
      assert.ok(this.sent.has(await digestOf(origin, id)), `trace ${id} is listed and was never sent so`);
    }
  }
}

/** Returns every trace that `origin` lists, part by part. */
export async function list(origin) {
  const all = [];
  for (let next = 'traces?limit=500'; next; ) {
    const address = `${origin}/api/v1/${next}`;
    const answer = await patient(() => fetch(address));
    all.push(...(await answer.json()));
    next = answer.headers.get('link')?.match(/^<([^>]*)>; rel="next"$/)?.[1];
  }
  return all;
}

async function digestOf(origin, id) {
  const answer = await patient(() => fetch(`${origin}/api/v1/traces/${id}/file`));
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.equal(answer.status, 200, `trace ${id}: ${answer.status} ${bytes.toString().slice(0, 300)}`);
  return sha256(bytes);
}
