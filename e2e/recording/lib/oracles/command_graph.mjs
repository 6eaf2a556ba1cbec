// A command graph's own picture (`print_graph`, verbose): a DOT file with a node for each command and an arrow for each
// dependence, from the command that must finish first to the one that waits.
import fs from 'node:fs';

const KINDS = { CGExecKernel: 'kernel', CGFillUSM: 'fill', CGFill: 'fill', CGMemsetUSM: 'fill', CGCopyUSM: 'copy', CGCopy: 'copy', CGHostTask: 'host_task' };

/** Returns the commands and dependences of a file: `{ commands: [{ kind, name }], edges: [{ source, target }] }`. */
export function readCommandGraph(file) {
  const commands = new Map();
  const arrows = [];
  for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
    const node = /^"(0x[0-9a-f]+)" .*TYPE = (\w+) (?:\\nNAME = (?:__sycl_kernel_)?(\w+))?/.exec(line);
    if (node) {
      const kind = KINDS[node[2]];
      if (!kind) throw new Error(`a command that this reader does not know: ${line}`);
      commands.set(node[1], { kind, name: node[3] ?? '' });
    }
    const arrow = /^\s*"(0x[0-9a-f]+)" -> "(0x[0-9a-f]+)"/.exec(line);
    if (arrow) arrows.push([arrow[1], arrow[2]]);
  }
  return { commands: [...commands.values()], edges: arrows.map(([source, target]) => ({ source: commands.get(source), target: commands.get(target) })) };
}
