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

// All lines that are right to name: those of the edits, of the statements around them, and of what the change adds.
function rightLines(program, change) {
  if (change.anywhere) return null;
  const { text } = program;
  const lines = new Set();
  for (const edit of change.edits) {
    for (const line of linesOf(text, change.edits, edit)) lines.add(line);
  }
  const places = [change.at, change.at && program.statementOf(change.at), ...(change.also || [])];
  if (change.method) places.push(change.method);
  for (const place of places) if (place) lines.add(lineAfter(text, change.edits, place.start));
  return [...lines].sort((one, other) => one - other);
}

class Kind {
  // `site` says why only the site can tell; empty when the code and made-up pages can. `breaks` is for kinds whose text is
  // no longer a script. `count` is how many are made at most.
  constructor({ name, group, site = '', breaks = false, count = 5, engines = false, places, change, make }) {
    Object.assign(this, { name, group, site, breaks, count, engines, places, change, makeAll: make });
  }

  // The mutants of a program, the same for the same seed.
  mutants(program, seed, count = this.count) {
    const random = Random.named(seed, this.name);
    if (this.makeAll) return this.makeAll(program, random).slice(0, count).map((made, index) => this.finished(program, made, index));
    const made = [];
    const seen = new Set();
    for (const place of spread(program, this.places(program), random)) {
      if (made.length >= count) break;
      const change = this.change(place, program, random);
      if (!change) continue;
      const mutant = this.finished(program, { at: place && place.type ? place : undefined, ...change }, made.length);
      if (mutant && !seen.has(mutant.bundle + mutant.sources)) {
        seen.add(mutant.bundle + mutant.sources);
        made.push(mutant);
      }
    }
    return made;
  }

  // A whole mutant; null when nothing changed or the text does not parse although it should.
  finished(program, change, number) {
    const edits = change.edits || [];
    const bundle = change.bundle !== undefined ? change.bundle : apply(program.text, edits);
    const sources = change.sources !== undefined ? change.sources : apply(program.sourcesText, change.sourceEdits || []);
    if (bundle === program.text && sources === program.sourcesText) return null;
    if (!Buffer.isBuffer(bundle) && (syntaxError(bundle) !== null) !== this.breaks && !change.isFile) return null;
    const lines = change.bundle !== undefined ? change.lines || null : rightLines(program, { ...change, edits });
    const sourceLines = (change.sourceEdits || []).flatMap((edit) => linesOf(program.sourcesText, change.sourceEdits, edit));
    return {
      id: `${this.name}:${number + 1}`, kind: this.name, group: this.group, site: this.site, engines: this.engines,
      what: change.what || '', bundle, sources, lines, sourceLines,
    };
  }
}

// Kinds of one group.
function kindsOf(group, list, isHarmless = false) {
  return list.map((one) => Object.assign(new Kind({ ...one, group }), { isHarmless }));
}

module.exports = { Kind, kindsOf };
