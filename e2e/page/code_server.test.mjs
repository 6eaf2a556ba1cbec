// The extension for VS Code in a real editor: the page of a recording, and the times next to each line of code.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { until } from '../server/lib/service.mjs';
import { command, openFile, startEditor } from './code_server.mjs';
import { programWithHooks } from './servers.mjs';
import { openPage, picture, scratch, serverOf, trace } from './support.mjs';

const skip = process.env.CODE_SERVER ? false : (process.env.CODE_SERVER_MISSING ?? 'CODE_SERVER names no code-server');

/** Texts behind the visible lines of code, by the line's text. */
const beside = (page) =>
  page.evaluate(() => {
    const after = (span) => getComputedStyle(span, '::after').content;
    const lines = [...document.querySelectorAll('.view-line')].map((line) => {
      const said = [...line.querySelectorAll('span')].map(after).filter((content) => content.startsWith('"'));
      return [line.textContent.replaceAll('\u00a0', ' ').trim(), said.map((content) => JSON.parse(content)).join('')];
    });
    // The editor's own input fields look like empty lines with text after them.
    return Object.fromEntries(lines.filter(([code, said]) => code && said));
  });

test('a recording is shown in the editor, with its times beside the code', { skip }, async (t) => {
  // The expected times are those of the page's Source view for the same lines.
  const server = await serverOf(trace('heat'));
  const recorded = (await server.ask('files')).find((file) => file.path.endsWith('heat/with_usm.hpp'));
  const { lines } = await server.ask(`lines?path=${encodeURIComponent(recorded.path)}`);
  const { text } = await server.ask(`sources/${recorded.source}`);
  const most = lines.reduce((one, other) => (other.device_ns > one.device_ns ? other : one));
  const code = text.split('\n')[most.line - 1].trim();
  const words = `${(most.device_ns / 1e6).toFixed(1)} ms on devices`;

  const folder = scratch(t);
  fs.copyFileSync(trace('heat'), path.join(folder, 'heat.pftrace'));
  fs.mkdirSync(path.join(folder, 'heat'));
  fs.writeFileSync(path.join(folder, 'heat/with_usm.hpp'), text);
  const settings = { 'syclscope.program': programWithHooks(scratch(t)), 'workbench.startupEditor': 'none' };
  const editor = await startEditor(t, settings);
  const { page } = await openPage(t);
  // Use another host name than this computer's own, as for a remote machine.
  await page.goto(editor.address(folder).replace('127.0.0.1', 'editor.localhost'));
  await page.locator('.explorer-folders-view').waitFor();

  await openFile(page, 'heat.pftrace');
  // Three nested frames: the editor's, the extension's, and our page.
  const frame = page.frameLocator('iframe.webview').frameLocator('iframe#active-frame').frameLocator('iframe');
  await frame.getByTestId('timeline-canvas').waitFor();
  assert.match(await frame.getByTestId('trace-name').innerText(), /heat/);
  await picture(page, 'vscode-page');

  await openFile(page, `with_usm.hpp:${most.line}`);
  await page.waitForFunction((words) => document.querySelector('.statusbar')?.textContent.includes(words), 'heat.pftrace: ');
  const behind = async () => (await beside(page))[code];
  await until('the times are beside the code', behind);
  const seen = await beside(page);
  await picture(page, 'vscode');
  assert.equal(seen[code], words);
  assert.match(await page.locator('.statusbar').innerText(), new RegExp(`${(recorded.device_ns / 1e6).toFixed(1)} ms on devices`));
  await page.locator('.view-line', { hasText: code.slice(0, 12) }).first().hover();
  await page.locator('.monaco-hover', { hasText: `${most.submissions} commands submitted` }).first().waitFor();

  await command(page, 'syclscope: Clear the Times Beside the Code');
  await page.waitForFunction(() => !document.querySelector('.statusbar').textContent.includes('heat.pftrace: '));
  await until('the times are gone', async () => Object.keys(await beside(page)).length === 0);
});
