// Recordings of SYCL programs in the editor.
const vscode = require('vscode');
const { recordedPath } = require('./lines');
const { Pages } = require('./page');
const { ProgramError, findProgram } = require('./program');
const { Servers } = require('./server');
const { Times } = require('./times');

const VIEW = 'syclscope.trace';
const settings = () => vscode.workspace.getConfiguration('syclscope');

function activate(context) {
  const servers = new Servers(() => findProgram(settings().get('program', '')), hosts);
  const times = new Times(servers);
  const opened = (file) => settings().get('timesWhenOpened', true) && attempt(() => times.show(file))();
  const pages = new Pages(servers, opened, complain);
  context.subscriptions.push(
    servers,
    times,
    vscode.window.registerCustomEditorProvider(VIEW, pages, {
      supportsMultipleEditorsPerDocument: true,
      // A page that is loaded again has forgotten where one was.
      webviewOptions: { retainContextWhenHidden: true },
    }),
    vscode.commands.registerCommand('syclscope.openTrace', attempt(async (uri) => {
      const chosen = uri ?? (await choose());
      if (chosen) await vscode.commands.executeCommand('vscode.openWith', chosen, VIEW);
    })),
    vscode.commands.registerCommand('syclscope.showTimes', attempt(async (uri) => {
      const file = (uri ?? (await choose()))?.fsPath;
      if (file) await times.show(file);
    })),
    vscode.commands.registerCommand('syclscope.clearTimes', () => times.clear()),
    vscode.commands.registerCommand('syclscope.goToLine', attempt(() => goToLine(pages))),
  );
}

/** The name of the editor's own address, where it is in a browser: its proxy passes that on. */
async function hosts() {
  if (vscode.env.uiKind !== vscode.UIKind.Web) return [];
  const outside = await vscode.env.asExternalUri(vscode.Uri.parse('http://127.0.0.1:1/'));
  return [new URL(outside.toString(true)).hostname];
}

/** Opens the source of what is selected in the page, at its line. */
async function goToLine(pages) {
  const page = pages.active;
  if (!page) return;
  const place = await page.server.selectedLine(page.name);
  if (!place) {
    void vscode.window.showInformationMessage('Select a slice, a kernel or a line in the recording, one whose source is known.');
    return;
  }
  const uri = await findSource(place.file);
  if (!uri) {
    void vscode.window.showWarningMessage(`${place.file} is not on this computer, and no file of the workspace is called like it.`);
    return;
  }
  const at = new vscode.Position(Math.max(place.line - 1, 0), 0);
  await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at), viewColumn: vscode.ViewColumn.Beside });
}

/** A recorded file: where it was, or else the file of the workspace that is called most like it. */
async function findSource(path) {
  const there = vscode.Uri.file(path);
  try {
    await vscode.workspace.fs.stat(there);
    return there;
  } catch {
    const alike = await vscode.workspace.findFiles(`**/${path.split('/').at(-1)}`, undefined, 100);
    const best = recordedPath(path, alike.map((uri) => uri.fsPath));
    return best === null ? null : vscode.Uri.file(best);
  }
}

async function choose() {
  const filters = { Recordings: ['pftrace', 'json', 'gz', 'zst', 'perfetto-trace', 'trace', 'zip'] };
  const chosen = await vscode.window.showOpenDialog({ filters, openLabel: 'Open', title: 'A recording' });
  return chosen?.[0];
}

/** Tells what went wrong, with the setting that would help where one would. */
function complain(error) {
  if (!(error instanceof ProgramError)) throw error;
  if (!error.isMissing) return void vscode.window.showErrorMessage(`syclscope: ${error.message}`);
  const settings = 'Open Settings';
  void vscode.window.showErrorMessage(error.message, settings).then((pressed) => {
    if (pressed === settings) void vscode.commands.executeCommand('workbench.action.openSettings', 'syclscope.program');
  });
}

const attempt = (act) => async (...given) => {
  try {
    return await act(...given);
  } catch (error) {
    return complain(error);
  }
};

module.exports = { activate };
