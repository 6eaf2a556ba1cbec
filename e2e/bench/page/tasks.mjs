// Tasks of a page's main thread in their own CPU time, which other work of the machine does not affect.

/**
 * Returns the CPU time, in milliseconds, of each task of a page's main thread during `act`. Chromium's own pages, such
 * as its address bar, have main threads as well: the page's frame distinguishes them.
 */
export async function tasksDuring(browser, page, act) {
  const session = await browser.newBrowserCDPSession();
  const events = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...value));
  const includedCategories = ['toplevel', 'devtools.timeline'];
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories } });
  await act();
  const whole = new Promise((done) => session.once('Tracing.tracingComplete', done));
  await session.send('Tracing.end');
  await whole;
  const frame = await frameOf(page);
  await session.detach();
  const thread = ({ pid, tid }) => `${pid}/${tid}`;
  // The script's calls name their frame.
  const own = new Set(events.filter(({ name, args }) => name === 'FunctionCall' && args.data?.frame === frame).map(thread));
  const tasks = events.filter((event) => event.name.endsWith('RunTask') && event.tdur !== undefined && own.has(thread(event)));
  return tasks.map(({ tdur }) => tdur / 1000);
}

async function frameOf(page) {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send('Page.getFrameTree');
  await session.detach();
  return frameTree.frame.id;
}
