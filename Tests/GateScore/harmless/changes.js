'use strict';
// Changes that every release has: families are rewritten without another result, and the catalog grows.
const { kindsOf } = require('../kind.js');
const { replace, insert } = require('../edits.js');
const { readableParser } = require('../tools.js');

const methods = (program) => program.all('MethodDefinition').filter((node) => node.kind === 'method' && !node.static && program.classOf(node)
  && program.classOf(node).isParser && node.key.name !== 'constructor');
const last = (node) => {
  const found = node.value.body.body[node.value.body.body.length - 1];
  return found && found.type === 'ReturnStatement' && found.argument ? found : null;
};
const callback = (program, names) => program.all('ArrowFunctionExpression').filter((node) => program.methodOf(node) && node.parent.type === 'CallExpression'
  && node.parent.callee.property && names.includes(node.parent.callee.property.name));
const made = (program, pattern) => program.all('NewExpression').filter((node) => pattern.test(node.callee.name || '') && node.arguments.length === 1
  && node.arguments[0].type === 'ObjectExpression' && program.methodOf(node));

// Both copies of the catalog with one text put in at the end of an entry's place.
function atCatalog(program, change) {
  const file = readableParser().parseExpressionAt(program.sourcesText, 0, { ecmaVersion: 'latest' });
  const inBundle = program.catalogNodes();
  return program.entries.map((entry, index) => change(entry, inBundle.get(entry.id), file.elements[index])).filter(Boolean);
}
const field = (object, key) => object.properties.find((one) => (one.key.name || one.key.value) === key);
const setting = (name, key, value, count = 2) => ({
  name, count, places: (program) => atCatalog(program, (entry, one, other) => one && field(one, key) && { entry, one, other }),
  change: ({ entry, one, other }) => {
    const text = JSON.stringify(value(entry));
    return { edits: [replace(field(one, key).value, text)], sourceEdits: [replace(field(other, key).value, text)], what: name };
  },
});
const added = (name, entryOf) => ({
  name, count: 2, places: (program) => atCatalog(program, (entry, one, other) => one && { entry, one, other }),
  change: ({ entry, one, other }) => {
    const text = `,\n${JSON.stringify(entryOf(entry), null, 1)}`;
    return { edits: [insert(one.end, text)], sourceEdits: [insert(other.end, text)], what: name };
  },
});

module.exports = kindsOf('changes', [
  {
    name: 'result-in-a-variable', count: 3, places: (program) => methods(program).filter(last),
    change: (node, program) => ({ edits: [replace(last(node), `const outcome = ${program.source(last(node).argument)};\n      return outcome;`)], what: 'the result has a name' }),
  },
  {
    name: 'body-in-a-try', count: 2, places: (program) => methods(program).filter((node) => node.value.async && last(node)),
    change: (node, program) => ({
      edits: [insert(node.value.body.start + 1, ' try {'), insert(node.value.body.end - 1, ' } catch (error) { throw error; } ')], what: 'the body is tried',
    }),
  },
  {
    name: 'arrow-with-a-body', count: 3, places: (program) => callback(program, ['map', 'filter']).filter((node) => node.body.type !== 'BlockStatement'),
    change: (node, program) => {
      const text = program.source(node);
      const at = text.indexOf('=>') + 2;
      return { edits: [replace(node, `${text.slice(0, at)} { return ${text.slice(at).trim()}; }`)], what: 'an arrow has a body' };
    },
  },
  {
    name: 'function-with-bound-this', count: 2,
    places: (program) => callback(program, ['map']).filter((node) => node.body.type === 'BlockStatement' && !node.async),
    change: (node, program) => {
      const parameters = node.params.map((one) => program.source(one)).join(', ');
      return { edits: [replace(node, `function(${parameters}) ${program.source(node.body)}.bind(this)`)], what: 'a function is bound' };
    },
  },
  {
    name: 'part-in-a-method-of-its-own', count: 3, places: (program) => methods(program).filter((node) => last(node) && !node.value.async && !node.value.generator
      && node.value.params.every((one) => one.type === 'Identifier')),
    change: (node, program) => {
      const names = node.value.params.map((one) => one.name).join(', ');
      const inner = `${node.key.name}Inside(${names}) ${program.source(node.value.body)}`;
      return {
        edits: [replace(node, `${node.key.name}(${names}) {\n      return this.${node.key.name}Inside(${names});\n    }\n    ${inner}`)],
        what: 'a method has a part of its own',
      };
    },
  },
  {
    name: 'method-as-field', count: 2, places: (program) => methods(program).filter((node) => !node.value.generator && /^(clean|date|day|time|number|state|sort|last)/.test(node.key.name)
      && !/super|arguments/.test(program.source(node)) && !overridden(program, node)),
    change: (node, program) => ({
      edits: [replace(node, `${node.key.name} = ${node.value.async ? 'async ' : ''}(${node.value.params.map((one) => program.source(one)).join(', ')}) => ${program.source(node.value.body)};`)],
      what: 'a method is an arrow in a field',
    }),
  },
  {
    name: 'more-in-a-result', count: 3, places: (program) => made(program, /^Manga\d*$|Page\d*$|Chapter\d*$/),
    change: (node) => ({ edits: [insert(node.arguments[0].start + 1, ' rank: 1, extra: { from: "list" },')], what: 'a result has more fields' }),
  },
  {
    name: 'log-of-a-step', count: 2, places: (program) => methods(program).filter((node) => node.value.async),
    change: (node) => ({ edits: [insert(node.value.body.start + 1, `\n      const begun = Date.now();\n      this.lastCall = { name: "${node.key.name}", begun };`)], what: 'a step is kept' }),
  },
  {
    name: 'request-with-headers', count: 2,
    places: (program) => program.all('CallExpression').filter((node) => node.callee.property && node.callee.property.name === 'httpGet' && node.arguments.length === 2),
    change: (node) => ({ edits: [insert(node.arguments[1].end, ', { Referer: `https://${this.domain}/`, "X-Requested-With": "XMLHttpRequest" }')], what: 'a request has headers' }),
  },
  {
    name: 'more-selectors', count: 2,
    places: (program) => program.all('CallExpression').filter((node) => node.callee.property && node.callee.property.name === 'querySelectorAll'
      && node.arguments[0].type === 'Literal').map((node) => node.arguments[0]),
    change: (node) => ({ edits: [replace(node, JSON.stringify(`${node.value}, [data-kind="new"] > a:not(.ad):nth-child(2n + 1), :is(ul, ol).fresh li`))], what: 'more is asked for' }),
  },
  {
    name: 'family-added', count: 1, places: (program) => program.families.slice(0, 1),
    change: (one, program) => {
      const registry = program.byType.get('VariableDeclarator').find((node) => node.id.name === 'FAMILIES');
      if (!registry) return null;
      const at = program.inside(registry, 'ObjectExpression')[0].start + 1;
      const family = `var FreshParser = class extends ${one.name} {\n    async getPages(chapter) {\n      const pages = await super.getPages(chapter);\n      return pages.filter((page) => this.isShown(page));\n    }\n    isShown(page) { return !page.url.endsWith("#ad"); }\n  };\n  `;
      const [place] = atCatalog(program, (entry, node, other) => node && { node, other });
      const text = `,\n${JSON.stringify({ id: 'FRESH_SITE', className: 'FreshSite', title: 'Fresh', locale: 'en', domain: 'fresh.example', family: 'FreshParser', isNsfw: false, overrides: {} })}`;
      return {
        edits: [insert(registry.parent.start, family), insert(at, ' FreshParser,'), insert(place.node.end, text)], sourceEdits: [insert(place.other.end, text)], what: 'a family and a source',
      };
    },
  },
  added('source-added', (entry) => ({ ...entry, id: `${entry.id}_NEW`, title: `${entry.title} New`, domain: `new-${entry.domain}` })),
  added('source-with-port', (entry) => ({ ...entry, id: `${entry.id}_PORT`, domain: `${entry.domain}:8443` })),
  setting('source-moved', 'domain', (entry) => `moved-${entry.domain.replace(/^www\./, '')}`),
  setting('source-renamed', 'title', (entry) => `${entry.title} (new)`),
  setting('source-for-adults', 'isNsfw', (entry) => !entry.isNsfw, 1),
  setting('override-taken-back', 'overrides', () => ({}), 1),
], true);

// Whether a class below has a method of that name, which a field would hide.
function overridden(program, node) {
  const one = program.classOf(node);
  return program.classes.some((other) => other !== one && (other.chain.includes(one) || one.chain.includes(other)) && program.ownMethod(other, node.key.name));
}
