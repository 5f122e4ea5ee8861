'use strict';
// Members that the language, the page or the context of the app do not have, and the wrong kind of value for a method.
const { kindsOf } = require('../kind.js');
const { replace } = require('../edits.js');
const { misspelt } = require('../random.js');

const DOM_PROPERTIES = ['textContent', 'innerHTML', 'parentElement', 'children', 'classList', 'scripts', 'innerText', 'outerHTML', 'nextElementSibling', 'dataset', 'body'];
const DOM_METHODS = ['querySelector', 'querySelectorAll', 'getAttribute', 'matches', 'closest', 'hasAttribute', 'contains'];
const STRING_METHODS = ['trim', 'replace', 'split', 'startsWith', 'endsWith', 'toLowerCase', 'toUpperCase', 'substring', 'charCodeAt', 'match', 'normalize', 'localeCompare', 'lastIndexOf'];
const ARRAY_METHODS = ['map', 'filter', 'push', 'find', 'join', 'reverse', 'concat', 'sort', 'flat', 'flatMap', 'forEach', 'some', 'pop', 'indexOf'];
const CONTEXT = { httpGet: ['httpget', 'httpGET', 'get', 'htttpGet'], httpPost: ['httppost', 'post', 'httpPots'], parseHTML: ['parseHtml', 'parse', 'parseHTLM'] };
const STRANGE = {
  push: 'add', includes: 'contain', trim: 'strip', toLowerCase: 'lower', forEach: 'each', join: 'implode', filter: 'where', map: 'collect',
  startsWith: 'beginsWith', replace: 'gsub', split: 'explode', reverse: 'reversed', indexOf: 'index', sort: 'sorted', concat: 'append',
};
const JSOUP = { getAttribute: 'attr', querySelectorAll: 'select', querySelector: 'selectFirst' };
const GLOBAL_CLASSES = ['Set', 'Map', 'URL', 'URLSearchParams', 'Date', 'TextDecoder', 'RegExp', 'Array', 'Error'];
const GLOBAL_FUNCTIONS = ['parseInt', 'parseFloat', 'encodeURIComponent', 'decodeURIComponent', 'isNaN', 'atob', 'btoa', 'Number', 'String', 'Boolean'];
const STATICS = ['JSON', 'Object', 'Array', 'Math', 'Date', 'Number', 'Promise', 'Uint8Array', 'BigInt'];

const isMember = (node) => !node.computed && node.property.type === 'Identifier';
const members = (program, names) => program.all('MemberExpression').filter((node) => isMember(node) && names.includes(node.property.name));
const isCallee = (node) => node.parent.type === 'CallExpression' && node.parent.callee === node;
const isContext = (node) => node.object.type === 'MemberExpression' && node.object.property.name === 'context';
const slip = (node, program, random) => {
  const name = misspelt(node.name, random, (other) => program.hasName(other) || isKnown(other));
  return { edits: [replace(node, name)], what: `${node.name} is ${name}` };
};
const rename = (node, program, random) => slip(node.property, program, random);
const called = (names) => (program) => members(program, names).filter((node) => isCallee(node) && !isContext(node)
  && node.object.type !== 'ThisExpression');
// A bundler's own code at the top is no parser's.
const isParserCode = (program, node) => program.methodOf(node) !== null || program.functionOf(node) !== null;

function isKnown(name) {
  return [Array, String, Set, Map, Object, Promise, RegExp, Number].some((one) => name in one.prototype || name in one) || name in globalThis
    || name in Math || name in JSON || DOM_PROPERTIES.includes(name) || DOM_METHODS.includes(name);
}

const allOf = (node) => node.type === 'CallExpression' && node.callee.type === 'MemberExpression' && node.callee.property.name === 'querySelectorAll';
const isFirstOf = (node) => node.type === 'CallExpression' && node.callee.type === 'MemberExpression' && node.callee.property.name === 'querySelector';
// Every use of a node list that needs something to go through.
const iterated = (program) => program.all('CallExpression').filter((node) => allOf(node)
  && (node.parent.type === 'SpreadElement' || (node.parent.type === 'ForOfStatement' && node.parent.right === node)
    || (node.parent.type === 'CallExpression' && node.parent.arguments[0] === node && /Array/.test(program.source(node.parent.callee)))));
// A list that was made an array for a method that only arrays have.
const arrayed = (program) => program.all('MemberExpression').filter((node) => {
  if (!isMember(node) || !isCallee(node) || !['map', 'filter', 'reverse', 'find', 'flatMap'].includes(node.property.name)) return false;
  return Boolean(listIn(node.object));
});
function listIn(node) {
  if (node.type === 'ArrayExpression' && node.elements.length === 1 && node.elements[0] && node.elements[0].type === 'SpreadElement') {
    return allOf(node.elements[0].argument) ? node.elements[0].argument : null;
  }
  const isFrom = node.type === 'CallExpression' && node.callee.type === 'MemberExpression' && node.callee.property.name === 'from'
    && node.arguments.length === 1;
  return isFrom && allOf(node.arguments[0]) ? node.arguments[0] : null;
}
// One element whose member is read afterwards.
const single = (program) => program.all('CallExpression').filter((node) => isFirstOf(node) && node.parent.type === 'VariableDeclarator'
  && node.parent.id.type === 'Identifier' && program.inside(program.functionOf(node).body, 'MemberExpression')
    .some((one) => one.object.name === node.parent.id.name && ['getAttribute', 'querySelector', 'textContent'].includes(one.property.name)));

module.exports = kindsOf('interfaces', [
  {
    name: 'dom-property-misspelt', count: 8,
    places: (program) => members(program, DOM_PROPERTIES).filter((node) => !isCallee(node) && node.parent.left !== node && node.object.type !== 'ThisExpression'),
    change: rename,
  },
  { name: 'dom-method-misspelt', count: 8, places: called(DOM_METHODS), change: rename },
  { name: 'string-method-misspelt', count: 6, places: called(STRING_METHODS), change: rename },
  { name: 'array-method-misspelt', count: 6, places: called(ARRAY_METHODS), change: rename },
  {
    name: 'method-of-another-language', count: 6, places: called(Object.keys(STRANGE)),
    change: (node) => ({ edits: [replace(node.property, STRANGE[node.property.name])], what: `${node.property.name} is ${STRANGE[node.property.name]}` }),
  },
  {
    name: 'method-of-jsoup', count: 6, places: called(Object.keys(JSOUP)),
    change: (node) => ({ edits: [replace(node.property, JSOUP[node.property.name])], what: `${node.property.name} is ${JSOUP[node.property.name]}` }),
  },
  {
    name: 'text-as-method', count: 4,
    places: (program) => members(program, ['textContent', 'innerHTML']).filter((node) => !isCallee(node) && node.parent.left !== node),
    change: (node) => ({ edits: [replace(node.property, node.property.name === 'innerHTML' ? 'html()' : 'text()')], what: 'a property is called as in jQuery' }),
  },
  {
    name: 'length-misspelt', count: 4,
    places: (program) => members(program, ['length']).filter((node) => isParserCode(program, node) && /If|Binary|Return/.test(node.parent.type)
      && !program.around(node, (at) => /^(For|While)/.test(at.type) && at.test && program.within(at.test, node))),
    change: (node, program, random) => {
      const name = random.pick(['lenght', 'size', 'count', 'lengt']);
      return { edits: [replace(node.property, name)], what: `length is ${name}` };
    },
  },
  {
    name: 'static-misspelt', count: 6,
    places: (program) => program.all('MemberExpression').filter((node) => isMember(node) && isCallee(node) && STATICS.includes(node.object.name)
      && isParserCode(program, node)),
    change: rename,
  },
  {
    name: 'context-method-misspelt', count: 8,
    places: (program) => program.all('MemberExpression').filter((node) => isMember(node) && isContext(node) && CONTEXT[node.property.name]),
    change: (node, program, random) => {
      const name = random.pick(CONTEXT[node.property.name]);
      return { edits: [replace(node.property, name)], what: `${node.property.name} is ${name}` };
    },
  },
  {
    name: 'context-misspelt', count: 3,
    places: (program) => members(program, ['context']).filter((node) => node.object.type === 'ThisExpression' && node.parent.type === 'MemberExpression'),
    change: rename,
  },
  {
    name: 'global-class-misspelt', count: 5,
    places: (program) => program.all('NewExpression').filter((node) => node.callee.type === 'Identifier' && GLOBAL_CLASSES.includes(node.callee.name)
      && isParserCode(program, node)),
    change: (node, program, random) => slip(node.callee, program, random),
  },
  {
    name: 'global-function-misspelt', count: 5,
    places: (program) => program.all('CallExpression').filter((node) => node.callee.type === 'Identifier' && GLOBAL_FUNCTIONS.includes(node.callee.name)
      && isParserCode(program, node)),
    change: (node, program, random) => slip(node.callee, program, random),
  },
  {
    name: 'one-where-all-are-needed', count: 6, places: iterated,
    change: (node) => ({ edits: [replace(node.callee.property, 'querySelector')], what: 'one element is gone through as a list' }),
  },
  {
    name: 'all-where-one-is-needed', count: 6, places: single,
    change: (node, program) => ({
      edits: [replace(node.callee.property, 'querySelectorAll')], what: 'a list is used as one element',
      also: program.inside(program.functionOf(node).body, 'MemberExpression').filter((one) => one.object.name === node.parent.id.name),
    }),
  },
  {
    name: 'node-list-as-array', count: 6, places: arrayed,
    change: (node, program) => ({ edits: [replace(node.object, program.source(listIn(node.object)))], what: 'a node list has no such method' }),
  },
  {
    name: 'text-where-nodes-are-needed', count: 4,
    places: (program) => program.all('CallExpression').filter((node) => node.callee.type === 'MemberExpression' && node.callee.property.name === 'parseHTML'
      && isContext(node.callee) && node.arguments.length === 1),
    change: (node, program) => ({ edits: [replace(node, program.source(node.arguments[0]))], what: 'the page is not parsed' }),
  },
  {
    name: 'promise-method-misspelt', count: 2,
    places: (program) => members(program, ['then', 'catch', 'finally', 'all', 'allSettled']).filter((node) => isCallee(node)), change: rename,
  },
]);
