// A JupyterLab for tests: a server of its own, without the user's settings, and a notebook in it.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { programWithHooks, scratch, startPrinting } from './servers.mjs';

const root = path.resolve(fileURLToPath(import.meta.url), '../../..');

/** Starts JupyterLab with a notebook of these cells; it ends with the test. Returns the notebook's address. */
export async function startJupyter(test, cells) {
  const folder = scratch(test);
  const code = (source, index) => ({ cell_type: 'code', id: `cell-${index}`, execution_count: null, metadata: {}, outputs: [], source });
  const kernelspec = { name: 'python3', display_name: 'Python 3', language: 'python' };
  const notebook = { cells: cells.map(code), metadata: { kernelspec }, nbformat: 4, nbformat_minor: 5 };
  const work = path.join(folder, 'work');
  fs.mkdirSync(work);
  fs.writeFileSync(path.join(work, 'run.ipynb'), JSON.stringify(notebook));
  const own = Object.fromEntries(
    ['JUPYTER_CONFIG_DIR', 'JUPYTER_DATA_DIR', 'JUPYTER_RUNTIME_DIR', 'IPYTHONDIR', 'HOME'].map((name) => {
      const place = path.join(folder, name.toLowerCase());
      fs.mkdirSync(place);
      return [name, place];
    }),
  );
  const env = { ...process.env, ...own, PYTHONPATH: path.join(root, 'python'), SYCLSCOPE_PROGRAM: programWithHooks(folder) };
  const options = ['--no-browser', '--allow-root', '--ServerApp.port=0', '--LabApp.news_url=None', '--LabApp.expose_app_in_browser=True', '--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate'];
  const command = [process.env.JUPYTER_PYTHON, '-m', 'jupyterlab', ...options, `--ServerApp.root_dir=${work}`];
  // JupyterLab ends its kernels, too, when the test ends.
  const { found } = await startPrinting(test, 'JupyterLab', command, /http:\/\/localhost:\d+\/lab\?token=\w+/, env);
  return found.replace('/lab?', '/lab/tree/run.ipynb?');
}

/**
 * Opens a notebook and waits until its kernel accepts cells. JupyterLab shows the kernel as idle before its notebook is
 * connected to it, and then does not run cells.
 */
export async function openNotebook(page, address) {
  await page.goto(address);
  await page.locator('.jp-Notebook .jp-CodeCell').first().waitFor();
  const takesCells = () => {
    const session = window.jupyterapp?.shell.currentWidget?.sessionContext;
    const kernel = session?.session?.kernel;
    return session?.isReady && kernel?.connectionStatus === 'connected' && kernel.status === 'idle';
  };
  await page.waitForFunction(takesCells, undefined, { polling: 50 });
}

/**
 * A cell of the notebook that a page shows: `printed()` runs it and returns its printed text; `shown()` runs it and
 * returns its frame, `frame()` only the frame.
 */
export function cell(page, index) {
  const place = page.locator('.jp-Notebook .jp-CodeCell').nth(index);
  const prompt = place.locator('.jp-InputArea-prompt').first();
  const run = async () => {
    await place.locator('.cm-content').first().click();
    await page.keyboard.press('Shift+Enter');
    await prompt.filter({ hasText: /\[\d+\]/ }).waitFor();
  };
  return {
    printed: async () => {
      await run();
      const failed = place.locator('[data-mime-type="application/vnd.jupyter.stderr"]');
      if (await failed.count()) throw new Error(await failed.innerText());
      return (await place.locator('.jp-OutputArea-output').first().innerText()).trim();
    },
    shown: async () => {
      await run();
      return frameIn(place);
    },
    frame: () => frameIn(place),
  };
}

async function frameIn(place) {
  const handle = await place.locator('iframe').elementHandle();
  const frame = await handle.contentFrame();
  // A frame exists before it has loaded its page.
  await frame.waitForURL(/\/t\//);
  return frame;
}
