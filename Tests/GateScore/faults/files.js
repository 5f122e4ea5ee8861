'use strict';
// Builds that went wrong as a whole, and slips that leave no script.
const { kindsOf } = require('../kind.js');
const { replace, insert, remove } = require('../edits.js');

const file = (make, what) => ({
  make: (program, random) => {
    const bundle = make(program.text, random, program);
    return (Array.isArray(bundle) ? bundle : [bundle]).filter((text) => text !== null).map((text) => ({ bundle: text, what, isFile: true }));
  },
});
const lineAt = (text, share) => text.lastIndexOf('\n', Math.floor(text.length * share)) + 1;
const globalOf = (text) => (/^(?:var|const|let) (\w+) = \(\(\) =>/m.exec(text) || [])[1];
const calls = (program) => program.all('CallExpression').filter((node) => program.methodOf(node) && node.arguments.length > 0);
const slip = (places, change, more = {}) => ({ breaks: true, places, change, ...more });

const files = kindsOf('files', [
  { name: 'bundle-cut-off', count: 3, ...file((text) => [0.3, 0.7, 0.98].map((share) => text.slice(0, lineAt(text, share))), 'the end is missing') },
  { name: 'bundle-with-catalog-behind', count: 1, ...file((text, random, program) => text + program.sourcesText, 'the catalog was appended') },
  { name: 'bundle-twice', count: 1, ...file((text) => text + text, 'the bundle stands in it twice') },
  {
    name: 'bundle-is-a-module', count: 2,
    ...file((text) => [`${text}export { NyoraParsers };\n`, `import { sources } from "./sources.js";\n${text}`], 'it is a module'),
  },
  {
    name: 'merge-marker', count: 3,
    ...file((text) => [0.2, 0.5, 0.8].map((share) => `${text.slice(0, lineAt(text, share))}<<<<<<< HEAD\n${text.slice(lineAt(text, share))}`), 'a merge marker was left'),
  },
  { name: 'page-in-place-of-bundle', count: 1, ...file(() => '<!DOCTYPE html>\n<html><head><title>404</title></head><body>Not found</body></html>\n', 'a page in its place') },
  { name: 'json-in-place-of-bundle', count: 1, ...file((text, random, program) => program.sourcesText, 'the catalog in its place') },
  { name: 'pointer-in-place-of-bundle', count: 1, ...file(() => 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 548213\n', 'a pointer in its place') },
  { name: 'bundle-empty', count: 1, ...file(() => '', 'nothing in its place') },
  { name: 'bundle-is-utf-16', count: 1, ...file((text) => Buffer.from(`\ufeff${text}`, 'utf16le'), 'another encoding') },
  { name: 'byte-order-mark', count: 1, ...file((text) => `\ufeff${text}`, 'a byte order mark') },
  { name: 'global-renamed', count: 1, ...file((text) => globalOf(text) ? text.replace(new RegExp(`^(var|const|let) ${globalOf(text)} =`, 'm'), '$1 Parsers =') : null, 'the global has another name') },
  { name: 'build-returns-nothing', count: 1, ...file((text) => /\n\s*return [^;\n]*;\n\}\)\(\);/.test(text) ? text.replace(/\n\s*return [^;\n]*;(\n\}\)\(\);)/, '$1') : null, 'the build returns nothing') },
  { name: 'build-for-node', count: 1, ...file((text) => globalOf(text) ? `${text.replace(new RegExp(`^(var|const|let) ${globalOf(text)} =`, 'm'), 'module.exports =')}` : null, 'the build is for Node') },
  {
    name: 'entry-missing', count: 2,
    make: (program) => ['getParser', 'getAllSources'].map((name) => {
      const found = program.all('Property').find((node) => node.key.name === name && !program.methodOf(node));
      if (!found) return null;
      const comma = program.text.slice(found.end).match(/^\s*,/);
      const range = comma ? { start: found.start, end: found.end + comma[0].length } : { start: program.text.slice(0, found.start).replace(/,\s*$/, '').length, end: found.end };
      return { edits: [remove(range)], what: `${name} is not exported`, anywhere: true };
    }).filter(Boolean),
  },
  {
    name: 'load-throws', count: 2,
    places: (program) => program.tree.body[program.tree.body.length - 1] ? [program.byType.get('FunctionDeclaration').find((node) => node.id.name === 'getParser')].filter(Boolean) : [],
    change: (node) => ({ edits: [insert(node.start, 'if (!FAMILIES.length) throw new Error("no families");\n  ')], what: 'loading throws' }),
  },
]);

const syntax = kindsOf('syntax', [
  { name: 'brace-missing', count: 3, ...slip((program) => program.all('BlockStatement').filter((node) => program.methodOf(node)), (node) => ({ edits: [remove({ start: node.end - 1, end: node.end })], what: 'a brace is missing', anywhere: true })) },
  { name: 'bracket-missing', count: 3, ...slip(calls, (node) => ({ edits: [remove({ start: node.end - 1, end: node.end })], what: 'a bracket is missing' })) },
  {
    name: 'quote-missing', count: 3,
    ...slip((program) => program.all('Literal').filter((node) => typeof node.value === 'string' && program.methodOf(node)), (node) => ({ edits: [remove({ start: node.end - 1, end: node.end })], what: 'a quote is missing' })),
  },
  {
    name: 'comma-missing', count: 3,
    ...slip((program) => program.all('Property').filter((node) => program.text[node.end] === ',' && program.text[node.end + 1] === '\n'), (node) => ({
      edits: [remove({ start: node.end, end: node.end + 1 })], what: 'a comma is missing',
      also: [{ start: node.end + 1 + program_indent(node), type: 'x' }],
    })),
  },
  {
    name: 'declared-twice', count: 3,
    ...slip((program) => program.all('VariableDeclaration').filter((node) => node.kind !== 'var' && program.methodOf(node) && node.declarations[0].id.type === 'Identifier'
      && node.parent.type === 'BlockStatement'), (node, program) => ({ edits: [insert(node.end, `\n      ${node.kind} ${node.declarations[0].id.name} = null;`)], what: 'a name is declared twice' })),
  },
  {
    name: 'await-in-plain-function', count: 3,
    ...slip((program) => program.all('MethodDefinition').filter((node) => node.value.async && program.inside(node.value.body, 'AwaitExpression')
      .some((one) => program.methodOf(one) === node && program.functionOf(one) === node.value)), (node, program) => ({
      edits: [replace({ start: node.start, end: node.start + 6 }, '')], what: 'async is forgotten',
      also: program.inside(node.value.body, 'AwaitExpression'),
    })),
  },
  {
    name: 'await-in-plain-callback', count: 2,
    ...slip((program) => program.all('ArrowFunctionExpression').filter((node) => node.body.type === 'CallExpression' && !node.async && program.methodOf(node)), (node) => ({
      edits: [insert(node.body.start, 'await ')], what: 'a callback waits and is not async',
    })),
  },
  { name: 'operator-missing', count: 2, ...slip((program) => program.all('BinaryExpression').filter((node) => program.methodOf(node) && node.operator !== '-' && node.operator !== '+' && !/^[/<]/.test(node.operator)), (node, program) => ({ edits: [replace({ start: node.left.end, end: node.right.start }, ' ')], what: 'an operator is missing' })) },
  { name: 'expression-literal-broken', count: 2, ...slip((program) => program.all('Literal').filter((node) => node.regex), (node) => ({ edits: [replace(node, `/(${node.regex.pattern}/${node.regex.flags}`)], what: 'a regular expression has a bracket too many' })) },
  { name: 'private-name-unknown', count: 2, ...slip((program) => program.all('MemberExpression').filter((node) => node.object.type === 'ThisExpression' && program.methodOf(node) && !node.computed), (node) => ({ edits: [replace(node.property, '#hidden')], what: 'a private name is not declared' })) },
  { name: 'reserved-word', count: 2, ...slip((program) => program.all('VariableDeclarator').filter((node) => node.id.type === 'Identifier' && program.methodOf(node)), (node) => ({ edits: [replace(node.id, 'default')], what: 'a variable has the name of a keyword' })) },
  { name: 'template-not-ended', count: 2, ...slip((program) => program.all('TemplateLiteral').filter((node) => program.methodOf(node)), (node) => ({ edits: [remove({ start: node.end - 1, end: node.end })], what: 'a template does not end', anywhere: true })) },
  { name: 'typescript-left', count: 2, ...slip((program) => program.all('MethodDefinition').filter((node) => node.value.params.length > 0 && node.value.params[0].type === 'Identifier'), (node) => ({ edits: [insert(node.value.params[0].end, ': string')], what: 'a type was left' })) },
]);

// How far the next line is indented is not known here, so the line after is named by its first letter.
function program_indent() { return 1; }

module.exports = [...files, ...syntax];
