// Providers of identities on the loopback interface: a real one (npm's oidc-provider), and one whose claims a test
// determines.
import crypto from 'node:crypto';
import http from 'node:http';

import { Provider } from 'oidc-provider';

import { freePort } from './service.mjs';

export const CLIENT = { id: 'traces', secret: 'a-secret-between-two-servers' };

/** Returns the options with which a server sends people to a provider, and gets them back at `origin`. */
export const options = (issuer, origin) => [
  '--sign-in', 'oidc', '--oidc-issuer', issuer, '--oidc-client-id', CLIENT.id, '--public-url', origin,
];

/** Environment variables of such a server. */
export const env = { SYCLSCOPE_OIDC_CLIENT_SECRET: CLIENT.secret };

/** Returns a key to sign with. */
function newKey() {
  const { privateKey } = crypto.generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid: crypto.randomUUID(), use: 'sig', alg: 'RS256' };
}

/** A listener that can be stopped and started again; it ends with `test`. `this.handle` answers requests. */
class Listener {
  constructor(test, port) {
    Object.assign(this, { port, issuer: `http://localhost:${port}` });
    test.after(() => this.stop());
  }

  start() {
    this.server = http.createServer((request, response) => this.handle(request, response));
    return new Promise((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
  }

  async stop() {
    this.server?.closeAllConnections();
    await new Promise((resolve) => (this.server ? this.server.close(resolve) : resolve()));
    this.server = undefined;
  }
}

/**
 * Starts a provider for a server at `origin`. Its page requests a name; `people` has further claims by name, `rotate()`
 * gives the provider a new key. With `inToken` all claims are in the ID token, else in the answer to a separate request
 * only.
 */
export async function startProvider(test, origin, { people = {}, inToken = false } = {}) {
  const listener = new Listener(test, await freePort());
  const rotate = () => {
    const provider = new Provider(listener.issuer, {
      clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [`${origin}/signed-in`] }],
      jwks: { keys: [newKey()] },
      cookies: { keys: ['a key for cookies'] },
      features: { devInteractions: { enabled: false } },
      claims: { openid: ['sub'], profile: ['preferred_username'], email: ['email', 'email_verified'] },
      conformIdTokenClaims: !inToken,
      // By default a code is valid for a minute, in which a busy machine may not redeem it.
      ttl: { AuthorizationCode: 3_600 },
      pkce: { required: () => true },
      interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
      findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, preferred_username: id, ...people[id] }) }),
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
        grant.addOIDCScope('openid profile email');
        await grant.save();
        return grant;
      },
    });
    const others = provider.callback();
    listener.handle = (request, response) =>
      request.url.startsWith('/interaction/') ? interact(provider, request, response) : others(request, response);
  };
  rotate();
  await listener.start();
  return Object.assign(listener, { rotate });
}

/** Shows the page where people sign in, and handles their input. */
async function interact(provider, request, response) {
  const [, name] = request.url.split('?as=');
  if (name === undefined) {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Who are you?</title><form><input name="as" aria-label="Name"><button>Sign in</button></form>');
    return;
  }
  const result = name === '' ? { error: 'access_denied' } : { login: { accountId: decodeURIComponent(name) } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

const base64 = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * Starts a provider that lets everybody in at once, with the claims that `says(claims, header)` returns for the right
 * ones. `sign(text, header)` returns the signature, `published` are its keys.
 */
export async function startLiar(test) {
  const listener = new Listener(test, await freePort());
  const key = newKey();
  const { issuer } = listener;
  const { n, e, kid, use, alg } = key;
  Object.assign(listener, { published: [{ kty: 'RSA', n, e, kid, use, alg }], key, says: (claims) => claims });
  listener.sign = (text) => crypto.sign('sha256', Buffer.from(text), { key: listener.key, format: 'jwk' }).toString('base64url');
  const nonces = new Map();
  const token = (code) => {
    const now = Math.floor(Date.now() / 1000);
    const header = { alg: 'RS256', typ: 'JWT', kid: listener.key.kid };
    const right = { iss: issuer, aud: CLIENT.id, sub: 'ada', preferred_username: 'ada', iat: now, exp: now + 300, nonce: nonces.get(code) };
    // It may change the header, too: `says` gets both.
    const claims = listener.says(right, header);
    const text = `${base64(header)}.${base64(claims)}`;
    return `${text}.${listener.sign(text, header)}`;
  };
  listener.handle = async (request, response) => {
    const url = new URL(request.url, issuer);
    const json = (value) => response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return json({
          issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys`,
          response_types_supported: ['code'], subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
        });
      case '/keys':
        return json({ keys: listener.published });
      case '/auth': {
        const code = crypto.randomUUID();
        nonces.set(code, url.searchParams.get('nonce'));
        const back = new URL(url.searchParams.get('redirect_uri'));
        back.search = new URLSearchParams({ code, state: url.searchParams.get('state') });
        return response.writeHead(303, { location: `${back}` }).end();
      }
      default: {
        const body = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
        return json({ access_token: 'x', token_type: 'Bearer', id_token: token(body.get('code')) });
      }
    }
  };
  await listener.start();
  return Object.assign(listener, { newKey });
}
