// Runs test files in the order given, as many at a time as the first argument says: `node --test` sorts them.
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const [concurrency, ...files] = process.argv.slice(2);
run({ files, concurrency: Number(concurrency) })
  .on('test:fail', ({ todo }) => {
    if (todo === undefined) process.exitCode = 1;
  })
  .compose(new spec())
  .pipe(process.stdout);
