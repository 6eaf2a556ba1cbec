// What a page's main thread does, task by task, in its own CPU time: a machine that does other work, too, takes none of
// it.

/**
 * The CPU time, in milliseconds, of each task of a page's main thread while `act` is at work. Chromium's own pages (its
 * address bar is one) have main threads as well: those are told apart by the page's frame.
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
