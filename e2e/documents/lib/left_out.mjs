// Commands of the documents that no test machine can run: each with the reason, and the test that runs it elsewhere.

/**
 * `line` matches lines in `document`, or in every document if there is none; `why` is the reason, `elsewhere` names the
 * test or person that runs them. An entry that matches no line fails the test.
 */
export const LEFT_OUT = [
  { line: /^git clone …/, why: 'it needs the network, and the address stands beside it', elsewhere: 'whoever reads the file has done it' },
  { line: /^cargo xtask (build|test|demo)\b/, why: 'it builds the program under test', elsewhere: '`cargo xtask test` builds and records the same; the rest is by hand' },
  { document: 'docs/INSTALL.md', line: /^cargo install syclscope$/, why: 'it needs the registry', elsewhere: 'of the packed crates, offline: the trials of `cargo xtask release`' },
  { document: 'docs/DEPLOY.md', line: /^sudo systemctl /, why: 'it needs systemd as first process', elsewhere: 'server/deploy.test.mjs: the unit, and its command' },
  { document: 'docs/DEPLOY.md', line: /^podman /, why: 'it needs the image of a release', elsewhere: 'install/image.sh, by `cargo xtask test --only release`' },
  { document: 'docs/SHARING.md', line: /--sign-in oidc/, why: 'it needs an identity provider', elsewhere: 'server/oidc.test.mjs' },
  { document: 'docs/MCP.md', line: /^claude mcp add /, why: 'it needs an assistant', elsewhere: 'server/mcp.test.mjs: what it adds' },
  { document: 'docs/CLUSTERS.md', line: /\$SLURM_JOB_ID/, why: 'it needs Slurm', elsewhere: 'by hand, as the page says' },
  { document: 'docs/CLUSTERS.md', line: /^module load /, why: 'it needs environment modules', elsewhere: 'by hand, as the page says' },
  { document: 'docs/TRY.md', line: /^syclscope (try|compare syclscope-try)/, why: 'its exit code is a verdict on times, or it reads what one recorded', elsewhere: 'recording/try.test.mjs, and made-up runs in the program\'s own tests' },
  { document: 'docs/PYTHON.md', line: /^spark-|^pip install pyspark$/, why: 'it needs Spark', elsewhere: 'by hand, as the page says; its SQL: python/tests/test_sql.py' },
];

/** Returns the entry that leaves out `command` of `document`, or undefined. */
export const leftOut = (document, command, list = LEFT_OUT) =>
  list.find((entry) => (entry.document ?? document) === document && entry.line.test(command));

/** Returns the commands of a block: lines broken by a backslash are joined, comments removed. */
export const commandsOf = (lines) =>
  lines.join('\n').replaceAll('\\\n', '').split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
