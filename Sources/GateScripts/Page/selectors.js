// Builds elements that a selector asks for: a part of the script that the gate runs in the page, beside `samples.js`.

// What a page of a site that nobody knows may hold: an address, a text or a number, by the words around it.
const SAMPLE_MARK = 'parser-ota-sample';
const SAMPLE_JSON = `{"${SAMPLE_MARK}":1}`;
const SAMPLE_DATE = '2024-01-02T03:04:05Z';

function sampleText(words, number) {
  if (/date|time|release|update/i.test(words)) return SAMPLE_DATE.slice(0, 10);
  if (/rating|score|vote/i.test(words)) return '4.5';
  if (/chap|episode|capit|volume/i.test(words)) return `Chapter ${number}`;
  if (/status|state/i.test(words)) return 'Ongoing';
  return `x ${number}`;
}
function sampleAddress(words, number) {
  return /chap|episode|capit|read|viewer/i.test(words) ? `/manga/x/chapter-${number}/` : `/manga/x-${number}`;
}
function sampleAttribute(name, words, number) {
  if (/^on/.test(name)) return null;
  if (/src|image|img|thumb|cover|lazy|original|background/.test(name)) return `/images/x-${number}.jpg`;
  if (/href|url|link|path/.test(name)) return sampleAddress(words, number);
  if (/date|time/.test(name)) return SAMPLE_DATE;
  if (/^(data-)?(id|post|num|index|page|count|chapter|manga|key)|-id$|^value$/.test(name)) return String(number);
  if (/json|props|state|settings/.test(name)) return SAMPLE_JSON;
  if (/^data-|^(title|alt|content|name|label)$/.test(name)) return sampleText(words, number);
  return null;
}

// The parts of a selector list: for each alternative its compounds with the combinator before them.
class SelectorReader {
  constructor(text) { this.text = text; this.at = 0; }
  get sign() { return this.text[this.at]; }
  skip() { while (/\s/.test(this.sign || '')) this.at += 1; }
  word() {
    const found = /^(?:[-\w\u00a0-\uffff]|\\.)+/.exec(this.text.slice(this.at, this.at + 256));
    if (!found) return '';
    this.at += found[0].length;
    return found[0].replace(/\\(.)/g, '$1');
  }
  // The text up to the bracket that closes the one before `at`.
  enclosed(open, close) {
    const start = this.at;
    let depth = 1;
    let quote = '';
    for (; this.at < this.text.length; this.at += 1) {
      const sign = this.sign;
      if (quote) { if (sign === quote) quote = ''; } else if (sign === '"' || sign === "'") quote = sign;
      else if (sign === open) depth += 1;
      else if (sign === close && (depth -= 1) === 0) break;
    }
    this.at += 1;
    return this.text.slice(start, this.at - 1);
  }
  compound(combinator) {
    const compound = { combinator, tag: '', id: '', classes: [], attributes: [], has: [] };
    const start = this.at;
    for (;;) {
      const sign = this.sign;
      if (sign === '*') this.at += 1;
      else if (sign === '#') { this.at += 1; compound.id = this.word(); }
      else if (sign === '.') { this.at += 1; compound.classes.push(this.word()); }
      else if (sign === '[') { this.at += 1; compound.attributes.push(this.attribute()); }
      else if (sign === ':') this.pseudo(compound);
      else if (this.at === start) { compound.tag = this.word(); if (!compound.tag) return null; }
      else break;
    }
    return this.at > start ? compound : null;
  }
  attribute() {
    const inner = this.enclosed('[', ']');
    const found = /^\s*([-\w:\\]+)\s*(?:([~|^$*]?=)\s*(?:"([^"]*)"|'([^']*)'|([^\s\]]*)))?/.exec(inner);
    if (!found) return { name: 'x', sign: '', value: '' };
    return { name: found[1].replace(/\\/g, ''), sign: found[2] || '', value: found[3] ?? found[4] ?? found[5] ?? '' };
  }
  pseudo(compound) {
    while (this.sign === ':') this.at += 1;
    const name = this.word();
    if (this.sign !== '(') return;
    this.at += 1;
    const inner = this.enclosed('(', ')');
    if (name === 'has') compound.has.push(inner);
    if (name === 'is' || name === 'where') {
      const first = new SelectorReader(inner).alternatives()[0];
      const last = first && first[first.length - 1];
      if (last) {
        compound.tag = compound.tag || last.tag;
        compound.id = compound.id || last.id;
        compound.classes.push(...last.classes);
        compound.attributes.push(...last.attributes);
      }
    }
  }
  alternative() {
    const parts = [];
    let combinator = ' ';
    for (;;) {
      this.skip();
      if (/[>+~]/.test(this.sign || '')) { combinator = this.sign; this.at += 1; this.skip(); }
      const compound = this.at < this.text.length && this.sign !== ',' ? this.compound(combinator) : null;
      if (!compound) return parts;
      parts.push(compound);
      combinator = ' ';
    }
  }
  alternatives() {
    const all = [];
    while (this.at < this.text.length && all.length < 16) {
      const parts = this.alternative();
      if (parts.length > 0) all.push(parts);
      this.skip();
      if (this.sign === ',') this.at += 1; else break;
    }
    return all;
  }
}

// Elements for one compound of a selector, with what pages of that kind have.
class ElementBuilder {
  constructor(page, selector, number) { [this.page, this.selector, this.number] = [page, selector, number]; }

  value({ name, sign, value }) {
    const whole = sampleAttribute(name, this.selector, this.number) || `x-${this.number}`;
    switch (sign) {
      case '': return whole;
      case '^=': return `${value}x-${this.number}`;
      case '$=': return `/manga/x-${this.number}${value}`;
      case '*=': return /^\/|^http/.test(value) ? `${value}x-${this.number}` : `/manga/x${value}${this.number}`;
      default: return value;
    }
  }
  make({ tag, id, classes, attributes }) {
    const element = this.page.createElement(/^[a-z][\w-]*$/i.test(tag) ? tag : 'div');
    const set = (name, value) => { if (!element.getAttributeNode(name)) element.setAttribute(name, value); };
    for (const attribute of attributes) set(attribute.name, this.value(attribute));
    if (id) set('id', id);
    for (const name of classes) element.classList.add(name);
    switch (element.localName) {
      case 'a': set('href', sampleAddress(this.selector, this.number)); break;
      case 'img': case 'source':
        set('src', `/images/x-${this.number}.jpg`);
        set('data-src', `/images/x-${this.number}.jpg`);
        set('alt', `x ${this.number}`);
        break;
      case 'meta': set('content', sampleText(this.selector, this.number)); break;
      case 'time': set('datetime', SAMPLE_DATE); break;
      case 'option': case 'input': case 'button': set('value', sampleAddress(this.selector, this.number)); break;
      default: break;
    }
    return element;
  }
  // The text goes into the innermost element only, after all that is built around it.
  fill(element) {
    if (element.firstChild || /^(img|meta|input|source|link|br)$/.test(element.localName)) return;
    const isData = element.localName === 'script' || element.localName === 'template';
    element.textContent = isData ? SAMPLE_JSON : sampleText(this.selector, this.number);
  }
  // A chain of elements as the compounds ask for it, below `parent`; gives the innermost one.
  chain(parts, parent) {
    let last = null;
    for (const part of parts) {
      const element = this.make(part);
      if ((part.combinator === '+' || part.combinator === '~') && last) last.after(element);
      else (last || parent).append(element);
      for (const inner of part.has) {
        const inside = new SelectorReader(inner).alternatives()[0];
        if (inside) this.fill(this.chain(inside, element));
      }
      last = element;
    }
    return last;
  }
}
