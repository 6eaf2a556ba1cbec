// Pages whose commands are run and whose excerpts are compared with the printed text, so that no page is outdated.
//
// A block in `sh` is run; a block in `text` is an excerpt of the text that the previous block in `sh` printed; a block
// in `diff` is the difference of two files; a block in `cpp` or `python` is an excerpt of a source. Figures are below
// `| figure | before | after |`.

/** Returns the fenced blocks of a page, in their order. */
export function blocksOf(page) {
  const blocks = [];
  let open = null;
  for (const [index, line] of page.split('\n').entries()) {
    const [, language] = /^```(.*)$/.exec(line) ?? [];
    if (open && language === '') {
      blocks.push(open);
      open = null;
    } else if (!open && language !== undefined) open = { language, lines: [], at: index + 2 };
    else open?.lines.push(line);
  }
  if (open) throw new Error(`the block at line ${open.at} has no end`);
  return blocks;
}

/** Returns the rows of a page's tables of figures: `{ name, before, after }`. */
export function figuresOf(page) {
  const rows = [];
  let inTable = false;
  for (const line of page.split('\n')) {
    if (/^\| figure \| before \| after \|/.test(line)) inTable = true;
    else if (!line.startsWith('|')) inTable = false;
    else if (inTable && !/^\|[-:| ]+\|$/.test(line)) {
      const [, name, before, after] = line.split('|').map((cell) => cell.trim().replace(/^`|`$/g, ''));
      rows.push({ name, before, after });
    }
  }
  return rows;
}

/** True if a value equals a table's text: a number, or `≥ N`. */
export function fits(said, value) {
  const [, least, number] = /^(≥ )?([\d,]+)$/.exec(said) ?? [];
  if (number === undefined) throw new Error(`'${said}' is no figure: write a number, or ≥ and a number`);
  const wanted = Number(number.replaceAll(',', ''));
  return least ? value >= wanted : value === wanted;
}

/**
 * Returns a text without the parts that differ from run to run: times, shares of times, verdicts on times, process ids,
 * line breaks.
 */
export function lasting(text) {
  // A time may be cut from its unit by the end of a line, so lines are joined first.
  return text
    .replace(/\s+/g, ' ')
    .replace(/[+−±-]?\d[\d,.]*\s?(ns|µs|ms|s|min|h)(?![\w/])/g, 'TIME')
    .replace(/[+−±-]?\d[\d,.]*\s?%/g, 'PART')
    .replace(/\d[\d,.]*×/g, 'PART')
    .replace(/(same|undecided|faster|slower)(?= \(one run each)/g, 'VERDICT')
    .replace(/\(process \d+\)/g, '(process ID)')
    .trim();
}

const REFUSED = / No gain is known\. The recording can't be simulated well enough: the replay is PART off\./g;

/**
 * Returns [`lasting`] for a run that a busy machine disturbed so much that the replay refuses it: its findings have no
 * gains.
 */
const withoutGains = (text) =>
  lasting(text).replace(REFUSED, '').replace(/: (at most|affects) TIME( and \d[\d.]* [KMG]?i?B)?/g, ': GAIN');

/**
 * Returns the first part of an excerpt that is missing at its position in a text, or null: `…` as a word of its own
 * represents any text between parts. Consecutive lines with times may be in any order, because tables are sorted by
 * time.
 */
export function firstMissing(excerpt, text, same = lasting(text).search(REFUSED) < 0 ? lasting : withoutGains) {
  const whole = ` ${same(text)} `;
  let from = 0;
  for (const part of excerpt.split(/(?:^|\s)…(?=\s|$)/)) {
    if (same(part) === '') continue;
    const found = orders(part.split('\n')).map((lines) => same(lines.join('\n'))).map((part) => [whole.indexOf(` ${part} `, from), part]);
    const [at, seen] = found.find(([at]) => at >= 0) ?? [-1];
    if (at < 0) return same(part);
    from = at + seen.length + 1;
  }
  return null;
}

/** Returns the permitted orders of lines: runs of two to four lines with times may be in any order. */
function orders(lines) {
  const timed = (line) => / TIME( |$)/.test(lasting(line));
  const begin = lines.findIndex((line, index) => timed(line) && timed(lines[index + 1] ?? ''));
  if (begin < 0) return [lines];
  const length = lines.slice(begin).findIndex((line) => !timed(line));
  const end = length < 0 ? lines.length : begin + length;
  const run = lines.slice(begin, end);
  const runs = run.length <= 4 ? permutations(run) : [run];
  return orders(lines.slice(end)).flatMap((rest) => runs.map((run) => [...lines.slice(0, begin), ...run, ...rest]));
}

function permutations(items) {
  if (items.length < 2) return [items];
  return items.flatMap((item, index) => permutations(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]));
}

/** Returns the lines that a diff removes and adds, without their places. */
export const changesOf = (lines) => lines.filter((line) => /^[-+](?!--|\+\+)/.test(line) || /^[-+]$/.test(line));
