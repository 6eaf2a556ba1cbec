// A recording as an editor: the page of syclscope in a frame, from a server that ends with it.
const { randomBytes } = require('node:crypto');
const vscode = require('vscode');

class Pages {
  /** `opened` is called with the file of each recording that is opened. */
  constructor(servers, opened, complain) {
    this.servers = servers;
    this.opened = opened;
    this.complain = complain;
    /** Of each editor its panel, server and the name under which its page tells what it shows. */
    this.open = new Set();
  }

  openCustomDocument(uri) {
    return { uri, dispose: () => undefined };
  }

  async resolveCustomEditor({ uri }, panel) {
    panel.webview.options = { enableScripts: true };
    // Who closes the editor while a large recording is still read has no panel any more.
    let isClosed = false;
    let close = () => undefined;
    panel.onDidDispose(() => {
      isClosed = true;
      close();
    });
    try {
      const { server, release } = await this.servers.take(uri.fsPath);
      if (isClosed) return release();
      const page = { panel, server, name: randomBytes(16).toString('hex') };
      this.open.add(page);
      close = () => {
        this.open.delete(page);
        release();
      };
      const html = await framed(server, page.name);
      if (isClosed) return;
      panel.webview.html = html;
      this.opened(uri.fsPath);
    } catch (error) {
      if (isClosed) return;
      panel.webview.html = text(error.message);
      this.complain(error);
    }
  }

  /** The editor that is in front. */
  get active() {
    return [...this.open].find(({ panel }) => panel.active);
  }
}

async function framed(server, name) {
  // Where the editor is in a browser, or on another computer, it knows how to reach this one.
  const outside = await vscode.env.asExternalUri(vscode.Uri.parse(`${server.origin}/`));
  const root = outside.toString(true).replace(/\/$/, '');
  const origin = new URL(root).origin;
  const address = `${root}${server.path}?embed&tell=${name}`;
  return document(
    `default-src 'none'; frame-src ${origin}; style-src 'unsafe-inline'`,
    `<iframe src="${escape(address)}" title="syclscope" allow="clipboard-write"></iframe>`,
  );
}

const text = (message) => document("default-src 'none'; style-src 'unsafe-inline'", `<p>${escape(message)}</p>`);

const document = (policy, body) => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<style>html, body { height: 100%; margin: 0; padding: 0; overflow: hidden } iframe { border: 0; width: 100%; height: 100% } p { padding: 1em }</style>
</head><body>${body}</body></html>`;

const escape = (words) => words.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

module.exports = { Pages };
