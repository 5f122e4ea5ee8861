// Runs in a realm of its own beside the page of the bundle, and gives the bundle what apps give it. Here the language is whole,
// whatever a bundle does to its own. `outer` is the bundle's window; what is taken from it is taken before the bundle runs.
//
// Three rules keep the realm closed. What is handed to a bundle is text, a number or an object of its own realm: `inPage` makes
// one. A function that a bundle may hold is made by `expose` or `replace`. And nothing of a bundle is awaited or returned
// from an async function: it may have a `then`, which would be given functions of this realm; `settle` waits for it.
(function (outer, channel, expose, replace) {
  'use strict';
  const { document, Promise: OuterPromise, Error: OuterError, Headers: OuterHeaders, Map: OuterMap } = outer;
  const { eval: run, DOMParser: OuterParser, console: outerConsole } = outer;
  const { parse: parseOutside } = outer.JSON;
  const { then: outerThen } = OuterPromise.prototype;
  const { parseFromString } = OuterParser.prototype;
  const { dispatchEvent } = EventTarget.prototype;
  const { bind: outerBind } = outer.Function.prototype;
  const { apply, defineProperty, getPrototypeOf } = Reflect;
  const address = outer.location.href;
  const MAX_LOG_LENGTH = 4096;
  const pending = new Map();
  const probes = {};
  let lastRequest = 0;
  let isMuted = false;

  // A lone surrogate is legal in a JavaScript string and in nothing else.
  function toJSON(value) {
    const text = JSON.stringify(value === undefined ? null : value);
    if (text === undefined) throw new TypeError('the result is no value that JSON knows');
    return text.replace(/(^|[^\\])((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/gi, '$1$2\ufffd');
  }
  function send(message) { apply(dispatchEvent, document, [new CustomEvent(channel, { detail: toJSON(message) })]); }

  function bytesOf(base64) {
    const binary = atob(base64);
    const bytes = new Uint8Array(binary.length);
    for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
    return bytes;
  }
  function base64Of(bytes) {
    let binary = '';
    for (let index = 0; index < bytes.length; index += 8192) {
      binary += String.fromCharCode.apply(null, bytes.subarray(index, index + 8192));
    }
    return btoa(binary);
  }
  function argumentsOf(base64) { return JSON.parse(new TextDecoder().decode(bytesOf(base64))); }

  // MARK: The border

  function isOwn(value) {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
    for (let link = value; link !== null; link = getPrototypeOf(link)) if (link === Object.prototype) return true;
    return false;
  }
  function define(object, name, value) {
    defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  }
  const outerErrors = new Map(['TypeError', 'RangeError', 'SyntaxError', 'ReferenceError'].map((name) => [name, outer[name]]));
  function errorInPage(error) {
    const Kind = outerErrors.get(error.name) || OuterError;
    const made = new Kind(error.message);
    if (made.name !== error.name) define(made, 'name', error.name);
    return made;
  }
  // A value as a bundle may have it: things of this realm become things of the bundle's, all others stay what they are.
  function inPage(value) {
    if (!isOwn(value)) return value;
    if (typeof value === 'function') throw new TypeError('a function must be exposed before a bundle may have it');
    if (value instanceof Error) return errorInPage(value);
    if (value instanceof Promise) {
      return new OuterPromise((resolve, reject) => {
        value.then((result) => resolve(inPage(result))).catch((thrown) => reject(inPage(thrown)));
      });
    }
    const made = parseOutside(Array.isArray(value) ? '[]' : '{}');
    for (const name of Object.keys(value)) define(made, name, inPage(value[name]));
    return made;
  }
  // What `expose` and `replace` call: it gives work the arguments, and gives back what came of it as the page may have it.
  function guarded(work) {
    return (self, given) => {
      try {
        const list = [];
        for (let index = 0; index < given.length; index += 1) list[index] = given[index];
        return { value: inPage(work(list, self)) };
      } catch (thrown) {
        return { isThrown: true, value: inPage(thrown) };
      }
    };
  }
  // The texts of functions that stand for others, or for something of an app.
  const texts = new WeakMap();
  function exposed(name, length, work) {
    const made = expose(guarded(work));
    texts.set(made, `function ${name}() {\n    [native code]\n}`);
    defineProperty(made, 'name', { value: name });
    defineProperty(made, 'length', { value: length });
    return made;
  }
  // Replaces a method; `work` gets the arguments, the receiver, and a function that calls the original.
  function replaceMethod(owner, name, work) {
    const original = owner[name];
    const made = replace(original, guarded((given, self) => work(given, self, () => apply(original, self, given))));
    texts.set(made, textOf(original));
    define(owner, name, made);
  }
  function textOf(method) { return texts.get(method) || apply(Function.prototype.toString, method, []); }

  // A promise of the page that asks no bundle which constructor promises have.
  function plain(promise) {
    defineProperty(promise, 'constructor', { value: undefined });
    return promise;
  }
  function outcome(promise) {
    return new Promise((done) => {
      apply(outerThen, plain(promise), [(value) => done({ value }), (thrown) => done({ thrown })]);
    });
  }
  // Waits for something of a bundle as `await` does, and gives { value } or { thrown }, never the thing itself.
  function settle(value) { return outcome(new OuterPromise((resolve) => resolve(value))); }
  // Calls a method of a bundle in a job of its own, as from nowhere: its stack says nothing of this realm.
  function invoke(object, name, given) {
    if (object === null || object === undefined) throw new TypeError(`${object} is not an object (evaluating 'parser.${name}')`);
    const method = object[name];
    if (typeof method !== 'function') throw new TypeError(`parser.${name} is not a function`);
    const job = apply(outerBind, method, [object, ...given.map(inPage)]);
    return outcome(apply(outerThen, plain(new OuterPromise((resolve) => resolve())), [job]));
  }

  // MARK: What is thrown

  function isPlace(value) { return Number.isInteger(value) && value > 0; }
  function describe(thrown) {
    if (thrown === null || typeof thrown !== 'object') return { name: typeof thrown, message: String(thrown) };
    const described = { name: 'object', message: '' };
    try {
      described.name = String(thrown.name || 'object');
      described.message = String(thrown.message === undefined ? thrown : thrown.message);
      if (typeof thrown.stack === 'string') described.stack = thrown.stack.slice(0, 8192).replaceAll(address, '');
      if (typeof thrown.sourceURL === 'string') described.script = thrown.sourceURL.replace(address, '');
      // The engine says 0 where it does not know.
      if (isPlace(thrown.line)) described.line = thrown.line;
      if (isPlace(thrown.column)) described.column = thrown.column;
      if (faults.has(thrown)) described.page = faults.get(thrown);
    } catch {
      described.message = described.message || 'an object that cannot be read was thrown';
    }
    return described;
  }

  // MARK: Pages

  // Why a page could not be had, by the error that says so: the error itself is in the bundle's hands.
  const faults = new WeakMap();
  function isObject(value) { return value !== null && typeof value === 'object' && !Array.isArray(value); }
  function isParser(value) { return isObject(value) && typeof value.getListPage === 'function'; }

  // Apps count the arguments: with fewer than three the second one is the parser. Bundles also pass (url, parser, headers).
  function headersAndParser(rest) {
    const [first, second] = rest;
    if (isParser(first)) return [second, first];
    if (rest.length < 2 && isObject(first) && !(first instanceof OuterHeaders)) return [undefined, first];
    return [first, second];
  }
  function entriesOf(headers) {
    if (!isObject(headers)) return [];
    return headers instanceof OuterHeaders || headers instanceof OuterMap ? [...headers] : Object.entries(headers);
  }
  // The parser's own headers, and over them those of the call; names differ by more than case.
  function mergedHeaders(parser, extra) {
    const fields = new Map();
    const own = parser && isObject(parser.headers) ? parser.headers : undefined;
    for (const [name, value] of [...entriesOf(own), ...entriesOf(extra)]) {
      if (value !== undefined && value !== null && typeof value !== 'function') {
        fields.set(String(name).toLowerCase(), [String(name), String(value)]);
      }
    }
    return [...fields.values()];
  }

  // What a parser asks for: the method, the URL as it was written, the body as text or null, its headers and the parser.
  function requestOf(method, [url, ...rest]) {
    const body = method === 'POST' ? rest.shift() : null;
    const [headers, parser] = headersAndParser(rest);
    const text = body === undefined || body === null ? '' : String(body);
    return { method, url: String(url), body: method === 'POST' ? text : null, headers: mergedHeaders(parser, headers), parser };
  }
  // Asks whoever provides the pages, and resolves to the text of the page.
  function ask(request) {
    return new Promise((resolve, reject) => {
      const { method, url, body, headers, parser } = request;
      const domain = parser && typeof parser.domain === 'string' ? parser.domain : '';
      const source = parser && isObject(parser.source) && typeof parser.source.id === 'string' ? parser.source.id : undefined;
      lastRequest += 1;
      const id = 'r' + lastRequest;
      pending.set(id, { resolve, reject, parser, url });
      const bytes = body === null ? undefined : base64Of(new TextEncoder().encode(body));
      send({ kind: 'request', id, method, url, headers, body: bytes, domain, source });
    });
  }

  function labelIn(bytes) {
    if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
    if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
    const head = String.fromCharCode.apply(null, bytes.subarray(0, 1024));
    const found = /<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)/i.exec(head) || /^<\?xml[^>]+encoding\s*=\s*["']([\w-]+)/i.exec(head);
    return found ? found[1] : 'utf-8';
  }
  function decoded(bytes, label) {
    try {
      return new TextDecoder(label || labelIn(bytes)).decode(bytes);
    } catch {
      return new TextDecoder().decode(bytes);
    }
  }

  function pageError(fault) {
    const error = new OuterError(fault.message);
    define(error, 'name', 'PageError');
    faults.set(error, fault);
    return error;
  }
  // A source that moved answers from another host: its parser goes on there.
  function followDomain(parser, asked, final) {
    if (!parser || typeof parser.domain !== 'string') return;
    try {
      const from = new URL(asked).host;
      const to = new URL(final).host;
      if (to !== from && parser.domain === from) parser.domain = to;
    } catch {
      // A URL that cannot be read names no host to move to.
    }
  }

  function parseHTML(html) { return apply(parseFromString, new OuterParser(), [String(html), 'text/html']); }
  // A context as apps give it. `answer` gives the text for a request, or a promise of it; `parseHTML` a document of the page.
  function contextOf(answers) {
    const { answer = ask, parseHTML: parse = parseHTML } = answers || {};
    const context = inPage({});
    define(context, 'httpGet', exposed('httpGet', 1, async (given) => answer(requestOf('GET', given))));
    define(context, 'httpPost', exposed('httpPost', 2, async (given) => answer(requestOf('POST', given))));
    define(context, 'parseHTML', exposed('parseHTML', 1, ([html]) => parse(html)));
    define(context, 'decodeContent', exposed('decodeContent', 1, ([text]) => text));
    return context;
  }
  const context = contextOf();

  // MARK: Calls

  // A global by its name, also one that `let` or `const` defined; undefined when there is none.
  function globalNamed(name) { return run(`typeof ${name} === 'undefined' ? undefined : ${name}`); }
  async function callParser(globalName, source, method, given) {
    const parsers = globalNamed(globalName);
    if (!parsers) throw new ReferenceError(`the bundle defines no ${globalName}`);
    const made = await invoke(parsers, 'getParser', [source, context]);
    if ('thrown' in made) return made;
    const { value: parser } = made;
    if (!parser) throw new Error(`the bundle has no parser for ${source}`);
    // What a list or the details gave goes back whole, with the name of its source, as apps hand it over.
    const named = { id: given.url, ...given, source: { id: source, name: source } };
    switch (method) {
      case 'list': return invoke(parser, 'getListPage', [given.page, given.order, given.filter || {}]);
      case 'search': return invoke(parser, 'getListPage', [given.page, given.order, { query: given.query }]);
      case 'details': return invoke(parser, 'getDetails', [named]);
      case 'pages': return invoke(parser, 'getPages', [named]);
      default: throw new Error(`unknown method ${method}`);
    }
  }
  // Tells what `work` came to, which gives a promise for { value } or { thrown }.
  async function answer(token, work) {
    try {
      const end = await work();
      if ('thrown' in end) throw end.thrown;
      send({ kind: 'result', token, ok: true, json: toJSON(end.value) });
    } catch (thrown) {
      send({ kind: 'result', token, ok: false, error: describe(thrown) });
    }
  }

  // MARK: Logs

  function textOfLog(values) {
    return values.map((value) => {
      if (typeof value === 'string') return value;
      if (value instanceof OuterError) return `${value.name}: ${value.message}`;
      try { return isObject(value) || Array.isArray(value) ? JSON.stringify(value) : String(value); } catch { return '?'; }
    }).join(' ').slice(0, MAX_LOG_LENGTH);
  }
  function log(level, values) {
    if (isMuted) return;
    // A value that cannot be turned into text must not break the parser that logs it.
    try { send({ kind: 'log', level, text: textOfLog(values) }); } catch { /* nothing to log */ }
  }
  for (const level of ['log', 'info', 'warn', 'error', 'debug', 'trace']) {
    replaceMethod(outerConsole, level, (values) => log(level, values));
  }
  outer.addEventListener('error', (event) => log('uncaught', [`${event.message} (${event.lineno}:${event.colno})`]));
  outer.addEventListener('unhandledrejection', (event) => log('uncaught', [event.reason]));

  // MARK: Probes

  // One turn of the page's loop. Not by a timer: pages that nobody sees have theirs slowed down to one a second.
  const loop = new MessageChannel();
  const turns = [];
  loop.port1.onmessage = () => turns.shift()();
  function turn() {
    return new Promise((done) => {
      turns.push(done);
      loop.port2.postMessage(0);
    });
  }
  // What probes have of the page. They run in this realm, and the three rules above are theirs too.
  const page = Object.freeze({
    window: outer,
    global: globalNamed,
    value: inPage,
    expose: exposed,
    settle,
    invoke,
    context: contextOf,
    parseHTML,
    describe,
    turn,
    replace: replaceMethod,
    // A line for whoever asks, which no bundle can write: its level is `probe`.
    say(text) { send({ kind: 'log', level: 'probe', text }); },
    // Whether the bundle's own lines are dropped.
    mute(isSilent) { isMuted = isSilent; },
  });

  // Whoever asks a function for its text gets that of the one for which it stands.
  replaceMethod(outer.Function.prototype, 'toString', (_, self, original) => texts.get(self) || original());

  // MARK: The lock

  // Whatever gets out by mistake shows a bundle nothing that it can change, and no way to this realm's global object.
  function lock() {
    const makers = [function () {}, async function () {}, function* () {}, async function* () {}].map(getPrototypeOf);
    for (const maker of makers) delete maker.constructor;
    const iterators = [[][Symbol.iterator](), new Map()[Symbol.iterator](), new Set()[Symbol.iterator](), ''[Symbol.iterator]()];
    const waiting = [Object, Array, Promise, Error, TypeError, RangeError, SyntaxError, ReferenceError, Map, Set, WeakMap, RegExp,
      String, Number, Boolean, Symbol, BigInt, Date, JSON, Reflect, Math, Uint8Array, ...makers, ...iterators.map(getPrototypeOf)];
    const seen = new Set();
    while (waiting.length > 0) {
      const object = waiting.pop();
      if (object === null || (typeof object !== 'object' && typeof object !== 'function') || seen.has(object)) continue;
      seen.add(object);
      waiting.push(getPrototypeOf(object));
      for (const name of Reflect.ownKeys(object)) {
        const property = Object.getOwnPropertyDescriptor(object, name);
        waiting.push(property.value, property.get, property.set);
      }
    }
    for (const owner of [Object.prototype, Error.prototype]) for (const name of Reflect.ownKeys(owner)) allowShadow(owner, name);
    for (const object of seen) Object.freeze(object);
  }
  // A frozen property could not even be set on what inherits it.
  function allowShadow(owner, name) {
    const { value, writable } = Object.getOwnPropertyDescriptor(owner, name);
    if (!writable) return;
    defineProperty(owner, name, {
      get() { return value; },
      set(own) { define(this, name, own); },
      configurable: false,
      enumerable: false,
    });
  }

  // MARK: What the engine calls

  defineProperty(outer, '__context', { value: context });
  const entries = Object.freeze({
    install(text) { (0, eval)(`(function (probes, page) {${text}\n})`)(probes, page); },
    call(token, source, method, base64, globalName) {
      void answer(token, () => callParser(globalName, source, method, argumentsOf(base64)));
    },
    ask(token, name, base64) {
      void answer(token, async () => {
        if (typeof probes[name] !== 'function') throw new Error(`there is no probe ${name}`);
        return { value: await probes[name](argumentsOf(base64)) };
      });
    },
    answerPage(id, head, base64) {
      const waiting = pending.get(id);
      if (!waiting) return;
      pending.delete(id);
      const { fault, status, finalURL, charset } = JSON.parse(head);
      if (fault) { waiting.reject(pageError(fault)); return; }
      followDomain(waiting.parser, waiting.url, finalURL);
      if (status < 200 || status >= 400) {
        waiting.reject(pageError({ code: 'http-status', message: `HTTP ${status}`, url: finalURL, status }));
        return;
      }
      waiting.resolve(decoded(bytesOf(base64), charset));
    },
  });
  lock();
  return entries;
})
