// Reads a bundle, and the live one beside it, as the question asks; the answer is one JSON text on standard output.
'use strict';

const { Bundle } = require('./bundle.js');
const { names } = require('./names.js');
const { types } = require('./types.js');
const { words } = require('./words.js');
const { engines } = require('./engines.js');
const { Report } = require('./report.js');
const { SourceMap } = require('./sourcemap.js');
const { tool } = require('./tools.js');
const engineNames = require('./engine-names.json');

/** The globals that declarations of a contract add to those of a page. */
function declaredNames(contracts) {
  return contracts.flatMap(({ text }) => [...text.matchAll(/^\s*declare\s+(?:var|let|const|function|class|namespace)\s+([\w$]+)/gm)].map((one) => one[1]));
}

/** Members that engines have and libraries of types may not know, by interface. */
const membersOf = (names) => Object.fromEntries(Object.entries(names.members).map(([owner, words]) => [owner, words.split(' ')]));

function read(question) {
  const answer = { tools: { node: process.versions.node }, notRun: {}, findings: [], milliseconds: {} };
  const acorn = tool('acorn', question.folders), eslintScope = tool('eslint-scope', question.folders);
  const typescript = tool('typescript', question.folders);
  for (const [name, found] of Object.entries({ acorn, 'eslint-scope': eslintScope, typescript })) {
    if (found) answer.tools[name] = found.version ?? '';
  }
  if (!acorn || !eslintScope) {
    const missing = [!acorn && 'acorn', !eslintScope && 'eslint-scope'].filter(Boolean).join(' and ');
    for (const check of ['names', 'types', 'engines']) answer.notRun[check] = `Node.js finds no ${missing}`;
    return answer;
  }
  const tools = { acorn, eslintScope, typescript };
  const timed = (what, body) => {
    const begin = performance.now();
    try { return body(); } finally { answer.milliseconds[what] = Math.round(performance.now() - begin); }
  };
  let bundle;
  try {
    bundle = timed('parse', () => new Bundle(question.bundle, tools, question.catalogWords));
  } catch (error) {
    if (!error.loc) throw error;
    answer.syntax = {
      message: error.message.replace(/ \(\d+:\d+\)$/, ''), line: error.loc.line, column: error.loc.column + 1,
    };
    for (const check of ['names', 'types', 'engines']) answer.notRun[check] = 'the bundle does not parse';
    return answer;
  }
  let live = null;
  const liveBundle = () => {
    // A live bundle that does not parse excuses nothing.
    try { live ??= new Bundle(question.live, tools, question.catalogWords); } catch { live = undefined; }
    return live;
  };
  const report = new Report(bundle, question.live === null ? () => undefined : liveBundle,
    new SourceMap(question.bundle, question.sourceMap));
  const known = new Set([...engineNames.globals.split(' '), ...declaredNames(question.contracts)]);
  timed('names', () => report.compare('names', (one, emit) => names(one, known, emit)));
  timed('words', () => report.compare('types', (one, emit) => words(one, emit)));
  if (question.engines.length) timed('engines', () => report.compare('engines', (one, emit) => engines(one, question.engines, emit)));
  if (typescript) {
    timed('types', () => types(report, { ...question, members: membersOf(engineNames) }, typescript, answer));
  } else {
    answer.notRun.types = 'Node.js finds no TypeScript';
  }
  answer.findings = report.findings;
  answer.classes = report.hierarchy();
  return answer;
}

module.exports = { read };
