'use strict';
// The programs of others that the bench uses. acorn is needed; the compilers make some of the harmless rewrites, which are
// left out by name when they are not there.
const vm = require('vm');
const { spawnSync } = require('child_process');

const PLACES = ['/usr/share/nodejs', '/usr/lib/nodejs', '/usr/share/node_modules'];

function found(name) {
  for (const place of [null, ...PLACES]) {
    try {
      return require(place ? `${place}/${name}` : name);
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return null;
}

function readableParser() {
  const acorn = found('acorn');
  if (!acorn) throw new Error('acorn is not there: run ci/setup, or apt-get install node-acorn');
  return acorn;
}

// TypeScript, or null.
const typescript = () => found('typescript');

// What esbuild makes of a text; null when esbuild is not there.
function esbuild(text, options) {
  const done = spawnSync('esbuild', options, { input: text, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (done.error) return null;
  if (done.status !== 0) throw new Error(`esbuild: ${done.stderr.slice(0, 400)}`);
  return done.stdout;
}

// Why a script does not parse; null when it does.
function syntaxError(text) {
  try {
    new vm.Script(text);
    return null;
  } catch (error) {
    return error.message;
  }
}

module.exports = { readableParser, typescript, esbuild, syntaxError };
