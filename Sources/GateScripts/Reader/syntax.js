// The tree of a script, with what several checks ask of it: parents, places, classes, and the names that it gives to things.
'use strict';

/** Parses a script with acorn; throws its SyntaxError, which has a place. */
function parse(text, acorn, onComment) {
  // The engine has judged the patterns already, and knows newer ones than this parser does.
  const Parser = acorn.Parser.extend((Base) => class extends Base {
    validateRegExpFlags() {}
    validateRegExpPattern() {}
  });
  return Parser.parse(text, { ecmaVersion: 'latest', sourceType: 'script', ranges: true, allowHashBang: true, onComment });
}

/** Calls `visit` for every node below `root`, parents first, and gives each its parent and the list it stands in. */
function walk(root, visit) {
  const stack = [root];
  while (stack.length) {
    const node = stack.pop();
    visit(node);
    const below = [];
    for (const key of Object.keys(node)) {
      if (key === 'parent' || key === 'range' || key === 'above') continue;
      const value = node[key];
      if (Array.isArray(value)) {
        for (const item of value) if (item && typeof item.type === 'string') { item.parent = node; below.push(item); }
      } else if (value && typeof value.type === 'string') {
        value.parent = node;
        below.push(value);
      }
    }
    for (let index = below.length - 1; index >= 0; index -= 1) stack.push(below[index]);
  }
}

const isFunction = (node) =>
  node.type === 'FunctionExpression' || node.type === 'FunctionDeclaration' || node.type === 'ArrowFunctionExpression';
const isClass = (node) => node.type === 'ClassDeclaration' || node.type === 'ClassExpression';

/** The name of a property, a member or a class member that is written out; undefined for one that is computed. */
function keyOf(node) {
  const key = node.type === 'MemberExpression' ? node.property : node.key;
  if (!key) return undefined;
  if (!node.computed) {
    return key.type === 'Identifier' ? key.name : key.type === 'PrivateIdentifier' ? `#${key.name}` : String(key.value);
  }
  return key.type === 'Literal' && typeof key.value === 'string' ? key.value : undefined;
}

/** The name that a class has where it is made; empty when it has none. */
function className(node) {
  if (node.id) return node.id.name;
  const parent = node.parent;
  if (parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier') return parent.id.name;
  if (parent?.type === 'AssignmentExpression' && parent.left.type === 'Identifier') return parent.left.name;
  if (parent?.type === 'AssignmentExpression' && parent.left.type === 'MemberExpression') return keyOf(parent.left) ?? '';
  if (parent?.type === 'Property') return keyOf(parent) ?? '';
  return '';
}

/** The nearest function around a node that has a `this` of its own, or the class member or program. */
function thisHolder(node) {
  for (let up = node.parent; up; up = up.parent) {
    if (up.type === 'FunctionExpression' || up.type === 'FunctionDeclaration' || up.type === 'StaticBlock') return up;
    if (up.type === 'PropertyDefinition' || up.type === 'Program') return up;
  }
  return null;
}

/** The class member in which a node stands, with its class; of nested classes the innermost. */
function memberAround(node) {
  for (let up = node; up; up = up.parent) {
    if ((up.type === 'MethodDefinition' || up.type === 'PropertyDefinition') && up.parent?.type === 'ClassBody') {
      return { member: up, owner: up.parent.parent };
    }
    if (up.type === 'Property' && up.value && isFunction(up.value) && up.parent?.type === 'ObjectExpression') {
      return { member: up, owner: null };
    }
  }
  return null;
}

/** Turns offsets into lines and columns, both from 1, columns in UTF-16 units. */
class Places {
  constructor(text) {
    this.starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.starts.push(at + 1);
  }
  of(offset) {
    let low = 0, high = this.starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.starts[middle] <= offset) low = middle; else high = middle;
    }
    return { line: low + 1, column: offset - this.starts[low] + 1 };
  }
}

/** The words that code tests before it relies on them: what stands under `if`, `?`, `!`, `&&`, `||`, `??`, `typeof`, `in`. */
function isTested(node) {
  let inner = node;
  for (let up = node.parent; up; inner = up, up = up.parent) {
    switch (up.type) {
      case 'ChainExpression': case 'ParenthesizedExpression': continue;
      case 'UnaryExpression': return ['!', 'typeof', 'delete', 'void'].includes(up.operator);
      case 'LogicalExpression':
        if (up.left === inner || up.operator === '??') return true;
        continue;
      case 'ConditionalExpression':
        if (up.test === inner) return true;
        continue;
      case 'IfStatement': case 'WhileStatement': case 'DoWhileStatement': case 'ForStatement': return up.test === inner;
      case 'BinaryExpression': return ['==', '!=', '===', '!==', 'in', 'instanceof'].includes(up.operator);
      case 'MemberExpression': return up.object === inner && up.optional;
      case 'CallExpression':
        if (up.callee === inner) return up.optional;
        return up.callee.type === 'Identifier' && ['Boolean', 'isFunction'].includes(up.callee.name)
          || up.callee.type === 'MemberExpression' && ['isArray', 'isFunction', 'hasOwn'].includes(keyOf(up.callee));
      case 'SwitchCase': case 'SwitchStatement': return true;
      default: return false;
    }
  }
  return false;
}

/** Whether a value is kept in a variable or parameter that the code tests before it uses it. */
function isTestedLater(node, scopes) {
  const parent = node.parent;
  const isKept = parent.type === 'VariableDeclarator' && parent.init === node || parent.type === 'AssignmentPattern' && parent.right === node;
  if (!isKept) return false;
  const owner = parent.type === 'VariableDeclarator' ? parent : parent.parent, name = (parent.id ?? parent.left).name;
  return scopes.getDeclaredVariables(owner).some((variable) =>
    variable.name === name && variable.references.some((one) => !one.init && isTested(one.identifier)));
}

/** The number of edits, exchanges of neighbours among them, between two words, as far as `limit`. */
function distance(left, right, limit) {
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let before = null, row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= right.length; j += 1) {
      const cost = left[i - 1] === right[j - 1] ? 0 : 1;
      let value = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + cost);
      if (before && i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]) {
        value = Math.min(value, before[j - 2] + 1);
      }
      next.push(value);
      least = Math.min(least, value);
    }
    if (least > limit) return limit + 1;
    before = row;
    row = next;
  }
  return row[right.length];
}

/** The word of `words` that is meant most likely; undefined when none is near. */
function nearest(name, words) {
  const limit = name.length < 4 ? 1 : name.length < 8 ? 2 : 3;
  let best, least = limit + 1;
  for (const word of words) {
    if (word === name || word.length < 2) continue;
    const steps = word.toLowerCase() === name.toLowerCase() ? 0.5 : distance(name, word, Math.ceil(least) - 1);
    if (steps < least && steps < Math.min(name.length, word.length) - 1) { best = word; least = steps; }
  }
  return best;
}

module.exports = {
  parse, walk, isFunction, isClass, keyOf, className, thisHolder, memberAround, Places, isTested, isTestedLater, distance, nearest,
};
