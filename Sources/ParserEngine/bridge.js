// Runs in the hidden page before anything else, and gives a bundle what apps give it. Everything that leaves the page is
// one string for one handler; everything that comes in calls one of the functions that are defined at the end.
(function () {
  'use strict';
  const handler = window.webkit.messageHandlers.parserEngine;
  const post = handler.postMessage.bind(handler);
  const { stringify, parse } = JSON;
  const run = window.eval;
  const address = location.href;
  const MAX_LOG_LENGTH = 4096;
  const pending = new Map();
  const probes = {};
  let lastRequest = 0;

  // A lone surrogate is legal in a JavaScript string and in nothing else.
  function toJSON(value) {
    const text = stringify(value === undefined ? null : value);
    if (text === undefined) throw new TypeError('the result is no value that JSON knows');
    return text.replace(/(^|[^\\])((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/gi, '$1$2\ufffd');
  }
  function send(message) { post(toJSON(message)); }

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
  function argumentsOf(base64) { return parse(new TextDecoder().decode(bytesOf(base64))); }

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
      if (thrown.pageFault) described.page = thrown.pageFault;
    } catch {
      described.message = described.message || 'an object that cannot be read was thrown';
    }
    return described;
  }

  // MARK: Pages

  function isObject(value) { return value !== null && typeof value === 'object' && !Array.isArray(value); }
  function isParser(value) { return isObject(value) && typeof value.getListPage === 'function'; }

  // Apps count the arguments: with fewer than three the second one is the parser. Bundles also pass (url, parser, headers).
  function headersAndParser(rest) {
    const [first, second] = rest;
    if (isParser(first)) return [second, first];
    if (rest.length < 2 && isObject(first) && !(first instanceof Headers)) return [undefined, first];
    return [first, second];
  }
  function entriesOf(headers) {
    if (!isObject(headers)) return [];
    return headers instanceof Headers || headers instanceof Map ? [...headers] : Object.entries(headers);
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

  function request(method, url, body, headers, parser) {
    return new Promise((resolve, reject) => {
      lastRequest += 1;
      const id = 'r' + lastRequest;
      pending.set(id, { resolve, reject, parser, url: String(url) });
      const domain = parser && typeof parser.domain === 'string' ? parser.domain : '';
      const source = parser && isObject(parser.source) && typeof parser.source.id === 'string' ? parser.source.id : undefined;
      const bytes = body === undefined || body === null ? undefined : base64Of(new TextEncoder().encode(String(body)));
      send({
        kind: 'request', id, method, url: String(url), headers: mergedHeaders(parser, headers), body: bytes, domain, source,
      });
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
  function textOf(bytes, label) {
    try {
      return new TextDecoder(label || labelIn(bytes)).decode(bytes);
    } catch {
      return new TextDecoder().decode(bytes);
    }
  }

  function pageError(fault) {
    const error = new Error(fault.message);
    error.name = 'PageError';
    error.pageFault = fault;
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

  const context = {
    httpGet(url, ...rest) {
      const [headers, parser] = headersAndParser(rest);
      return request('GET', url, undefined, headers, parser);
    },
    httpPost(url, body, ...rest) {
      const [headers, parser] = headersAndParser(rest);
      return request('POST', url, body === undefined || body === null ? '' : body, headers, parser);
    },
    parseHTML(html) { return new DOMParser().parseFromString(String(html), 'text/html'); },
    decodeContent(text) { return text; },
  };

  // MARK: Calls

  // A global by its name, also one that `let` or `const` defined; undefined when there is none.
  function globalNamed(name) { return run(`typeof ${name} === 'undefined' ? undefined : ${name}`); }
  function parserOf(globalName, source) {
    const parsers = globalNamed(globalName);
    if (!parsers) throw new ReferenceError(`the bundle defines no ${globalName}`);
    const parser = parsers.getParser(source, context);
    if (!parser) throw new Error(`the bundle has no parser for ${source}`);
    return parser;
  }
  function callParser(globalName, source, method, given) {
    const parser = parserOf(globalName, source);
    // What a list or the details gave goes back whole, with the name of its source, as apps hand it over.
    const named = { id: given.url, ...given, source: { id: source, name: source } };
    switch (method) {
      case 'list': return parser.getListPage(given.page, given.order, given.filter || {});
      case 'search': return parser.getListPage(given.page, given.order, { query: given.query });
      case 'details': return parser.getDetails(named);
      case 'pages': return parser.getPages(named);
      default: throw new Error(`unknown method ${method}`);
    }
  }
  async function answer(token, work) {
    try {
      send({ kind: 'result', token, ok: true, json: toJSON(await work()) });
    } catch (thrown) {
      send({ kind: 'result', token, ok: false, error: describe(thrown) });
    }
  }

  // MARK: Logs

  function textOfLog(values) {
    return values.map((value) => {
      if (typeof value === 'string') return value;
      if (value instanceof Error) return `${value.name}: ${value.message}`;
      try { return isObject(value) || Array.isArray(value) ? stringify(value) : String(value); } catch { return '?'; }
    }).join(' ').slice(0, MAX_LOG_LENGTH);
  }
  function log(level, values) {
    // A value that cannot be turned into text must not break the parser that logs it.
    try { send({ kind: 'log', level, text: textOfLog(values) }); } catch { /* nothing to log */ }
  }
  for (const level of ['log', 'info', 'warn', 'error', 'debug', 'trace']) {
    console[level] = (...values) => log(level, values);
  }
  window.addEventListener('error', (event) => log('uncaught', [`${event.message} (${event.lineno}:${event.colno})`]));
  window.addEventListener('unhandledrejection', (event) => log('uncaught', [event.reason]));

  // MARK: What the engine and apps call

  const entries = {
    __context: context,
    __parserProbes: probes,
    // For probes, which ask and tell in the same words.
    __globalNamed: globalNamed,
    __describeThrown: describe,
    __runParser(token, source, method, base64, globalName) {
      void answer(token, () => callParser(globalName || 'NyoraParsers', source, method, argumentsOf(base64)));
    },
    __askProbe(token, name, base64) {
      void answer(token, () => {
        if (typeof probes[name] !== 'function') throw new Error(`there is no probe ${name}`);
        return probes[name](argumentsOf(base64));
      });
    },
    __answerPage(id, head, base64) {
      const waiting = pending.get(id);
      if (!waiting) return;
      pending.delete(id);
      if (head.fault) { waiting.reject(pageError(head.fault)); return; }
      followDomain(waiting.parser, waiting.url, head.finalURL);
      if (head.status < 200 || head.status >= 400) {
        waiting.reject(pageError({
          code: 'http-status', message: `HTTP ${head.status}`, url: head.finalURL, status: head.status,
        }));
        return;
      }
      waiting.resolve(textOf(bytesOf(base64), head.charset));
    },
  };
  for (const [name, value] of Object.entries(entries)) {
    Object.defineProperty(window, name, { value, writable: false, configurable: false, enumerable: false });
  }
})();
