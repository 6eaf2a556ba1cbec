// Search. There is no index: the first search reads every page that the contents name, which are a few hundred kilobytes.
const box = document.querySelector(".search");
const input = box.querySelector("input");
const found = document.querySelector(".found");
const chapters = document.querySelector(".chapters");
const MOST = 30;

/** The parts of all pages: each with its page's title, its heading, its address and its text. */
let parts = null;

async function readParts() {
  const addresses = [...chapters.querySelectorAll("a")].map((link) => link.href);
  const pages = [...new Set(addresses)].map(async (address) => {
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return partsOf(page, address);
  });
  return (await Promise.all(pages)).flat();
}

/** Cuts a page at its headings. */
function partsOf(page, address) {
  const title = page.querySelector("h1")?.textContent.trim() ?? "";
  // Words of cells side by side are not one.
  for (const cell of page.querySelectorAll("td, th")) cell.append(" ");
  const cut = [];
  for (const child of page.querySelector("main").children) {
    if (/^H[1-4]$/.test(child.tagName) || cut.length === 0) {
      const at = child.id ? `${address}#${child.id}` : address;
      cut.push({ title, heading: child.textContent.trim(), address: at, text: "" });
    } else {
      cut.at(-1).text += `${child.textContent.replace(/\s+/g, " ").trim()} `;
    }
  }
  return cut;
}

/** The parts that hold every word, those with the words in their heading first. */
function search(words) {
  const scored = [];
  for (const part of parts) {
    const heading = `${part.title} ${part.heading}`.toLowerCase();
    const text = part.text.toLowerCase();
    let score = 0;
    const holdsAll = words.every((word) => {
      if (heading.includes(word)) score += part.heading.toLowerCase().includes(word) ? 3 : 2;
      else if (text.includes(word)) score += 1;
      else return false;
      return true;
    });
    if (holdsAll) scored.push({ part, score });
  }
  return scored.sort((one, other) => other.score - one.score).map(({ part }) => part);
}

/** What stands around the first word in a part, with the word marked. */
function excerpt(text, words) {
  const places = words.map((word) => [text.toLowerCase().indexOf(word), word]).filter(([place]) => place >= 0);
  const [place, word] = places.sort(([one], [other]) => one - other)[0] ?? [0, ""];
  const begin = Math.max(0, place - 40);
  const mark = document.createElement("mark");
  mark.textContent = text.slice(place, place + word.length);
  const line = document.createElement("small");
  line.append(begin > 0 ? "…" : "", text.slice(begin, place), mark, text.slice(place + word.length, place + 80));
  return line;
}

function entry(part, words) {
  const link = document.createElement("a");
  link.href = part.address;
  link.append(part.heading === part.title ? part.title : `${part.title}: ${part.heading}`, excerpt(part.text, words));
  const item = document.createElement("li");
  item.append(link);
  return item;
}

function note(text) {
  const item = document.createElement("li");
  item.className = "none";
  item.textContent = text;
  return item;
}

async function show() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const isOn = words.length > 0;
  found.hidden = !isOn;
  chapters.hidden = isOn;
  if (!isOn) return;
  try {
    parts ??= await readParts();
  } catch (error) {
    found.replaceChildren(note(`The pages can't be read: ${error.message}`));
    return;
  }
  // Something else may have been typed since.
  if (words.join(" ") !== input.value.toLowerCase().split(/\s+/).filter(Boolean).join(" ")) return;
  const all = search(words);
  const items = all.slice(0, MOST).map((part) => entry(part, words));
  if (all.length > MOST) items.push(note(`and ${all.length - MOST} more`));
  found.replaceChildren(...(items.length ? items : [note("No page has all of these words.")]));
}

box.hidden = false;
input.addEventListener("input", show);
addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== input && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === "Escape" && document.activeElement === input) {
    input.value = "";
    show();
  }
});
document.querySelector('.chapters [aria-current="page"]')?.scrollIntoView({ block: "center" });
