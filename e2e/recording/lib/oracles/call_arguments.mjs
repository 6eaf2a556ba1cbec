// SYCL_UR_TRACE=2 and SYCL_PI_TRACE=2: the runtime's text about a call that has returned.

/**
 * Returns the calls of the Unified Runtime, in the order in which they returned: `{ name, result, args, isMixed }`,
 * values as printed. A call `isMixed` if its line contains another's arguments, since two threads printed at once: only
 * its place is reliable.
 */
export function readCallArguments(text) {
  // Up to 2025.0 a call is printed once, when it has returned, and with the other arrow.
  const lines = text.toString().matchAll(/(?:<---|--->) (ur\w+)\((\.[^\n]*|)\) -> (UR_\w+);/g);
  const calls = [...lines].map(([, name, args, result]) => ({ name, result, args: new Map(split(args).map(argument)) }));
  const usual = usualParameters(calls);
  // The only line of a call may contain the arguments of a torn one.
  const torn = tornNames(text);
  const isOfAnother = (call) => [...torn].some((name) => name !== call.name && usual.get(name) === parameters(call));
  return calls.map((call) => ({ ...call, isMixed: parameters(call) !== usual.get(call.name) || isOfAnother(call) }));
}

/**
 * Returns the names of calls of which a line is torn: two threads printed at once, so that its place among the others
 * is lost.
 */
export function tornNames(text) {
  const all = text.toString();
  const count = (pattern) => [...all.matchAll(pattern)].length;
  const isPrintedTwice = all.includes('<--- ur');
  const names = new Set([...all.matchAll(/---> (ur\w+)\(/g), ...all.matchAll(/<--- (ur\w+)\(/g)].map(([, name]) => name));
  const isTorn = (name) => {
    const whole = count(new RegExp(`(?:<---|--->) ${name}\\((?:\\.[^\\n]*|)\\) -> UR_\\w+;`, 'g'));
    // A longer name continues with a capital letter.
    return count(new RegExp(`${name}(?![A-Z0-9_])`, 'g')) !== whole * (isPrintedTwice ? 2 : 1);
  };
  return new Set([...names].filter(isTorn));
}

function parameters({ args }) {
  return [...args.keys()].join();
}

// Returns the parameters of each function, which are the same in every call: those that more than half of its lines
// have.
function usualParameters(calls) {
  const counts = new Map();
  for (const call of calls) {
    const own = counts.get(call.name) ?? { all: 0, with: new Map() };
    own.all += 1;
    own.with.set(parameters(call), (own.with.get(parameters(call)) ?? 0) + 1);
    counts.set(call.name, own);
  }
  const usual = [...counts].map(([name, own]) => [name, [...own.with].find(([, count]) => 2 * count > own.all)?.[0]]);
  return new Map(usual);
}

/** Returns the calls of the Plugin Interface: `{ name, values }`, values in the order of parameters. */
export function readPluginCalls(text) {
  const calls = text.toString().matchAll(/---> (pi\w+)\(\n(.*?)\n?\) ---> \tpi_result/gs);
  return [...calls].map(([, name, lines]) => ({
    name, values: lines.split('\n').map((line) => line.trim().split(' : ').pop()),
  }));
}

/**
 * Returns a printed value as a number, a truth value or the name of one; `undefined` for any other (a structure, a
 * text). For a pointer to a result or to a list, it is the result or first element printed behind the pointer.
 */
export function simpleValue(printed) {
  if (printed === 'nullptr') return 0n;
  if (/^(0x[0-9a-f]+|\d+)$/.test(printed)) return BigInt(printed);
  if (/^(true|false)$/.test(printed)) return printed === 'true';
  if (/^UR_[A-Z0-9_]+( \| UR_[A-Z0-9_]+)*$/.test(printed)) return printed;
  // A value behind an address has none behind it: otherwise another thread has printed in between.
  const behind = /^0x[0-9a-f]+ \(([^(]*)\)$/.exec(printed);
  return behind ? simpleValue(behind[1]) : undefined;
}

function argument(text) {
  const [, name, value] = /^\.(\w+) = (.*)$/.exec(text) ?? [];
  return [name, value];
}

// Splits arguments at commas outside of brackets and texts.
function split(args) {
  const parts = [];
  let [depth, quoted, part] = [0, false, ''];
  for (const character of args) {
    if (character === '"') quoted = !quoted;
    else if (!quoted && '({['.includes(character)) depth += 1;
    else if (!quoted && ')}]'.includes(character)) depth -= 1;
    if (character === ',' && depth === 0 && !quoted) {
      parts.push(part.trim());
      part = '';
    } else part += character;
  }
  if (part.trim()) parts.push(part.trim());
  return parts;
}
