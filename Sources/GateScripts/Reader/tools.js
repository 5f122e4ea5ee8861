// Finds the libraries that read JavaScript: where Debian puts them, where npm does, and nowhere else.
'use strict';

const fs = require('fs'), path = require('path'), { createRequire } = require('module');

const entries = {
  acorn: ['dist/acorn.js'],
  'eslint-scope': ['dist/eslint-scope.cjs', 'lib/index.js'],
  typescript: ['lib/typescript.js'],
};

/** A library of one of these folders of modules; undefined when none has it. */
function tool(name, folders) {
  for (const folder of folders) {
    for (const entry of entries[name]) {
      const file = path.join(folder, name, entry);
      if (!fs.existsSync(file)) continue;
      const library = createRequire(file)(file);
      return library;
    }
  }
  return undefined;
}

module.exports = { tool };
