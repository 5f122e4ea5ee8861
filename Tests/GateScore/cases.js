'use strict';
// The short form: fixed faults and rewrites, one in each family, so that one check tells about many. Each fault has a family of
// its own, and each must be found at its line.
const { Pack, touched } = require('./pack.js');
const { Program } = require('./program.js');
const { synthetic } = require('./synthetic.js');
const kinds = require('./kinds.js');

// The kinds of each bundle. Those of one stand in methods that a dry run calls in any case or that the code alone shows, so
// that a second fault of another family hides nothing.
const FAULTS = [
  ['method-call-misspelt', 'definition-misspelt', 'method-missing', 'variable-misspelt-in-catch', 'variable-misspelt-in-try',
    'await-forgotten-at-request', 'dom-property-misspelt@StreamParser', 'return-forgotten-in-list', 'selector-invalid', 'template-in-plain-quotes'],
  ['variable-misspelt', 'helper-undefined-in-branch', 'field-misspelt', 'await-forgotten-at-method', 'this-lost-in-function',
    'context-method-misspelt@ReaderParser', 'pages-are-texts@StreamParser', 'chapters-missing@FolderParser', 'expression-invalid-at-run-time', 'own-fetch'],
  ['enumeration-member-misspelt', 'const-assigned', 'used-before-declared', 'async-callback-in-map', 'request-without-address',
    'string-method-misspelt', 'getter-called', 'page-key-misspelt@CipherParser', 'address-of-this-machine', 'override-of-wrong-type'],
  ['constant-misspelt', 'import-of-nothing', 'method-twice', 'request-swapped', 'dom-method-misspelt', 'method-read-as-property@ReaderParser',
    'list-is-an-object', 'list-key-misspelt@FolderParser', 'domain-with-scheme', 'override-misspelt'],
];
const HARMLESS = [
  ['hook-not-undefined', 'hook-by-in', 'hook-destructured', 'member-by-loop', 'member-by-assign', 'private-field', 'async-generator',
    'tagged-template', 'element-of-its-kind', 'text-node-asked-for-attribute'],
  ['hook-by-reflect', 'hook-tried', 'hook-filled-later', 'member-by-self', 'member-by-nullish', 'mixin', 'symbol-method',
    'labelled-loop', 'not-implemented-for-kind', 'bridge-by-typeof'],
];

// One bundle with a change of each kind.
function bundleOf(program, names, list) {
  const pack = new Pack(program);
  // Those with a family of their choice come first, so that nobody else takes it.
  for (const text of [...names].sort((one, other) => other.includes('@') - one.includes('@'))) {
    const [name, family] = text.split('@');
    const kind = list.find((one) => one.name === name);
    const isThere = (change) => !family || touched(program, change)[0] === family;
    const isPlaced = [...kind.changes(program, 1)].some((change) => isThere(change) && pack.take(kind, 0, change));
    if (!isPlaced) throw new Error(`${text} finds no family of its own; give it to another bundle`);
  }
  return pack;
}

// All bundles of the short form, each with what is in it.
function cases() {
  const { bundle, sources } = synthetic({ sources: 26 });
  const program = new Program(bundle, sources);
  return {
    program, faults: FAULTS.map((names) => bundleOf(program, names, kinds.faults)), harmless: HARMLESS.map((names) => bundleOf(program, names, kinds.harmless)),
  };
}

// Checks all bundles, two at a time; the status. Prints what was missed, and alarms over what is right.
async function runCases(bench, all, write) {
  bench.open();
  const before = await bench.check(`${all.program.text}// nothing changed\n`, all.program.sourcesText);
  const [faults, harmless] = await Promise.all([all.faults, all.harmless].map(async (list) => {
    const answers = [];
    for (const pack of list) answers.push(await pack.checked(bench, before));
    return answers;
  }));
  const missed = faults.flatMap((pack) => pack.cases.filter((one) => one.findings.length === 0));
  const alarms = harmless.flatMap((pack) => pack.findings.map((finding) => ({ finding, near: pack.cases.find((one) => one.findings.includes(finding)) })));
  for (const one of missed) write(`missed ${one.id} in ${one.family}, line ${one.lines.join(', ')}: ${one.what}`);
  for (const { finding, near } of alarms) write(`alarm over ${near ? near.id : 'a rewrite'}: ${finding.code} ${finding.message}, line ${finding.line}`);
  const count = (list) => list.reduce((sum, pack) => sum + pack.cases.length, 0);
  write(`ci/gate-score: ${count(faults)} faults, ${missed.length} missed; ${count(harmless)} harmless rewrites, ${alarms.length} alarms`);
  return missed.length + alarms.length === 0 ? 0 : 1;
}

module.exports = { cases, runCases };
