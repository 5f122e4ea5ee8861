// Texts that a pattern matches: a part of the script that the gate runs in the page. Parsers cut addresses and JSON out of pages
// with patterns; on a generous page a pattern finds what it looks for.

const PATTERN_SIGNS = ['x', '1', 'a', '-', '/', ' ', '"', '.', ':', '=', '<', '{', '[', ',', '\n'];

class PatternReader {
  constructor({ source, flags }) { [this.source, this.flags, this.at] = [source, flags.includes('i') ? 'i' : '', 0]; }
  get sign() { return this.source[this.at]; }

  // The first alternative up to the end of the group; the others are passed over.
  group() {
    let text = '';
    let isFirst = true;
    while (this.at < this.source.length && this.sign !== ')') {
      if (this.sign === '|') { isFirst = false; this.at += 1; continue; }
      const term = this.term();
      if (isFirst) text += term;
    }
    this.at += 1;
    return text;
  }
  term() {
    const sign = this.sign;
    this.at += 1;
    switch (sign) {
      case '^': case '$': return '';
      case '(': return this.quantified(this.open());
      case '[': return this.several(this.charactersOf(this.set()));
      case '.': return this.several(this.charactersOf('[^\\n]'));
      case '\\': return this.escape();
      default: return this.quantified(sign);
    }
  }
  // A group is told by what stands after its bracket; what is only looked at gives no text.
  open() {
    const kind = /^\?(?:[:=!]|<[=!]|<[\w$]+>)/.exec(this.source.slice(this.at, this.at + 64));
    if (kind) this.at += kind[0].length;
    const text = this.group();
    return kind && /[=!]$/.test(kind[0]) ? '' : text;
  }
  set() {
    const start = this.at - 1;
    for (; this.at < this.source.length && this.sign !== ']'; this.at += 1) if (this.sign === '\\') this.at += 1;
    this.at += 1;
    return this.source.slice(start, this.at);
  }
  escape() {
    const sign = this.sign;
    this.at += 1;
    if (/[bB]/.test(sign)) return '';
    if (/[dDwWsS]/.test(sign)) return this.several(this.charactersOf(`\\${sign}`));
    const code = sign === 'u' ? /^[0-9a-f]{4}/i : sign === 'x' ? /^[0-9a-f]{2}/i : null;
    const digits = code && code.exec(this.source.slice(this.at, this.at + 4));
    if (digits) { this.at += digits[0].length; return this.quantified(String.fromCharCode(parseInt(digits[0], 16))); }
    return this.quantified({ n: '\n', r: '\r', t: '\t' }[sign] || sign);
  }
  charactersOf(set) {
    let pattern;
    try { pattern = new RegExp(`^${set}$`, this.flags); } catch { return { one: 'x', isWide: false }; }
    const fits = (text) => pattern.test(text);
    return { one: PATTERN_SIGNS.find(fits) || 'x', isWide: [...SAMPLE_MARK].every(fits) };
  }
  // How often what came before is repeated: at least once, so that there is something to find.
  count() {
    const found = /^(?:[*+?]|\{(\d+)(,\d*)?\})\??/.exec(this.source.slice(this.at, this.at + 16));
    if (!found) return { times: 1, isOpen: false };
    this.at += found[0].length;
    return { times: Math.min(found[1] === undefined ? 1 : Number(found[1]), 64), isOpen: /^[*+]|,\}/.test(found[0]) };
  }
  several({ one, isWide }) {
    const { times, isOpen } = this.count();
    return isOpen && isWide ? SAMPLE_MARK : one.repeat(times);
  }
  quantified(text) { return text.repeat(this.count().times); }
}

const MAX_MATCHES = 2;

function makePatternsGenerous() {
  const { prototype } = page.window.RegExp;
  const { exec } = prototype;
  page.replace(prototype, 'exec', ([text], pattern, original) => {
    const found = original();
    const state = found === null ? generosityNow() : undefined;
    if (!state || !isGenerousText(text) || !/\((?!\?)|\(\?</.test(pattern.source)) return found;
    const count = state.patterns.get(pattern.source) || 0;
    state.patterns.set(pattern.source, count + 1);
    // Only so often, for code that goes on until nothing is found.
    if (count >= (pattern.global ? MAX_MATCHES : 40)) return null;
    const sample = new PatternReader(pattern).group();
    pattern.lastIndex = 0;
    return apply(exec, pattern, [sample]);
  });
}
