'use strict';
// Promises that nobody waits for.
const { kindsOf } = require('../kind.js');
const { replace, insert } = require('../edits.js');

const isContextCall = (node) => node.type === 'CallExpression' && node.callee.type === 'MemberExpression'
  && node.callee.object.type === 'MemberExpression' && node.callee.object.property.name === 'context';
const isOwnCall = (node) => node.type === 'CallExpression' && node.callee.type === 'MemberExpression'
  && ['ThisExpression', 'Super'].includes(node.callee.object.type);
const isPromiseAll = (node) => node.type === 'CallExpression' && node.callee.type === 'MemberExpression'
  && node.callee.object.name === 'Promise' && node.arguments.length === 1;

// Awaits whose value is used; one that is returned at once changes nothing when it goes.
const awaits = (program, isIt) => program.all('AwaitExpression').filter((node) => isIt(node.argument) && program.methodOf(node)
  && !['ReturnStatement', 'ExpressionStatement', 'ArrowFunctionExpression'].includes(node.parent.type));
// What was not waited for fails where it is used.
const usesOf = (node, program) => node.parent.type === 'VariableDeclarator' && node.parent.id.type === 'Identifier'
  ? program.inside(program.functionOf(node).body, 'Identifier').filter((one) => one.name === node.parent.id.name && program.isRead(one)) : [];
const forget = (node, program) => ({ edits: [replace(node, program.source(node.argument))], what: 'await is forgotten', also: usesOf(node, program) });

const callbacks = (program, names) => program.all('ArrowFunctionExpression').filter((node) => !node.async && program.methodOf(node)
  && node.parent.type === 'CallExpression' && node.parent.arguments[0] === node && node.parent.callee.type === 'MemberExpression'
  && names.includes(node.parent.callee.property.name) && !program.around(node, isPromiseAll));
const makeAsync = (node) => ({ edits: [insert(node.start, 'async ')], what: 'the callback is async' });

// Calls of a method by `this` whose value is used without waiting.
function plainCalls(program, name) {
  return program.all('CallExpression').filter((node) => isOwnCall(node) && node.callee.property.name === name
    && !['AwaitExpression', 'ReturnStatement', 'ExpressionStatement'].includes(node.parent.type));
}

module.exports = kindsOf('promises', [
  { name: 'await-forgotten-at-request', count: 8, places: (program) => awaits(program, isContextCall), change: forget },
  { name: 'await-forgotten-at-method', count: 8, places: (program) => awaits(program, isOwnCall), change: forget },
  { name: 'async-callback-in-map', count: 6, places: (program) => callbacks(program, ['map', 'flatMap']), change: makeAsync },
  { name: 'async-callback-in-filter', count: 4, places: (program) => callbacks(program, ['filter', 'find', 'some', 'every']), change: makeAsync },
  { name: 'async-callback-in-sort', count: 2, places: (program) => callbacks(program, ['sort']), change: makeAsync },
  {
    name: 'promise-all-forgotten', count: 4, places: (program) => awaits(program, isPromiseAll),
    change: (node, program) => ({ edits: [replace(node, program.source(node.argument.arguments[0]))], what: 'await Promise.all is forgotten' }),
  },
  {
    name: 'await-all-forgotten', count: 3, places: (program) => awaits(program, isPromiseAll), change: forget,
  },
  {
    name: 'method-made-async', count: 8,
    places: (program) => program.all('MethodDefinition').filter((node) => node.kind === 'method' && !node.value.async && !node.value.generator
      && !node.static && program.classOf(node) && program.classOf(node).isParser && plainCalls(program, node.key.name).length > 0),
    change: (node, program) => ({
      edits: [insert(node.start, 'async ')], what: `${node.key.name} is async, and its callers do not wait`,
      also: plainCalls(program, node.key.name), at: node,
    }),
  },
]);
