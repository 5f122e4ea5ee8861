// Generous pages: a part of the script that the gate runs in the page before the bundle.
//
// A page of a site that nobody knows has nothing that a parser looks for, so the code behind its questions would never
// run. A generous page answers a question for which it has nothing with what was asked for: an element with that tag and
// those attributes, a key of JSON with another value. Only so often, since code may ask until there is nothing more.

const MAX_SAMPLES = 240;
const SAMPLES_AT_ONCE = 3;
const SAMPLE_PAGE = `<!DOCTYPE html><html><head><title>x</title></head><body data-parser-ota="${SAMPLE_MARK}"></body></html>`;

// How much the pages of one call have given, by their documents.
const generosity = new WeakMap();
// What is told about questions while a call is at work; set by the dry run.
const witness = { call: null, tell() {} };

function isGenerousText(text) { return typeof text === 'string' && text.includes(SAMPLE_MARK); }

function generosityOf(node) {
  const home = node.nodeType === 9 ? node : node.ownerDocument;
  const known = generosity.get(home);
  if (known || home !== document) return known;
  // Pages that code puts into an element of its own.
  let root = node;
  while (root.parentNode) root = root.parentNode;
  if (!generosity.has(root)) {
    const isSample = witness.call && (root.innerHTML || '').includes(SAMPLE_MARK);
    if (!isSample) return undefined;
    generosity.set(root, witness.call.generosity);
  }
  return generosity.get(root);
}

// Where in the bundle the code stands that is at work, by the stack.
function placeInBundle() {
  const found = /parsers\.bundle\.js:(\d+):(\d+)/.exec(new Error().stack || '');
  return found ? { line: Number(found[1]), column: Number(found[2]) } : {};
}

// Where elements for a selector go, and what is to be built there: pages have one body and one head.
function groundFor(node, parts) {
  if (node.nodeType !== 9) return [node, parts];
  const outer = parts.filter(({ tag }) => /^(html|head|body)$/i.test(tag));
  const inner = parts.slice(outer.length);
  if (outer.some(({ tag }) => /^head$/i.test(tag)) || /^(meta|link|title)$/i.test(inner.length > 0 ? inner[0].tag : '')) return [node.head, inner];
  return [node.body || node.documentElement, inner];
}

// Puts elements for a selector below a node; gives the number under which they are found, or null when there are none.
function grow(node, selector, count) {
  const state = generosityOf(node);
  if (!state || state.left <= 0) return null;
  const found = new SelectorReader(selector).alternatives()[0];
  if (!found) return null;
  const [parent, parts] = groundFor(node, found);
  if (!parent || parts.length === 0) return null;
  const page = node.nodeType === 9 ? node : node.ownerDocument;
  grownCount += 1;
  let first = null;
  for (let number = 1; number <= count && state.left > 0; number += 1) {
    state.left -= 1;
    const builder = new ElementBuilder(page, selector, number);
    // The first one brings its surroundings; its brothers stand beside it.
    const element = first ? builder.chain([{ ...parts[parts.length - 1], combinator: ' ' }], first.parentNode) : builder.chain(parts, parent);
    builder.fill(element);
    element.setAttribute(GROWN, String(grownCount));
    first = first || element;
  }
  return `[${GROWN}="${grownCount}"]`;
}
const GROWN = 'data-parser-ota-grown';
let grownCount = 0;

function guardedQuery(query, node, selector, kind) {
  try { return query.call(node, selector); } catch (thrown) {
    if (thrown && thrown.name === 'SyntaxError') {
      const place = placeInBundle();
      thrownPlaces.set(thrown, place);
      witness.tell('selector', { text: String(selector), by: kind, ...place });
    }
    throw thrown;
  }
}
// The places of errors that were thrown through the gate's own code.
const thrownPlaces = new WeakMap();

function makeQueriesGenerous() {
  for (const { prototype } of [Document, DocumentFragment, Element]) {
    const { querySelector: one, querySelectorAll: all } = prototype;
    prototype.querySelector = function querySelector(selector) {
      const found = guardedQuery(one, this, selector, 'querySelector');
      const grown = found ? null : grow(this, String(selector), 1);
      return grown ? one.call(this, selector) || one.call(this, grown) : found;
    };
    prototype.querySelectorAll = function querySelectorAll(selector) {
      const found = guardedQuery(all, this, selector, 'querySelectorAll');
      const grown = found.length > 0 ? null : grow(this, String(selector), SAMPLES_AT_ONCE);
      if (!grown) return found;
      const now = all.call(this, selector);
      return now.length > 0 ? now : all.call(this, grown);
    };
    for (const [name, toSelector] of [
      ['getElementsByClassName', (text) => text.trim().split(/\s+/).map((word) => `.${CSS.escape(word)}`).join('')],
      ['getElementsByTagName', (text) => (text === '*' ? 'div' : text)], ['getElementById', (text) => `#${CSS.escape(text)}`],
    ]) {
      const native = prototype[name];
      if (!native) continue;
      prototype[name] = { [name](text) {
        const found = native.call(this, text);
        if ((found && found.length !== 0) || !grow(this, toSelector(String(text)), name === 'getElementById' ? 1 : SAMPLES_AT_ONCE)) return found;
        return native.call(this, text);
      } }[name];
    }
  }
}

function makeElementsGenerous() {
  const { closest, matches, getAttribute, hasAttribute } = Element.prototype;
  Element.prototype.matches = function (selector) { return guardedQuery(matches, this, selector, 'matches'); };
  Element.prototype.closest = function (selector) {
    const found = guardedQuery(closest, this, selector, 'closest');
    const state = found ? null : generosityOf(this);
    const parts = state && state.left > 0 && this.parentNode ? new SelectorReader(String(selector)).alternatives()[0] : null;
    if (!parts) return found;
    state.left -= 1;
    const around = new ElementBuilder(this.ownerDocument, String(selector), 1).make(parts[parts.length - 1]);
    if (this.localName === 'body' || this.localName === 'html') return null;
    this.replaceWith(around);
    around.append(this);
    return closest.call(this, selector);
  };
  Element.prototype.getAttribute = function (name) {
    const value = getAttribute.call(this, name);
    if (value !== null || !generosityOf(this)) return value;
    const sample = sampleAttribute(String(name).toLowerCase(), `${this.className} ${this.id}`, 1);
    if (sample !== null) this.setAttribute(name, sample);
    return sample;
  };
  Element.prototype.hasAttribute = function (name) {
    return hasAttribute.call(this, name) || (generosityOf(this) !== undefined && /^(href|src|data-)/.test(String(name)));
  };
}

function makeParsingGenerous() {
  const { parseFromString } = DOMParser.prototype;
  DOMParser.prototype.parseFromString = function (text, type) {
    const made = parseFromString.call(this, text, type);
    if (witness.call && witness.call.generosity && isGenerousText(String(text))) generosity.set(made, witness.call.generosity);
    return made;
  };
  const { parse } = JSON;
  JSON.parse = function (text, reviver) {
    const state = witness.call && witness.call.generosity;
    if (state && isGenerousText(text)) return generousValue('', state);
    try { return parse(text, reviver); } catch (thrown) {
      // A sample stands for whatever the code hopes to find in its place.
      if (state && state.left > 0 && /^(x[ -]\d|Chapter \d|Ongoing|\/manga\/x)/.test(String(text))) return generousValue('', state);
      thrownPlaces.set(thrown, placeInBundle());
      throw thrown;
    }
  };
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

// A value that is an object with every key, a list of two, and a text or number where one is asked for.
function generousValue(key, state) {
  const text = textForKey(key);
  const children = new Map();
  const childOf = (name) => {
    if (!children.has(name)) {
      if (state.left <= 0) return undefined;
      state.left -= 0.1;
      children.set(name, generousValue(name, state));
    }
    return children.get(name);
  };
  const list = () => [childOf('0'), childOf('1')].filter((item) => item !== undefined);
  const self = new Proxy([], {
    get(target, name) {
      if (Object.hasOwn(target, name) && name !== 'length') return target[name];
      if (name === Symbol.toPrimitive) return (hint) => (hint === 'number' ? Number(text) || 1 : text);
      if (name === Symbol.iterator) return () => list()[Symbol.iterator]();
      if (typeof name === 'symbol') return undefined;
      switch (name) {
        case 'length': return list().length;
        case 'then': case 'nodeType': case 'constructor': return name === 'constructor' ? Object : undefined;
        case 'toJSON': case 'toString': case 'valueOf': return () => text;
        case 'slice': case 'concat': case 'reverse': case 'sort': return () => self;
        case 'includes': case 'startsWith': case 'endsWith': return () => false;
        case 'hasOwnProperty': return () => true;
        default: break;
      }
      if (/^\d+$/.test(name)) return Number(name) < 2 ? childOf(name) : undefined;
      // Code that asks for more pages would ask for ever.
      if (/^(has|is)?_?(next|more|last|end|prev)/i.test(name) || /^(error|errors|err|message)$/.test(name)) return undefined;
      if (/^(success|ok)$/.test(name)) return true;
      if (/^(code|status|errno)$/.test(name)) return 200;
      if (typeof Array.prototype[name] === 'function') return (...given) => list()[name](...given);
      if (typeof String.prototype[name] === 'function') return (...given) => text[name](...given);
      if (typeof Number.prototype[name] === 'function') return (...given) => (Number(text) || 1)[name](...given);
      return childOf(name);
    },
    has: () => true,
    ownKeys: (target) => [...new Set(['0', '1', 'id', 'title', 'url', ...Reflect.ownKeys(target)])],
    getOwnPropertyDescriptor(target, name) {
      const own = Reflect.getOwnPropertyDescriptor(target, name);
      if (own || typeof name === 'symbol') return own;
      return { value: childOf(name), writable: true, enumerable: true, configurable: true };
    },
  });
  generousValues.add(self);
  return self;
}
