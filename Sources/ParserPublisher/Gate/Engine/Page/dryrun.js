// The dry run: a part of the script that the gate runs in the page. Every call of every source is made on made-up pages, one
// after the other, and what comes of it is told as facts.

const BUNDLE = 'parsers.bundle.js';
const MAX_TOLD = 5000;
const MAX_REQUESTS = 60;

// MARK: Time that passes at once

// Waiting is no work: timers come due in their order as soon as nothing else is to do.
class Clock {
  constructor() { this.timers = []; this.last = 0; this.ahead = 0; this.clock = Date.now; }
  set(work, delay, repeats) {
    if (typeof work !== 'function') return 0;
    this.last += 1;
    const pause = Math.max(repeats ? 1 : 0, Number(delay) || 0);
    this.timers.push({ id: this.last, due: this.ahead + pause, pause, repeats, work, call: witness.call, runs: 0 });
    return this.last;
  }
  clear(id) { this.timers = this.timers.filter((timer) => timer.id !== id); }
  // Runs what comes due next; whether there was anything.
  run() {
    if (this.timers.length === 0) return false;
    const next = this.timers.reduce((first, timer) => (timer.due < first.due ? timer : first));
    this.ahead = Math.max(this.ahead, next.due);
    next.runs += 1;
    if (next.repeats && next.runs < 100) next.due += next.pause; else this.clear(next.id);
    const before = witness.call;
    witness.call = next.call;
    try { next.work(); } catch (thrown) { if (next.call) next.call.run.failures.add(next.call, thrown, true); }
    witness.call = before;
    return true;
  }
}
const clock = new Clock();

function makeTimePass() {
  const { now } = Date;
  window.setTimeout = (work, delay, ...given) => clock.set(() => work(...given), delay, false);
  window.setInterval = (work, delay, ...given) => clock.set(() => work(...given), delay, true);
  window.clearTimeout = window.clearInterval = window.cancelAnimationFrame = (id) => clock.clear(id);
  window.requestAnimationFrame = (work) => clock.set(() => work(clock.ahead), 16, false);
  window.requestIdleCallback = (work) => clock.set(() => work({ didTimeout: false, timeRemaining: () => 10 }), 1, false);
  Date.now = () => now() + clock.ahead;
}

// MARK: What code does beside its results

const promiseReads = ['map', 'filter', 'forEach', 'find', 'some', 'every', 'reduce', 'flatMap', 'join', 'push', 'length', 'split', 'trim', 'match',
  'matchAll', 'replace', 'replaceAll', 'includes', 'indexOf', 'startsWith', 'slice', 'substring', 'sort', 'querySelector', 'querySelectorAll',
  'textContent', 'getAttribute', 'documentElement', 'body', 'chapters', 'url', 'title', 'data'];

function watchPromises() {
  const { then } = Promise.prototype;
  for (const name of promiseReads) {
    Object.defineProperty(Promise.prototype, name, {
      configurable: true,
      get() { witness.tell('promise', { text: name, ...placeInBundle() }); return undefined; },
      set(value) { Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true }); },
    });
  }
  Promise.prototype.then = function (good, bad) {
    if (typeof bad !== 'function' || !witness.call) return then.call(this, good, bad);
    const call = witness.call;
    return then.call(this, good, function (thrown) { caught(thrown, call); return bad(thrown); });
  };
}

// Errors that code of the bundle caught: the instrumented `catch` clauses call this.
function caught(thrown, call = witness.call) {
  if (call && thrown instanceof Error || thrown instanceof DOMException) call && call.caught.add(thrown);
}

function watchOwnRequests() {
  const own = (name) => function () {
    witness.tell('fetch', { text: name, ...placeInBundle() });
    return Promise.reject(new TypeError('Load failed'));
  };
  window.fetch = own('fetch');
  XMLHttpRequest.prototype.send = function () {
    witness.tell('fetch', { text: 'XMLHttpRequest', ...placeInBundle() });
    clock.set(() => this.dispatchEvent(new ProgressEvent('error')), 1, false);
  };
}

// MARK: Pages

const PLAIN_PAGE = '<!DOCTYPE html><html><head><title>x</title></head><body><div><a href="/manga/x">x</a><img src="/x.jpg"></div></body></html>';
const PAGES = { empty: '', html: PLAIN_PAGE, object: '{}', array: '[]', generous: SAMPLE_PAGE, failing: null };

class PageError extends Error {
  constructor(url) { super('HTTP 500'); this.name = 'PageError'; this.pageFault = { code: 'http-status', message: 'HTTP 500', url, status: 500 }; }
}

// The context of one call: every request gets the same page.
function contextOf(call, parsed) {
  const answer = async (url) => {
    const place = placeInBundle();
    call.run.requests.note(call, url, place);
    if (call.requests > MAX_REQUESTS * 4) throw new PageError(String(url));
    const page = call.requests > MAX_REQUESTS ? PLAIN_PAGE : PAGES[call.page];
    if (page === null) throw new PageError(String(url));
    return page;
  };
  const parseHTML = (text) => {
    if (isPromise(text)) witness.tell('promise', { text: 'parseHTML', ...placeInBundle() });
    const key = String(text);
    const isShared = key === PAGES[call.page] && call.page !== 'generous';
    if (isShared && parsed.has(key)) return parsed.get(key);
    const made = parse(key);
    if (isShared) parsed.set(key, made);
    return made;
  };
  return { httpGet: (url) => answer(url), httpPost: (url) => answer(url), parseHTML, decodeContent: decode };
}

// MARK: Calls

// Addresses as sites shape them; pages without any content end most parsers at once, whatever the address.
function addresses(page, domain) {
  switch (page) {
    case 'html': return ['/manga/x', '/series/x/', '/comics/x', 'x-1'];
    case 'generous': return ['/manga/x', '/m/x', '/series/x/chapter/1', `https://${domain}/manga/x`];
    default: return ['/manga/x'];
  }
}
const ORDERS = ['UPDATED', 'POPULARITY', 'NEWEST', 'ALPHABETICAL', 'RATING'];

function listCalls(page, isWhole) {
  const list = (order, number, filter) => ({
    method: filter.query ? 'search' : 'list', page, label: `${page} ${order} ${number} ${Object.keys(filter)}`,
    ask: (parser) => parser.getListPage(number, order, filter),
  });
  const calls = [list('UPDATED', 1, {}), list('POPULARITY', 1, { query: 'x' })];
  if (page === 'generous' && isWhole) {
    for (const order of ORDERS.slice(1)) calls.push(list(order, order === 'POPULARITY' ? 2 : 1, {}));
    calls.push(list('UPDATED', 2, { query: 'x' }));
  }
  return calls;
}
function itemCalls(page, url) {
  const item = (parser) => ({ id: url, url, title: 'x', source: parser.source, branch: null });
  return [['details', 'getDetails'], ['pages', 'getPages']].map(([method, name]) => (
    { method, page, label: `${page} ${url}`, ask: (parser) => parser[name](item(parser)) }));
}
// What the list gave goes on to the details, and the first of their chapters to the pages.
function chainedCalls(page, found) {
  return [
    { method: 'details', page, label: `${page} of the list`, ask: (parser) => found.item && parser.getDetails({ ...found.item, source: parser.source }), needs: 'item' },
    { method: 'pages', page, label: `${page} of the details`, ask: (parser) => found.chapter && parser.getPages({ branch: null, ...found.chapter, source: parser.source }), needs: 'chapter' },
  ];
}
function callsOf({ domain, isWhole }, found) {
  const calls = [];
  for (const page of isWhole ? Object.keys(PAGES) : ['html', 'generous']) {
    calls.push(...listCalls(page, isWhole));
    for (const url of isWhole ? addresses(page, domain) : ['/manga/x']) calls.push(...itemCalls(page, url));
    if (page === 'generous') calls.push(...chainedCalls(page, found));
  }
  return calls;
}

// MARK: What is told

// Things of one kind once, with the sources and calls that have them.
class Told {
  constructor() { this.byKey = new Map(); }
  add(key, call, make) {
    let entry = this.byKey.get(key);
    if (!entry) {
      if (this.byKey.size >= MAX_TOLD) return;
      entry = { ...make(), labels: new Set(), sources: new Set() };
      this.byKey.set(key, entry);
    }
    entry.sources.add(call.source);
    if (entry.labels.size < 64) entry.labels.add(call.label);
  }
  toJSON() { return [...this.byKey.values()].map((entry) => ({ ...entry, labels: [...entry.labels], sources: [...entry.sources] })); }
}

class Failures extends Told {
  add(call, thrown, isCaught) {
    const place = thrown !== null && typeof thrown === 'object' ? thrownPlaces.get(thrown) : undefined;
    // What the gate's own code threw on stands where it was called.
    const error = place && place.line ? { ...describe(thrown), ...place, script: BUNDLE } : describe(thrown);
    const callee = /([\w$]+)(?:'\])? is not a function/.exec(error.message);
    if (callee) error.isMethodOfData = isMethodOfData(callee[1]);
    const key = [call.method, isCaught, error.name, error.message, error.line, error.column].join('\n');
    super.add(key, call, () => ({ method: call.method, isCaught, error }));
  }
}

// Whether something of the engine's own has a method of that name.
let methodsOfData = null;
function isMethodOfData(name) {
  if (!methodsOfData) {
    methodsOfData = new Set();
    for (const key of Object.getOwnPropertyNames(window)) {
      const { value } = Object.getOwnPropertyDescriptor(window, key);
      const prototype = typeof value === 'function' && value.prototype;
      if (!prototype) continue;
      for (const [member, property] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
        if (typeof property.value === 'function') methodsOfData.add(member);
      }
    }
  }
  return methodsOfData.has(name);
}

// MARK: The run

function seedRandom() {
  let state = 7;
  Math.random = () => { state = (state * 16807) % 2147483647; return state / 2147483647; };
}

function silence() {
  const own = { ...console };
  for (const level of Object.keys(own)) {
    // A console that the bundle froze stays as it is.
    try { if (typeof own[level] === 'function') console[level] = () => {}; } catch { return () => {}; }
  }
  return () => Object.assign(console, own);
}

async function makeCall(run, source, kind, parsed, found, shapes) {
  const call = { run, ...kind, source: source.id, family: source.family, domain: source.domain, requests: 0, caught: new Set() };
  if (kind.needs && !found[kind.needs]) return;
  if (call.page === 'generous') call.generosity = { left: MAX_SAMPLES };
  run.calls += 1;
  witness.call = call;
  seedRandom();
  let isOpen = true;
  const shape = shapes[call.method === 'search' ? 'list' : call.method];
  const work = (async () => kind.ask(run.bundle.getParser(source.id, contextOf(call, parsed))))().then((value) => {
    if (call.page === 'generous') keep(found, call.method, value);
    shape.note(value, call.method !== 'details');
    call.method === 'list' || call.method === 'search' || shape.kinds.add('returned');
  }, (thrown) => {
    shape.kinds.add('threw');
    run.failures.add(call, thrown, false);
    call.caught.delete(thrown);
  }).then(() => { isOpen = false; run.open.delete(call); });
  run.open.add(call);
  await Promise.race([work, run.turn()]);
  for (let idle = 0; isOpen && idle < 3;) {
    idle = clock.run() ? 0 : idle + 1;
    await Promise.race([work, run.turn()]);
  }
  for (const thrown of call.caught) run.failures.add(call, thrown, true);
}

function keep(found, method, value) {
  if (method === 'list' && !found.item && Array.isArray(value) && value[0] && typeof value[0].url === 'string') [found.item] = value;
  if (method === 'details' && !found.chapter && value && Array.isArray(value.chapters) && value.chapters[0]) [found.chapter] = value.chapters;
}

class Run {
  constructor(bundle) {
    this.bundle = bundle;
    this.calls = 0;
    this.open = new Set();
    this.failures = new Failures();
    this.problems = new Told();
    this.requests = new Requests();
    this.shapes = new Shapes();
    this.waiting = null;
  }
  // One turn of the page's loop; all who wait share it.
  turn() {
    if (!this.waiting) this.waiting = turn().then(() => { this.waiting = null; });
    return this.waiting;
  }
  tell(kind, what) {
    const call = witness.call;
    if (call) this.problems.add(`${kind}\n${what.text}\n${what.line}:${what.column}`, call, () => ({ kind, method: call.method, ...what }));
  }
  async source(source, sayCalls) {
    const [parsed, found] = [new Map(), {}];
    const shapes = { list: new Shape(), details: new Shape(), pages: new Shape() };
    for (const kind of callsOf(source, found)) {
      if (sayCalls) debug(`gate ${kind.method} ${kind.page}`);
      await makeCall(this, source, kind, parsed, found, shapes);
    }
    for (const [method, shape] of Object.entries(shapes)) this.shapes.finish(source.id, method, shape);
  }
  async settle(milliseconds) {
    const end = Date.now() - clock.ahead + milliseconds;
    while (this.open.size > 0 && Date.now() - clock.ahead < end) { clock.run(); await this.turn(); }
  }
  get answer() {
    return {
      calls: this.calls, failures: this.failures.toJSON(), problems: this.problems.toJSON(), requests: this.requests.toJSON(),
      shapes: this.shapes.list, ids: this.shapes.ids, covered: ranBlocks(),
      unsettled: [...this.open].map(({ source, method }) => ({ source, method })),
    };
  }
}

// MARK: Coverage

const MAX_BLOCKS = 1 << 21;
const blocks = new Uint8Array(MAX_BLOCKS);
function ranBlocks() {
  const numbers = [];
  for (let number = blocks.indexOf(1); number >= 0; number = blocks.indexOf(1, number + 1)) numbers.push(number);
  return numbers;
}
for (const [name, value] of [['__parserOTABlocks', blocks], ['__parserOTACaught', (thrown) => caught(thrown)]]) {
  Object.defineProperty(window, name, { value });
}

// Selectors and patterns that stand in the text of the bundle, tried as they are.
probes.gateSelectors = ({ selectors }) => {
  const page = document.implementation.createHTMLDocument('');
  return selectors.map((selector) => { try { page.querySelector(selector); return true; } catch { return false; } });
};

makeQueriesGenerous();
makeElementsGenerous();
makeParsingGenerous();
makeTimePass();
watchPromises();
watchOwnRequests();

// Runs every call of the sources; says each one's name first, so that whoever waits knows where it hangs.
probes.gateDryRun = async ({ global, sources, settleMilliseconds, sayCalls }) => {
  const run = new Run(globalOf(global));
  const restore = silence();
  witness.tell = (kind, what) => run.tell(kind, what);
  try {
    for (const source of sources) {
      if (!sayCalls) debug(`gate ${source.id}`);
      await run.source(source, sayCalls);
    }
    await run.settle(settleMilliseconds);
  } finally {
    restore();
    witness.call = null;
    witness.tell = () => {};
  }
  return run.answer;
};
