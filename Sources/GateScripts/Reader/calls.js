// What calls tell by themselves: constructors, getters, methods that lose their parser, arguments that every other call has.
'use strict';

const { walk, isFunction, isClass, keyOf, memberAround } = require('./syntax.js');

const contractMethods = new Set(['getListPage', 'getDetails', 'getChapters', 'getPages']);
const resultLists = new Set(['chapters', 'pages', 'tags']);
const gatherers = new Set(['all', 'allSettled', 'any', 'race']);
const callbackTakers = new Set(['map', 'forEach', 'filter', 'find', 'findIndex', 'some', 'every', 'flatMap', 'then']);
/** A call has too few arguments only beside so many others that have more. */
const leastOthers = 3;

function calls(bundle, emit) {
  constructors(bundle, emit);
  withoutNew(bundle, emit);
  gettersCalled(bundle, emit);
  handedOver(bundle, emit);
  asyncCallbacks(bundle, emit);
  argumentsOf(bundle, emit);
  parametersOf(bundle, emit);
}

/** Constructors of derived classes that do not call `super()`, or use `this` before it: both throw. */
function constructors(bundle, emit) {
  for (const node of bundle.classes) {
    const made = node.superClass && node.body.body.find((member) => member.kind === 'constructor');
    if (!made) continue;
    let call, early, returns = false;
    walk(made.value.body, (inner) => {
      if (inner.type === 'CallExpression' && inner.callee.type === 'Super') call ??= inner;
      if (inner.type === 'ReturnStatement' && inner.argument) returns = true;
      if (inner.type === 'ThisExpression' && !early && isOwn(inner, made.value)) early = inner;
    });
    const name = node.title || 'the class';
    if (!call && !returns) {
      emit({
        rule: 'no-super-call', sure: true, node: made.key, subject: `${name}.constructor`,
        text: `the constructor of ${name} does not call super(), which throws`, advice: 'call super() first',
      });
    } else if (call && early && early.range[0] < call.range[0] && call.parent.parent === made.value.body) {
      emit({
        rule: 'this-before-super', sure: true, node: early, subject: `${name}.constructor`,
        text: `the constructor of ${name} uses this before super(), which throws`, advice: 'call super() first',
      });
    }
  }
}

/** Whether a `this` is that of a function and not of one inside it. */
function isOwn(node, owner) {
  for (let up = node.parent; up && up !== owner; up = up.parent) if (isFunction(up) || isClass(up)) return false;
  return true;
}

/** The definition that a name leads to; undefined when it may lead elsewhere. */
function definitionOf(identifier, bundle) {
  bundle.definitions ??= (() => {
    const found = new Map();
    for (const scope of bundle.scopes.scopes) {
      for (const variable of scope.variables) {
        const definition = variable.defs[0];
        if (variable.defs.length !== 1 || variable.references.some((one) => one.isWrite() && !one.init)) continue;
        const node = definition.type === 'Variable' ? definition.node.init : definition.node;
        if (node) for (const reference of variable.references) found.set(reference.identifier, node);
      }
    }
    return found;
  })();
  return bundle.definitions.get(identifier);
}

function withoutNew(bundle, emit) {
  for (const node of bundle.of('CallExpression')) {
    if (node.callee.type !== 'Identifier') continue;
    const made = definitionOf(node.callee, bundle);
    if (!made || !isClass(made)) continue;
    emit({
      rule: 'no-new', sure: true, node: node.callee, subject: node.callee.name,
      text: `the class ${node.callee.name} is called without new, which throws`, advice: `write new ${node.callee.name}(…)`,
    });
  }
}

/** `this.origin()` where origin is a getter, wherever it is defined. */
function gettersCalled(bundle, emit) {
  for (const node of bundle.of('CallExpression')) {
    const { callee } = node, key = callee.type === 'MemberExpression' && callee.object.type === 'ThisExpression' ? keyOf(callee) : undefined;
    const all = key && bundle.methods.get(key);
    if (!all?.length || !all.every((one) => one.kind === 'get') || bundle.assigned.has(key) || node.optional) continue;
    // A getter may give a function.
    if (all.some((one) => one.value.body.body.some((statement) => statement.type !== 'ReturnStatement' || !isPlain(statement.argument)))) continue;
    emit({
      rule: 'getter-called', sure: true, node: callee.property, subject: key,
      text: `this.${key} is a getter, and its value is called`, advice: 'leave the parentheses out',
    });
  }
}

const isPlain = (node) => ['Literal', 'TemplateLiteral', 'ArrayExpression', 'ObjectExpression', 'BinaryExpression', 'NewExpression'].includes(node?.type)
  || node?.type === 'MemberExpression' || node?.type === 'ConditionalExpression' && isPlain(node.consequent) && isPlain(node.alternate);

/** `list.map(this.itemOf)`, where itemOf uses `this`. */
function handedOver(bundle, emit) {
  for (const node of bundle.of('CallExpression')) {
    const method = node.callee.type === 'MemberExpression' ? keyOf(node.callee) : undefined;
    const given = node.arguments[0];
    if (!callbackTakers.has(method) || method !== 'then' && node.arguments.length > 1) continue;
    const key = given?.type === 'MemberExpression' && given.object.type === 'ThisExpression' ? keyOf(given) : undefined;
    const all = key && bundle.methods.get(key);
    if (!all?.length || bundle.assigned.has(key) || !all.every((one) => one.kind === 'method' && !one.static && usesThis(one.value))) continue;
    emit({
      rule: 'lost-this', sure: true, node: given, subject: key,
      text: `this.${key} is handed to ${method}() without its parser, and uses this`, advice: `write (one) => this.${key}(one)`,
    });
  }
}

/** Whether a function uses a member of its own `this`. */
function usesThis(method) {
  let uses = false;
  walk(method.body, (node) => { if (node.type === 'ThisExpression' && node.parent.type === 'MemberExpression' && !isInner(node, method)) uses = true; });
  return uses;
}

function isInner(node, owner) {
  for (let up = node.parent; up && up !== owner; up = up.parent) if (up.type === 'FunctionExpression' || up.type === 'FunctionDeclaration' || isClass(up)) return true;
  return false;
}

/** `filter(async …)`, and `map(async …)` whose promises an app gets as entries. */
function asyncCallbacks(bundle, emit) {
  for (const node of bundle.of('CallExpression')) {
    const method = node.callee.type === 'MemberExpression' ? keyOf(node.callee) : undefined;
    const given = node.arguments[0];
    if (!given || !isFunction(given) || !given.async || bundle.methods.has(method)) continue;
    if (['filter', 'some', 'every', 'find', 'findIndex'].includes(method)) {
      emit({
        rule: 'promise-as-value', sure: true, node: given, subject: method,
        text: `${method}() gets an async function, whose promise is always true`, advice: `await the answers first, then ${method}`,
      });
    } else if (method === 'map' && isResult(node)) {
      emit({
        rule: 'promise-as-value', sure: true, node: given, subject: method,
        text: 'an app gets an array of promises: Promise.all is missing', advice: 'write await Promise.all(…) around the list, or leave async out',
      });
    }
  }
}

/** Whether a list is what an app gets: returned by a method of the contract, or the chapters of a result. */
function isResult(node) {
  let inner = node;
  for (let up = node.parent; up; inner = up, up = up.parent) {
    if (up.type === 'Property') return up.value === inner && resultLists.has(keyOf(up));
    if (up.type === 'ReturnStatement') {
      const around = memberAround(up);
      return Boolean(around?.owner) && contractMethods.has(keyOf(around.member)) && isOwn(up, around.member.value);
    }
    if (!['ConditionalExpression', 'LogicalExpression'].includes(up.type)) return false;
  }
  return false;
}

// MARK: Arguments

/** Calls of the bundle's own functions by what they call. */
function callsByTarget(bundle) {
  const targets = new Map();
  const add = (target, made, node) => {
    if (!targets.has(target)) targets.set(target, { made, nodes: [] });
    targets.get(target).nodes.push(node);
  };
  for (const node of [...bundle.of('CallExpression'), ...bundle.of('NewExpression')]) {
    const { callee } = node;
    if (callee.type === 'Identifier') {
      const made = definitionOf(callee, bundle), found = made && isClass(made) ? made.body.body.find((one) => one.kind === 'constructor')?.value : made;
      if (found && isFunction(found)) add(found, found, node);
    } else if (callee.type === 'Super') {
      const owner = memberAround(node)?.owner, above = owner?.above?.body.body.find((one) => one.kind === 'constructor')?.value;
      if (above) add(above, above, node);
    } else if (callee.type === 'MemberExpression') {
      const key = keyOf(callee), all = bundle.methods.get(key);
      if (all?.length === 1 && all[0].kind === 'method' && ['ThisExpression', 'Super'].includes(callee.object.type) && !bundle.assigned.has(key)) add(all[0].value, all[0].value, node);
    }
  }
  return targets.values();
}

function argumentsOf(bundle, emit) {
  for (const { made, nodes } of callsByTarget(bundle)) {
    const names = made.params.map((one) => one.type === 'Identifier' ? one.name : undefined);
    const needed = made.params.findIndex((one) => one.type !== 'Identifier'), least = needed < 0 ? made.params.length : needed;
    const plain = nodes.filter((node) => !node.arguments.some((one) => one.type === 'SpreadElement'));
    for (const node of plain) {
      const count = node.arguments.length;
      if (count < least && plain.length > leastOthers && plain.every((one) => one === node || one.arguments.length > count)) {
        emit({
          rule: 'fewer-arguments', sure: false, node, subject: names[count] ?? 'argument',
          text: `${names[count] ?? 'an argument'} is not handed over, as every other call of ${calleeName(node)} does`, advice: 'give the missing argument',
        });
      }
      swapped(node, names, emit);
    }
  }
}

/** Two arguments that have each other's names. */
function swapped(node, names, emit) {
  const given = node.arguments.map((one) => one.type === 'Identifier' ? one.name : one.type === 'MemberExpression' ? keyOf(one) : undefined);
  for (let one = 0; one < given.length; one += 1) {
    for (let other = one + 1; other < given.length; other += 1) {
      // Names of minified code mean nothing.
      if (!(given[one]?.length > 2) || !(given[other]?.length > 2) || given[one] === given[other] || given[one] !== names[other] || given[other] !== names[one]) continue;
      emit({
        rule: 'swapped-arguments', sure: false, node, subject: given[one],
        text: `${given[one]} and ${given[other]} change places in a call of ${calleeName(node)}`, advice: `the order is ${names.join(', ')}`,
      });
    }
  }
}

const calleeName = (node) => node.callee.type === 'Super' ? 'the constructor above' : node.callee.type === 'Identifier' ? node.callee.name : keyOf(node.callee) ?? 'it';

/** Methods whose parameters stand in another order than in all other classes. */
function parametersOf(bundle, emit) {
  for (const [key, all] of bundle.methods) {
    if (all.length < leastOthers || key === 'constructor') continue;
    const orders = new Map();
    for (const one of all) {
      const order = one.value.params.map((each) => (each.type === 'AssignmentPattern' ? each.left : each).name ?? '').join(' ');
      if (!orders.has(order)) orders.set(order, []);
      orders.get(order).push(one);
    }
    for (const [order, some] of orders) {
      const names = order.split(' ');
      if (names.length < 2 || names.some((name) => name.length < 3)) continue;
      const contrary = contraryTo(names, orders, order);
      if (!contrary) continue;
      for (const one of some) {
        emit({
          rule: 'swapped-parameters', sure: false, node: one.key, subject: key,
          text: `the parameters of ${key} are in another order than elsewhere: ${names.join(', ')}`, advice: `elsewhere they are ${contrary.split(' ').join(', ')}`,
        });
      }
    }
  }
}

/** The order that all other definitions have the same parameters in, at least two of them; undefined when one agrees. */
function contraryTo(names, orders, own) {
  if (orders.get(own).length > 1) return undefined;
  let count = 0, found;
  for (const [order, some] of orders) {
    const words = order.split(' ');
    if (order === own || words.length < 2) continue;
    const theirs = words.filter((name) => names.includes(name));
    if (theirs.length < 2) continue;
    if (theirs.join(' ') === names.filter((name) => words.includes(name)).join(' ')) return undefined;
    count += some.length;
    found ??= order;
  }
  return count >= 2 ? found : undefined;
}

module.exports = { calls };
