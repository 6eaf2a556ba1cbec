// A source file that the recording names but does not contain: the user attaches it. The recording is the readable one
// of the trace engine's tests, changed as if the recorder had not found the source.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { idle, openPage, picture, scratch, serverOf, visit } from './support.mjs';

const recording = fileURLToPath(new URL('../../trace/engine/tests/data/whole.json', import.meta.url));

/** Returns a text with this number of lines. */
const program = (lines) => Array.from({ length: lines }, (_, line) => `int line${line} = ${line};`).join('\n') + '\n';

/** Opens the source view with a file whose text is missing; its size may be known. */
async function open(t, file, size_bytes = 0) {
  const folder = scratch(t);
  const json = JSON.parse(fs.readFileSync(recording, 'utf8'));
  const events = json.traceEvents ?? json;
  const source = events.find((event) => event.name === '/src/stencil.cpp' && event.args?.text);
  Object.assign(source.args, { state: size_bytes ? 'too_large' : 'unreadable', sha256: '', size_bytes, text: '' });
  const without = path.join(folder, 'without.json');
  fs.writeFileSync(without, JSON.stringify(json));
  const server = await serverOf(without);
  const opened = await openPage(t);
  await visit(opened.page, `${server.timeline}?v=source&f=${encodeURIComponent(file)}`);
  await opened.page.getByTestId('source-missing').waitFor();
  const { lines } = await server.ask(`lines?path=${encodeURIComponent(file)}`);
  return { ...opened, folder, last: Math.max(0, ...lines.map((line) => line.line)) };
}

test('a source file that was not recorded is attached, compared, and taken away', async (t) => {
  const { page, complaints, folder, last } = await open(t, '/src/stencil.cpp');
  assert.ok(last > 3, 'something happened in the file');
  assert.match(await page.getByTestId('source-missing').innerText(), /not in the recording[\s\S]*attach it/i);
  assert.equal(await page.locator('.tok-type').count(), 0);
  await picture(page, 'source-missing');
  const brought = path.join(folder, 'brought.cpp');
  fs.writeFileSync(brought, program(last + 5));
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByTestId('source-attach').click()]);
  await chooser.setFiles(brought);
  await page.getByTestId('source-attached').waitFor();
  await page.locator('.tok-type').first().waitFor();
  await idle(page);
  assert.match(await page.getByTestId('source-attached').innerText(), /Attached: brought\.cpp[\s\S]*nothing to compare/);
  assert.equal(await page.locator('[data-testid=source-lines] tbody tr').count(), last + 5);
  assert.match(await page.locator(`#line-${last}`).innerText(), new RegExp(`int line${last - 1}`));
  await picture(page, 'source-attached');
  // The attached file stays while another view is shown.
  await page.keyboard.press('2');
  await page.getByTestId('timeline-canvas').waitFor();
  await page.keyboard.press('5');
  await page.locator('.tok-type').first().waitFor();
  // A reload keeps it for this trace and this file.
  await page.reload();
  await page.getByTestId('source-attached').waitFor();
  await page.locator('.tok-type').first().waitFor();
  assert.match(await page.getByTestId('source-attached').innerText(), /Attached: brought\.cpp/);
  await page.getByTestId('source-detach').click();
  await page.getByTestId('source-attach').waitFor();
  await page.reload();
  await page.getByTestId('source-attach').waitFor();
  assert.equal(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes('attached')).length), 0);

  fs.writeFileSync(brought, program(3));
  await page.getByTestId('source-input').setInputFiles(brought);
  const said = page.getByTestId('source-attached').getByRole('alert');
  assert.match(await said.innerText(), new RegExp(`refers to line ${last}, but the file has 3 lines`));

  // A text that is longer than a page may store does not mean that the storage is full.
  fs.writeFileSync(brought, program(last) + '//'.padEnd(1 << 20));
  await page.getByTestId('source-detach').click();
  await page.getByTestId('source-input').setInputFiles(brought);
  await page.getByTestId('source-attached').getByText('too large to be stored').waitFor();
  assert.doesNotMatch(await page.getByTestId('source-attached').innerText(), /storage is full/);
  assert.deepEqual(complaints, []);
});

test('a source file is attached by dropping it, and one of another size says so', async (t) => {
  const { page } = await open(t, '/src/generated.hpp');
  const data = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], 'dropped.hpp'));
    return transfer;
  }, program(4));
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: data });
  await page.getByTestId('drop-attach').waitFor();
  await page.dispatchEvent('[data-testid=drop-attach]', 'drop', { dataTransfer: data });
  await page.getByTestId('source-attached').getByRole('alert').waitFor();
  assert.match(await page.getByTestId('source-attached').innerText(), /Attached: dropped\.hpp[\s\S]*bytes, not 9,000,000/);
  await page.locator('.tok-type').first().waitFor();
  assert.equal(await page.getByTestId('drop-area').count(), 0);
});

test('a file is compared by its bytes, whatever the browser makes of them', async (t) => {
  const [mark, word] = [Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('// M\xfcnchen\n', 'latin1')];
  const buffer = Buffer.concat([mark, Buffer.from(program(99)), word]);
  const { page, complaints } = await open(t, '/src/stencil.cpp', buffer.length);
  await page.getByTestId('source-input').setInputFiles({ name: 'marked.cpp', mimeType: 'text/plain', buffer });
  const attached = page.getByTestId('source-attached');
  await attached.getByText('Same size as the recorded file').waitFor();
  // A reload shows the same.
  await page.reload();
  await attached.getByText('Same size as the recorded file').waitFor();
  assert.match(await attached.innerText(), /Attached: marked\.cpp/);
  assert.deepEqual(complaints, []);
});
