// Describes the work of each line of a file, and finds the recorded file of a file of the editor.

const DURATIONS = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
];
const SIZES = [
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
  [2 ** 10, 'KiB'],
  [1, 'bytes'],
];

function scaled(value, units) {
  const [size, unit] = units.find(([size]) => value >= size) ?? units.at(-1);
  const number = value / size;
  const digits = size === 1 || number >= 100 ? 0 : number >= 10 ? 1 : 2;
  return `${number.toFixed(digits)} ${unit}`;
}

const duration = (ns) => scaled(ns, DURATIONS);
const bytes = (count) => scaled(count, SIZES);
const counted = (count, one, many = `${one}s`) => `${count.toLocaleString('en-GB')} ${count === 1 ? one : many}`;

/**
 * Text beside a line, most important first; empty if the line caused nothing that takes time or memory.
 */
function beside(line) {
  const parts = [];
  if (line.device_ns > 0) parts.push(`${duration(line.device_ns)} on devices`);
  if (line.wait_ns > 0) parts.push(`${duration(line.wait_ns)} waiting`);
  if (line.allocated_bytes > 0) parts.push(`${bytes(line.allocated_bytes)} allocated`);
  return parts.join(' · ');
}

/** A file's name, which Markdown then shows as it is. */
const escaped = (name) => name.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>~&!]/g, '\\$&');

/** Everything that is known of a line, in Markdown. `file` are the sums of its file. */
function details(line, file, trace) {
  const share = (part, all) => (all > 0 ? ` (${Math.round((100 * part) / all)} % of the file's)` : '');
  const rows = [];
  if (line.submissions > 0) {
    const time = line.device_ns > 0 ? `: ${duration(line.device_ns)} on devices${share(line.device_ns, file.device_ns)}` : '';
    rows.push(`${counted(line.submissions, 'command')} submitted${time}`);
  }
  if (line.waits > 0) rows.push(`${counted(line.waits, 'wait')} of the host: ${duration(line.wait_ns)}${share(line.wait_ns, file.wait_ns)}`);
  if (line.moved_bytes > 0) rows.push(`${bytes(line.moved_bytes)} copied`);
  if (line.allocations > 0) rows.push(`${counted(line.allocations, 'allocation')}: ${bytes(line.allocated_bytes)}`);
  return [`**syclscope**, ${escaped(trace)}`, ...rows.map((row) => `- ${row}`)].join('\n');
}

/** Lines with something to say: `line` from 1, `text` for beside it, `hover` in Markdown. */
function annotations({ file, lines }, trace) {
  return lines
    .filter((line) => line.line > 0)
    .map((line) => ({ line: line.line, text: beside(line), hover: details(line, file, trace) }))
    .filter(({ text }) => text);
}

/**
 * The recorded path of a file of the editor: the same, else the only one that ends most like it; null if none has its
 * name.
 */
function recordedPath(path, recorded) {
  if (recorded.includes(path)) return path;
  const parts = (text) => text.split(/[/\\]/).filter((part) => part && part !== '.').reverse();
  const own = parts(path);
  const alike = (other) => {
    const theirs = parts(other);
    let count = 0;
    while (count < Math.min(own.length, theirs.length) && own[count] === theirs[count]) count += 1;
    return count;
  };
  const most = Math.max(0, ...recorded.map(alike));
  const best = recorded.filter((other) => alike(other) === most);
  return most > 0 && best.length === 1 ? best[0] : null;
}

/** The line that the part `s` of the page's address means, as far as it is one by itself: `l12.path`. */
function lineOf(selection) {
  const found = /^l(\d+)\.(.+)$/.exec(selection);
  return found && { file: decodeURIComponent(found[2]), line: Number(found[1]) };
}

module.exports = { annotations, bytes, duration, lineOf, recordedPath };
