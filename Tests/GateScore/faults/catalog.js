'use strict';
// Faults of the catalog, made in the catalog file and in the bundle's own copy of it alike.
const { kindsOf } = require('../kind.js');
const { replace, remove } = require('../edits.js');
const { misspelt } = require('../random.js');
const { readableParser } = require('../tools.js');

const keyOf = (property) => property.key.name !== undefined ? property.key.name : property.key.value;
const find = (object, key) => object.properties.find((one) => one.key && keyOf(one) === key);

// Each entry in both texts: its object in the bundle, its object in the file.
function pairs(program) {
  if (!program.catalogPairs) {
    const file = readableParser().parseExpressionAt(program.sourcesText, 0, { ecmaVersion: 'latest' });
    const inBundle = program.catalogNodes();
    program.catalogPairs = file.elements.map((object, index) => ({
      entry: program.entries[index], file: object, bundle: inBundle.get(program.entries[index].id),
    })).filter((pair) => pair.bundle);
  }
  return program.catalogPairs;
}

// Both values of a field replaced by one text.
const set = (pair, key, value, what) => {
  const [one, other] = [find(pair.bundle, key), find(pair.file, key)];
  if (!one || !other) return null;
  return { edits: [replace(one.value, JSON.stringify(value))], sourceEdits: [replace(other.value, JSON.stringify(value))], what };
};
const setIn = (pair, outer, key, change) => {
  const [one, other] = [find(pair.bundle, outer), find(pair.file, outer)].map((found) => found && find(found.value, key));
  return one && other ? change(one, other) : null;
};
const domains = (text, what) => ({
  places: pairs, change: (pair, program, random) => set(pair, 'domain', text(pair.entry.domain, random), what),
});
const overrides = (program, isIt) => pairs(program).flatMap((pair) => Object.entries(pair.entry.overrides || {})
  .filter(([key, value]) => isIt(key, value, pair, program)).map(([key, value]) => ({ pair, key, value })));
const value = (place, text, what) => setIn(place.pair, 'overrides', place.key, (one, other) => ({
  edits: [replace(one.value, JSON.stringify(text))], sourceEdits: [replace(other.value, JSON.stringify(text))], what,
}));
const otherType = { string: 5, number: 'many', boolean: 'yes', object: 'all' };
const without = (text, node) => {
  const comma = text.slice(node.end).match(/^\s*,/);
  return comma ? { start: node.start, end: node.end + comma[0].length } : { start: text.slice(0, node.start).replace(/,\s*$/, '').length, end: node.end };
};

module.exports = kindsOf('catalog', [
  { name: 'domain-with-scheme', count: 4, ...domains((domain, random) => `${random.pick(['https://', 'http://'])}${domain}`, 'the domain has a scheme') },
  { name: 'domain-with-path', count: 3, ...domains((domain, random) => `${domain}${random.pick(['/', '/manga', '/en/'])}`, 'the domain has a path') },
  { name: 'domain-with-blank', count: 3, ...domains((domain, random) => random.pick([` ${domain}`, `${domain} `, domain.replace('.', ' .'), `${domain}\t`]), 'the domain has a blank') },
  { name: 'domain-with-credentials', count: 2, ...domains((domain) => `user:secret@${domain}`, 'the domain has credentials') },
  {
    name: 'domain-malformed', count: 5,
    ...domains((domain, random) => random.pick([domain.replace('.', '..'), domain.replace('.', ','), `.${domain}`, `${domain}:http`, `-${domain}`, domain.replace('.', '_._'), 'x'.repeat(300) + '.example']), 'the domain is malformed'),
  },
  { name: 'domain-is-a-search', count: 2, ...domains((domain) => `${domain}?lang=en#top`, 'the domain has a query') },
  {
    name: 'override-misspelt', count: 5, places: (program) => overrides(program, (key, value, pair) => readBy(program, pair, key)),
    change: (place, program, random) => {
      const name = misspelt(place.key, random, (other) => program.hasName(other));
      return setIn(place.pair, 'overrides', place.key, (one, other) => ({
        edits: [replace(one.key, name)], sourceEdits: [replace(other.key, JSON.stringify(name))], what: `${place.key} is ${name}`,
      }));
    },
  },
  {
    name: 'override-of-wrong-type', count: 6, places: (program) => overrides(program, (key, value, pair) => readBy(program, pair, key)),
    change: (place) => value(place, otherType[typeof place.value], `${place.key} is of another type`),
  },
  {
    name: 'override-selector-invalid', count: 4, places: (program) => overrides(program, (key, value) => /^select/i.test(key) && typeof value === 'string'),
    change: (place, program, random) => value(place, random.pick([`${place.value}:contains(x)`, `${place.value}[href`, `> > ${place.value}`, `${place.value}:eq(1)`]), `${place.key} is no selector`),
  },
  {
    name: 'override-of-a-method', count: 2, places: (program) => pairs(program).filter((pair) => find(pair.bundle, 'overrides')),
    change: (pair, program, random) => {
      const one = program.classNamed.get(pair.entry.family);
      const methods = one ? one.chain.flatMap((link) => link.methods).filter((method) => method.kind === 'method' && /^[a-z]+[A-Z]/.test(method.key.name || '')) : [];
      const name = methods.length ? random.pick(methods).key.name : 'getPages';
      const [inBundle, inFile] = [find(pair.bundle, 'overrides'), find(pair.file, 'overrides')];
      const text = JSON.stringify({ ...pair.entry.overrides, [name]: '/x' });
      return { edits: [replace(inBundle.value, text)], sourceEdits: [replace(inFile.value, text)], what: `an override has the name of ${name}()` };
    },
  },
  {
    name: 'id-in-other-case', count: 3, places: pairs,
    change: (pair) => set(pair, 'id', pair.entry.id === pair.entry.id.toLowerCase() ? pair.entry.id.toUpperCase() : pair.entry.id.toLowerCase(), 'an id changed its case'),
  },
  {
    name: 'ids-changed-places', count: 3, places: (program) => pairs(program).slice(1).map((pair, index) => [pairs(program)[index], pair]),
    change: ([one, other]) => {
      const [first, second] = [set(one, 'id', other.entry.id, ''), set(other, 'id', one.entry.id, '')];
      return { edits: [...first.edits, ...second.edits], sourceEdits: [...first.sourceEdits, ...second.sourceEdits], what: 'two ids changed places' };
    },
  },
  {
    name: 'source-gone', count: 2, places: pairs,
    change: (pair, program) => ({
      edits: [remove(without(program.text, pair.bundle))], sourceEdits: [remove(without(program.sourcesText, pair.file))], what: 'a source is gone', anywhere: true,
    }),
  },
  {
    name: 'id-twice', count: 2, places: (program) => pairs(program).slice(1).map((pair, index) => [pairs(program)[index], pair]),
    change: ([one, other]) => set(other, 'id', one.entry.id, 'an id is there twice'),
  },
  {
    name: 'family-misspelt', count: 3, places: pairs,
    change: (pair, program, random) => set(pair, 'family', misspelt(pair.entry.family, random, (other) => program.hasName(other)), 'the family is misspelt'),
  },
  {
    name: 'family-of-another-kind', count: 2, places: pairs,
    change: (pair, program, random) => {
      const others = program.families.filter((one) => one.name !== pair.entry.family && !one.chain.some((link) => link.name === pair.entry.family));
      const change = set(pair, 'family', random.pick(others).name, 'family and domain are others');
      const second = set(pair, 'domain', 'another-site.example', '');
      return { edits: [...change.edits, ...second.edits], sourceEdits: [...change.sourceEdits, ...second.sourceEdits], what: change.what };
    },
  },
  { name: 'language-malformed', count: 2, places: pairs, change: (pair, program, random) => set(pair, 'locale', random.pick(['english!', '', 'e', '12']), 'the language is none') },
  { name: 'flag-is-a-text', count: 2, places: pairs, change: (pair) => set(pair, 'isNsfw', 'false', 'a flag is a text') },
  { name: 'domain-is-nothing', count: 2, places: pairs, change: (pair, program, random) => set(pair, 'domain', random.pick(['', null]), 'the domain is empty') },
  {
    name: 'catalog-of-another-build', count: 4, places: pairs,
    change: (pair, program, random) => {
      const { sourceEdits, what } = set(pair, random.pick(['domain', 'title', 'family']), random.pick(program.entries).family === pair.entry.family ? 'other.example' : 'new.example', 'only the file changed');
      return { sourceEdits, what };
    },
  },
  {
    name: 'source-only-in-file', count: 2, places: pairs,
    change: (pair, program) => ({ edits: [remove(without(program.text, pair.bundle))], what: 'a source is in the file only', anywhere: true }),
  },
]);

// Whether the family of a source reads a field of that name.
function readBy(program, pair, key) {
  const one = program.classNamed.get(pair.entry.family);
  return Boolean(one) && one.chain.some((link) => program.inside(link.node, 'MemberExpression')
    .some((node) => node.object.type === 'ThisExpression' && node.property.name === key));
}
