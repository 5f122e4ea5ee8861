// Members by their words alone, where nothing tells the type of what they are asked of: what no page, no language and no
// line of the bundle has, nothing can have.
'use strict';

const { keyOf, isTested, isTestedLater, distance } = require('./syntax.js');
const { isWritten } = require('./bundle.js');
const engineNames = require('./engine-names.json');

/** Members that pages and the language have. */
const library = new Set(engineNames.words.split(' '));
/** What lists have, and what single elements have. */
const ofArrays = new Set(['map', 'filter', 'find', 'findIndex', 'some', 'every', 'reduce', 'flatMap', 'slice', 'sort', 'reverse', 'join', 'concat', 'at',
  'includes', 'indexOf', 'push', 'pop', 'shift']);
const ofElements = new Set(['textContent', 'innerHTML', 'innerText', 'getAttribute', 'hasAttribute', 'querySelector', 'querySelectorAll', 'closest', 'matches',
  'nextElementSibling', 'previousElementSibling', 'parentElement', 'className', 'classList', 'dataset', 'src', 'href', 'attributes', 'remove', 'children']);
/** How often a word of the library must be used for another to be a slip of it. */
const leastUses = 2;

function words(bundle, emit) {
  const uses = new Map();
  for (const node of bundle.of('MemberExpression')) {
    const key = keyOf(node);
    if (key !== undefined) uses.set(key, (uses.get(key) ?? 0) + 1);
  }
  const common = [...uses].filter(([word, count]) => library.has(word) && count >= leastUses).map(([word]) => word);
  for (const node of bundle.of('MemberExpression')) {
    const key = keyOf(node);
    if (key === undefined) continue;
    afterSelection(node, key, bundle, emit);
    if (library.has(key) || bundle.made.has(key) || key.startsWith('#') || isWritten(node)) continue;
    if (['ThisExpression', 'Super'].includes(node.object.type) || bundle.evaluatesAround(node) || isOfApp(node, bundle)) continue;
    unknownWord(node, key, common, bundle, emit);
  }
}

function unknownWord(node, key, common, bundle, emit) {
  const called = node.parent.type === 'CallExpression' && node.parent.callee === node;
  const near = slipOf(key, common, called);
  if (!near && (!called || bundle.hasProxy || node.parent.optional || isTested(node) || isTestedLater(node, bundle.scopes) || bundle.askedFor.has(key))) return;
  emit({
    rule: 'unknown-word', sure: false, node: node.property, subject: key,
    text: `nothing has ${called ? 'a method' : 'a member'} ${key}${near ? `: did you mean ${near}` : ''}`, advice: 'correct the name',
  });
}

/** The often used word that this one is a slip of; undefined when there is none. */
function slipOf(key, common, called) {
  // Keys of answers may be like any short word; long and compound ones, and methods, are not.
  const fits = (word) => called ? word.length >= 3 : word.length >= 8 || /[a-z][A-Z]/.test(word) || word === 'length';
  const limit = key.length >= 7 ? 2 : 1;
  return common.find((word) => fits(word) && distance(key, word, limit) <= limit);
}

/** Whether something comes from the app, which may offer what nobody here knows. */
function isOfApp(node, bundle) {
  let root = node.object;
  while (root.type === 'MemberExpression' || root.type === 'CallExpression' || root.type === 'AwaitExpression' || root.type === 'ChainExpression') {
    if (root.type === 'MemberExpression' && ['context', 'bridge', 'app'].includes(keyOf(root))) return true;
    root = root.object ?? root.callee ?? root.argument ?? root.expression;
  }
  if (root.type !== 'Identifier') return false;
  if (['context', 'window', 'self', 'globalThis'].includes(root.name)) return true;
  const reference = bundle.reference(root);
  if (!reference?.resolved) return true;
  const init = reference.resolved.defs[0]?.node?.init;
  return Boolean(init) && /\b(context|window|globalThis|bridge|app)\b/.test(bundle.text.slice(...init.range).slice(0, 200)) && init.type !== 'AwaitExpression'
    && init.type !== 'CallExpression';
}

/** `querySelectorAll(…).textContent` and `querySelector(…).map(…)`: one thing is asked for what the other has. */
function afterSelection(node, key, bundle, emit) {
  const call = node.object.type === 'ChainExpression' ? node.object.expression : node.object;
  if (call.type !== 'CallExpression' || call.callee.type !== 'MemberExpression') return;
  const method = keyOf(call.callee);
  if (bundle.methods.has(method) || bundle.assigned.has(key) || isWritten(node) || isTested(node)) return;
  const isMany = method === 'querySelectorAll', isOne = ['querySelector', 'closest', 'getElementById'].includes(method);
  const isWrong = isMany && (ofArrays.has(key) || ofElements.has(key)) || isOne && (ofArrays.has(key) && key !== 'remove' || key === 'forEach' || key === 'length');
  if (!isWrong) return;
  emit({
    rule: 'wrong-selection', sure: true, node: node.property, subject: `${method}.${key}`,
    text: `${method}() gives ${isMany ? 'a list of nodes' : 'one element'}, which has no ${key}`,
    advice: isMany && ofArrays.has(key) ? 'write [...list] or Array.from(list) first' : isMany ? 'ask for one with querySelector' : 'ask for all with querySelectorAll',
  });
}

module.exports = { words };
