// Generous pages: a part of the script that the gate runs beside the page before the bundle.
//
// A page of a site that nobody knows has nothing that a parser looks for, so the code behind its questions would never
// run. A generous page answers a question for which it has nothing with what was asked for: an element with that tag and
// those attributes, a key of JSON with another value. Only so often, since code may ask until there is nothing more.

const MAX_SAMPLES = 240;
const SAMPLES_AT_ONCE = 3;
const SAMPLE_PAGE = `<!DOCTYPE html><html><head><title>x</title></head><body data-parser-ota="${SAMPLE_MARK}"></body></html>`;
const GROWN = 'data-parser-ota-grown';

// How much the pages of one call have given, by their documents.
const generosity = new WeakMap();
// What is told about questions while a call is at work; set by the dry run.
const witness = { call: null, tell() {} };
let grownCount = 0;

function isGenerousText(text) { return typeof text === 'string' && text.includes(SAMPLE_MARK); }
// The generosity of the call that is at work, when its page is generous.
function generosityNow() { return witness.call ? witness.call.generosity : undefined; }

function generosityOf(node) {
  const home = node.nodeType === 9 ? node : node.ownerDocument;
  const known = generosity.get(home);
  if (known || home !== pageDocument) return known;
  // Pages that code puts into an element of its own.
  let root = node;
  while (root.parentNode) root = root.parentNode;
  if (!generosity.has(root)) {
    if (!generosityNow() || !(root.innerHTML || '').includes(SAMPLE_MARK)) return undefined;
    generosity.set(root, generosityNow());
  }
  return generosity.get(root);
}

// Where in the bundle the code stands that is at work, by the stack.
function placeInBundle() {
  const found = /parsers\.bundle\.js:(\d+):(\d+)/.exec(new Error().stack);
  return found ? { line: Number(found[1]), column: Number(found[2]) } : {};
}

// Where elements for a selector go, and what is to be built there: pages have one body and one head.
function groundFor(node, parts) {
  if (node.nodeType !== 9) return [node, parts];
  const outer = parts.filter(({ tag }) => /^(html|head|body)$/i.test(tag));
  const inner = parts.slice(outer.length);
  const isInHead = outer.some(({ tag }) => /^head$/i.test(tag)) || (inner.length > 0 && /^(meta|link|title)$/i.test(inner[0].tag));
  return [isInHead ? node.head : node.body || node.documentElement, inner];
}

// Puts elements for a selector below a node; gives a selector that finds them, or null when there are none.
function grow(node, selector, count) {
  const state = generosityOf(node);
  if (!state || state.left <= 0) return null;
  const found = new SelectorReader(selector).alternatives()[0];
  if (!found) return null;
  const [parent, parts] = groundFor(node, found);
  if (!parent || parts.length === 0) return null;
  const home = node.nodeType === 9 ? node : node.ownerDocument;
  grownCount += 1;
  let first = null;
  for (let number = 1; number <= count && state.left > 0; number += 1) {
    state.left -= 1;
    const builder = new ElementBuilder(home, selector, number);
    // The first one brings its surroundings; its brothers stand beside it.
    const brother = first && [{ ...parts[parts.length - 1], combinator: ' ' }];
    const element = brother ? builder.chain(brother, first.parentNode) : builder.chain(parts, parent);
    builder.fill(element);
    element.setAttribute(GROWN, String(grownCount));
    first = first || element;
  }
  return `[${GROWN}="${grownCount}"]`;
}

// The places of errors that were thrown through the gate's own code.
const thrownPlaces = new WeakMap();
function guardedQuery(original, selector, kind) {
  try { return original(); } catch (thrown) {
    if (thrown instanceof PageException && thrown.name === 'SyntaxError') {
      const place = placeInBundle();
      thrownPlaces.set(thrown, place);
      witness.tell('selector', { text: String(selector), by: kind, ...place });
    }
    throw thrown;
  }
}

function makeQueriesGenerous() {
  for (const { prototype } of [PageDocument, PageFragment, PageElement]) {
    const { querySelector: one, querySelectorAll: all } = prototype;
    page.replace(prototype, 'querySelector', ([selector], node, original) => {
      const found = guardedQuery(original, selector, 'querySelector');
      const grown = found ? null : grow(node, String(selector), 1);
      return grown ? apply(one, node, [selector]) || apply(one, node, [grown]) : found;
    });
    page.replace(prototype, 'querySelectorAll', ([selector], node, original) => {
      const found = guardedQuery(original, selector, 'querySelectorAll');
      const grown = found.length > 0 ? null : grow(node, String(selector), SAMPLES_AT_ONCE);
      if (!grown) return found;
      const now = apply(all, node, [selector]);
      return now.length > 0 ? now : apply(all, node, [grown]);
    });
    makeLookupsGenerous(prototype);
  }
}

function makeLookupsGenerous(prototype) {
  for (const [name, toSelector] of [
    ['getElementsByClassName', (text) => text.trim().split(/\s+/).map((word) => `.${CSS.escape(word)}`).join('')],
    ['getElementsByTagName', (text) => (text === '*' ? 'div' : text)], ['getElementById', (text) => `#${CSS.escape(text)}`],
  ]) {
    if (!prototype[name]) continue;
    const count = name === 'getElementById' ? 1 : SAMPLES_AT_ONCE;
    page.replace(prototype, name, ([text], node, original) => {
      const found = original();
      const isMissing = found === null || found.length === 0;
      return isMissing && grow(node, toSelector(String(text)), count) ? original() : found;
    });
  }
}

function makeElementsGenerous() {
  const { prototype } = PageElement;
  const { closest } = prototype;
  page.replace(prototype, 'matches', ([selector], node, original) => guardedQuery(original, selector, 'matches'));
  page.replace(prototype, 'closest', ([selector], node, original) => {
    const found = guardedQuery(original, selector, 'closest');
    const state = found || !node.parentNode || /^(html|head|body)$/.test(node.localName) ? null : generosityOf(node);
    const parts = state && state.left > 0 ? new SelectorReader(String(selector)).alternatives()[0] : null;
    if (!parts) return found;
    state.left -= 1;
    const around = new ElementBuilder(node.ownerDocument, String(selector), 1).make(parts[parts.length - 1]);
    node.replaceWith(around);
    around.append(node);
    return apply(closest, node, [selector]);
  });
  page.replace(prototype, 'getAttribute', ([name], node, original) => {
    const value = original();
    if (value !== null || !generosityOf(node)) return value;
    const sample = sampleAttribute(String(name).toLowerCase(), `${node.className} ${node.id}`, 1);
    if (sample !== null) node.setAttribute(name, sample);
    return sample;
  });
  page.replace(prototype, 'hasAttribute', ([name], node, original) => (
    original() || (/^(href|src|data-)/.test(String(name)) && generosityOf(node) !== undefined)));
}

function makeParsingGenerous() {
  page.replace(page.window.DOMParser.prototype, 'parseFromString', (given, self, original) => {
    const made = original();
    if (generosityNow()) generosity.set(made, generosityNow());
    return made;
  });
  page.replace(page.window.JSON, 'parse', ([text], self, original) => {
    const state = generosityNow();
    if (state && isGenerousText(text)) return generousValue('', state);
    try { return original(); } catch (thrown) {
      // A sample stands for whatever the code hopes to find in its place.
      if (state && state.left > 0 && isSampleText(text)) return generousValue('', state);
      thrownPlaces.set(thrown, placeInBundle());
      throw thrown;
    }
  });
}

// MARK: JSON that answers any key

const generousValues = new WeakSet();
function isGenerous(value) { return value !== null && typeof value === 'object' && generousValues.has(value); }

function textForKey(key) {
  if (/date|_at$|At$|time|created|updated|published/i.test(key)) return SAMPLE_DATE;
  if (/image|img|src|cover|thumb|poster|file/i.test(key)) return '/images/x-1.jpg';
  if (/url|link|href|path/i.test(key)) return '/manga/x-1';
  if (/id$|num|count|index|order|^chapter$|rating|views|page$|total/i.test(key)) return '1';
  return 'x-1';
}
// Whether a text is one of these, or begins with one: a site would have given another.
function isSampleText(text) {
  return /^(x[ -]\d|Chapter \d|Ongoing$|1$|\/?(manga|images|chapter|series)?\/?x[-/])/.test(String(text));
}

const { prototype: pageList } = page.window.Array;
const { prototype: pageText } = page.window.String;
const { prototype: pageNumber } = page.window.Number;

// A value that is an object with every key, a list of two, and a text or number where one is asked for.
class GenerousValue {
  constructor(key, state) { [this.text, this.state, this.children, this.methods] = [textForKey(key), state, new Map(), new Map()]; }
  child(name) {
    if (!this.children.has(name)) {
      if (this.state.left <= 0) return undefined;
      this.state.left -= 0.1;
      this.children.set(name, generousValue(name, this.state));
    }
    return this.children.get(name);
  }
  get list() { return page.value([this.child('0'), this.child('1')].filter((item) => item !== undefined)); }
  get number() { return Number(this.text) || 1; }
  method(name, work) {
    if (!this.methods.has(name)) this.methods.set(name, page.expose(String(name), 0, work));
    return this.methods.get(name);
  }
  get(target, name, self) {
    if (Object.hasOwn(target, name) && name !== 'length') return target[name];
    if (name === Symbol.toPrimitive) return this.method('toPrimitive', ([hint]) => (hint === 'number' ? this.number : this.text));
    if (name === Symbol.iterator) return this.method('iterator', () => this.list[Symbol.iterator]());
    if (typeof name === 'symbol') return undefined;
    switch (name) {
      case 'length': return this.list.length;
      case 'then': case 'nodeType': return undefined;
      case 'constructor': return page.window.Object;
      case 'toJSON': case 'toString': case 'valueOf': return this.method('toString', () => this.text);
      case 'slice': case 'concat': case 'reverse': case 'sort': return this.method('self', () => self);
      case 'includes': case 'startsWith': case 'endsWith': return this.method('includes', () => false);
      case 'hasOwnProperty': return this.method(name, () => true);
      default: return this.other(name);
    }
  }
  other(name) {
    if (/^\d+$/.test(name)) return Number(name) < 2 ? this.child(name) : undefined;
    // Code that asks for more pages would ask for ever.
    if (/^(has|is)?_?(next|more|last|end|prev)/i.test(name) || /^(error|errors|err|message)$/.test(name)) return undefined;
    if (/^(success|ok)$/.test(name)) return true;
    if (/^(code|status|errno)$/.test(name)) return 200;
    if (typeof pageList[name] === 'function') return this.method(name, (given) => apply(pageList[name], this.list, given));
    if (typeof pageText[name] === 'function') return this.method(name, (given) => apply(pageText[name], this.text, given));
    if (typeof pageNumber[name] === 'function') return this.method(name, (given) => apply(pageNumber[name], this.number, given));
    return this.child(name);
  }
}

function generousValue(key, state) {
  const value = new GenerousValue(key, state);
  const self = new Proxy(page.value([]), {
    get: (target, name, receiver) => value.get(target, name, receiver),
    has: () => true,
    ownKeys: (target) => [...new Set(['0', '1', 'id', 'title', 'url', ...Reflect.ownKeys(target)])],
    getOwnPropertyDescriptor(target, name) {
      const own = Reflect.getOwnPropertyDescriptor(target, name);
      if (own || typeof name === 'symbol') return own;
      return { value: value.child(name), writable: true, enumerable: true, configurable: true };
    },
  });
  generousValues.add(self);
  return self;
}
