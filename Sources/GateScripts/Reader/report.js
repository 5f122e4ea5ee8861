// Collects what was found, drops what the live bundle has as well, and says whom each finding concerns.
'use strict';

const { memberAround, keyOf, isFunction } = require('./syntax.js');

/** The most findings of one check that are told; the rest is counted. */
const maxFindings = 200;

class Report {
  constructor(bundle, live, sourceMap) {
    this.bundle = bundle;
    this.live = live;
    this.sourceMap = sourceMap;
    this.findings = [];
  }

  /** Runs a check over the bundle, and over the live one when there is something to compare. */
  compare(check, run) {
    const found = collect(this.bundle, run);
    if (found.length === 0) return;
    const live = this.live();
    this.tell(check, found, live ? collect(live, run) : null);
  }

  /** @param known what the live bundle has; null when there is nothing to compare with. */
  tell(check, found, known) {
    const old = known ? oldOnes(found, known) : new Set();
    let told = 0;
    for (const one of found) {
      if (told >= maxFindings) break;
      told += 1;
      this.findings.push(this.finding(check, one, old.has(one)));
    }
  }

  finding(check, one, isOld) {
    const offset = one.node.range[0];
    const place = this.bundle.places.of(offset);
    return {
      check, rule: one.rule, code: one.code, sure: one.sure, old: isOld, text: one.text, advice: one.advice,
      subject: one.subject, class: one.class, method: one.method, ...place,
      source: this.sourceMap.place(place.line, place.column), ...this.concerned(one.node),
    };
  }

  /** The methods through which a place is reached, as ranges of the text; none when it runs while the bundle loads. */
  concerned(node) {
    const own = memberAround(node);
    if (own?.owner) return { methods: [this.range(own.member)], isAtLoad: own.member.static && own.member.type === 'PropertyDefinition' };
    const methods = new Map(), seen = new Set();
    let isAtLoad = false;
    const queue = [node];
    while (queue.length && methods.size < 400) {
      const variable = this.functionAround(queue.pop());
      if (!variable) { isAtLoad = true; continue; }
      if (seen.has(variable)) continue;
      seen.add(variable);
      for (const reference of variable.references) {
        const identifier = reference.identifier;
        if (reference.init) continue;
        const user = memberAround(identifier);
        if (user?.owner) methods.set(user.member, this.range(user.member)); else queue.push(identifier);
      }
    }
    return { methods: [...methods.values()], isAtLoad };
  }

  /** Where the text of a member stands, in bytes of the bundle's UTF-8. */
  range(member) {
    const { range } = member.type === 'PropertyDefinition' && member.value ? member.value : member;
    return range.map((offset) => this.bytesBefore(offset));
  }

  bytesBefore(offset) {
    const { text } = this.bundle, step = 1 << 14;
    if (!this.bytes) {
      this.bytes = [0];
      for (let at = 0; at + step <= text.length; at += step) this.bytes.push(this.bytes.at(-1) + Buffer.byteLength(text.slice(at, at + step)));
    }
    const block = Math.floor(offset / step);
    return this.bytes[block] + Buffer.byteLength(text.slice(block * step, offset));
  }

  /** The variable of the outermost named function around a node; undefined when there is none. */
  functionAround(node) {
    let found;
    for (let up = node; up; up = up.parent) {
      if (!isFunction(up)) continue;
      const declared = up.type === 'FunctionDeclaration' ? up : up.parent?.type === 'VariableDeclarator' ? up.parent : null;
      const variable = declared && this.bundle.scopes.getDeclaredVariables(declared)[0];
      if (variable) { found = variable; break; }
    }
    return found;
  }

  /** Each class with those above it, by name, nearest first. */
  hierarchy() {
    const result = {};
    for (const node of this.bundle.classes) {
      if (node.title) result[node.title] = this.bundle.chain(node).chain.slice(1).map((one) => one.title).filter(Boolean);
    }
    return result;
  }
}

function collect(bundle, run) {
  const found = [], seen = new Set();
  run(bundle, (one) => {
    const around = memberAround(one.node);
    one.class = around?.owner?.title ?? '';
    one.method = (around && keyOf(around.member)) ?? functionName(one.node);
    one.key = `${one.rule}\n${one.code ?? ''}\n${one.text}`;
    one.placeKey = `${one.key}\n${one.class}\n${one.method}`;
    // One place is one finding, and one fault of a method is told once.
    if (seen.has(one.placeKey)) return;
    seen.add(one.placeKey);
    found.push(one);
  });
  return found;
}

function functionName(node) {
  for (let up = node; up; up = up.parent) {
    if (up.type === 'FunctionDeclaration' && up.id) return up.id.name;
    if (isFunction(up) && up.parent?.type === 'VariableDeclarator' && up.parent.id.type === 'Identifier') return up.parent.id.name;
  }
  return '';
}

/** Those that the live bundle has: in the same place, or as often elsewhere, since code moves and classes are renamed. */
function oldOnes(found, known) {
  const count = (list) => {
    const counts = new Map();
    for (const one of list) counts.set(one.key, (counts.get(one.key) ?? 0) + 1);
    return counts;
  };
  const places = new Set(known.map((one) => one.placeKey));
  const now = count(found), before = count(known);
  return new Set(found.filter((one) => places.has(one.placeKey) || now.get(one.key) <= (before.get(one.key) ?? 0)));
}

module.exports = { Report, collect };
