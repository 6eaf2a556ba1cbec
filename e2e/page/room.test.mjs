// Narrow windows and large text: nothing overlaps.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { canvasBox, drawLog, idle, openPage, picture, scratch, serverOf, trace, visit } from './support.mjs';

/** Returns pairs of controls that overlap, and controls that exceed the window. */
const clashes = (page, selector) =>
  page.evaluate((selector) => {
    /** Returns the visible part of an element, which a scrolling ancestor may cut off. */
    const seen = (element) => {
      let { left, right, top, bottom } = element.getBoundingClientRect();
      for (let around = element.parentElement; around; around = around.parentElement) {
        if (!['auto', 'scroll'].includes(getComputedStyle(around).overflowX)) continue;
        const box = around.getBoundingClientRect();
        [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
        [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
      }
      return { left, right, top, bottom, width: right - left, height: bottom - top };
    };
    const boxes = [...document.querySelectorAll(selector)]
      .filter((element) => element.checkVisibility() && element.getClientRects().length > 0)
      .map((element) => ({ name: element.ariaLabel ?? element.textContent, box: seen(element) }))
      .filter(({ box }) => box.width > 1 && box.height > 1);
    const out = boxes.filter(({ box }) => box.right > innerWidth + 1 || box.left < -1).map(({ name }) => `${name} sticks out`);
    for (const [place, one] of boxes.entries())
      for (const other of boxes.slice(place + 1)) {
        const [a, b] = [one.box, other.box];
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
          out.push(`${one.name} and ${other.name}`);
      }
    return out;
  }, selector);

/** Problems of a recording need space in the header, and a slow start leaves little space for the rest of the run. */
const RECORDINGS = {
  'a recording': () => trace('heat'),
  'a recording that was cut short': (t) => cutShort(t, trace('heat')),
  'a slow start': () => trace('heat-slow'),
  'a slow start, cut short': (t) => cutShort(t, trace('heat-slow')),
};

/** Writes a copy without its end. */
function cutShort(t, file) {
  const cut = path.join(scratch(t), 'cut.pftrace');
  fs.writeFileSync(cut, fs.readFileSync(file).subarray(0, -1000));
  return cut;
}

for (const [width, scale] of [[1440, 100], [900, 100], [720, 100], [620, 100], [390, 100], [1440, 200], [1280, 150]]) {
  for (const [which, recording] of Object.entries(RECORDINGS)) {
    test(`a window of ${width} pixels has room for ${which} with text at ${scale} %`, async (t) => {
      const { timeline } = await serverOf(recording(t));
      const { page } = await openPage(t, { viewport: { width, height: 900 } });
      await page.addInitScript((scale) => localStorage.setItem('syclscope.text-scale', String(scale)), scale);
      await visit(page, timeline);
      await idle(page);
      await picture(page, `room-${width}-${scale}-${which.replaceAll(/\W+/g, '-')}`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is as wide as the window');
      assert.deepEqual(await clashes(page, 'header a, header button'), []);
      assert.deepEqual(await clashes(page, '.timeline-toolbar button, .timeline-toolbar input, .timeline-toolbar summary'), []);
      // A track's name is not taller than its row.
      const cut = await page.locator('[data-testid=track]').evaluateAll((labels) =>
        labels
          .filter((label) => label.querySelector('.track-name').scrollHeight > label.clientHeight)
          .map((label) => label.innerText),
      );
      assert.deepEqual(cut, []);
      // Rows and their drawings scale with the text, and names stay beside their tracks.
      assert.deepEqual(await clashes(page, '.timeline-corner button, .timeline-corner .readout-span'), []);
      const log = await drawLog(page);
      assert.equal(log.device_pixel_ratio, scale / 100);
      const rows = await page.locator('[data-testid=tracks] [data-testid=track]').evaluateAll((labels) =>
        labels.map((label) => ({ top: label.getBoundingClientRect().top, height: label.offsetHeight, font: parseFloat(getComputedStyle(label).fontSize) })),
      );
      const canvas = await page.getByTestId('timeline-canvas').boundingBox();
      for (const [place, track] of log.tracks.entries()) {
        assert.ok(Math.abs(rows[place].height - (track.height * scale) / 100) <= 1, JSON.stringify([rows[place], track]));
        assert.ok(Math.abs(rows[place].top - canvas.y - (track.y * scale) / 100) <= 1.5, JSON.stringify([rows[place], track]));
      }
      assert.ok(rows[0].font >= (12 * scale) / 100, `text of ${rows[0].font} px`);
      // The last row in sight may be cut.
      const inSight = ({ y, h }) => ((y + h) * scale) / 100 <= canvas.height;
      const slice = log.slices.filter((one) => one.count === 1 && inSight(one)).sort((one, other) => other.w - one.w)[0];
      await page.mouse.click(canvas.x + ((slice.x + slice.w / 2) * scale) / 100, canvas.y + ((slice.y + slice.h / 2) * scale) / 100);
      await idle(page);
      assert.equal((await drawLog(page)).selected, slice.id, 'the pointer meets what is under it');
    });
  }
}

test('the source view names its files in full, however narrow it is', async (t) => {
  const { timeline } = await serverOf(trace('heat'));
  for (const width of [1440, 1024, 720]) {
    const { page } = await openPage(t, { viewport: { width, height: 900 } });
    await visit(page, `${timeline}?v=source`);
    await page.locator('.file-button').first().waitFor();
    await picture(page, `room-source-${width}`);
    const files = page.locator('.file-button');
    const cut = await files.evaluateAll((buttons) =>
      buttons
        .flatMap((button) => [...button.children])
        .filter((text) => text.scrollWidth > text.clientWidth || text.getBoundingClientRect().right > text.parentElement.getBoundingClientRect().right)
        .map((text) => text.textContent),
    );
    assert.deepEqual(cut, [], `${width} pixels`);
    assert.ok((await files.allInnerTexts()).some((text) => text.includes('with_buffers.hpp') && text.includes('waits')));
  }
});

test('on a phone the views and the share menu lie inside the window', async (t) => {
  const { timeline } = await serverOf(trace('heat'));
  const { page, complaints } = await openPage(t, { viewport: { width: 390, height: 844 } });
  for (const view of ['memory', 'source', 'calls', 'kernel', 'sql']) {
    await visit(page, `${timeline}?v=${view}${view === 'kernel' ? '&kn=diffuse_band' : ''}`);
    await page.locator('.view-bar').first().waitFor();
    await idle(page);
    await picture(page, `room-phone-${view}`);
    // Parts of a scrolling row can be reached.
    const out = await page.locator('.view-bar > *').evaluateAll((parts) =>
      parts
        .filter((part) => getComputedStyle(part.parentElement).overflowX !== 'auto')
        .filter((part) => part.checkVisibility() && part.getBoundingClientRect().right > innerWidth + 1)
        .map((part) => part.ariaLabel ?? part.textContent),
    );
    assert.deepEqual(out, [], view);
    const tab = await page.getByTestId(`view-${view}`).boundingBox();
    const strip = await page.locator('.view-switch').boundingBox();
    assert.ok(tab.x >= strip.x - 1 && tab.x + tab.width <= strip.x + strip.width + 1, `${view}: its button is in sight`);
  }
  const field = await page.getByTestId('sql-statement').boundingBox();
  assert.ok(field.width > 300, `the statement is ${field.width} pixels wide`);
  assert.ok((await page.getByTestId('sql-tables').boundingBox()).y >= field.y + field.height, 'the tables are below it');

  await visit(page, `${timeline}?v=source`);
  await page.getByTestId('source-lines').waitFor();
  await idle(page);
  const code = await page.locator('.source-code').first().boundingBox();
  assert.ok(code.x < 250, `the code begins at ${code.x}`);
  const files = await page.locator('.source-files').boundingBox();
  assert.ok(files.y + files.height <= (await page.locator('.source-path').boundingBox()).y + 1, 'the files are above it');
  assert.ok((await page.locator('.source-lines thead .cost:visible').count()) <= 2);

  await page.getByTestId('share').click();
  const menu = await page.getByRole('menu').boundingBox();
  assert.ok(menu.x >= 0 && menu.x + menu.width <= 390, JSON.stringify(menu));
  assert.deepEqual(complaints, []);
});

/** A phone: narrow, and pointed at with a finger. */
const PHONE = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } };

/** Asserts that elements lie inside the window, from its left edge to its right one. */
async function inWindow(page, locator, what) {
  const { width } = page.viewportSize();
  const box = await locator.boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= width, `${what}: ${JSON.stringify(box)}`);
}

test('on a phone menus lie inside the window, and the trace has its name', async (t) => {
  const { timeline } = await serverOf(trace('heat'));
  const { page, complaints } = await openPage(t, PHONE);
  await visit(page, timeline);
  await page.locator('.tool-menu summary', { hasText: 'Arrows' }).tap();
  await inWindow(page, page.locator('.tool-menu[open] .tool-menu-content'), 'arrows');
  await picture(page, 'phone-arrows');
  const name = page.getByTestId('trace-name');
  assert.equal(await name.innerText(), 'heat');
  const [title, views] = [await name.boundingBox(), await page.locator('.view-switch').boundingBox()];
  assert.ok(title.y >= 0 && title.y + title.height <= views.y + 1, JSON.stringify([title, views]));

  const canvas = page.getByTestId('timeline-canvas');
  const box = await canvas.boundingBox();
  // A long press sends the browser's own event.
  await canvas.dispatchEvent('contextmenu', { clientX: box.x + box.width - 20, clientY: box.y + 300, button: 2 });
  await page.getByTestId('context-menu').waitFor();
  await inWindow(page, page.getByTestId('context-menu'), 'context menu');
  assert.equal(await page.locator('.context-menu kbd:visible').count(), 0, 'no keys');
  await picture(page, 'phone-menu');

  await visit(page, `${timeline}?v=graph`);
  await page.locator('.tool-menu summary', { hasText: 'Save' }).tap();
  await inWindow(page, page.locator('.tool-menu[open] .tool-menu-content'), 'save');
  assert.deepEqual(complaints, []);
});

test('on a phone tables show first what they are about', async (t) => {
  const { timeline } = await serverOf(trace('heat'));
  const { page, complaints } = await openPage(t, PHONE);
  await visit(page, `${timeline}?v=calls`);
  const head = (table, title) => page.getByTestId(table).getByRole('columnheader').filter({ hasText: new RegExp(`^${title}$`) });
  await inWindow(page, head('calls-by-name', 'Summed'), 'calls');
  await visit(page, `${timeline}?v=kernel&kn=diffuse_band`);
  for (const title of ['Duration', 'Start']) await inWindow(page, head('kernel-list', title), title);
  assert.equal(await head('kernel-list', 'Name').count(), 0, 'the view is of one kernel');
  await visit(page, `${timeline}?v=memory&mv=objects`);
  for (const title of ['Size', 'Lifetime']) await inWindow(page, head('memory-objects', title), title);
  await visit(page, `${timeline}?v=memory&mv=transfers`);
  for (const title of ['Bytes', 'Duration']) await inWindow(page, head('transfers', title), title);
  await picture(page, 'phone-transfers');
  assert.deepEqual(complaints, []);
});

test('on a phone cards hold their texts, and a list of traces its window', async (t) => {
  const dpnp = await serverOf(trace('dpnp'));
  const { timeline } = await serverOf(trace('heat'));
  const { page, complaints } = await openPage(t, PHONE);
  for (const address of [dpnp.timeline, timeline]) {
    await visit(page, `${address}?v=summary`);
    await page.locator('.card').first().waitFor();
    await idle(page);
    // A table wider than its card scrolls within it.
    const out = await page.locator('.card :is(p, li, th)').evaluateAll((texts) =>
      texts
        .filter((text) => text.checkVisibility() && getComputedStyle(text.closest('.card')).overflowX === 'visible')
        .filter((text) => text.getBoundingClientRect().right > text.closest('.card').getBoundingClientRect().right)
        .map((text) => text.textContent),
    );
    assert.deepEqual(out, []);
  }
  await picture(page, 'phone-summary');
  await visit(page, new URL('/', timeline).href);
  await page.getByTestId('trace').first().waitFor();
  const list = page.locator('.list-page');
  assert.ok(await list.evaluate((it) => it.scrollWidth <= it.clientWidth), 'it scrolls down only');
  await inWindow(page, page.getByTestId('trace').first().locator('.actions'), 'actions');
  await inWindow(page, page.locator('.traces thead button', { hasText: 'Stored' }), 'the order of the list');
  await page.locator('.traces tbody img').nth(1).waitFor({ state: 'attached' });
  const ends = await page.locator('.traces tbody .column-duration').evaluateAll((cells) =>
    cells.map((cell) => Math.round(cell.getBoundingClientRect().right)),
  );
  assert.ok(ends.length > 1 && ends.every((end) => end === ends[0]), `durations are a column: ${ends}`);
  assert.ok((await page.getByRole('row').count()) > 2, 'screen readers have a table');
  await picture(page, 'phone-list');
  assert.deepEqual(complaints, []);
});

test('on a phone buttons, heads and names are whole', async (t) => {
  const { timeline } = await serverOf(trace('heat'));
  const { page, complaints } = await openPage(t, PHONE);
  await visit(page, timeline);
  const corner = await page.locator('.timeline-corner').boundingBox();
  for (const button of await page.locator('.timeline-corner button').all()) {
    const box = await button.boundingBox();
    assert.ok(box.x + box.width <= corner.x + corner.width && box.y + box.height <= corner.y + corner.height, JSON.stringify(box));
    assert.ok(await button.evaluate((it) => it.scrollWidth <= it.clientWidth), await button.innerText());
  }
  const search = page.getByTestId('search');
  assert.ok(await search.evaluate((it) => it.offsetWidth > 370), 'its hint has the line');
  assert.ok(await page.locator('.track-filter').evaluate((it) => it.offsetWidth >= 128), 'the filter has its hint');
  await page.getByTestId('tab-kernels').tap();
  const name = page.getByTestId('panel').locator('.name-button').first();
  const distance = await name.evaluate((it) => {
    const text = document.createRange();
    text.selectNodeContents(it.lastElementChild);
    return text.getBoundingClientRect().left - it.querySelector('.chip').getBoundingClientRect().right;
  });
  assert.ok(distance >= 6, `${distance} pixels between colour and name`);

  await visit(page, `${timeline}?v=kernel&kn=diffuse_band`);
  assert.ok(await page.locator('.view-bar select').evaluate((it) => it.offsetWidth > 300), 'the kernel has the line');
  const heads = page.locator('.has-heads th', { hasText: /^Executions$/ });
  assert.ok((await heads.count()) >= 3);
  for (const head of await heads.all())
    assert.equal(await head.evaluate((it) => {
      const text = document.createRange();
      text.selectNodeContents(it);
      return new Set([...text.getClientRects()].map((line) => line.top)).size;
    }), 1, 'no word is broken');
  await visit(page, `${timeline}?v=graph&gt=1`);
  await page.locator('th .name-button').first().waitFor();
  const over = await page.locator('th:has(.name-button)').evaluateAll((cells) =>
    cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent),
  );
  assert.deepEqual(over, [], 'names that are cut end in dots');
  await visit(page, `${timeline}?v=calls&cv=log`);
  assert.ok(await page.locator('.log-name .name-button').evaluateAll((names) =>
    names.every((name) => name.getBoundingClientRect().right <= name.parentElement.getBoundingClientRect().right),
  ));
  await visit(page, `${timeline}?v=memory&mv=leaks`);
  await inWindow(page, page.getByTestId('memory-leaks'), 'the last part');
  assert.equal(await page.getByTestId('memory-fit-all').isVisible(), false, 'a table is of the whole run');
  await visit(page, `${timeline}?v=memory`);
  await page.getByTestId('memory-fit-all').waitFor();
  await visit(page, `${timeline}?p=recording`);
  await inWindow(page, page.getByTestId('tab-recording'), 'the tab that is open');
  assert.deepEqual(complaints, []);
});

test('on a phone the active one of several views has the window', async (t) => {
  const { timeline } = await serverOf(trace('heat'));
  const { page, complaints } = await openPage(t, PHONE);
  await visit(page, `${timeline}?v=row(timeline:500,column(summary:500,calls:500):500)`);
  for (const view of ['summary', 'calls', 'timeline']) {
    await page.getByTestId(`view-${view}`).tap();
    await page.getByTestId(`pane-${view}`).waitFor();
    await idle(page);
    assert.equal(await page.locator('.pane:visible').count(), 1, view);
    assert.equal((await page.getByTestId(`pane-${view}`).boundingBox()).width, 390);
  }
  assert.ok((await canvasBox(page)).width > 200);
  await page.setViewportSize({ width: 844, height: 390 });
  assert.equal(await page.locator('.pane:visible').count(), 3, 'a wider window has room for all');
  assert.deepEqual(complaints, []);
});

test('on a phone the views have a line of their own below the title, and the names of a table stay in sight', async (t) => {
  const { timeline } = await serverOf(trace('heat'));
  const { page, complaints } = await openPage(t, PHONE);
  await visit(page, `${timeline}?v=calls`);
  const box = (locator) => locator.boundingBox();
  const [title, views, help] = await Promise.all([
    box(page.locator('.title')), box(page.locator('.view-switch')), box(page.getByTestId('help-button')),
  ]);
  assert.ok(title.x + title.width <= help.x && title.y + title.height <= views.y + 1, 'beside the buttons, above the views');
  assert.ok(help.y + help.height <= views.y + 1 && views.width > 350, JSON.stringify({ help, views }));
  const name = page.getByTestId('calls-by-name').locator('tbody th').first();
  const before = await box(name);
  await page.locator('.view-body').evaluate((body) => { body.scrollLeft = 200; });
  assert.equal((await box(name)).x, before.x);
  await visit(page, `${timeline}?v=memory&mv=objects`);
  const object = page.getByTestId('memory-objects').locator('.long-row:not(.long-head) > :first-child').first();
  const place = await box(object);
  await page.locator('.long-scroll').evaluate((body) => { body.scrollLeft = 300; });
  assert.equal((await box(object)).x, place.x);
  assert.deepEqual(complaints, []);
});

test('the tools of the graph take one row, and the matches of a search no other', async (t) => {
  const { page } = await openPage(t);
  // The second one has command graphs and their button.
  const [heat, graphs] = await Promise.all(['heat', 'graphs'].map((name) => serverOf(trace(name))));
  for (const [width, address] of [[1440, `${heat.timeline}?v=graph`], [1920, `${heat.timeline}?v=graph`], [1440, `${graphs.timeline}?v=graph&g=full`]]) {
    await page.setViewportSize({ width, height: 900 });
    await visit(page, address);
    const height = async () => (await page.locator('.graph-toolbar').boundingBox()).height;
    const before = await height();
    assert.ok(before < 45, `${before} pixels high in ${width}`);
    await page.getByTestId('graph-search').fill('e');
    await page.getByTestId('graph-found-next').waitFor();
    assert.equal(await height(), before);
    const [found, dim] = await Promise.all(['graph-found', 'graph-dim'].map((id) => page.getByTestId(id).boundingBox()));
    assert.ok(found.width > 40 && dim.x + dim.width < width);
  }
});

test('a table of copies fits a window, with its explanations whole', async (t) => {
  const { timeline } = await serverOf(trace('transfers'));
  const { page } = await openPage(t);
  await visit(page, `${timeline}?v=memory&mv=transfers`);
  const scroll = page.locator('.long-scroll');
  assert.ok(await scroll.evaluate((it) => it.scrollWidth <= it.clientWidth), 'all columns are in sight');
  // Only the longest causes are cut off.
  const cut = await scroll.locator('.long-row:not(.long-head) > :not(:nth-child(9))').evaluateAll((cells) =>
    cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1 || cell.scrollHeight > cell.clientHeight + 1).map((cell) => cell.innerText));
  assert.deepEqual(cut, []);
});

test('the hints of a phone are about fingers', async (t) => {
  const { timeline } = await serverOf(trace('heat'));
  const { page, complaints } = await openPage(t, PHONE);
  await visit(page, timeline);
  const text = await page.locator('.timeline-view, .panel').allInnerTexts();
  assert.doesNotMatch(text.join(' '), /Ctrl|Click/);
  const hints = await page.locator('input[placeholder]').evaluateAll((fields) => fields.map((field) => field.placeholder));
  assert.deepEqual(hints, ['Filter tracks', 'Search slices: gemm duration>1ms'], 'no keys');
  const gestures = page.getByTestId('gestures');
  assert.match(await gestures.innerText(), /drag\s+move/);
  for (const [tool, meaning] of [['measure', /drag\s+measure/], ['area', /drag\s+sum up an area/]]) {
    await page.getByTestId(`tool-${tool}`).tap();
    await idle(page);
    assert.match(await gestures.innerText(), meaning);
    assert.doesNotMatch(await gestures.innerText(), /drag\s+move/);
  }
  await page.getByTestId('help-button').tap();
  const help = page.getByTestId('help');
  assert.match(await help.innerText(), /Touch\s+two fingers/);
  assert.equal(await help.locator('.key-button').first().isVisible(), false, 'keys come last');
  await picture(page, 'phone-help');
  await help.getByRole('button', { name: 'Find anything' }).tap();
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  assert.deepEqual(complaints, []);
});

test('the actions of a trace are in sight, however many columns its list has', async (t) => {
  const { timeline } = await serverOf(trace('heat'));
  const { page } = await openPage(t);
  for (const width of [1440, 1024, 800]) {
    await page.setViewportSize({ width, height: 900 });
    await visit(page, new URL('/', timeline).href);
    const actions = await page.getByTestId('trace').first().locator('.actions').boundingBox();
    assert.ok(actions.x + actions.width <= width, `${width} pixels: ${JSON.stringify(actions)}`);
  }
});

test('the plots of a kernel fill the width, and hide no dot behind a word', async (t) => {
  const { timeline } = await serverOf(trace('heat'));
  for (const width of [1440, 1280, 1024]) {
    const { page } = await openPage(t, { viewport: { width, height: 900 } });
    await visit(page, `${timeline}?v=kernel&kn=diffuse_band`);
    await page.locator('.plot-dots').waitFor();
    await picture(page, `room-kernel-${width}`);
    const [plots, wide] = await page.evaluate(() => [
      Math.max(...[...document.querySelectorAll('.is-even > .card:not(.is-wide)')].map((card) => card.getBoundingClientRect().right)),
      document.querySelector('.is-even > .is-wide').getBoundingClientRect().right,
    ]);
    assert.equal(plots, wide, `${width} pixels`);
    const covering = await page.locator('.plot:has(.plot-dots) > span').evaluateAll((words) =>
      words.filter((word) => getComputedStyle(word).backgroundColor !== 'rgba(0, 0, 0, 0)').map((word) => word.textContent),
    );
    assert.deepEqual(covering, []);
  }
});

test('the cards of the summary keep their names with text at 200 %', async (t) => {
  const { timeline } = await serverOf(trace('heat'));
  for (const [width, scale] of [[1440, 200], [1440, 100], [720, 100]]) {
    const { page } = await openPage(t, { viewport: { width, height: 900 } });
    await page.addInitScript((scale) => localStorage.setItem('syclscope.text-scale', String(scale)), scale);
    await visit(page, `${timeline}?v=summary`);
    await page.getByText('host → device').first().waitFor();
    await picture(page, `room-summary-${width}-${scale}`);
    const lost = await page.locator('.card .mini tbody th').evaluateAll((cells) =>
      cells.filter((cell) => cell.checkVisibility() && cell.clientWidth < parseFloat(getComputedStyle(cell).fontSize) * 6).map((cell) => cell.textContent),
    );
    assert.deepEqual(lost, [], `${width} pixels, ${scale} %`);
  }
});

test('what graph and memory draw is as large as the text, and the pointer meets it', async (t) => {
  const { timeline } = await serverOf(trace('heat'));
  const { page } = await openPage(t);
  await page.addInitScript(() => localStorage.setItem('syclscope.text-scale', '200'));
  await visit(page, `${timeline}?v=graph`);
  await page.getByTestId('graph-canvas').waitFor();
  await idle(page);
  await picture(page, 'room-graph-200');
  const canvas = await page.getByTestId('graph-canvas').boundingBox();
  const log = JSON.parse(await page.evaluate(() => window.__syclscope.graphLog()));
  const inSight = ({ x, y, w, h }) => x > 100 && y > 0 && x + w < canvas.width / 2 && y + h < canvas.height / 2;
  const node = log.nodes.find(inSight);
  assert.ok(node, JSON.stringify(log.nodes));
  const point = { x: canvas.x + (node.x + node.w / 2) * 2, y: canvas.y + (node.y + node.h / 2) * 2 };
  await page.mouse.move(point.x, point.y);
  await page.getByTestId('graph-tooltip').waitFor();
  const tooltip = await page.getByTestId('graph-tooltip').boundingBox();
  const away = Math.hypot(Math.max(tooltip.x - point.x, 0, point.x - tooltip.x - tooltip.width), Math.max(tooltip.y - point.y, 0, point.y - tooltip.y - tooltip.height));
  assert.ok(away < 40, `the tooltip is ${away} pixels away`);
  await page.mouse.click(point.x, point.y);
  await idle(page);
  const after = JSON.parse(await page.evaluate(() => window.__syclscope.graphLog()));
  assert.ok(after.selected.includes(node.id), `${after.selected}`);

  await visit(page, `${timeline}?v=memory`);
  await page.getByTestId('memory-blocks').first().waitFor();
  await idle(page);
  await picture(page, 'room-memory-200');
  assert.equal((await page.getByTestId('memory-blocks').first().boundingBox()).height, 88);
});

test('memory objects have all their columns in a usual window', async (t) => {
  const { timeline } = await serverOf(trace('heat'));
  const { page, complaints } = await openPage(t);
  await visit(page, `${timeline}?v=memory&mv=objects`);
  await inWindow(page, page.getByTestId('memory-objects').getByRole('columnheader').last(), 'the last column');
  assert.equal(await page.locator('.long-scroll').evaluate((body) => body.scrollWidth - body.clientWidth), 0);
  await picture(page, 'memory-objects-1440');
  assert.deepEqual(complaints, []);
});

test('on a phone the memory view has two rows of tools, and its charts the room', async (t) => {
  const { timeline } = await serverOf(trace('heat'));
  const { page, complaints } = await openPage(t, PHONE);
  for (const part of ['use', 'map', 'objects']) {
    await visit(page, `${timeline}?v=memory&mv=${part}`);
    const bars = await page.locator('.memory-view > .view-bar').evaluateAll((bars) => bars.map((bar) => bar.offsetHeight));
    assert.ok(bars.length === 2 && bars.every((height) => height < 52), `${part}: ${bars}`);
    await picture(page, `phone-memory-${part}`);
  }
  assert.deepEqual(complaints, []);
});

test('on a phone the timeline and the graph have two rows of tools, also during a search', async (t) => {
  const { timeline } = await serverOf(trace('heat'));
  const { page, complaints } = await openPage(t, PHONE);
  for (const [address, field] of [['', 'search'], ['?v=graph', 'graph-search']]) {
    await visit(page, timeline + address);
    const search = page.getByTestId(field);
    const rows = async () => {
      const { height } = await search.locator('xpath=ancestor::*[@role="toolbar"]').boundingBox();
      assert.ok(height < 84, `${field}: ${height} pixels high`);
    };
    await rows();
    // The hint is not cut off.
    assert.ok((await search.boundingBox()).width > 250);
    await picture(page, `phone-tools-${field}`);
    await search.fill('diffuse');
    await idle(page);
    await rows();
    // The last tool can be reached by scrolling.
    const last = page.getByTestId(field === 'search' ? 'pictures' : 'graph-pictures');
    await last.scrollIntoViewIfNeeded();
    await last.tap();
    const save = page.getByTestId(field === 'search' ? 'save-svg' : 'graph-svg');
    await inWindow(page, save, field);
  }
  assert.deepEqual(complaints, []);
});

test('names of causes and steps are not cut in the summary', async (t) => {
  for (const name of ['heat', 'dpnp']) {
    const { timeline } = await serverOf(trace(name));
    for (const width of [1440, 1024, 390]) {
      const { page } = await openPage(t, { viewport: { width, height: 900 } });
      await visit(page, `${timeline}?v=summary`);
      const cut = await page.locator('.mini th').evaluateAll((cells) =>
        cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent),
      );
      assert.deepEqual(cut, [], `${name} at ${width} pixels`);
      await page.close();
    }
  }
});
