// Runs beside the page of the bundle, in the realm of the engine's bridge, and answers what the gate asks. It reports facts; what
// they mean is decided by its reader. Nothing leaves the page: parsers get a context whose pages are made up. The bridge's
// three rules hold here: `page.value` for what a bundle gets, `page.settle` for what it promises, `page.expose` for functions.
(function () {
  'use strict';
  const { prototype: baseOfAll } = page.window.Object;
  const UNKNOWN = '__parser_ota_no_such_source__';
  const MAX_MESSAGE = 400;
  const MAX_ODD = 20;
  const MAX_DEPTH = 60;

  // What was thrown in the bridge's words, short and without its stack: there may be thousands.
  function describe(thrown) {
    const { name, message, line, column, script } = page.describe(thrown);
    return { name, message: message.slice(0, MAX_MESSAGE), line, column, script };
  }

  function attempt(work) {
    try { return { value: work() }; } catch (thrown) { return { error: describe(thrown) }; }
  }

  // A context without any page: parsers are built here, and not called.
  const context = page.context({ answer: () => '' });

  // MARK: What the bundle defines

  // The version that a bundle announces, as text; a getter that throws announces none.
  function announced(found) {
    const { value } = attempt(() => found.version);
    return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, MAX_MESSAGE) : null;
  }

  // What a bundle defines, as the types of its parts.
  probes.gateEntries = ({ global }) => {
    const found = page.global(global);
    const isObject = found !== null && (typeof found === 'object' || typeof found === 'function');
    return {
      type: found === null ? 'null' : typeof found,
      getParser: isObject ? typeof found.getParser : 'undefined',
      getAllSources: isObject ? typeof found.getAllSources : 'undefined',
      version: isObject ? announced(found) : null,
    };
  };

  // Each text of a function once; methods name them by number.
  class Texts {
    constructor() { this.list = []; this.numbers = new Map(); }
    number(value) {
      const text = Function.prototype.toString.call(value);
      if (text.length < 200 && text.includes('[native code]')) return null;
      let number = this.numbers.get(text);
      if (number === undefined) {
        number = this.list.length;
        this.list.push(text);
        this.numbers.set(text, number);
      }
      return number;
    }
  }

  function typeOf(value) { return value === null ? 'null' : typeof value; }

  // The members of one object as [name, type, number of its text].
  function membersOf(object, texts) {
    const members = [];
    for (const name of Object.getOwnPropertyNames(object)) {
      if (name === 'constructor') continue;
      const property = Object.getOwnPropertyDescriptor(object, name);
      const code = 'value' in property ? property.value : property.get;
      const type = 'value' in property ? typeOf(property.value) : 'accessor';
      members.push([name, type, typeof code === 'function' ? texts.number(code) : null]);
    }
    return members;
  }

  class Classes {
    constructor(texts) { this.texts = texts; this.list = []; this.numbers = new Map(); }
    number(prototype) {
      let number = this.numbers.get(prototype);
      if (number === undefined) {
        number = this.list.length;
        const maker = Object.getOwnPropertyDescriptor(prototype, 'constructor');
        const name = maker && typeof maker.value === 'function' ? String(maker.value.name) : '';
        this.list.push({ name, members: membersOf(prototype, this.texts) });
        this.numbers.set(prototype, number);
      }
      return number;
    }
  }

  function describeParser(id, found, classes, texts) {
    if (found.error) return { id, state: 'threw', error: found.error };
    const parser = found.value;
    if (parser === null || parser === undefined) return { id, state: 'none' };
    if (typeof parser !== 'object') return { id, state: 'other', type: typeof parser };
    const chain = [];
    for (let link = Object.getPrototypeOf(parser); link && link !== baseOfAll && chain.length < 32; link = Object.getPrototypeOf(link)) {
      chain.push(classes.number(link));
    }
    return { id, state: 'parser', own: membersOf(parser, texts), chain };
  }

  // A value as JSON holds it, with what it cannot hold named by its path: some of it in `odd`, in its place null.
  function plain(value, path, odd, seen) {
    const refuse = (kind) => { if (odd.length < MAX_ODD) odd.push({ path, kind }); return null; };
    switch (typeof value) {
      case 'bigint': return refuse('a BigInt');
      case 'function': return refuse('a function');
      case 'symbol': return refuse('a symbol');
      case 'number': return Number.isFinite(value) ? value : refuse(String(value));
      case 'object': break;
      default: return value;
    }
    if (value === null) return null;
    if (seen.includes(value)) return refuse('a part of itself');
    if (seen.length > MAX_DEPTH) return refuse('nested too deeply');
    if (typeof value.toJSON === 'function') return plain(value.toJSON(), path, odd, [...seen, value]);
    const inner = [...seen, value];
    if (Array.isArray(value)) return Array.from(value, (item, index) => plain(item, `${path}[${index}]`, odd, inner));
    const copy = {};
    for (const key of Object.keys(value)) {
      Object.defineProperty(copy, key, { value: plain(value[key], `${path}.${key}`, odd, inner), enumerable: true });
    }
    return copy;
  }

  // The bundle's own catalog, and for each source of the catalog file the make-up of its parser.
  probes.gateParsers = ({ global, ids }) => {
    const bundle = page.global(global);
    const texts = new Texts();
    const classes = new Classes(texts);
    const build = (id) => attempt(() => bundle.getParser(id, context));
    const parsers = ids.map((id) => describeParser(id, build(id), classes, texts));
    const strangers = [UNKNOWN, 'constructor'].map((id) => {
      const found = build(id);
      return { id, isParser: found.value !== null && found.value !== undefined };
    });
    const odd = [];
    const sources = attempt(() => plain(bundle.getAllSources(), '', odd, []));
    return { sources, odd, parsers, strangers, classes: classes.list, texts: texts.list };
  };

  // What parsers answer for names that no class of theirs defines: a Proxy has answers of its own, and a getter a value.
  probes.gateMembers = ({ global, questions }) => {
    const bundle = page.global(global);
    return questions.map(({ id, names }) => {
      const { value: parser } = attempt(() => bundle.getParser(id, context));
      return names.map((name) => {
        const { value, error } = attempt(() => typeOf(parser[name]));
        return error ? 'unknown' : value;
      });
    });
  };
})();
