// The dry run: a part of the script that the gate runs beside the page. Every call of every source is made on made-up pages, one
// after the other, and what comes of it is told as facts.

const MAX_TOLD = 5000;
const MAX_REQUESTS = 60;

// MARK: Pages

const PLAIN_PAGE = '<!DOCTYPE html><html><head><title>x</title></head><body><div><a href="/manga/x">x</a><img src="/x.jpg"></div></body></html>';
const PAGES = { empty: '', html: PLAIN_PAGE, object: '{}', array: '[]', generous: SAMPLE_PAGE, failing: null };

function failed() {
  const error = new Error('HTTP 500');
  error.name = 'PageError';
  return error;
}

// The context of one call: every request gets the same page.
function contextOf(call, parsed) {
  const answer = ({ url }) => {
    call.run.requests.note(call, url, placeInBundle());
    if (call.requests > MAX_REQUESTS * 4) throw failed();
    const text = call.requests > MAX_REQUESTS ? PLAIN_PAGE : PAGES[call.page];
    if (text === null) throw failed();
    return text;
  };
  const parseHTML = (html) => {
    if (isPromise(html)) witness.tell('promise', { text: 'parseHTML', ...placeInBundle() });
    const text = String(html);
    if (parsed.has(text)) return parsed.get(text);
    const made = page.parseHTML(text);
    if (call.generosity) generosity.set(made, call.generosity); else if (text === PAGES[call.page]) parsed.set(text, made);
    return made;
  };
  return page.context({ answer, parseHTML });
}

// MARK: Calls

// Addresses as sites shape them; pages without any content end most parsers at once, whatever the address.
function addresses(kind, domain) {
  switch (kind) {
    case 'html': return ['/manga/x', '/series/x/', '/comics/x', 'x-1'];
    case 'generous': return ['/manga/x', '/m/x', '/series/x/chapter/1', `https://${domain}/manga/x`];
    default: return ['/manga/x'];
  }
}
const ORDERS = ['UPDATED', 'POPULARITY', 'NEWEST', 'ALPHABETICAL', 'RATING'];

function listCalls(kind, isWhole) {
  const list = (order, number, filter) => ({
    method: filter.query ? 'search' : 'list', page: kind, label: `${kind} ${order} ${number} ${Object.keys(filter)}`,
    ask: (parser) => page.invoke(parser, 'getListPage', [number, order, filter]),
  });
  const calls = [list('UPDATED', 1, {}), list('POPULARITY', 1, { query: 'x' })];
  if (kind === 'generous' && isWhole) {
    for (const order of ORDERS.slice(1)) calls.push(list(order, order === 'POPULARITY' ? 2 : 1, {}));
    calls.push(list('UPDATED', 2, { query: 'x' }));
  }
  return calls;
}
function itemCalls(kind, url) {
  const item = (parser) => ({ id: url, url, title: 'x', source: parser.source, branch: null });
  return [['details', 'getDetails'], ['pages', 'getPages']].map(([method, name]) => (
    { method, page: kind, label: `${kind} ${url}`, ask: (parser) => page.invoke(parser, name, [item(parser)]) }));
}
// What the list gave goes on to the details, and the first of their chapters to the pages.
function chainedCalls(kind, found) {
  return [
    {
      method: 'details', page: kind, label: `${kind} of the list`, needs: 'item',
      ask: (parser) => page.invoke(parser, 'getDetails', [{ ...found.item, source: parser.source }]),
    },
    {
      method: 'pages', page: kind, label: `${kind} of the details`, needs: 'chapter',
      ask: (parser) => page.invoke(parser, 'getPages', [{ branch: null, ...found.chapter, source: parser.source }]),
    },
  ];
}
function callsOf({ domain, isWhole }, found) {
  const calls = [];
  for (const kind of isWhole ? Object.keys(PAGES) : ['html', 'generous']) {
    calls.push(...listCalls(kind, isWhole));
    for (const url of isWhole ? addresses(kind, domain) : ['/manga/x']) calls.push(...itemCalls(kind, url));
    if (kind === 'generous') calls.push(...chainedCalls(kind, found));
  }
  return calls;
}

// MARK: What is told

// Things of one kind once, with the sources and calls that have them.
class Told {
  constructor() { this.byKey = new Map(); }
  note(key, call, make) {
    let entry = this.byKey.get(key);
    if (!entry) {
      if (this.byKey.size >= MAX_TOLD) return;
      entry = { ...make(), labels: new Set(), sources: new Set() };
      this.byKey.set(key, entry);
    }
    entry.sources.add(call.source);
    if (entry.labels.size < 64) entry.labels.add(call.label);
  }
  get list() { return [...this.byKey.values()].map((entry) => ({ ...entry, labels: [...entry.labels], sources: [...entry.sources] })); }
}

class Failures extends Told {
  add(call, thrown, isCaught) {
    const place = thrown !== null && typeof thrown === 'object' ? thrownPlaces.get(thrown) : undefined;
    // What the gate's own code threw on stands where it was called.
    const error = place ? { ...describe(thrown), line: undefined, column: undefined, ...place, script: BUNDLE } : describe(thrown);
    const callee = /([\w$]+)(?:'\])? is not a function/.exec(error.message);
    if (callee) error.isMethodOfData = isMethodOfData(callee[1]);
    const key = [call.method, isCaught, error.name, error.message, error.line, error.column].join('\n');
    this.note(key, call, () => ({ method: call.method, isCaught, error }));
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

async function parserAnd(run, source, call, parsed, ask) {
  const made = await page.invoke(run.bundle, 'getParser', [source.id, contextOf(call, parsed)]);
  return 'thrown' in made ? made : ask(made.value);
}

async function makeCall(run, source, kind, parsed, found, shapes) {
  if (kind.needs && !found[kind.needs]) return;
  const call = { run, ...kind, source: source.id, family: source.family, domain: source.domain, requests: 0, caught: new Set() };
  if (call.page === 'generous') call.generosity = { left: MAX_SAMPLES, patterns: new Map() };
  run.calls += 1;
  witness.call = call;
  randomState = 7;
  const shape = shapes[call.method === 'search' ? 'list' : call.method];
  let isOpen = true;
  const work = parserAnd(run, source, call, parsed, kind.ask).catch((thrown) => ({ thrown })).then((end) => {
    if ('thrown' in end) {
      shape.kinds.add('threw');
      run.failures.add(call, end.thrown, false);
      call.caught.delete(end.thrown);
    } else {
      if (call.page === 'generous') keep(found, call.method, end.value);
      shape.note(end.value, call.method !== 'details');
    }
    isOpen = false;
    run.open.delete(call);
  });
  run.open.add(call);
  await Promise.race([work, run.turn()]);
  for (let idle = 0; isOpen && idle < 3;) {
    idle = clock.run() ? 0 : idle + 1;
    await Promise.race([work, run.turn()]);
  }
  for (const thrown of call.caught) run.failures.add(call, thrown, true);
}

function keep(found, method, value) {
  if (value === null || typeof value !== 'object' || isPromise(value)) return;
  const list = method === 'list' ? value : method === 'details' && !isPromise(value.chapters) ? value.chapters : undefined;
  const first = Array.isArray(list) ? list[0] : undefined;
  if (first === null || typeof first !== 'object' || isPromise(first)) return;
  if (method === 'list') found.item = found.item || first; else found.chapter = found.chapter || first;
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
    if (!this.waiting) this.waiting = page.turn().then(() => { this.waiting = null; });
    return this.waiting;
  }
  tell(kind, what) {
    const { call } = witness;
    if (call) this.problems.note(`${kind}\n${what.text}\n${what.line}:${what.column}`, call, () => ({ kind, method: call.method, ...what }));
  }
  async source(source, sayCalls) {
    const [parsed, found] = [new Map(), {}];
    const shapes = { list: new Shape(), details: new Shape(), pages: new Shape() };
    for (const kind of callsOf(source, found)) {
      if (sayCalls) page.say(`${kind.method} ${kind.page}`);
      await makeCall(this, source, kind, parsed, found, shapes);
    }
    for (const [method, shape] of Object.entries(shapes)) this.shapes.finish(source.id, method, shape);
  }
  async settle(milliseconds) {
    const end = Date.now() + milliseconds;
    while (this.open.size > 0 && Date.now() < end) { clock.run(); await this.turn(); }
  }
  get answer() {
    return {
      calls: this.calls, failures: this.failures.list, problems: this.problems.list, requests: this.requests.toJSON(),
      shapes: this.shapes.list, ids: this.shapes.ids, covered: ranBlocks(),
      unsettled: [...this.open].map(({ source, method }) => ({ source, method })),
    };
  }
}

// Which of the selectors that stand in the text of the bundle the engine does not know.
function refused(selectors) {
  const empty = document.implementation.createHTMLDocument('');
  return selectors.filter((selector) => { try { empty.querySelector(selector); return false; } catch { return true; } });
}

makeQueriesGenerous();
makeElementsGenerous();
makeParsingGenerous();
makePatternsGenerous();
makeTimePass();
makeChanceRepeat();
watchPromises();
watchOwnRequests();
giveInstruments();

// Runs every call of the sources; says each one's name first, so that whoever waits knows where it hangs.
probes.gateDryRun = async ({ global, sources, selectors, settleMilliseconds, sayCalls }) => {
  const run = new Run(page.global(global));
  page.mute(true);
  witness.tell = (kind, what) => run.tell(kind, what);
  try {
    for (const source of sources) {
      if (!sayCalls) page.say(source.id);
      await run.source(source, sayCalls);
    }
    await run.settle(settleMilliseconds);
  } finally {
    page.mute(false);
    witness.call = null;
    witness.tell = () => {};
  }
  return { ...run.answer, refused: refused(selectors) };
};
