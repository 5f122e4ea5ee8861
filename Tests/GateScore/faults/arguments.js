'use strict';
// Calls with other arguments than the function takes.
const { kindsOf } = require('../kind.js');
const { replace } = require('../edits.js');
const { ENTRY_METHODS } = require('../program.js');

const requests = (program, name) => program.all('CallExpression').filter((node) => node.callee.type === 'MemberExpression'
  && node.callee.object.type === 'MemberExpression' && node.callee.object.property.name === 'context' && node.callee.property.name === name);
const texts = (program, nodes) => nodes.map((node) => program.source(node));
const argumentsOf = (node) => ({ start: node.arguments[0].start, end: node.arguments[node.arguments.length - 1].end });
const write = (node, list, what) => ({ edits: [replace(argumentsOf(node), list.join(', '))], what });

// The parameters of what a call of an own method or a helper reaches.
function parametersOf(node, program) {
  if (node.callee.type === 'Identifier') {
    const found = (program.byType.get('FunctionDeclaration') || []).find((one) => one.id.name === node.callee.name);
    return found ? found.params : null;
  }
  if (node.callee.type !== 'MemberExpression' || node.callee.object.type !== 'ThisExpression') return null;
  const one = program.classOf(node);
  const found = one && program.method(one, node.callee.property.name);
  return found ? found.value.params : null;
}
const ownCalls = (program) => program.all('CallExpression').filter((node) => node.callee.type === 'MemberExpression' && program.methodOf(node)
  && parametersOf(node, program) && !node.arguments.some((one) => one.type === 'SpreadElement'));
const helperCalls = (program) => program.all('CallExpression').filter((node) => node.callee.type === 'Identifier' && program.methodOf(node)
  && parametersOf(node, program));

// Two arguments that are surely of different kinds, so that the order matters.
const differ = (node, program) => node.arguments.length >= 2 && program.source(node.arguments[0]) !== program.source(node.arguments[1]);
const isNeeded = (node, program) => {
  const parameters = parametersOf(node, program);
  const last = parameters[node.arguments.length - 1];
  return node.arguments.length > 0 && parameters.length >= node.arguments.length && last.type === 'Identifier';
};
const dropLast = (node, program) => {
  const kept = texts(program, node.arguments.slice(0, -1));
  return { edits: [replace(argumentsOf(node), kept.join(', '))], what: `${program.source(node.arguments[node.arguments.length - 1])} is not handed over` };
};
const swapTwo = (node, program) => {
  const [first, second, ...rest] = texts(program, node.arguments);
  return write(node, [second, first, ...rest], 'two arguments changed places');
};
const swapParameters = (node, program) => {
  const [first, second, ...rest] = texts(program, node.params);
  const range = { start: node.params[0].start, end: node.params[node.params.length - 1].end };
  return { edits: [replace(range, [second, first, ...rest].join(', '))], what: 'two parameters changed places', at: node };
};
const plainParameters = (fn) => fn.params.length >= 2 && fn.params.slice(0, 2).every((one) => one.type === 'Identifier');

module.exports = kindsOf('arguments', [
  {
    name: 'request-without-parser', count: 5,
    places: (program) => requests(program, 'httpGet').filter((node) => node.arguments[1] && node.arguments[1].type === 'ThisExpression'),
    change: (node, program) => write(node, [program.source(node.arguments[0]), ...texts(program, node.arguments.slice(2))], 'the parser is not handed over'),
  },
  {
    name: 'request-without-address', count: 5, places: (program) => requests(program, 'httpGet').filter((node) => node.arguments.length >= 2),
    change: (node, program) => write(node, texts(program, node.arguments.slice(1)), 'the address is not handed over'),
  },
  { name: 'request-swapped', count: 5, places: (program) => requests(program, 'httpGet').filter((node) => node.arguments.length >= 2), change: swapTwo },
  {
    name: 'post-without-headers', count: 3, places: (program) => requests(program, 'httpPost').filter((node) => node.arguments.length === 4),
    change: (node, program) => write(node, [0, 1, 3].map((at) => program.source(node.arguments[at])), 'the headers are not handed over'),
  },
  {
    name: 'post-swapped', count: 4, places: (program) => requests(program, 'httpPost').filter((node) => node.arguments.length >= 3),
    change: (node, program) => {
      const [url, body, headers, ...rest] = texts(program, node.arguments);
      return write(node, [url, headers, body, ...rest], 'body and headers changed places');
    },
  },
  {
    name: 'post-without-body', count: 3, places: (program) => requests(program, 'httpPost').filter((node) => node.arguments.length >= 3),
    change: (node, program) => write(node, texts(program, [node.arguments[0], ...node.arguments.slice(2)]), 'the body is not handed over'),
  },
  { name: 'own-arguments-swapped', count: 6, places: (program) => ownCalls(program).filter((node) => differ(node, program)), change: swapTwo },
  { name: 'own-argument-missing', count: 6, places: (program) => ownCalls(program).filter((node) => isNeeded(node, program)), change: dropLast },
  { name: 'helper-arguments-swapped', count: 4, places: (program) => helperCalls(program).filter((node) => differ(node, program)), change: swapTwo },
  { name: 'helper-argument-missing', count: 4, places: (program) => helperCalls(program).filter((node) => isNeeded(node, program)), change: dropLast },
  {
    name: 'parameters-swapped', count: 4,
    places: (program) => program.all('MethodDefinition').filter((node) => node.kind === 'method' && plainParameters(node.value)
      && !ENTRY_METHODS.includes(node.key.name)).map((node) => node.value),
    change: swapParameters,
  },
  {
    name: 'entry-parameters-swapped', count: 3,
    places: (program) => program.all('MethodDefinition').filter((node) => node.key.name === 'getListPage' && plainParameters(node.value)
      && program.inside(node.value.body, 'Identifier').some((one) => one.name === node.value.params[0].name)).map((node) => node.value),
    change: swapParameters,
  },
  {
    name: 'callback-parameters-swapped', count: 5,
    places: (program) => program.all('ArrowFunctionExpression').filter((node) => plainParameters(node) && program.methodOf(node)
      && node.parent.type === 'CallExpression' && node.parent.callee.property && ['map', 'forEach', 'filter'].includes(node.parent.callee.property.name)),
    change: swapParameters,
  },
  {
    name: 'address-without-base', count: 2,
    places: (program) => program.all('NewExpression').filter((node) => node.callee.name === 'URL' && node.arguments.length === 2), change: dropLast2,
  },
  {
    name: 'constructor-argument-missing', count: 4,
    places: (program) => program.all('CallExpression').filter((node) => node.callee.type === 'Super' && node.arguments.length >= 3),
    change: (node, program) => write(node, texts(program, node.arguments.slice(0, 2)), 'the domain is not handed to the base class'),
  },
]);

function dropLast2(node, program) {
  return write(node, [program.source(node.arguments[0])], 'the base of the address is not handed over');
}
