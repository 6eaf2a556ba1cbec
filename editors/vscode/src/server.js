// `syclscope open` of one recording: it serves the page and answers questions, to this account alone, until it is
// closed.
const { spawn } = require('node:child_process');
const { lineOf } = require('./lines');
const { ProgramError } = require('./program');

// Places that may show the page in a frame: the editor in a browser shows it through its own server, the one of the
// desktop in windows of its own schemes.
const ANCESTORS = ['self', 'https://*.vscode-cdn.net', 'vscode-webview:', 'vscode-file:'];

class Server {
  /** Starts it; it answers to these names of the computer beside its own ones. */
  static async start(program, file, hosts = []) {
    const options = ['--no-browser', '--port', '0', '--log', 'error', '--frame-ancestors', ...ANCESTORS];
    const named = hosts.flatMap((host) => ['--allow-host', host]);
    // Its input ends with this process, however that ends.
    const child = spawn(program, ['open', file, '--until-input-ends', ...options, ...named], { stdio: 'pipe' });
    const said = [];
    child.stderr.on('data', (bytes) => said.push(bytes));
    const reason = () => Buffer.concat(said).toString().replace(/^syclscope: (error: )?/, '').trim();
    const address = await new Promise((resolve, reject) => {
      let out = '';
      child.stdout.on('data', (bytes) => {
        out += bytes;
        const line = /^(http:\S+)\n/m.exec(out);
        if (line) resolve(line[1]);
      });
      child.once('error', (error) => reject(new ProgramError(`${program} does not start: ${error.message}`)));
      // Not at its exit: what it said may come later.
      child.once('close', (code) => reject(new ProgramError(reason() || `${program} ended with ${code}.`)));
    });
    return new Server(child, file, new URL(address));
  }

  constructor(child, file, address) {
    this.child = child;
    this.file = file;
    /** Position of the page: below `origin` at `path`. */
    this.origin = address.origin;
    this.path = address.pathname;
    this.hasEnded = false;
    child.once('exit', () => (this.hasEnded = true));
  }

  /** The answer to a question of docs/QUERIES.md. */
  async ask(question) {
    const place = `${this.origin}${this.path.replace('/t/', '/api/v1/traces/')}/${question}`;
    const answer = await fetch(place);
    const body = await answer.json();
    if (!answer.ok) throw new ProgramError(body.error?.message ?? `${question}: ${answer.status}`);
    return body;
  }

  /** The parts of the address of what the page of a name shows; none as long as it has not been opened. */
  async shown(name) {
    try {
      const { query } = await this.ask(`shown/${name}`);
      return Object.fromEntries(query.replace(/^\?/, '').split('&').map((part) => [part.split('=', 1)[0], part.slice(part.indexOf('=') + 1)]));
    } catch (error) {
      if (error instanceof ProgramError) return {};
      throw error;
    }
  }

  /** The line of what is selected in the page of a name; null if that has none. */
  async selectedLine(name) {
    const { s } = await this.shown(name);
    if (s === undefined) return null;
    const line = lineOf(s);
    if (line) return line;
    const slice = /^\d+$/.test(s) ? s : s.startsWith('k') ? await this.longest(decodeURIComponent(s.slice(1))) : undefined;
    if (slice === undefined) return null;
    const { category, location, node } = await this.ask(`slices/${slice}`);
    // What runs on a device has no place of its own: that of its command is meant, as in the page's details.
    const place = location ?? (category === 'wait' ? null : node?.location);
    return place?.line ? { file: place.file, line: place.line } : null;
  }

  /** The longest slice of a name, if there is any. */
  async longest(name) {
    const quoted = name.replace(/["\\]/g, (letter) => `\\${letter}`);
    const { groups } = await this.ask(`select?groups=1&sort=max&where=${encodeURIComponent(`name="${quoted}"`)}`);
    return groups[0]?.longest.slice;
  }

  close() {
    if (!this.hasEnded) this.child.kill('SIGTERM');
  }
}

/** Servers by file, each for as long as somebody uses it. */
class Servers {
  /** `hosts` gives the names under which a proxy of the editor asks the servers. */
  constructor(findProgram, hosts = async () => []) {
    this.findProgram = findProgram;
    this.hosts = hosts;
    this.known = new Map();
  }

  async start(file) {
    const program = this.findProgram();
    return Server.start(program, file, await this.hosts());
  }

  /** A server of a file, and `release`, which its user calls in the end. */
  async take(file) {
    let entry = this.known.get(file);
    if (!entry) {
      entry = { users: 0, started: this.start(file) };
      this.known.set(file, entry);
    }
    entry.users += 1;
    let isTaken = true;
    const release = () => {
      if (!isTaken) return;
      isTaken = false;
      entry.users -= 1;
      if (entry.users > 0) return;
      if (this.known.get(file) === entry) this.known.delete(file);
      entry.started.then((server) => server.close(), () => undefined);
    };
    try {
      const server = await entry.started;
      // One that was killed is of no use to whoever comes next.
      server.child.once('exit', () => this.known.get(file) === entry && this.known.delete(file));
      return { server, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Ends all of them. */
  dispose() {
    for (const { started } of this.known.values()) started.then((server) => server.close(), () => undefined);
    this.known.clear();
  }
}

module.exports = { Server, Servers };
