// What a bundle uses that the oldest engines of apps do not have: syntax, for which the whole bundle would not load there,
// and interfaces.
'use strict';

const { keyOf, isFunction, isTested } = require('./syntax.js');
const features = require('./features.json');

const shownNames = { ios: 'iOS', safari: 'Safari', 'android-webview': 'Android WebView', chrome: 'Chrome', firefox: 'Firefox' };

/** Where each syntax is found in the tree, with the words for it. */
const syntax = [
  ['ChainExpression', 'optional-chaining', 'optional chaining (?.)'],
  ['LogicalExpression', 'nullish-coalescing', 'the operator ??', (node) => node.operator === '??'],
  ['AssignmentExpression', 'logical-assignment', 'logical assignment', (node) => ['??=', '||=', '&&='].includes(node.operator)],
  ['PropertyDefinition', 'class-field', 'a field of a class', (node) => !node.static && node.key.type !== 'PrivateIdentifier'],
  ['PropertyDefinition', 'static-field', 'a static field of a class', (node) => node.static && node.key.type !== 'PrivateIdentifier'],
  ['PropertyDefinition', 'private-field', 'a private field', (node) => node.key.type === 'PrivateIdentifier'],
  ['MethodDefinition', 'private-method', 'a private method', (node) => node.key.type === 'PrivateIdentifier'],
  ['BinaryExpression', 'private-in', 'the test #name in object', (node) => node.left.type === 'PrivateIdentifier'],
  ['StaticBlock', 'static-block', 'a static block of a class'],
  ['Literal', 'bigint', 'a BigInt literal', (node) => typeof node.bigint === 'string'],
  ['Literal', 'numeric-separator', 'a number with separators', (node) => typeof node.value === 'number' && node.raw.includes('_')],
  ['FunctionDeclaration', 'async-generator', 'an async generator', (node) => node.async && node.generator],
  ['FunctionExpression', 'async-generator', 'an async generator', (node) => node.async && node.generator],
  ['ForOfStatement', 'for-await', 'for await', (node) => node.await],
  ['CatchClause', 'catch-without-name', 'catch without a name', (node) => node.param === null],
  ['ImportExpression', 'dynamic-import', 'import()'],
];

/** What stands in a regular expression, by a look at its text. */
const patterns = [
  ['regexp-lookbehind', 'lookbehind in a regular expression', /\(\?<[=!]/],
  ['regexp-named-group', 'a named group in a regular expression', /\(\?<[\p{L}$_]/u],
  ['regexp-modifiers', 'inline modifiers in a regular expression', /\(\?(?:[ims]+(?:-[ims]*)?|-[ims]+):/],
];
const flags = { s: 'regexp-flag-s', d: 'regexp-flag-d', v: 'regexp-flag-v' };

function engines(bundle, targets, emit) {
  const old = (versions) => targets.filter((target) => isMissing(target, versions));
  const put = (node, feature, what, versions, sure) => {
    const missing = versions ? old(versions) : [];
    if (missing.length === 0) return;
    emit({
      rule: sure ? 'no-syntax' : 'no-interface', sure, node, subject: feature,
      text: `${missing.map((target) => `${shownNames[target.name]} ${target.version}`).join(' and ')} ${missing.length === 1 ? 'has' : 'have'} no ${what.replace(/^(an?|the) /, '')}`
        + ` (${missing.map((target) => since(target, versions)).join(', ')})${sure ? '; the bundle does not load there' : ''}`,
      advice: sure ? 'build for an older target, or write it in another way' : 'test whether it is there, or bring a replacement',
    });
  };
  for (const [type, feature, what, fits] of syntax) {
    for (const node of bundle.of(type)) if (!fits || fits(node)) put(node, feature, what, features.syntax[feature], true);
  }
  for (const node of bundle.of('Literal')) if (node.regex) regexp(node, node.regex.pattern, node.regex.flags, put, true);
  for (const node of [...bundle.of('NewExpression'), ...bundle.of('CallExpression')]) {
    const [pattern, given] = node.arguments;
    if (node.callee.name !== 'RegExp' || typeof pattern?.value !== 'string') continue;
    regexp(node, pattern.value, typeof given?.value === 'string' ? given.value : '', put, runsAtLoad(node));
  }
  interfaces(bundle, put);
}

function regexp(node, pattern, given, put, sure) {
  // Escaped brackets are no groups, and nothing in a set is.
  const plain = pattern.replace(/\\[^pP]/g, '  ').replace(/\[(?:[^\]\\]|\\.)*\]/g, '[]');
  for (const [feature, what, text] of patterns) if (text.test(plain)) put(node, feature, what, features.syntax[feature], sure);
  if (/[uv]/.test(given) && /\\[pP]\{/.test(pattern)) put(node, 'regexp-property', 'property escapes in a regular expression', features.syntax['regexp-property'], sure);
  for (const flag of given) if (flags[flag]) put(node, flags[flag], `the flag ${flag} of regular expressions`, features.syntax[flags[flag]], sure);
}

function interfaces(bundle, put) {
  const globals = new Map();
  for (const reference of bundle.scopes.globalScope.through) globals.set(reference.identifier, reference);
  const tested = testedNames(bundle);
  for (const node of globals.keys()) {
    if (Object.hasOwn(features.globals, node.name) && !tested.has(node.name)) put(node, node.name, node.name, features.globals[node.name], runsAtLoad(node));
  }
  const byName = membersByName();
  for (const node of bundle.of('MemberExpression')) {
    const key = keyOf(node);
    if (key === undefined || tested.has(key) || isTested(node)) continue;
    const owner = node.object.type === 'Identifier' && globals.has(node.object) ? node.object.name : '';
    const own = features.members[`${owner}:${key}`];
    if (owner && own) { put(node.property, `${owner}.${key}`, `${owner}.${key}`, own, runsAtLoad(node)); continue; }
    // A method of the bundle's own may have any name.
    const isCalled = node.parent.type === 'CallExpression' && node.parent.callee === node && !node.parent.optional && !node.optional;
    if (!isCalled || owner || bundle.methods.has(key) || bundle.assigned.has(key) || node.object.type === 'ThisExpression') continue;
    const found = byName.get(key);
    if (found) put(node.property, `${found.owner}.${key}`, `${found.owner}.prototype.${key}`, found.versions, false);
  }
}

/** Methods by name, with the versions of whichever interface had it first. */
function membersByName() {
  const found = new Map();
  for (const [key, versions] of Object.entries(features.members)) {
    if (!key.includes('.')) continue;
    const [owner, name] = key.split('.'), known = found.get(name);
    if (!known) { found.set(name, { owner, versions: [...versions] }); continue; }
    known.versions = known.versions.map((version, index) => earlier(version, versions[index]));
  }
  return found;
}

/** Names that the bundle asks for before it uses them, or brings itself. */
function testedNames(bundle) {
  const names = new Set();
  for (const node of bundle.of('UnaryExpression')) {
    if (node.operator !== 'typeof') continue;
    const name = node.argument.type === 'Identifier' ? node.argument.name : node.argument.type === 'MemberExpression' ? keyOf(node.argument) : undefined;
    if (name) names.add(name);
  }
  for (const node of bundle.of('BinaryExpression')) if (node.operator === 'in' && node.left.type === 'Literal') names.add(String(node.left.value));
  for (const node of bundle.of('MemberExpression')) {
    const key = keyOf(node);
    if (key !== undefined && isTested(node)) names.add(key);
  }
  for (const name of bundle.assigned) names.add(name);
  return names;
}

/** Whether a place is reached while the bundle loads: in no function but those that are called where they stand. */
function runsAtLoad(node) {
  for (let up = node; up.parent; up = up.parent) {
    if (up.type === 'PropertyDefinition' && !up.static) return false;
    if (!isFunction(up)) continue;
    const call = up.parent;
    if (call.type !== 'CallExpression' || call.callee !== up) return false;
  }
  return true;
}

function isMissing(target, versions) {
  const version = versions[features.order.indexOf(target.name)];
  return version === null || compare(target.version, version) < 0;
}

function since(target, versions) {
  const version = versions[features.order.indexOf(target.name)];
  return version === null ? `no ${shownNames[target.name]} has it` : `since ${shownNames[target.name]} ${version}`;
}

function compare(left, right) {
  const [one, other] = [left, right].map((text) => text.split('.').map(Number));
  for (let index = 0; index < 3; index += 1) {
    const difference = (one[index] ?? 0) - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

const earlier = (one, other) => one === null ? other : other === null ? one : compare(one, other) <= 0 ? one : other;

module.exports = { engines };
