'use strict';
// Several changes in one bundle, each in a family of its own, so that one check tells about many. A change that touches what all
// families share, or that keeps the bundle from loading, has no place in such a bundle.
const { namesPlace, newFindings } = require('./bench.js');
const { apply } = require('./edits.js');
const { rightLines } = require('./kind.js');
const { syntaxError } = require('./tools.js');

const overlaps = (edits, others) => edits.some((one) => others.some((other) => one.start <= other.end && other.start <= one.end));
// What keeps all parsers from being built, wherever it stands.
const BREAKS_ALL = /^(super-|constructor-|load-|endless-|node-in-method|id-twice|family-|flag-|language-|domain-is-nothing|ids-changed|global-class)/;

// The families that a change touches; empty when it touches what others share.
function touched(program, change) {
  const owner = change.at && program.classOf(change.at);
  if (owner) {
    const isShared = program.families.some((family) => family !== owner && family.chain.includes(owner)) || !owner.isParser;
    return isShared ? [] : [owner.name];
  }
  const [edit] = change.edits || [];
  const found = edit && [...program.catalogNodes()].find(([, node]) => edit.start >= node.start && edit.end <= node.end);
  return found ? [program.entries.find((entry) => entry.id === found[0]).family] : [];
}

class Pack {
  constructor(program) {
    Object.assign(this, { program, used: new Set(), edits: [], sourceEdits: [], taken: [] });
  }

  // Whether a change found a place here.
  take(kind, number, change) {
    const families = touched(this.program, change);
    if (families.length === 0 || families.some((name) => this.used.has(name))) return false;
    if (overlaps(change.edits, this.edits) || syntaxError(apply(this.program.text, [...this.edits, ...change.edits])) !== null) return false;
    families.forEach((name) => this.used.add(name));
    this.edits.push(...change.edits);
    this.sourceEdits.push(...(change.sourceEdits || []));
    this.taken.push({ kind, number, change });
    return true;
  }

  get bundle() { return apply(this.program.text, this.edits); }
  get sources() { return apply(this.program.sourcesText, this.sourceEdits); }

  // What is in it, each with its right lines in the whole bundle.
  get cases() {
    const { program, edits } = this;
    return this.taken.map(({ kind, number, change }) => ({
      id: `${kind.name}:${number + 1}`, kind: kind.name, group: kind.group, site: kind.site, what: change.what || '', family: touched(program, change)[0],
      lines: rightLines(program, change, edits), sourceLines: (change.sourceEdits || []).map((edit) => program.sourcesText.slice(0, edit.start).split('\n').length),
    }));
  }

  // What a check says of it: its findings, and the cases with theirs.
  async checked(bench, before, options = []) {
    const answer = await bench.check(this.bundle, this.sources, options);
    const findings = newFindings(answer, before);
    return {
      answer, findings, stray: findings.filter((finding) => !this.cases.some((one) => namesPlace(finding, one))),
      cases: this.cases.map((one) => ({ ...one, findings: findings.filter((finding) => namesPlace(finding, one)) })),
    };
  }
}

// Whether changes of a kind may stand beside others.
const isPackable = (kind) => !kind.breaks && !kind.makeAll && !kind.engines && !BREAKS_ALL.test(kind.name);

// Bundles with up to `count` changes of each kind; kinds that must stand alone are left out.
function packs(program, kinds, seed, count) {
  const all = [];
  for (const kind of kinds.filter(isPackable)) {
    let number = 0;
    for (const change of kind.changes(program, seed)) {
      if (number >= Math.min(count, kind.count)) break;
      if (touched(program, change).length === 0) continue;
      if (!all.some((pack) => pack.take(kind, number, change))) {
        const pack = new Pack(program);
        if (!pack.take(kind, number, change)) continue;
        all.push(pack);
      }
      number += 1;
    }
  }
  return all;
}

module.exports = { Pack, packs, touched };
