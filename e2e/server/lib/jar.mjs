// A browser without a page: it keeps cookies as browsers do, and follows redirects, as far as a test lets it.

/** Cookies by the host and folder that they are for. */
export class Jar {
  cookies = [];

  /** Another browser with the same cookies. */
  copy() {
    return Object.assign(new Jar(), { cookies: this.cookies.map((cookie) => ({ ...cookie })) });
  }

  /** Sends one request. */
  async ask(address, init = {}) {
    const url = new URL(address);
    const cookie = this.cookies
      .filter(({ host, path }) => host === url.hostname && `${url.pathname}/`.startsWith(path === '/' ? '/' : `${path}/`))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const answer = await fetch(url, { redirect: 'manual', ...init, headers: { accept: 'text/html', cookie, ...init.headers } });
    for (const line of answer.headers.getSetCookie()) this.#keep(url, line);
    return answer;
  }

  #keep(url, line) {
    const [pair, ...more] = line.split('; ');
    const [name, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
    const has = Object.fromEntries(more.map((part) => part.toLowerCase().split('=')));
    const path = more.find((part) => /^path=/i.test(part))?.slice(5) ?? (url.pathname.replace(/\/[^/]*$/, '') || '/');
    const cookie = { name, value, path, host: url.hostname, has };
    this.cookies = this.cookies.filter((other) => !(other.name === name && other.path === path && other.host === url.hostname));
    const isOver = has['max-age'] === '0' || Date.parse(has.expires) <= Date.now();
    if (!isOver) this.cookies.push(cookie);
  }

  /**
   * Opens an address and follows redirects; `until(url)` is true for the one before which to stop. Returns the last
   * answer with its `place`, or the `place` before which it stopped.
   */
  async go(address, until = () => false) {
    let place = new URL(address);
    for (let steps = 0; steps < 20; steps += 1) {
      if (until(place)) return { place };
      const answer = await this.ask(place);
      const next = answer.headers.get('location');
      if (!next || answer.status < 300 || answer.status >= 400) {
        return { place, status: answer.status, text: await answer.text(), headers: answer.headers };
      }
      place = new URL(next, place);
    }
    throw new Error(`led in a circle at ${place}`);
  }
}
