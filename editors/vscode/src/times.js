// The times of a recording beside the code, in every editor that shows one of its files.
const vscode = require('vscode');
const { annotations, duration, recordedPath } = require('./lines');

class Times {
  /** `servers` answers questions. */
  constructor(servers) {
    this.servers = servers;
    this.decoration = vscode.window.createTextEditorDecorationType({
      after: { margin: '0 0 0 3em', color: new vscode.ThemeColor('editorCodeLens.foreground') },
      // What somebody types at a line's end is not part of it.
      rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
    });
    this.status = vscode.window.createStatusBarItem('syclscope.times', vscode.StatusBarAlignment.Left);
    this.status.name = 'syclscope';
    this.status.command = 'syclscope.clearTimes';
    /** The recording whose times are shown, with its files. */
    this.shown = null;
    this.subscriptions = [
      this.decoration,
      this.status,
      vscode.window.onDidChangeVisibleTextEditors(() => this.refresh()),
      vscode.window.onDidChangeActiveTextEditor(() => this.tell()),
      vscode.workspace.onDidSaveTextDocument(() => this.tell()),
    ];
  }

  /** Shows the times of a recording, in place of those of another one. */
  async show(file) {
    const { server, release } = await this.servers.take(file);
    try {
      const files = await server.ask('files');
      this.clear();
      this.shown = { server, release, files, trace: file.slice(file.lastIndexOf('/') + 1), answers: new Map() };
    } catch (error) {
      release();
      throw error;
    }
    await vscode.commands.executeCommand('setContext', 'syclscope.showsTimes', true);
    await this.refresh();
  }

  /** Takes them away. */
  clear() {
    this.shown?.release();
    this.shown = null;
    this.status.hide();
    for (const editor of vscode.window.visibleTextEditors) editor.setDecorations(this.decoration, []);
    void vscode.commands.executeCommand('setContext', 'syclscope.showsTimes', false);
  }

  /** Writes beside the code what is known, in all editors that are seen. */
  async refresh() {
    const { shown } = this;
    if (!shown) return;
    await Promise.all(
      vscode.window.visibleTextEditors.map(async (editor) => {
        const found = await this.answer(shown, editor.document);
        // Meanwhile another recording may be shown, or none.
        if (this.shown === shown) editor.setDecorations(this.decoration, found ? decorations(found, editor.document) : []);
      }),
    );
    if (this.shown === shown) this.tell();
  }

  /** Data of a document; nothing if the recording does not have it. */
  answer(shown, document) {
    const path = document.uri.scheme === 'file' && recordedPath(document.uri.fsPath, shown.files.map((file) => file.path));
    if (!path) return Promise.resolve(null);
    if (!shown.answers.has(path)) shown.answers.set(path, ask(shown, path));
    return shown.answers.get(path);
  }

  /** Says in the status bar what is shown. */
  async tell() {
    const { shown } = this;
    if (!shown) return;
    const document = vscode.window.activeTextEditor?.document;
    const found = document && (await this.answer(shown, document));
    // Meanwhile another recording may be shown, or another editor be in front, of which the next call tells.
    if (this.shown !== shown || vscode.window.activeTextEditor?.document !== document) return;
    const isChanged = found && found.text !== null && withoutReturns(found.text) !== withoutReturns(document.getText());
    this.status.text = `$(watch) ${shown.trace}${found ? `: ${duration(found.file.device_ns)} on devices` : ''}${isChanged ? ' $(warning)' : ''}`;
    this.status.tooltip = [
      found ? `What the lines of ${found.file.path} caused in this recording stands beside them.` : 'The recording names nothing of this file.',
      ...(isChanged ? ['The file has changed since it was recorded: what stands beside a line may be of another one.'] : []),
      'Click to clear.',
    ].join('\n');
    this.status.show();
  }

  dispose() {
    this.clear();
    for (const one of this.subscriptions) one.dispose();
  }
}

const withoutReturns = (text) => text.replaceAll('\r\n', '\n');

/** Work of the lines of a recorded file, and its text if it was recorded. */
async function ask(shown, path) {
  try {
    const answer = await shown.server.ask(`lines?path=${encodeURIComponent(path)}`);
    const { source } = answer.file;
    const text = source === null ? null : (await shown.server.ask(`sources/${source}`)).text || null;
    return { file: answer.file, text, annotations: annotations(answer, shown.trace) };
  } catch {
    // The server has ended: there is nothing to show any more.
    return null;
  }
}

function decorations({ annotations }, document) {
  return annotations
    .filter(({ line }) => line <= document.lineCount)
    .map(({ line, text, hover }) => ({
      range: document.lineAt(line - 1).range,
      hoverMessage: new vscode.MarkdownString(hover),
      renderOptions: { after: { contentText: text } },
    }));
}

module.exports = { Times };
