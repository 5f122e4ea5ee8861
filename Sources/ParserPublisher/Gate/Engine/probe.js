// Runs beside the page of the bundle, in the realm of the engine's bridge, and answers what the gate asks. It reports facts; what
// they mean is decided by its reader. Nothing leaves the page: parsers get a context whose pages are made up. The bridge's
// three rules hold here: `page.value` for what a bundle gets, `page.settle` for what it promises, `page.expose` for functions.
(function () {
  'use strict';
  const { Document: PageDocument, DocumentFragment: PageFragment, Element: PageElement } = page.window;
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

  // The context of one source: every request gets the same page, which is parsed once, since making documents is dear.
  function contextOf(text, isGenerous) {
    const documents = new Map();
    const parseHTML = (html) => {
      const key = String(html);
      if (!documents.has(key)) {
        const made = page.parseHTML(key);
        if (isGenerous) generosity.set(made, { left: MAX_SAMPLES });
        documents.set(key, made);
      }
      return documents.get(key);
    };
    return page.context({ answer: () => text, parseHTML });
  }

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
    const build = (id) => attempt(() => bundle.getParser(id, contextOf('')));
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
    const bundle = globalOf(global);
    return questions.map(({ id, names }) => {
      const { value: parser } = attempt(() => bundle.getParser(id, contextOf('')));
      return names.map((name) => {
        const { value, error } = attempt(() => typeOf(parser[name]));
        return error ? 'unknown' : value;
      });
    });
  };

  // MARK: Generous pages

  // A page of a site that nobody knows has nothing that a parser looks for, so the code behind its questions would never
  // run. A generous document answers a question for which it has nothing with a sample; only so often, since code may
  // ask until there is nothing more.
  const MAX_SAMPLES = 400;
  const SAMPLE = '.parser-ota-sample';
  const generosity = new WeakMap();
  const { querySelector: one, querySelectorAll: all } = PageDocument.prototype;
  function samples(node, find) {
    const home = node instanceof PageDocument ? node : node.ownerDocument;
    const state = generosity.get(home);
    if (!state || state.left <= 0) return null;
    state.left -= 1;
    return Reflect.apply(find, home, [SAMPLE]);
  }
  for (const { prototype } of [PageDocument, PageFragment, PageElement]) {
    page.replace(prototype, 'querySelector', (given, node, original) => original() || samples(node, one));
    page.replace(prototype, 'querySelectorAll', (given, node, original) => {
      const found = original();
      return found.length > 0 ? found : samples(node, all) || found;
    });
  }

  // MARK: The dry run

  const PAGES = {
    empty: '',
    html: '<!DOCTYPE html><html><head><title>x</title></head><body><div><a href="/manga/x">x</a><img src="/x.jpg"></div></body></html>',
    generous: '<!DOCTYPE html><html><head><title>x</title></head><body><a class="parser-ota-sample" href="/manga/x" title="x" '
      + 'src="/x.jpg" data-src="/x.jpg" datetime="2024-01-02" content="x" value="1">x 1<img src="/x.jpg" alt="x"></a></body></html>',
    object: '{}',
    array: '[]',
  };
  // Addresses as sites shape them; pages without any content end most parsers at once, whatever the address.
  function shapesFor(kind, domain) {
    switch (kind) {
      case 'html': return ['/manga/x', '/series/x/', '/comics/x', 'x-1'];
      case 'generous': return ['/manga/x', '/m/x', `https://${domain}/manga/x`];
      case 'object': return ['/manga/x', 'x-1'];
      default: return ['/manga/x'];
    }
  }

  // Every call of one source: [method, page, call].
  function callsOf(domain) {
    const calls = [];
    for (const kind of Object.keys(PAGES)) {
      calls.push(['list', kind, (parser) => page.invoke(parser, 'getListPage', [1, 'UPDATED', {}])]);
      calls.push(['search', kind, (parser) => page.invoke(parser, 'getListPage', [1, 'POPULARITY', { query: 'x' }])]);
      for (const url of shapesFor(kind, domain)) {
        const item = (parser) => ({ id: url, url, title: 'x', source: parser.source, branch: null });
        calls.push(['details', kind, (parser) => page.invoke(parser, 'getDetails', [item(parser)])]);
        calls.push(['pages', kind, (parser) => page.invoke(parser, 'getPages', [item(parser)])]);
      }
    }
    return calls;
  }

  // Failures of one kind once, with the sources that have it.
  class Failures {
    constructor() { this.list = []; this.byKey = new Map(); }
    add(source, method, kind, thrown) {
      const error = describe(thrown);
      const key = [method, error.name, error.message, error.line, error.column].join('\n');
      let entry = this.byKey.get(key);
      if (!entry) {
        if (this.list.length >= 5000) return;
        entry = { method, error, pages: [], sources: [] };
        this.byKey.set(key, entry);
        this.list.push(entry);
      }
      if (entry.sources[entry.sources.length - 1] !== source) entry.sources.push(source);
      if (!entry.pages.includes(kind)) entry.pages.push(kind);
    }
  }

  // Each call settles, or not: a promise that never does must not hold up the rest.
  async function tryCall(run, source, contexts, [method, kind, call], say) {
    if (say) page.say(`${method} ${kind}`);
    run.calls += 1;
    run.open.set(run.calls, { source, method });
    const number = run.calls;
    try {
      const made = await page.invoke(run.bundle, 'getParser', [source, contexts[kind]]);
      if ('thrown' in made) throw made.thrown;
      const end = await call(made.value);
      if ('thrown' in end) throw end.thrown;
    } catch (thrown) {
      run.failures.add(source, method, kind, thrown);
    }
    run.open.delete(number);
  }

  // Runs every call of the sources; says each one's name first, so that whoever waits knows where it hangs.
  probes.gateDryRun = async ({ global, sources, settleMilliseconds, sayCalls }) => {
    const run = { bundle: page.global(global), failures: new Failures(), open: new Map(), calls: 0 };
    page.mute(true);
    try {
      for (const { id, domain } of sources) {
        if (!sayCalls) page.say(id);
        const work = callsOf(domain);
        const contexts = Object.fromEntries(Object.entries(PAGES).map(([name, text]) => [name, contextOf(text, name === 'generous')]));
        if (sayCalls) {
          for (const call of work) await Promise.race([tryCall(run, id, contexts, call, true), page.turn()]);
        } else {
          const all = Promise.all(work.map((call) => tryCall(run, id, contexts, call, false)));
          await Promise.race([all, page.turn()]);
        }
      }
      const end = Date.now() + settleMilliseconds;
      while (run.open.size > 0 && Date.now() < end) await page.turn();
    } finally {
      page.mute(false);
    }
    return { calls: run.calls, failures: run.failures.list, unsettled: [...run.open.values()] };
  };
})();
