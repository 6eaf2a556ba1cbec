// SYCL_PRINT_EXECUTION_GRAPH=always: the scheduler writes its commands as a DOT file before and after each command
// group, host accessor and copy back.
//
// A node of a file is a command by its address. Addresses are used again after a command is gone, hence a command is an
// address that is in consecutive files with the same label. An arrow points from a command to one that it waits for,
// the other way round than our edges, and is labelled with access mode and memory object.
//
// A host accessor is two nodes: one that copies the memory to the host ("UPDATE REQ ON HOST"), and an empty one behind
// it with the lock. They are one command here.
//
// When a command is over, the scheduler removes it and lets those that waited for it point to the allocation of the
// memory object instead. So a command's arrows are taken from the first file that contains it, without the commands
// that were over by then: `around` has the commands in that file.
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

/**
 * Returns the commands and dependences of every DOT file in `folder`: `{ commands, edges, files }`. A command is `{
 * number, kind, name, memory, around }`, an edge `{ source, target, mode, memory }`.
 */
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
      const known = alive.get(address);
      if (known?.label === label) {
        now.set(address, known);
        continue;
      }
      fresh.add(address);
      const lockOf = label.includes('EMPTY NODE') && arrows.find(({ waiting, awaited }) => waiting === address && /UPDATE REQ/.test(nodes.get(awaited)));
      now.set(address, { label, update: lockOf?.awaited });
    }
    for (const address of fresh) {
      const held = now.get(address);
      if (held.update) continue;
      held.command = { number: commands.length, kind: kindOf(held.label), name: nameOf(held.label), memory: memoryOf(held.label) };
      commands.push(held.command);
    }
    for (const address of fresh) now.get(address).command ??= now.get(now.get(address).update).command;
    const present = new Set([...now.values()].map(({ command }) => command));
    for (const address of fresh) now.get(address).command.around ??= present;

    for (const { waiting, awaited, mode, memory } of arrows) {
      const [source, target] = [now.get(awaited)?.command, now.get(waiting).command];
      if (!source || !fresh.has(waiting) || source === target) continue;
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
    if (node) nodes.set(node[1], node[2].replace(/ID = 0x[0-9a-f]+/g, '').replace(/Link : .*/, ''));
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

function memoryOf(label) {
  return /MemObj : (0x[0-9a-f]+)/.exec(label)?.[1] ?? '';
}
