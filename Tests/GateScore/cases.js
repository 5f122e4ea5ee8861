'use strict';
// The short form: fixed faults and rewrites, one in each family, so that one check tells about many. Each fault has a family of
// its own, and each must be found at its line.
const { namesPlace, newFindings } = require('./bench.js');
const { apply } = require('./edits.js');
const { rightLines } = require('./kind.js');
const { Program } = require('./program.js');
const { synthetic } = require('./synthetic.js');
const { syntaxError } = require('./tools.js');
const kinds = require('./kinds.js');

// The kinds of each bundle. Those of one stand in methods that a dry run calls in any case or that the code alone shows, so
// that a second fault of another family hides nothing.
const FAULTS = [
  ['method-call-misspelt', 'definition-misspelt', 'method-missing', 'variable-misspelt-in-catch', 'variable-misspelt-in-try',
    'await-forgotten-at-request', 'dom-property-misspelt', 'return-forgotten-in-list', 'selector-invalid', 'template-in-plain-quotes'],
  ['variable-misspelt', 'helper-undefined-in-branch', 'field-misspelt', 'await-forgotten-at-method', 'this-lost-in-function',
    'context-method-misspelt', 'pages-are-texts', 'chapters-missing', 'expression-invalid-at-run-time', 'own-fetch'],
  ['enumeration-member-misspelt', 'const-assigned', 'used-before-declared', 'async-callback-in-map', 'request-without-address',
    'string-method-misspelt', 'getter-called', 'page-key-misspelt', 'address-of-this-machine', 'override-of-wrong-type'],
  ['constant-misspelt', 'import-of-nothing', 'method-twice', 'request-swapped', 'dom-method-misspelt', 'method-read-as-property',
    'list-is-an-object', 'list-key-misspelt', 'domain-with-scheme', 'override-misspelt'],
];
const HARMLESS = [
  ['hook-not-undefined', 'hook-by-in', 'hook-destructured', 'member-by-loop', 'member-by-assign', 'private-field', 'async-generator',
    'tagged-template', 'element-of-its-kind', 'text-node-asked-for-attribute'],
  ['hook-by-reflect', 'hook-tried', 'hook-filled-later', 'member-by-self', 'member-by-nullish', 'mixin', 'symbol-method',
    'labelled-loop', 'not-implemented-for-kind', 'bridge-by-typeof'],
];

const overlaps = (edits, others) => edits.some((one) => others.some((other) => one.start <= other.end && other.start <= one.end));

// The classes that a change touches; a change of the catalog touches the family of its sources.
function touched(program, change) {
  const family = change.at && program.classOf(change.at);
  if (family) return [family.name];
  const place = change.edits[0] && program.catalogNodes();
  const found = place && [...place].find(([, node]) => change.edits[0].start >= node.start && change.edits[0].end <= node.end);
  return found ? [program.entries.find((entry) => entry.id === found[0]).family] : [];
}

// The first change of a kind in a family that has none yet.
function placed(program, kind, used, edits, takes) {
  for (const change of kind.changes(program, 1)) {
    const families = touched(program, change);
    if (families.length === 0 || families.some((name) => used.has(name) || name === 'BaseParser')) continue;
    const all = [...edits, ...change.edits];
    if (overlaps(change.edits, edits) || syntaxError(apply(program.text, all)) !== null) continue;
    families.forEach((name) => used.add(name));
    takes(change);
    return true;
  }
  return false;
}

// One bundle with a change of each kind.
function bundleOf(program, names, list) {
  const used = new Set();
  const [edits, sourceEdits, taken] = [[], [], []];
  for (const name of names) {
    const kind = list.find((one) => one.name === name);
    const isPlaced = placed(program, kind, used, edits, (change) => {
      edits.push(...change.edits);
      sourceEdits.push(...(change.sourceEdits || []));
      taken.push({ kind, change });
    });
    if (!isPlaced) throw new Error(`${name} finds no family of its own; give it to another bundle`);
  }
  return {
    bundle: apply(program.text, edits), sources: apply(program.sourcesText, sourceEdits),
    cases: taken.map(({ kind, change }) => ({
      name: kind.name, what: change.what, lines: rightLines(program, change, edits), family: touched(program, change)[0],
      sourceLines: (change.sourceEdits || []).map((edit) => program.sourcesText.slice(0, edit.start).split('\n').length),
    })),
  };
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
  const seen = async (one) => newFindings(await bench.check(one.bundle, one.sources), before);
  const [faults, harmless] = await Promise.all([all.faults, all.harmless].map(async (list) => {
    const answers = [];
    for (const one of list) answers.push({ ...one, findings: await seen(one) });
    return answers;
  }));
  const isFound = (bundle, one) => bundle.findings.some((finding) => namesPlace(finding, one));
  const missed = faults.flatMap((bundle) => bundle.cases.filter((one) => !isFound(bundle, one)));
  const alarms = harmless.flatMap((bundle) => bundle.findings.map((finding) => ({ finding, cases: bundle.cases })));
  for (const one of missed) write(`missed ${one.name} in ${one.family}, line ${one.lines.join(', ')}: ${one.what}`);
  for (const { finding, cases: held } of alarms) {
    const near = held.find((one) => one.lines.includes(finding.line));
    write(`alarm over ${near ? near.name : 'a rewrite'}: ${finding.code} ${finding.message}, line ${finding.line}`);
  }
  const count = (list) => list.reduce((sum, bundle) => sum + bundle.cases.length, 0);
  write(`ci/gate-score: ${count(faults)} faults, ${missed.length} missed; ${count(harmless)} harmless rewrites, ${alarms.length} alarms`);
  return missed.length + alarms.length === 0 ? 0 : 1;
}

module.exports = { cases, runCases };
