'use strict';
// What comes back: nothing, the wrong kind, keys that no app reads, less than before.
const { kindsOf } = require('../kind.js');
const { replace, insert, remove } = require('../edits.js');
const { misspelt } = require('../random.js');
const { ENTRY_METHODS } = require('../program.js');

const entry = (program, name) => program.all('MethodDefinition').filter((node) => node.key.name === name && program.classOf(node) && program.classOf(node).isParser);
const entries = (program) => ENTRY_METHODS.flatMap((name) => entry(program, name));
const others = (program) => program.all('MethodDefinition').filter((node) => node.kind === 'method' && !ENTRY_METHODS.includes(node.key.name)
  && program.classOf(node) && program.classOf(node).isParser);
// The last statement of a function, when it returns something.
const lastReturn = (fn) => {
  const last = fn.body.type === 'BlockStatement' ? fn.body.body[fn.body.body.length - 1] : null;
  return last && last.type === 'ReturnStatement' && last.argument ? last : null;
};
const withReturn = (nodes) => nodes.filter((node) => lastReturn(node.value) && lastReturn(node.value).argument.type !== 'Literal');
const returned = (node, program) => program.source(lastReturn(node.value).argument);
const forgetReturn = (fn, program, method) => {
  const last = lastReturn(fn);
  return { edits: [replace({ start: last.start, end: last.argument.start }, '')], what: 'return is forgotten', method, at: last };
};
const returning = (name, text, what) => (node, program) => ({
  edits: [replace(lastReturn(node.value).argument, text(returned(node, program)))], what, method: node, at: lastReturn(node.value),
});

// What apps get, by the class that is made.
const ROLES = { page: /Page$/, chapter: /Chapter$/, manga: /^(Manga|Series|Comic|Title|Item)$/ };
const made = (program, role) => program.all('NewExpression').filter((node) => node.callee.type === 'Identifier' && program.methodOf(node)
  && ROLES[role].test(node.callee.name.replace(/\d+$/, '')) && node.arguments.length === 1 && node.arguments[0].type === 'ObjectExpression');
const property = (node, name) => node.arguments[0].properties.find((one) => one.key && !one.computed && one.key.name === name);
const having = (program, role, name) => made(program, role).filter((node) => property(node, name));
const isDetails = (node) => node.arguments[0].properties.some((one) => one.type === 'SpreadElement');
const rewrite = (node, name, text, what, program) => ({
  edits: [replace(property(node, name), text)], what, at: property(node, name), also: [node], method: program.methodOf(node),
});
const valueOf = (node, name, program) => program.source(property(node, name).value);
const misspeltKey = (role, names, isThere = () => true) => ({
  places: (program) => names.flatMap((name) => having(program, role, name).filter(isThere).map((node) => property(node, name))),
  change: (place, program, random) => {
    const name = misspelt(place.key.name, random, (other) => program.hasName(other));
    const node = place.parent.parent;
    return {
      edits: [replace(place, `${name}: ${program.source(place.value)}`)], what: `${place.key.name} is ${name}`, at: place, also: [node],
      method: program.methodOf(node),
    };
  },
});
const emptied = (role, name, text) => ({
  places: (program) => having(program, role, name).filter((node) => !(role === 'manga' && name !== 'chapters' && isDetails(node))),
  change: (node, program) => rewrite(node, name, `${name}: ${text}`, `${name} is always ${text}`, program),
});

const callbacks = (program, isIt) => program.all('ArrowFunctionExpression').filter((node) => node.parent.type === 'CallExpression' && program.methodOf(node)
  && node.parent.callee.property && ['map', 'filter', 'flatMap', 'find'].includes(node.parent.callee.property.name) && isIt(node));
const guards = (program) => program.all('IfStatement').filter((node) => node.test.type === 'UnaryExpression' && node.test.operator === '!'
  && node.test.argument.type === 'Identifier' && program.methodOf(node) && !node.alternate
  && /^(Return|Continue)/.test((node.consequent.body ? node.consequent.body[0] : node.consequent).type));
const filters = (program) => program.all('CallExpression').filter((node) => node.callee.property && node.callee.property.name === 'filter' && program.methodOf(node)
  && node.arguments.length === 1 && (node.arguments[0].name === 'Boolean' || (node.arguments[0].body && node.arguments[0].body.type !== 'BlockStatement')));

module.exports = kindsOf('results', [
  { name: 'return-forgotten-in-list', count: 4, places: (program) => withReturn(entry(program, 'getListPage')), change: (node, program) => forgetReturn(node.value, program, node) },
  { name: 'return-forgotten-in-details', count: 4, places: (program) => withReturn(entry(program, 'getDetails')), change: (node, program) => forgetReturn(node.value, program, node) },
  { name: 'return-forgotten-in-pages', count: 4, places: (program) => withReturn(entry(program, 'getPages')), change: (node, program) => forgetReturn(node.value, program, node) },
  { name: 'return-forgotten-in-method', count: 6, places: (program) => withReturn(others(program)), change: (node, program) => forgetReturn(node.value, program, node) },
  {
    name: 'return-forgotten-in-callback', count: 5, places: (program) => callbacks(program, (node) => node.body.type === 'BlockStatement' && lastReturn(node)),
    change: (node, program) => ({ ...forgetReturn(node, program, program.methodOf(node)), also: [node] }),
  },
  {
    name: 'braces-without-return', count: 5, places: (program) => callbacks(program, (node) => node.body.type !== 'BlockStatement'),
    change: (node, program) => {
      const text = program.source(node);
      const at = text.indexOf('=>') + 2;
      return { edits: [replace(node, `${text.slice(0, at)} { ${text.slice(at).trim()}; }`)], what: 'braces, and no return', method: program.methodOf(node) };
    },
  },
  { name: 'list-is-an-object', count: 4, places: (program) => withReturn(entry(program, 'getListPage')), change: returning('', (text) => `{ items: ${text}, hasNextPage: true }`, 'the list is an object') },
  { name: 'list-is-empty', count: 4, places: (program) => withReturn(entry(program, 'getListPage')), change: returning('', () => '[]', 'the list is always empty') },
  { name: 'list-is-nested', count: 2, places: (program) => withReturn(entry(program, 'getListPage')), change: returning('', (text) => `[${text}]`, 'the list is in a list') },
  { name: 'details-are-a-list', count: 3, places: (program) => withReturn(entry(program, 'getDetails')), change: returning('', (text) => `[${text}]`, 'the details are a list') },
  { name: 'details-are-nothing', count: 3, places: (program) => withReturn(entry(program, 'getDetails')), change: returning('', () => 'null', 'the details are null') },
  { name: 'details-are-the-chapters', count: 3, places: (program) => withReturn(entry(program, 'getDetails')), change: returning('', (text) => `(${text}).chapters`, 'the details are the chapters') },
  { name: 'pages-are-empty', count: 4, places: (program) => withReturn(entry(program, 'getPages')), change: returning('', () => '[]', 'the pages are always empty') },
  { name: 'pages-are-an-object', count: 3, places: (program) => withReturn(entry(program, 'getPages')), change: returning('', (text) => `{ pages: ${text} }`, 'the pages are an object') },
  {
    name: 'pages-are-texts', count: 5, places: (program) => having(program, 'page', 'url'),
    change: (node, program) => ({ edits: [replace(node, valueOf(node, 'url', program))], what: 'the pages are texts', method: program.methodOf(node) }),
  },
  {
    name: 'chapters-missing', count: 5, places: (program) => having(program, 'manga', 'chapters'),
    change: (node, program) => {
      const place = property(node, 'chapters');
      const before = program.text.slice(0, place.start).replace(/,?\s*$/, '').length;
      return { edits: [remove({ start: before, end: place.end })], what: 'the chapters are left out', at: node, method: program.methodOf(node) };
    },
  },
  { name: 'chapters-are-empty', count: 4, ...emptied('manga', 'chapters', '[]') },
  {
    name: 'chapters-are-an-object', count: 3, places: (program) => having(program, 'manga', 'chapters'),
    change: (node, program) => rewrite(node, 'chapters', `chapters: Object.fromEntries((${valueOf(node, 'chapters', program)}).map((one) => [one.url, one]))`, 'the chapters are an object', program),
  },
  { name: 'list-key-misspelt', count: 6, ...misspeltKey('manga', ['url', 'title'], (node) => !isDetails(node)) },
  { name: 'details-key-misspelt', count: 4, ...misspeltKey('manga', ['chapters'], isDetails) },
  { name: 'chapter-key-misspelt', count: 5, ...misspeltKey('chapter', ['url', 'title']) },
  { name: 'page-key-misspelt', count: 5, ...misspeltKey('page', ['url']) },
  { name: 'cover-key-misspelt', count: 4, ...misspeltKey('manga', ['coverUrl'], (node) => !isDetails(node)) },
  { name: 'title-is-empty', count: 3, ...emptied('manga', 'title', '""') },
  { name: 'cover-is-empty', count: 3, ...emptied('manga', 'coverUrl', '""') },
  { name: 'page-address-is-empty', count: 3, ...emptied('page', 'url', '""') },
  { name: 'chapter-address-is-null', count: 3, ...emptied('chapter', 'url', 'null') },
  {
    name: 'date-is-a-text', count: 4, places: (program) => having(program, 'chapter', 'uploadDate'),
    change: (node, program) => rewrite(node, 'uploadDate', `uploadDate: new Date(${valueOf(node, 'uploadDate', program)}).toISOString()`, 'a date is a text', program),
  },
  {
    name: 'number-is-a-text', count: 4, places: (program) => having(program, 'chapter', 'number'),
    change: (node, program) => rewrite(node, 'number', `number: \`#\${${valueOf(node, 'number', program)}}\``, 'a number is a text', program),
  },
  {
    name: 'title-is-a-list', count: 3, places: (program) => having(program, 'manga', 'title').filter((node) => !isDetails(node)),
    change: (node, program) => rewrite(node, 'title', `title: [${valueOf(node, 'title', program)}]`, 'a title is a list', program),
  },
  {
    name: 'address-is-an-object', count: 3, places: (program) => having(program, 'page', 'url'),
    change: (node, program) => rewrite(node, 'url', `url: new URL(${valueOf(node, 'url', program)}, "https://" + this.domain)`, 'an address is an object', program),
  },
  {
    name: 'guard-inverted', count: 6, places: guards,
    change: (node, program) => ({ edits: [replace(node.test, program.source(node.test.argument))], what: 'a test is the wrong way round', method: program.methodOf(node) }),
  },
  {
    name: 'filter-inverted', count: 4, places: filters,
    change: (node, program) => {
      const [test] = node.arguments;
      const edit = test.name === 'Boolean' ? replace(test, '(one) => !one') : replace(test.body, `!(${program.source(test.body)})`);
      return { edits: [edit], what: 'a filter is the wrong way round', method: program.methodOf(node) };
    },
  },
  {
    name: 'push-forgotten', count: 4,
    places: (program) => program.all('CallExpression').filter((node) => node.callee.property && node.callee.property.name === 'push' && program.methodOf(node)
      && node.arguments.length === 1 && node.arguments[0].type === 'NewExpression'),
    change: (node, program) => ({ edits: [replace(node, program.source(node.arguments[0]))], what: 'what was made is not put into the list', method: program.methodOf(node) }),
  },
  {
    name: 'comparison-inverted', count: 4, site: 'both branches may be right; which one a site needs, only the site tells',
    places: (program) => program.all('BinaryExpression').filter((node) => ['===', '!=='].includes(node.operator) && program.methodOf(node)
      && /^(If|Conditional)/.test(node.parent.type)),
    change: (node, program) => ({
      edits: [replace(node, `${program.source(node.left)} ${node.operator === '===' ? '!==' : '==='} ${program.source(node.right)}`)],
      what: 'a comparison is the wrong way round',
    }),
  },
  {
    name: 'guard-removed', count: 4, site: 'only a page without that element makes a difference',
    places: guards, change: (node) => ({ edits: [remove(node)], what: 'a test for nothing is gone' }),
  },
  {
    name: 'wrong-group', count: 3, site: 'only a page that the expression matches makes a difference',
    places: (program) => program.all('MemberExpression').filter((node) => node.computed && node.property.type === 'Literal' && node.property.value === 1
      && /^(match|found|m|iso|ago)$/.test(node.object.name || '')),
    change: (node) => ({ edits: [replace(node.property, '2')], what: 'another group of the match is read' }),
  },
  {
    name: 'order-lost', count: 3, site: 'which order is right, only the site tells',
    places: (program) => program.all('CallExpression').filter((node) => node.callee.property && node.callee.property.name === 'reverse' && node.arguments.length === 0
      && program.methodOf(node)),
    change: (node, program) => ({ edits: [replace(node, program.source(node.callee.object))], what: 'the order is no longer reversed' }),
  },
]);
