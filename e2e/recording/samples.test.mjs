// Samples of host threads: idle time names the function that ran in it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

import { ask } from './lib/ask.mjs';
import { scratch, syclscope } from './lib/environment.mjs';
import { program } from './lib/programs.mjs';
import { Recording } from './lib/recording.mjs';
import { recordArguments, start } from './lib/run.mjs';

/** Returns the samples of a recording so far in a function. */
function samplesIn(recording, name) {
  const frames = new Map(recording.records('sycl.stack_frame').map((frame) => [frame.frame, frame]));
  const isIn = (sample) => {
    for (let frame = frames.get(sample.stack); frame; frame = frames.get(frame.caller)) if (frame.function?.startsWith(name)) return true;
    return false;
  };
  return recording.records('sycl.sample').filter(isIn);
}

test('the function that runs between two kernels is named by its samples', async (t) => {
  const [file, until] = ['run.json', 'until'].map((name) => path.join(scratch(t), name));
  const recording = start(syclscope, recordArguments(file, program('samples'), [until], { format: 'json', flags: ['--sample', '500Hz'] }));
  // The file is written out once a second.
  let over = false;
  recording.ended.then(() => (over = true));
  const soFar = () => {
    try {
      return samplesIn(Recording.parse(fs.readFileSync(file)), 'assemble').length;
    } catch {
      // There is no file yet, or its last line is not whole.
      return 0;
    }
  };
  while (!over && soFar() < 50) await new Promise((resolve) => setTimeout(resolve, 100));
  fs.writeFileSync(until, '');
  const { code, stderr } = await recording.ended;
  assert.equal(code, 0, stderr.toString());

  const line = fs.readFileSync(new URL('programs/samples.cpp', import.meta.url), 'utf8').split('\n').findIndex((text) => text.includes('sum * 3')) + 1;
  // On a busy machine the runtime's end may take longer.
  const [gap] = (await ask(file, 'gaps?limit=100')).gaps.filter(({ before, after }) => before && after);
  assert.match(gap.message, new RegExp(`in assemble(\\(.*\\))?( at samples\\.cpp:${line})? in \\d+ of \\d+ samples(, most often at samples\\.cpp:${line})?`));
  const host = gap.parts.filter((part) => part.class === 'sampled' && part.step.samples);
  const [longest] = host.sort((a, b) => b.step.duration_ns - a.step.duration_ns);
  const { count, places } = longest.step.samples;
  assert.ok(places[0].function.startsWith('assemble') && places[0].location.line === line, JSON.stringify(places));
  assert.ok(places[0].count >= 50 && places[0].count <= count, `${places[0].count} of ${count}`);
  const { steps } = await ask(file, 'critical_path');
  assert.ok(steps.some((step) => step.samples?.places[0]?.function.startsWith('assemble')), JSON.stringify(steps));
  const tree = await ask(file, 'calltree?weight=samples');
  assert.ok(tree.names.some((name) => name.startsWith('assemble')), JSON.stringify(tree.names));
});
