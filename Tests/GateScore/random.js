'use strict';
// Numbers that look random and are the same for the same seed.

class Random {
  constructor(seed) { this.state = (seed >>> 0) || 1; }

  // A number from 0 up to, but not including, 1 (mulberry32).
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  below(count) { return Math.floor(this.next() * count); }
  pick(items) { return items[this.below(items.length)]; }

  shuffled(items) {
    const list = [...items];
    for (let at = list.length - 1; at > 0; at--) {
      const other = this.below(at + 1);
      [list[at], list[other]] = [list[other], list[at]];
    }
    return list;
  }

  // A generator of its own for a name, so that a new kind does not change what the others make.
  static named(seed, name) {
    let mixed = seed >>> 0;
    for (const letter of name) mixed = Math.imul(mixed ^ letter.charCodeAt(0), 16777619) >>> 0;
    return new Random(mixed);
  }
}

// A name with one slip of the keyboard that `isTaken` does not know: two letters swapped, one lost, doubled or changed.
function misspelt(name, random, isTaken = () => false) {
  for (let round = 0; round < 60; round++) {
    const at = 1 + random.below(Math.max(1, name.length - 1));
    const slips = [
      name.slice(0, at - 1) + name[at] + name[at - 1] + name.slice(at + 1),
      name.slice(0, at) + name.slice(at + 1),
      name.slice(0, at) + name[at] + name.slice(at),
      name.slice(0, at) + 'sntr'[random.below(4)] + name.slice(at + 1),
    ];
    const slip = random.pick(slips);
    if (slip && slip !== name && !slip.includes('undefined') && /^[A-Za-z_$][\w$]*$/.test(slip) && !isTaken(slip)) return slip;
  }
  return `${name}X`;
}

module.exports = { Random, misspelt };
