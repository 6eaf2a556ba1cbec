// Finds the program syclscope, and says what to do where it is not.
const fs = require('node:fs');
const path = require('node:path');

/** There is no program, or it did not do what it should; the message is for people. */
class ProgramError extends Error {
  /** True if a setting would help. */
  constructor(message, isMissing = false) {
    super(message);
    this.isMissing = isMissing;
  }
}

function isProgram(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The program's file: what the setting names, else what is in PATH. */
function findProgram(setting, environment = process.env) {
  const named = setting.trim().replace(/^~(?=\/)/, environment.HOME ?? '~');
  if (named) {
    if (isProgram(named)) return named;
    throw new ProgramError(`The setting syclscope.program names ${named}, which is no program that can be run.`, true);
  }
  const folders = (environment.PATH ?? '').split(path.delimiter).filter(Boolean);
  const found = folders.map((folder) => path.join(folder, 'syclscope')).find(isProgram);
  if (found) return found;
  throw new ProgramError(
    'The program syclscope is not in PATH. Install it on this computer (docs/INSTALL.md of syclscope says how), or name it in the setting syclscope.program.',
    true,
  );
}

module.exports = { ProgramError, findProgram };
