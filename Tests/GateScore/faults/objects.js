'use strict';
// `this`, getters, constructors.
const { kindsOf } = require('../kind.js');
const { replace, insert, remove } = require('../edits.js');

const isOwn = (node) => node.type === 'MemberExpression' && !node.computed && node.object.type === 'ThisExpression';
const usesThis = (program, fn) => program.inside(fn.body, 'ThisExpression').some((node) => program.thisIsParser(node));
const definition = (program, name, kind) => program.classes.some((one) => one.isParser && one.methods
  .some((method) => method.kind === kind && method.key.name === name && !method.static));
const ownCalls = (program) => program.all('CallExpression').filter((node) => isOwn(node.callee) && program.thisIsParser(node)
  && definition(program, node.callee.property.name, 'method'));

// The arrow function as one of the old kind, which has its own `this`.
function asFunction(node, program) {
  const parameters = node.params.map((one) => program.source(one)).join(', ');
  const body = node.body.type === 'BlockStatement' ? program.source(node.body) : `{ return ${inner(node, program)}; }`;
  return `${node.async ? 'async ' : ''}function(${parameters}) ${body}`;
}
// The body with the parentheses that an object literal needs.
function inner(node, program) {
  const text = program.text.slice(node.start, node.end);
  return text.slice(text.indexOf('=>') + 2).trim();
}

const thisIn = (program, node) => program.inside(node.body, 'ThisExpression');

module.exports = kindsOf('objects', [
  {
    name: 'this-lost-in-function', count: 8,
    places: (program) => program.all('ArrowFunctionExpression').filter((node) => node.parent.type === 'CallExpression' && program.thisIsParser(node)
      && usesThis(program, node)),
    change: (node, program) => ({ edits: [replace(node, asFunction(node, program))], what: 'this is lost in a function', also: thisIn(program, node) }),
  },
  {
    name: 'this-forgotten', count: 6, places: ownCalls,
    change: (node) => ({ edits: [replace(node.callee, node.callee.property.name)], what: 'this. is forgotten' }),
  },
  {
    name: 'this-forgotten-at-field', count: 4,
    places: (program) => program.all('MemberExpression').filter((node) => isOwn(node) && program.methodOf(node) && program.methodOf(node).kind === 'method'
      && node.parent.left !== node && node.parent.callee !== node && /^select|Path$|url/i.test(node.property.name)),
    change: (node) => ({ edits: [replace(node, node.property.name)], what: 'this. is forgotten' }),
  },
  {
    name: 'getter-called', count: 5,
    places: (program) => program.all('MemberExpression').filter((node) => isOwn(node) && definition(program, node.property.name, 'get') && node.parent.callee !== node),
    change: (node) => ({ edits: [insert(node.end, '()')], what: 'a getter is called' }),
  },
  {
    name: 'method-read-as-property', count: 6,
    places: (program) => ownCalls(program).filter((node) => node.parent.type !== 'ExpressionStatement' && node.arguments.length <= 1),
    change: (node, program) => ({ edits: [replace(node, program.source(node.callee))], what: 'a method is read and not called' }),
  },
  {
    name: 'method-handed-over-without-this', count: 5,
    places: (program) => program.all('ArrowFunctionExpression').filter((node) => node.params.length >= 1 && node.body.type === 'CallExpression'
      && isOwn(node.body.callee) && node.parent.type === 'CallExpression' && methodUsesThis(program, node.body)),
    change: (node, program) => ({
      edits: [replace(node, program.source(node.body.callee))], what: 'a method is handed over without this',
      also: thisOfMethod(program, node.body),
    }),
  },
  {
    name: 'super-forgotten', count: 4,
    places: (program) => program.all('CallExpression').filter((node) => node.callee.type === 'Super' && node.parent.type === 'ExpressionStatement'),
    change: (node, program) => ({ edits: [remove(node.parent)], what: 'super() is forgotten', also: [program.methodOf(node), program.classOf(node).node] }),
  },
  {
    name: 'super-after-this', count: 3,
    places: (program) => program.all('CallExpression').filter((node) => node.callee.type === 'Super' && nextStatement(node)),
    change: (node, program) => {
      const next = nextStatement(node);
      const text = `${program.source(next)}\n      ${program.source(node.parent)}`;
      return { edits: [replace({ start: node.parent.start, end: next.end }, text)], what: 'this is used before super()' };
    },
  },
  {
    name: 'new-forgotten', count: 5,
    places: (program) => program.all('NewExpression').filter((node) => node.callee.type === 'Identifier' && program.classNamed.has(node.callee.name)),
    change: (node, program) => ({ edits: [replace(node, program.source(node).replace(/^new\s+/, ''))], what: 'new is forgotten' }),
  },
  {
    name: 'super-method-without-super', count: 3,
    places: (program) => program.all('MemberExpression').filter((node) => node.object.type === 'Super' && node.parent.type === 'CallExpression'
      && program.methodOf(node).key.name === node.property.name),
    change: (node) => ({ edits: [replace(node.object, 'this')], what: 'a method calls itself in place of its base' }),
  },
]);

function nextStatement(node) {
  if (node.parent.type !== 'ExpressionStatement' || node.parent.parent.type !== 'BlockStatement') return null;
  const next = node.parent.parent.body[node.parent.parent.body.indexOf(node.parent) + 1];
  return next && next.type === 'ExpressionStatement' ? next : null;
}

function called(program, call) {
  const one = program.classOf(call);
  return one && program.method(one, call.callee.property.name);
}
function methodUsesThis(program, call) {
  const method = called(program, call);
  return Boolean(method && usesThis(program, method.value));
}
function thisOfMethod(program, call) {
  return program.inside(called(program, call).value.body, 'ThisExpression');
}
