'use strict';
// Selectors and regular expressions that are none, and some that are only wrong.
const { kindsOf } = require('../kind.js');
const { replace } = require('../edits.js');

const ASKING = ['querySelector', 'querySelectorAll', 'closest', 'matches'];
const isText = (node) => node && node.type === 'Literal' && typeof node.value === 'string' && node.value.length > 0;
const isSelector = (text) => /^[.#\w[*:]/.test(text) && !/^https?:/.test(text);
const quoted = (text) => JSON.stringify(text);

// Literal selectors that are asked for at once.
const asked = (program) => program.all('CallExpression').filter((node) => node.callee.property && ASKING.includes(node.callee.property.name)
  && isText(node.arguments[0])).map((node) => node.arguments[0]);
// Selectors in fields that a constructor sets.
const fields = (program) => program.all('AssignmentExpression').filter((node) => node.left.type === 'MemberExpression'
  && node.left.object.type === 'ThisExpression' && /^select|selector/i.test(node.left.property.name || '') && isText(node.right)
  && readAsSelector(program, node.left.property.name)).map((node) => node.right);
const readAsSelector = (program, name) => program.all('MemberExpression').some((node) => node.object.type === 'ThisExpression'
  && node.property.name === name && node.parent.left !== node);
// Selectors handed to methods of the bundle's own, which may try several and drop what the page refuses.
const handed = (program) => program.all('Literal').filter((node) => isText(node) && isSelector(node.value) && /[.#[]/.test(node.value)
  && (node.parent.type === 'ArrayExpression' || (node.parent.type === 'CallExpression' && node.parent.callee.type === 'MemberExpression'
    && node.parent.callee.object.type === 'ThisExpression')));
const tried = (program) => handed(program).filter((node) => node.parent.type === 'ArrayExpression');
const passed = (program) => handed(program).filter((node) => node.parent.type !== 'ArrayExpression');

const BREAKS = [
  (text) => text.includes(']') ? text.replace(']', '') : `${text}[href`, (text) => `${text}:contains('Chapter')`, (text) => `${text}:eq(0)`,
  (text) => `${text},`, (text) => `> > ${text}`, (text) => `${text}:has-text(x)`, (text) => `${text}..item`, (text) => `${text}:not(.ad`,
  (text) => `${text}:first`, (text) => `${text}[src^=http://]`,
];
const broken = (node, program, random) => {
  const text = random.pick(BREAKS)(node.value);
  return { edits: [replace(node, quoted(text))], what: `${quoted(text)} is no selector` };
};

const regexes = (program) => program.all('Literal').filter((node) => node.regex && program.functionOf(node) && program.methodOf(node));
const asText = (node, pattern, flags) => `new RegExp(${quoted(pattern)}${flags ? `, ${quoted(flags)}` : ''})`;

module.exports = kindsOf('patterns', [
  { name: 'selector-invalid', count: 8, places: asked, change: broken },
  { name: 'selector-invalid-in-field', count: 6, places: fields, change: broken },
  { name: 'selector-invalid-handed-over', count: 5, places: passed, change: broken },
  { name: 'selector-invalid-among-others', count: 4, places: tried, change: broken },
  {
    name: 'expression-invalid-at-run-time', count: 6, places: regexes,
    change: (node, program, random) => {
      const { pattern, flags } = node.regex;
      const text = random.pick([`(${pattern}`, `${pattern})`, `*${pattern}`, `${pattern}[`, `(?<1>${pattern})`]);
      return { edits: [replace(node, asText(node, text, flags))], what: `${quoted(text)} is no expression` };
    },
  },
  {
    name: 'expression-with-unknown-flag', count: 2, places: regexes,
    change: (node, program, random) => ({ edits: [replace(node, asText(node, node.regex.pattern, `${node.regex.flags}${random.pick(['x', 'a', 'z'])}`))], what: 'an unknown flag' }),
  },
  {
    name: 'expression-is-a-text', count: 4,
    places: (program) => regexes(program).filter((node) => node.parent.type === 'MemberExpression' && node.parent.object === node),
    change: (node) => ({ edits: [replace(node, quoted(node.regex.pattern))], what: 'a text is asked as an expression' }),
  },
  {
    name: 'selector-of-another-element', count: 5, site: 'only the site tells which elements it has',
    places: asked,
    change: (node, program, random) => ({
      edits: [replace(node, quoted(node.value.replace(/[\w-]+$/, (word) => random.pick(['entry', 'holder', 'wrapper', `${word}-list`]))))], what: 'another element is asked for',
    }),
  },
  {
    name: 'attribute-of-another-name', count: 4, site: 'only the site tells which attributes it has',
    places: (program) => program.all('CallExpression').filter((node) => node.callee.property && node.callee.property.name === 'getAttribute' && isText(node.arguments[0]))
      .map((node) => node.arguments[0]),
    change: (node) => ({ edits: [replace(node, quoted(node.value === 'href' ? 'herf' : `${node.value}-url`))], what: 'another attribute is read' }),
  },
  {
    name: 'expression-that-never-matches', count: 4, site: 'only the site tells what its pages say', places: regexes,
    change: (node) => ({ edits: [replace(node, `/~${node.regex.pattern}/${node.regex.flags}`)], what: 'the expression matches nothing on the site' }),
  },
]);
