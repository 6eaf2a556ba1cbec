// SYCL_PRINT_EXECUTION_GRAPH=always: the scheduler writes what it holds as a DOT file before and after each
// command group, host accessor and release.
//
// A node of a file is a command by its address. Addresses are used again after a command is gone, hence a command
// is an address that is in consecutive files with the same label. An arrow points from a command to one that it
// waits for, the other way round than our edges, and is labelled with access mode and memory object.
//
// When a command is over, the scheduler removes it and lets those that waited for it point to the allocation of the
// memory object instead. So a command's arrows are taken from the first file that it is in; yet commands for
// memory (map, unmap) may be over before that, and then arrows of theirs and of those that wait for them already
// point to the allocation.
import fs from 'node:fs';
import path from 'node:path';

const KINDS = [
  [/ALLOCA SUB BUF/, 'sub_buffer'],
  [/ALLOCA ON/, 'allocation'],
  [/UNMAP ON/, 'unmap'],
  [/MAP ON/, 'map'],
  [/MEMCPY/, 'copy'],
  [/CG type: fill/, 'fill'],
  [/CG type: copy/, 'copy'],
  [/CG type: host task/, 'host_task'],
  [/Kernel name: /, 'kernel'],
  [/UPDATE REQ ON HOST|EMPTY NODE/, 'host_accessor'],
];

/** The commands and dependences of every DOT file in `folder`: `{ commands, edges }`. */
export function readExecutionGraphs(folder) {
  const files = fs.readdirSync(folder)
    .map((name) => ({ name, number: Number(/^graph_(\d+).*\.dot$/.exec(name)?.[1] ?? NaN) }))
    .filter(({ number }) => !Number.isNaN(number))
    .sort((a, b) => a.number - b.number);

  const commands = [];
  const edges = new Map();
  let alive = new Map();
  for (const { name } of files) {
    const { nodes, arrows } = parse(fs.readFileSync(path.join(folder, name), 'utf8'));
    const now = new Map();
    const fresh = new Set();
    for (const [address, label] of nodes) {
      let command = alive.get(address);
      if (command?.label !== label) {
        command = { number: commands.length, label, kind: kindOf(label), name: nameOf(label) };
        commands.push(command);
        fresh.add(command);
      }
      now.set(address, command);
    }
    for (const { waiting, awaited, mode, memory } of arrows) {
      const source = now.get(awaited), target = now.get(waiting);
      if (!source || !fresh.has(target)) continue;
      edges.set([source.number, target.number, mode, memory].join(' '), { source, target, mode, memory });
    }
    alive = now;
  }
  return { commands, edges: [...edges.values()], files: files.length };
}

function parse(text) {
  const nodes = new Map();
  const arrows = [];
  for (const line of text.split('\n')) {
    const node = /^"(0x[0-9a-f]+)" \[style=filled, fillcolor="[^"]*", label="(.*)"\];$/.exec(line);
    if (node) nodes.set(node[1], node[2].replace(/0x[0-9a-f]+/g, '').replace(/Link : .*/, ''));
    const arrow = /^\s+"(0x[0-9a-f]+)" -> "(0x[0-9a-f]+)" \[ label = "Access mode: (\w+)\\nMemObj: (0x[0-9a-f]+) " \]$/.exec(line);
    if (arrow) arrows.push({ waiting: arrow[1], awaited: arrow[2], mode: arrow[3], memory: arrow[4] });
  }
  return { nodes, arrows };
}

function kindOf(label) {
  const found = KINDS.find(([pattern]) => pattern.test(label));
  if (!found) throw new Error(`a command that this reader does not know: ${label}`);
  return found[1];
}

function nameOf(label) {
  return /Kernel name: (?:__sycl_kernel_)?(\w+)/.exec(label)?.[1] ?? '';
}
