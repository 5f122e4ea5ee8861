'use strict';
// A kind of change: where it can be made, and how. A change says what it edits and which other places are right to name.
const { apply, lineAfter, linesOf } = require('./edits.js');
const { Random } = require('./random.js');
const { syntaxError } = require('./tools.js');

// Places in turn from each class, so that the few that are taken come from many families.
function spread(program, places, random) {
  const groups = new Map();
  for (const place of random.shuffled(places)) {
    const one = place && place.parent ? program.classOf(place) : null;
    const key = one ? one.name : '';
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(place);
  }
  const order = [];
  const lists = random.shuffled([...groups.values()]);
  for (let round = 0; lists.some((list) => list.length > round); round++) {
    for (const list of lists) if (list.length > round) order.push(list[round]);
  }
  return order;
}

// All lines that are right to name: those of the edits, of the statements around them, and of what the change adds. `all` are
// the edits of the whole bundle, which may hold more changes than this one.
function rightLines(program, change, all) {
  if (change.anywhere) return null;
  const { text } = program;
  const lines = new Set();
  for (const edit of change.edits) {
    for (const line of linesOf(text, all, edit)) lines.add(line);
  }
  const places = [change.at, change.at && program.statementOf(change.at), ...(change.also || [])];
  if (change.method) places.push(change.method);
  for (const place of places) if (place) lines.add(lineAfter(text, all, place.start));
  return [...lines].sort((one, other) => one - other);
}

class Kind {
  // `site` says why only the site can tell; empty when the code and made-up pages can. `breaks` is for kinds whose text is
  // no longer a script. `count` is how many are made at most.
  constructor({ name, group, site = '', breaks = false, count = 5, engines = false, places, change, make }) {
    Object.assign(this, { name, group, site, breaks, count, engines, places, change, makeAll: make });
  }

  // Changes in turn, the same for the same seed.
  * changes(program, seed) {
    const random = Random.named(seed, this.name);
    if (this.makeAll) {
      yield* this.makeAll(program, random);
      return;
    }
    for (const place of spread(program, this.places(program), random)) {
      const change = this.change(place, program, random);
      if (change) yield { at: place && place.type ? place : undefined, edits: [], ...change };
    }
  }

  // So many mutants of a program.
  mutants(program, seed, count = this.count) {
    const made = [];
    const seen = new Set();
    for (const change of this.changes(program, seed)) {
      if (made.length >= count) break;
      const mutant = this.finished(program, change, made.length);
      if (!mutant || seen.has(mutant.bundle + mutant.sources)) continue;
      seen.add(mutant.bundle + mutant.sources);
      made.push(mutant);
    }
    return made;
  }

  // Whether a text is what this kind makes: a script, or none.
  isRightly(bundle, change) {
    return change.isFile || (syntaxError(bundle) !== null) === this.breaks;
  }

  // A whole mutant; null when nothing changed or the text does not parse although it should.
  finished(program, change, number) {
    const edits = change.edits || [];
    const bundle = change.bundle !== undefined ? change.bundle : apply(program.text, edits);
    const sources = apply(program.sourcesText, change.sourceEdits || []);
    if (bundle === program.text && sources === program.sourcesText) return null;
    if (!this.isRightly(bundle, change)) return null;
    const lines = change.bundle !== undefined ? null : rightLines(program, { ...change, edits }, edits);
    return { ...this.labelled(change, number, lines, linesIn(program.sourcesText, change.sourceEdits || [])), bundle, sources };
  }

  labelled(change, number, lines, sourceLines) {
    return {
      id: `${this.name}:${number + 1}`, kind: this.name, group: this.group, site: this.site, engines: this.engines,
      what: change.what || '', lines, sourceLines,
    };
  }
}

const linesIn = (text, edits) => edits.flatMap((edit) => linesOf(text, edits, edit));

// Kinds of one group.
function kindsOf(group, list, isHarmless = false) {
  return list.map((one) => Object.assign(new Kind({ ...one, group }), { isHarmless }));
}

module.exports = { kindsOf, rightLines };
