// Mentions of the program's commands in sentences and tables of the documents, compared with the program's own
// reference (`syclscope man --markdown`).

/**
 * Returns the commands of the program by name (`record`, `token create`): for each a Map from an option to its
 * permitted values (an empty list for any).
 */
export function commandsOfReference(markdown) {
  const commands = new Map();
  let options = new Map();
  let values = [];
  for (const line of markdown.split('\n')) {
    const [, name] = /^##+ syclscope (.+)$/.exec(line) ?? [];
    const [, names] = /^- `(-[^`]*)`/.exec(line) ?? [];
    const [, value] = /^ {2}- `([^`]+)`/.exec(line) ?? [];
    if (name) commands.set(name, (options = new Map([['--help', []]])));
    if (names) {
      values = [];
      for (const [option] of names.matchAll(/(?<![\w-])--?[a-z][\w-]*/g)) options.set(option, values);
    }
    if (value) values.push(value);
  }
  return commands;
}

/** Returns the texts in backticks outside a document's blocks: `{ text, at }`, with the line where each begins. */
export function codeOf(document) {
  let isBlock = false;
  const lines = document.split('\n').map((line) => {
    const isFence = line.startsWith('```');
    if (isFence) isBlock = !isBlock;
    return isBlock || isFence ? '' : line;
  });
  const outside = lines.join('\n');
  return [...outside.matchAll(/(?<!`)`([^`]+)`(?!`)/g)].map(({ 1: text, index }) => ({
    text: text.replace(/\s+/g, ' '),
    at: outside.slice(0, index).split('\n').length,
  }));
}

/** True for a word that represents others: NAME, FOLDER…, … */
const isPlaceholder = (word) => /^[A-Z][A-Z_-]*\W*$|…/.test(word);

/** Returns the words of a command line without quotes, up to a lone `--`, which another program's words follow. */
function wordsOf(text) {
  const words = [...text.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replace(/['"]/g, ''));
  const end = words.indexOf('--');
  return end < 0 ? words : words.slice(0, end);
}

/**
 * Returns the error of a text in backticks; null if it is right, or not about the program. A text about the program
 * begins with `syclscope`, with the name of a command and contains an option (`serve --port`), or with an option (of
 * any command).
 */
export function faultOf(text, commands) {
  const words = wordsOf(text);
  const isNamed = words[0] === 'syclscope';
  if (isNamed) words.shift();
  const hasOption = words.some((word) => word.startsWith('--'));
  if (words.length === 0 || isPlaceholder(words[0]) || (!isNamed && !hasOption)) return null;
  let named = [...commands.keys()];
  if (!words[0].startsWith('-')) {
    if (!commands.has(words[0])) return isNamed ? `there is no command ${words[0]}` : null;
    named = [words.shift()];
    const isGroup = [...commands.keys()].some((name) => name.startsWith(`${named[0]} `));
    if (isGroup && words.length > 0 && !words[0].startsWith('-')) {
      // `token create|list` means both.
      named = words.shift().split('|').map((word) => `${named[0]} ${word}`);
      const wrong = named.find((name) => !commands.has(name));
      if (wrong) return `there is no command ${wrong}`;
    }
  }
  for (const [place, word] of words.entries()) {
    const [, option, given] = /^(--?[a-z][\w-]*)(?:=(.*))?$/.exec(word) ?? [];
    if (!option) continue;
    const having = named.filter((name) => commands.get(name).has(option));
    if (having.length === 0) return named.length > 1 ? `no command has the option ${option}` : `${named[0]} has no option ${option}`;
    const value = given ?? words[place + 1];
    if (value === undefined || value.startsWith('-') || isPlaceholder(value)) continue;
    const isRight = (one) => having.some((name) => {
      const values = commands.get(name).get(option);
      return values.length === 0 || values.includes(one);
    });
    const wrong = value.split('|').find((one) => !isRight(one));
    if (wrong) return `${option} does not take ${wrong}`;
  }
  return null;
}
