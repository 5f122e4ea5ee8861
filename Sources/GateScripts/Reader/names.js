// What the names of a bundle tell: undeclared ones, constants that are assigned, uses before a declaration, and members
// that nothing makes.
'use strict';

const { walk, isFunction, isClass, keyOf, thisHolder, isTested, isTestedLater, nearest, distance } = require('./syntax.js');
const { isWritten } = require('./bundle.js');
const { calls } = require('./calls.js');

/** Names that only Node.js has, so that a page never will. */
const ofNode = new Set(['require', 'module', 'exports', 'process', 'Buffer', 'global', '__dirname', '__filename', 'setImmediate']);
/** Globals of a page that are easily taken for a variable of one's own. */
const confusing = new Set(['name', 'event', 'status', 'length', 'parent', 'top', 'closed', 'find', 'stop', 'print', 'open',
  'close', 'origin', 'external', 'scroll', 'opener', 'frames', 'focus', 'blur', 'toolbar', 'menubar', 'screenX', 'screenY']);

function names(bundle, known, emit) {
  const scope = bundle.scopes.globalScope;
  const own = new Set(scope.variables.map((variable) => variable.name));
  const guarded = typeofNames(bundle);
  const implicit = new Set(), through = new Map();
  for (const reference of scope.through) {
    const name = reference.identifier.name;
    // Where text is evaluated, scopes are open, and names are looked for by hand.
    if (own.has(name) || isDeclared(reference)) continue;
    if (reference.isWrite() && !reference.from.isStrict) implicit.add(name);
    if (known.has(name)) continue;
    if (!through.has(name)) through.set(name, []);
    through.get(name).push(reference);
  }
  for (const [name, references] of through) {
    if (guarded.has(name) || bundle.onGlobal.has(name)) continue;
    if (implicit.has(name)) { undeclaredWrite(name, references, emit); continue; }
    for (const reference of references) undeclared(name, reference, bundle, known, emit);
  }
  confusingGlobals(scope, own, emit);
  calls(bundle, emit);
  for (const one of bundle.scopes.scopes) for (const variable of one.variables) declared(variable, emit);
  twice(bundle, emit);
  nothing(bundle, emit);
  constants(bundle, emit);
  fields(bundle, emit);
  lostThis(bundle, emit);
}

/** Names that code asks for with `typeof`, `'name' in window`, or a `try` that does nothing else. */
function typeofNames(bundle) {
  const names = new Set();
  for (const node of bundle.of('UnaryExpression')) {
    if (node.operator === 'typeof' && node.argument.type === 'Identifier') names.add(node.argument.name);
  }
  for (const node of bundle.of('BinaryExpression')) {
    if (node.operator === 'in' && node.left.type === 'Literal') names.add(String(node.left.value));
  }
  for (const node of bundle.of('TryStatement')) {
    const only = node.block.body.length === 1 ? node.block.body[0] : null;
    const value = only?.type === 'ReturnStatement' ? only.argument : only?.type === 'ExpressionStatement' ? only.expression : null;
    if (value?.type === 'Identifier' && node.handler) names.add(value.name);
  }
  return names;
}

function isDeclared(reference) {
  for (let one = reference.from; one; one = one.upper) if (one.set.has(reference.identifier.name)) return true;
  return false;
}

function undeclaredWrite(name, references, emit) {
  emit({
    rule: 'implicit-global', sure: false, node: references[0].identifier, subject: name,
    text: `${name} is assigned and nowhere declared, so it becomes a global of the page`,
    advice: 'declare it with const or let',
  });
}

function undeclared(name, reference, bundle, known, emit) {
  const node = reference.identifier;
  if (reference.from.dynamic && reference.from.type === 'with' || insideWith(node)) return;
  // A try around what only Node.js has asks whether this is Node.js.
  if (ofNode.has(name) && insideTry(node)) return;
  const isMember = classAround(node) && (bundle.methods.has(name) || bundle.assigned.has(name));
  const near = isMember ? `this.${name}` : nearest(name, visible(reference.from, known));
  // A script of the site that was evaluated may have made it; a near name of our own says otherwise.
  if (bundle.evaluatesAround(node) && !isMember && !(near && distance(name, near, 1) <= 1)) return;
  const hint = ofNode.has(name) ? 'it is of Node.js, and no page has it' : near ? `did you mean ${near}` : '';
  emit({
    rule: 'undeclared', sure: isMember || !bundle.evaluatesAround(node), node, subject: name,
    text: `${name} is nowhere declared${hint ? `: ${hint}` : ''}`,
    advice: ofNode.has(name) ? `bundle a replacement for ${name}, or test it with typeof first` : 'declare or import it, or correct the name',
  });
}

function insideTry(node) {
  for (let up = node; up.parent; up = up.parent) if (up.parent.type === 'TryStatement' && up.parent.block === up && up.parent.handler) return true;
  return false;
}

function insideWith(node) {
  for (let up = node.parent; up; up = up.parent) if (up.type === 'WithStatement') return true;
  return false;
}

function* visible(scope, known) {
  for (let one = scope; one; one = one.upper) for (const variable of one.variables) yield variable.name;
  for (const name of known) if (name.length > 4) yield name;
}

function confusingGlobals(scope, own, emit) {
  for (const reference of scope.through) {
    const node = reference.identifier;
    if (!confusing.has(node.name) || own.has(node.name) || !reference.isRead() || isTested(node)) continue;
    if (node.parent.type === 'CallExpression' && node.parent.callee === node && ['close', 'print', 'stop', 'focus', 'blur'].includes(node.name)) continue;
    if (node.parent.type === 'MemberExpression' && ['top', 'parent', 'frames', 'opener'].includes(node.name)) continue;
    emit({
      rule: 'page-global', sure: false, node, subject: node.name,
      text: `${node.name} is declared nowhere here, so it is the page's own window.${node.name}`,
      advice: `declare ${node.name}, or write window.${node.name} if that is meant`,
    });
  }
}

/** Constants that are assigned, and names that are used before they have a value. */
function declared(variable, emit) {
  const definition = variable.defs[0];
  if (variable.defs.length !== 1 || !definition) return;
  const kind = definition.type === 'Variable' ? definition.parent.kind : definition.type === 'ClassName' ? 'class' : '';
  if (!['const', 'let', 'class'].includes(kind)) return;
  for (const reference of variable.references) {
    if (reference.isWrite() && !reference.init && kind === 'const') {
      emit({
        rule: 'const-assigned', sure: true, node: reference.identifier, subject: variable.name,
        text: `the constant ${variable.name} is assigned, which throws`, advice: 'declare it with let, or assign another name',
      });
    } else if (!reference.init && isBefore(reference, variable, definition)) {
      emit({
        rule: 'before-declaration', sure: true, node: reference.identifier, subject: variable.name,
        text: `${variable.name} is used before its declaration, which throws`, advice: 'move the declaration up',
      });
    }
  }
}

function isBefore(reference, variable, definition) {
  const node = reference.identifier;
  // The inner name of a class is there within its own body from the start.
  if (definition.type === 'ClassName' && variable.scope.type === 'class') return false;
  if (reference.from.variableScope !== variable.scope.variableScope) return false;
  for (let up = node.parent; up && up !== variable.scope.block; up = up.parent) if (isFunction(up) || isClass(up) && isDeferred(node, up)) return false;
  const declarator = definition.node;
  if (node.range[0] < definition.name.range[0]) return true;
  if (definition.type === 'ClassName') return Boolean(declarator.superClass) && within(node, declarator.superClass);
  if (declarator.init) return within(node, declarator.init);
  const loop = definition.parent.parent;
  return (loop?.type === 'ForOfStatement' || loop?.type === 'ForInStatement') && loop.left === definition.parent && within(node, loop.right);
}

/** Whether a place in a class is evaluated later than the class itself. */
function isDeferred(node, owner) {
  for (let up = node; up && up !== owner; up = up.parent) if (up.type === 'PropertyDefinition' && !up.static) return true;
  return false;
}

const within = (node, outer) => node.range[0] >= outer.range[0] && node.range[1] <= outer.range[1];

/** Members of a class that are written twice, so that the first is never heard of. */
function twice(bundle, emit) {
  for (const node of bundle.classes) {
    const seen = new Map();
    for (const member of node.body.body) {
      const key = keyOf(member);
      if (key === undefined || member.type !== 'MethodDefinition' || member.kind === 'constructor') continue;
      const slot = `${member.static}:${member.kind === 'method' ? 'value' : member.kind}:${key}`;
      if (seen.has(slot)) {
        emit({
          rule: 'member-twice', sure: true, node: member.key, subject: key,
          text: `${node.title ? `${node.title}.` : ''}${key} is written twice in one class, and only the second counts`,
          advice: 'remove one of the two',
        });
      }
      seen.set(slot, member);
    }
  }
  for (const node of bundle.of('ObjectExpression')) {
    const seen = new Set();
    for (const member of node.properties) {
      if (member.type !== 'Property' || member.kind !== 'init' || member.computed) continue;
      const key = keyOf(member);
      if (key === undefined || key === '__proto__') continue;
      if (seen.has(key)) {
        emit({
          rule: 'key-twice', sure: false, node: member.key, subject: key,
          text: `the key ${key} stands twice in one object, and only the second counts`, advice: 'remove one of the two',
        });
      }
      seen.add(key);
    }
  }
}

/** `(void 0)(x)` and `(void 0).x`: what bundlers write for an import that its module does not export. */
function nothing(bundle, emit) {
  for (const node of bundle.of('MemberExpression')) {
    const inner = node.object;
    if (inner.type !== 'MemberExpression' || inner.object.type !== 'ObjectExpression' || inner.object.properties.length || node.optional) continue;
    emit({
      rule: 'import-of-nothing', sure: true, node: inner, subject: keyOf(inner) ?? 'member',
      text: `${keyOf(inner) ?? 'a member'} of an empty object is undefined, and ${keyOf(node) ?? 'a member'} is read from it`,
      advice: 'correct the name that is imported',
    });
  }
  for (const node of bundle.of('UnaryExpression')) {
    if (node.operator !== 'void' || node.argument.type !== 'Literal') continue;
    let inner = node, up = node.parent;
    while (up.type === 'SequenceExpression' && up.expressions.at(-1) === inner) { inner = up; up = up.parent; }
    const called = (up.type === 'CallExpression' || up.type === 'NewExpression') && up.callee === inner && !up.optional;
    const read = up.type === 'MemberExpression' && up.object === inner && !up.optional;
    if (!called && !read) continue;
    emit({
      rule: 'import-of-nothing', sure: true, node, subject: called ? 'call' : keyOf(up) ?? 'member',
      text: called ? 'undefined is called: an import names what its module does not export'
        : `${keyOf(up) ?? 'a member'} is read from undefined: an import names what its module does not export`,
      advice: 'correct the name that is imported',
    });
  }
}

/** Members of constant tables, such as `State.ONGOING`, that the table does not have. */
function constants(bundle, emit) {
  for (const scope of bundle.scopes.scopes) {
    for (const variable of scope.variables) {
      const table = tableOf(variable) ?? staticsOf(variable, bundle);
      if (table) wrongKeys(variable, table, emit);
    }
  }
}

/** The keys of a variable that is an object literal and never changed; undefined for others. */
function tableOf(variable) {
  const definition = variable.defs[0];
  if (variable.defs.length !== 1 || definition.type !== 'Variable' || definition.name.parent !== definition.node) return undefined;
  let value = definition.node.init;
  if (value?.type === 'CallExpression' && value.callee.type === 'MemberExpression' && ['freeze', 'seal'].includes(keyOf(value.callee))) value = value.arguments[0];
  if (value?.type !== 'ObjectExpression' || value.properties.length < 2) return undefined;
  const keys = new Set();
  for (const property of value.properties) {
    const key = property.type === 'Property' ? keyOf(property) : undefined;
    if (key === undefined) return undefined;
    keys.add(key);
  }
  for (const reference of variable.references) {
    if (reference.isWrite() && !reference.init) return undefined;
    const parent = reference.identifier.parent;
    if (parent.type !== 'MemberExpression' || parent.object !== reference.identifier) continue;
    if (isWritten(parent) || parent.parent.type === 'UnaryExpression' && parent.parent.operator === 'delete') return undefined;
  }
  const escapes = variable.references.some((reference) => mayChange(reference.identifier));
  return { keys, escapes };
}

/** The members of a class itself and of those above it; undefined for what is no class, or one that is changed. */
function staticsOf(variable, bundle) {
  const definition = variable.defs[0];
  if (variable.defs.length !== 1) return undefined;
  const node = definition.type === 'ClassName' ? definition.node : definition.type === 'Variable' ? definition.node.init : null;
  if (!node || !isClass(node) || variable.references.some((one) => one.isWrite() && !one.init)) return undefined;
  const { chain, isWhole } = bundle.chain(node);
  if (!isWhole) return undefined;
  const keys = new Set(['prototype', 'name', 'length', 'call', 'apply', 'bind', 'toString', 'caller', 'arguments']);
  for (const one of chain) {
    for (const member of one.body.body) {
      if (!member.static) continue;
      const key = keyOf(member);
      if (key === undefined) return undefined;
      keys.add(key);
    }
  }
  // What code gives a class later on, by name or through a helper, is written somewhere.
  return { keys, escapes: variable.references.some((one) => mayChange(one.identifier)), others: bundle.made };
}

/** Whether an object is handed to code that may give it more members. */
function mayChange(node) {
  const parent = node.parent;
  if (parent.type === 'CallExpression' && parent.arguments[0] === node) {
    return parent.callee.type !== 'MemberExpression' || !['keys', 'values', 'entries', 'freeze', 'stringify'].includes(keyOf(parent.callee));
  }
  return false;
}

function wrongKeys(variable, table, emit) {
  for (const reference of variable.references) {
    const member = reference.identifier.parent;
    if (member.type !== 'MemberExpression' || member.object !== reference.identifier) continue;
    const key = keyOf(member);
    if (key === undefined || table.keys.has(key) || table.others?.has(key) || key in Object.prototype) continue;
    const near = nearest(key, table.keys), isAsked = isTested(member);
    if (isAsked && !near) continue;
    const called = member.parent.type === 'CallExpression' && member.parent.callee === member;
    emit({
      rule: 'unknown-constant', sure: !table.escapes && !isAsked && !member.optional, node: member.property, subject: `${variable.name}.${key}`,
      text: `${variable.name} has no ${called ? 'function ' : ''}${key}${near ? `: did you mean ${near}` : ''}`,
      advice: 'correct the name, or add the member',
    });
  }
}

/** Fields of a parser that are read, and that nothing in the bundle or the catalog ever makes. */
function fields(bundle, emit) {
  const fieldsOf = new Map();
  for (const node of bundle.of('MemberExpression')) {
    if (node.object.type !== 'ThisExpression') continue;
    const key = keyOf(node);
    if (key === undefined || key.startsWith('#') || bundle.made.has(key) || key in Object.prototype) continue;
    // Calls of what does not exist are dangling calls, which a check of their own judges.
    if ((node.parent.type === 'CallExpression' || node.parent.type === 'NewExpression') && node.parent.callee === node) continue;
    const isAsked = isTested(node) || node.optional || isTestedLater(node, bundle.scopes);
    const owner = classAround(node);
    if (!owner) continue;
    const { chain, isWhole } = bundle.chain(owner);
    if (!isWhole) continue;
    if (!fieldsOf.has(owner)) fieldsOf.set(owner, membersOf(chain));
    const near = nearest(key, fieldsOf.get(owner));
    // What is asked for first may be a hook that nobody has; a near name tells that it is none.
    if (isAsked && !(near && distance(key, near, 2) <= 1 && key.length > 3)) continue;
    emit({
      rule: 'unknown-field', sure: Boolean(near) && !bundle.hasProxy && !isAsked, node: node.property, subject: key,
      text: `this.${key} is read, and nothing ever makes it${near ? `: did you mean ${near}` : ''}`,
      advice: 'correct the name, or give it a value in the constructor',
    });
  }
}

function classAround(node) {
  const holder = thisHolder(node);
  const member = holder?.type === 'PropertyDefinition' ? holder : holder?.parent;
  return member?.parent?.type === 'ClassBody' ? member.parent.parent : null;
}

/** Every member of some classes: what they define, and what their code assigns to `this`. */
function membersOf(chain) {
  const members = new Set();
  for (const owner of chain) {
    walk(owner.body, (node) => {
      const key = keyOf(node);
      if (key === undefined) return;
      if (node.type === 'MethodDefinition' || node.type === 'PropertyDefinition') members.add(key);
      if (node.type === 'MemberExpression' && node.object.type === 'ThisExpression' && isWritten(node)) members.add(key);
    });
  }
  return members;
}

const callbackTakers = new Set(['map', 'forEach', 'filter', 'find', 'findIndex', 'findLast', 'some', 'every', 'flatMap', 'reduce',
  'reduceRight', 'sort', 'then', 'catch', 'finally', 'replace', 'replaceAll', 'from']);

/** `this` in a plain function that is handed to `map` and the like, where it is undefined. */
function lostThis(bundle, emit) {
  for (const node of bundle.of('ThisExpression')) {
    const holder = thisHolder(node);
    if (holder?.type !== 'FunctionExpression' || node.parent.type !== 'MemberExpression' || node.parent.object !== node) continue;
    const call = holder.parent;
    if (call.type !== 'CallExpression' || call.callee.type !== 'MemberExpression' || !classAround(call)) continue;
    const method = keyOf(call.callee), position = call.arguments.indexOf(holder);
    const isFrom = method === 'from';
    if (!callbackTakers.has(method) || position < 0) continue;
    // The argument after the function is the `this` that it gets.
    const takesThis = !['then', 'catch', 'finally', 'replace', 'replaceAll', 'sort', 'reduce', 'reduceRight'].includes(method);
    if (takesThis && call.arguments.length > position + 1) continue;
    if (isFrom !== (position === 1) || node.parent.optional) continue;
    emit({
      rule: 'lost-this', sure: true, node, subject: keyOf(node.parent) ?? 'this',
      text: `this.${keyOf(node.parent) ?? '…'} is used in a plain function given to ${method}(), where this is undefined`,
      advice: 'write the function with =>',
    });
  }
}

module.exports = { names };
