// Signing in at an identity provider: a real one, and one that lies.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import crypto from 'node:crypto';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { openPage } from '../page/browser.mjs';
import { LAYOUTS, startProxy } from '../page/proxy.mjs';
import { copy, syclscope } from './lib/copies.mjs';
import { Jar } from './lib/jar.mjs';
import { trace } from './lib/ledger.mjs';
import { startBalancer } from './lib/nginx.mjs';
import { startPostgres } from './lib/postgres.mjs';
import { CLIENT, env, options, startLiar, startProvider } from './lib/provider.mjs';
import { freePort, scratch, until } from './lib/service.mjs';
import { withoutTeam } from './lib/stands.mjs';

const skip = withoutTeam;
const page = process.env.SYCLSCOPE_TEST_PAGE ? ['--page', process.env.SYCLSCOPE_TEST_PAGE] : [];

/** Calls `syclscope` on a server's rows. */
const call = async (rows, ...args) => (await promisify(execFile)(syclscope, [...args, ...rows])).stdout;

/** Starts a server and its provider; `rows` are the options that name its database. */
async function start(t, { more = [], at, ...provided } = {}) {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const provider = at ?? (await startProvider(t, origin, provided));
  const rows = ['--data', scratch(t)];
  const server = await copy(t, [...rows, ...options(provider.issuer, origin), ...page, ...more], { port, env, open: false });
  await server.start();
  return { server, origin, provider, rows };
}

const member = (rows, name, role) => call(rows, 'member', 'add', name, '--role', role);
const isBack = (origin) => (place) => place.href.startsWith(`${origin}/signed-in?`);
const atProvider = ({ provider }) => (place) => place.href.startsWith(`${provider.issuer}/interaction/`);

/** Brings a browser to the provider's page, signs in there, and stops before it returns. */
async function returning(jar, stand, { name = 'ada', wanted = '' } = {}) {
  const { place } = await jar.go(`${stand.origin}/${wanted}`, atProvider(stand));
  const back = await jar.go(`${place}?as=${encodeURIComponent(name)}`, isBack(stand.origin));
  assert.ok(isBack(stand.origin)(back.place), `${back.place} ${back.text}`);
  return back.place;
}

const signIn = async (jar, stand, how) => jar.go(await returning(jar, stand, how), (place) => !place.pathname.endsWith('/signed-in'));
const me = async (jar, origin) => (await jar.ask(`${origin}/api/v1/me`)).json();
const isIn = async (jar, origin) => (await me(jar, origin)).kind === 'person';

test('a browser signs in at the provider, comes back to the view that it wanted, and signs out', { skip }, async (t) => {
  const stand = await start(t);
  await member(stand.rows, 'ada', 'contributor');
  const token = (await call(stand.rows, 'token', 'create', 'ci')).trim();
  const stored = await fetch(`${stand.origin}/api/v1/traces?name=run.json`, {
    method: 'POST', body: trace().bytes, headers: { authorization: `Bearer ${token}` },
  });
  const { id } = await stored.json();
  const { context, page } = await openPage(t);
  await page.goto(`${stand.origin}/t/${id}?v=graph`);
  await page.getByLabel('Name').fill('ada');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.pathname === `/t/${id}`);
  assert.equal(new URL(page.url()).searchParams.get('v'), 'graph');
  const [cookie, ...others] = await context.cookies(stand.origin);
  assert.deepEqual(others, [], 'nothing is left of the sign-in but the session');
  assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path, cookie.secure], [true, 'Lax', '/', false]);
  const who = await page.evaluate(() => fetch('../api/v1/me').then((answer) => answer.json()));
  assert.deepEqual([who.kind, who.name, who.roles], ['person', 'ada', [{ project: 'default', role: 'contributor' }]]);
  const out = await page.evaluate(() => fetch('../sign-out', { method: 'POST' }).then((answer) => answer.text()));
  assert.match(out, /You have signed out/);
  const asked = await page.evaluate(() => fetch('../api/v1/traces').then((answer) => answer.status));
  assert.equal(asked, 401);
});

test('who is in no project learns their name and what to ask for; roles come from membership', { skip }, async (t) => {
  const stand = await start(t);
  const jar = new Jar();
  const { place } = await signIn(jar, stand, { name: '<b>eve', wanted: 't/abcdefghijklmnopqrstuvwxyz?v=graph' });
  assert.equal(`${place}`, `${stand.origin}/t/abcdefghijklmnopqrstuvwxyz?v=graph`);
  const told = await jar.go(place);
  assert.equal(told.status, 403);
  assert.match(told.text, /<strong>&lt;b&gt;eve<\/strong>[^]*member add[^]*action="\.\.\/sign-out"/);
  const status = async (path, init) => (await jar.ask(`${stand.origin}/api/v1/${path}`, init)).status;
  const upload = () => status('traces?name=a.json', { method: 'POST', body: trace().bytes });
  assert.deepEqual(await (await jar.ask(`${stand.origin}/api/v1/traces`)).json(), []);
  // A running server notices it within a second.
  const uploads = (as) => until(`uploads are answered ${as}`, async () => (await upload()) === as);
  await member(stand.rows, '<b>eve', 'viewer');
  await uploads(403);
  assert.notEqual((await jar.go(`${stand.origin}/`)).status, 403);
  await member(stand.rows, '<b>eve', 'contributor');
  await uploads(201);
  assert.match(await call(stand.rows, 'member', 'list'), /default +contributor +<b>eve/);
  await call(stand.rows, 'member', 'remove', '<b>eve');
  await uploads(404);
  const audit = await call(stand.rows, 'token', 'create', 'root', '--role', 'admin').then((token) =>
    fetch(`${stand.origin}/api/v1/projects/default/audit`, { headers: { authorization: `Bearer ${token.trim()}` } }));
  const lines = (await audit.json()).filter(({ subject }) => subject === '<b>eve').map(({ detail }) => detail);
  assert.deepEqual(lines, ['removed', 'contributor', 'viewer']);
});

test('an answer is for the browser that asked, once', { skip }, async (t) => {
  const stand = await start(t);
  const lost = async (jar, place) => {
    const answer = await jar.go(place);
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, /Sign in again/);
    assert.ok(!(await isIn(jar, stand.origin)));
  };
  const jar = new Jar();
  const back = await returning(jar, stand);
  const other = new Jar();
  await lost(other, back);
  const own = await returning(other, stand, { name: 'eve' });
  await lost(other, back);
  // Its own state with the code of another's sign-in, and invalid states.
  const stolen = new URL(own);
  stolen.searchParams.set('code', back.searchParams.get('code'));
  await lost(other, stolen);
  for (const state of ['', 'a', own.searchParams.get('state').replace(/.$/, (last) => (last === '0' ? '1' : '0'))]) {
    const changed = new URL(back);
    changed.searchParams.set('state', state);
    await lost(jar.copy(), changed);
  }
  const foreign = new URL(back);
  foreign.searchParams.set('iss', 'http://localhost:1');
  await lost(jar.copy(), foreign);
  // A sign-in that took too long has lost its cookie.
  await lost(Object.assign(jar.copy(), { cookies: jar.cookies.filter(({ name }) => !name.startsWith('syclscope')) }), back);
});

test('an answer counts once, also where the browser kept its cookies', { skip }, async (t) => {
  const stand = await start(t);
  const jar = new Jar();
  const back = await returning(jar, stand);
  const before = jar.copy();
  assert.equal((await jar.ask(back)).status, 303);
  assert.ok(await isIn(jar, stand.origin));
  assert.equal((await before.ask(back)).status, 400);
  assert.ok(!(await isIn(before, stand.origin)));
  // A provider that accepts a code twice does not change that.
  const liar = await startLiar(t);
  const second = await start(t, { at: liar });
  const browser = new Jar();
  const { place } = await browser.go(`${second.origin}/`, isBack(second.origin));
  const same = browser.copy();
  assert.deepEqual([(await browser.ask(place)).status, (await same.ask(place)).status], [303, 400]);
  assert.deepEqual([await isIn(browser, second.origin), await isIn(same, second.origin)], [true, false]);
});

test('what is not signed by the provider, for this server, this sign-in and now, is not believed', { skip }, async (t) => {
  const liar = await startLiar(t);
  const { origin } = await start(t, { at: liar });
  const told = async () => {
    const jar = new Jar();
    const { place } = await jar.go(`${origin}/`, isBack(origin));
    const { status, text } = await jar.go(place, (next) => next.pathname === '/');
    return [status ?? 'in', text, await isIn(jar, origin)];
  };
  const right = { says: liar.says, sign: liar.sign, key: liar.key, published: liar.published };
  assert.deepEqual(await told(), ['in', undefined, true]);
  const now = Math.floor(Date.now() / 1000);
  const hmac = (text) => crypto.createHmac('sha256', CLIENT.secret).update(text).digest('base64url');
  for (const [what, lie, status, words] of [
    ['another nonce', { says: (claims) => ({ ...claims, nonce: 'x' }) }, 502, /verify/],
    ['no nonce', { says: ({ nonce, ...claims }) => claims }, 502, /verify/],
    ['another provider', { says: (claims) => ({ ...claims, iss: 'http://localhost:1' }) }, 502, /verify/],
    ['another server', { says: (claims) => ({ ...claims, aud: 'other' }) }, 502, /verify/],
    ['long ago', { says: (claims) => ({ ...claims, iat: now - 7200, exp: now - 3600 }) }, 502, /clocks/],
    ['the future', { says: (claims) => ({ ...claims, iat: now + 3600, exp: now + 7200 }) }, 502, /clocks/],
    ['an unknown key', { key: liar.newKey() }, 502, /verify/],
    ['another signature', { sign: (text) => right.sign(`${text}x`) }, 502, /verify/],
    ['no signature', { says: (claims, header) => ((header.alg = 'none'), claims), sign: () => '' }, 502, /verify/],
    ['our own secret', { says: (claims, header) => ((header.alg = 'HS256'), claims), sign: hmac }, 502, /verify/],
    ['no name', { says: ({ preferred_username, ...claims }) => claims }, 403, /name/],
    ['the name of all', { says: (claims) => ({ ...claims, preferred_username: '*' }) }, 403, /name/],
  ]) {
    Object.assign(liar, right, lie);
    const [seen, text, signedIn] = await told();
    assert.deepEqual([seen, signedIn], [status, false], `${what}: ${text}`);
    assert.match(text, words, what);
  }
  Object.assign(liar, right);
  assert.deepEqual(await told(), ['in', undefined, true]);
});

test('an email is a name only where the provider has verified it', { skip }, async (t) => {
  const people = {
    ada: { email: 'ada@traces.example', email_verified: true },
    eve: { email: 'ada@traces.example', email_verified: false },
  };
  for (const inToken of [true, false]) {
    const stand = await start(t, { people, inToken, more: ['--oidc-name-claim', 'email'] });
    const jar = new Jar();
    await signIn(jar, stand);
    assert.equal((await me(jar, stand.origin)).name, 'ada@traces.example');
    const other = new Jar();
    const told = await signIn(other, stand, { name: 'eve' });
    assert.deepEqual([told.status, await isIn(other, stand.origin)], [403, false]);
    assert.match(told.text, /has not verified your email/);
  }
});

test('a provider that is down, comes back, changes its keys or is refused by people', { skip }, async (t) => {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const provider = await startProvider(t, origin);
  await provider.stop();
  const rows = ['--data', scratch(t)];
  const server = await copy(t, [...rows, ...options(provider.issuer, origin), ...page], { port, env, open: false });
  await server.start();
  const stand = { server, origin, provider, rows };
  const jar = new Jar();
  const down = await jar.go(`${origin}/t/abcdefghijklmnopqrstuvwxyz?v=graph`);
  assert.deepEqual([down.status, down.headers.get('retry-after') !== null], [503, true]);
  assert.match(down.text, /can&#39;t be reached[^]*sign-in\?to=t%2Fabc/);
  // Tokens still work, also in a browser.
  const token = (await call(rows, 'token', 'create', 'ci')).trim();
  const form = await jar.go(`${origin}/sign-in?token&to=`);
  assert.match(form.text, /name="token"/);
  const body = new URLSearchParams({ token, to: '' });
  assert.equal((await jar.ask(`${origin}/sign-in`, { method: 'POST', body })).status, 303);
  assert.equal((await me(jar, origin)).kind, 'token');
  const bearer = await fetch(`${origin}/api/v1/traces`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(bearer.status, 200);

  await provider.start();
  await signIn((jar.cookies = [], jar), stand);
  assert.ok(await isIn(jar, origin));
  provider.rotate();
  const other = new Jar();
  await signIn(other, stand, { name: 'bob' });
  assert.equal((await me(other, origin)).name, 'bob');

  const third = new Jar();
  const back = await returning(third, stand);
  await provider.stop();
  assert.equal((await third.ask(back)).status, 503);
  assert.ok(await isIn(jar, origin), 'who is signed in stays so');
  await provider.start();
  assert.equal((await third.ask(back)).status, 303, 'the same answer counts once the provider is back');

  const shy = new Jar();
  const { place } = await shy.go(`${origin}/`, atProvider(stand));
  const denied = await shy.go(`${place}?as=`);
  assert.deepEqual([denied.status, await isIn(shy, origin)], [403, false]);
  assert.match(denied.text, /consent was denied/);
  const said = server.printed();
  for (const secret of [CLIENT.secret, back.searchParams.get('code'), back.searchParams.get('state')]) assert.ok(!said.includes(secret));
});

test('any copy answers; a session ends in time, for all copies, and with the provider', { skip }, async (t) => {
  const database = await startPostgres(t);
  const rows = ['--database', database.url];
  const store = `file://${scratch(t)}`;
  const ports = [await freePort(), await freePort()];
  const balancer = await startBalancer(t, ports.map((port) => `127.0.0.1:${port}`));
  const { origin } = balancer;
  const provider = await startProvider(t, origin);
  const copies = [];
  for (const port of ports) {
    const args = ['--data', scratch(t), ...rows, '--store', store, ...options(provider.issuer, origin), ...page];
    copies.push(await copy(t, args, { port, env, open: false }));
  }
  await Promise.all(copies.map((copy) => copy.start()));
  const stand = { origin, provider };
  const jar = new Jar();
  const { place } = await jar.go(`${copies[0].origin}/sign-in?to=t%2Fa`, atProvider(stand));
  const back = await jar.go(`${place}?as=ada`, isBack(origin));
  await copies[0].stop();
  const done = await jar.ask(back.place);
  assert.deepEqual([done.status, done.headers.get('location')], [303, './t/a']);
  await copies[0].start();
  await copies[1].stop();
  assert.ok(await isIn(jar, origin));
  await database.query('UPDATE sessions SET expires_unix_ns = 1');
  await until('the session is over', async () => !(await isIn(jar, origin)));
});

for (const [layout, { prefix, options: more }] of Object.entries(LAYOUTS)) {
  test(`below the path of a proxy: ${layout}`, { skip }, async (t) => {
    const port = await freePort();
    const origin = `${await startProxy(t, layout, `127.0.0.1:${port}`)}${prefix}`;
    const provider = await startProvider(t, origin);
    const rows = ['--data', scratch(t)];
    const server = await copy(t, [...rows, ...options(provider.issuer, origin), ...more, ...page], { port, env, open: false });
    await server.start();
    await member(rows, '*', 'viewer');
    const jar = new Jar();
    const { place } = await signIn(jar, { origin, provider }, { wanted: 't/abcdefghijklmnopqrstuvwxyz?v=graph' });
    assert.equal(`${place}`, `${origin}/t/abcdefghijklmnopqrstuvwxyz?v=graph`);
    assert.deepEqual([(await me(jar, origin)).name, (await me(jar, origin)).roles.length], ['ada', 1]);
    const own = jar.cookies.filter(({ host }) => host === '127.0.0.1');
    assert.deepEqual(own.map(({ path }) => path), [prefix || '/']);
    const out = await jar.ask(`${origin}/sign-out`, { method: 'POST' });
    assert.equal(new URL(out.headers.get('location'), `${origin}/sign-out`).href, `${origin}/sign-in?out`);
    assert.ok(!(await isIn(jar, origin)));
  });
}
