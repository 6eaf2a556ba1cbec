// Cost of the processes of a browser's pages, as the system counts it.
import fs from 'node:fs';

/**
 * Returns the CPU time in milliseconds and the current and maximum memory in bytes of the process with the largest
 * page.
 */
export async function largestPage(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const costs = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => costOf(id));
  return costs.sort((one, other) => other.most - one.most)[0];
}

/** Ticks of the clock by which Linux counts CPU time, in milliseconds. */
const TICK_MS = 10;

function costOf(id) {
  const status = fs.readFileSync(`/proc/${id}/status`, 'utf8');
  const field = (name) => Number(status.match(new RegExp(`${name}:\\s*(\\d+) kB`))[1]) * 1024;
  // The name, in parentheses, may contain any character.
  const times = fs.readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1).split(' ');
  const cpuMs = (Number(times[11]) + Number(times[12])) * TICK_MS;
  return { cpuMs, now: field('VmRSS'), most: field('VmHWM') };
}
