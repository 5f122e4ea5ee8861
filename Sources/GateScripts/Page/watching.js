// What code does beside its results, and time that passes at once: a part of the script that the gate runs beside the page.

const BUNDLE = 'parsers.bundle.js';

// MARK: Time that passes at once

// Waiting is no work: timers come due in their order as soon as nothing else is to do.
class Clock {
  constructor() { this.timers = []; this.last = 0; this.ahead = 0; }
  set(work, delay, repeats) {
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
  const { window } = page;
  const timer = (name, work) => page.replace(window, name, (given) => (typeof given[0] === 'function' ? work(given) : 0));
  timer('setTimeout', ([work, delay, ...rest]) => clock.set(() => apply(work, undefined, rest), delay, false));
  timer('setInterval', ([work, delay, ...rest]) => clock.set(() => apply(work, undefined, rest), delay, true));
  timer('requestAnimationFrame', ([work]) => clock.set(() => apply(work, undefined, [clock.ahead]), 16, false));
  for (const name of ['clearTimeout', 'clearInterval', 'cancelAnimationFrame']) page.replace(window, name, ([id]) => clock.clear(id));
  page.replace(window.Date, 'now', (given, self, original) => original() + Math.round(clock.ahead));
}

// Chance that comes out the same for every bundle.
let randomState = 7;
function makeChanceRepeat() {
  page.replace(page.window.Math, 'random', () => {
    randomState = (randomState * 16807) % 2147483647;
    return randomState / 2147483647;
  });
}

// MARK: What code does beside its results

const PROMISE_READS = ['map', 'filter', 'forEach', 'find', 'some', 'every', 'reduce', 'flatMap', 'join', 'push', 'length', 'split', 'trim',
  'match', 'matchAll', 'replace', 'replaceAll', 'includes', 'indexOf', 'startsWith', 'slice', 'substring', 'sort', 'querySelector',
  'querySelectorAll', 'textContent', 'getAttribute', 'documentElement', 'body', 'chapters', 'url', 'title', 'data'];

// A promise of which something is read that promises do not have was meant to be awaited.
function watchPromises() {
  const { prototype } = PagePromise;
  for (const name of PROMISE_READS) {
    Object.defineProperty(prototype, name, {
      configurable: true,
      get: page.expose(name, 0, () => { witness.tell('promise', { text: name, ...placeInBundle() }); }),
      set: page.expose(name, 1, ([value], self) => {
        Object.defineProperty(self, name, { value, writable: true, enumerable: true, configurable: true });
      }),
    });
  }
  page.replace(prototype, 'then', (given, self, original) => {
    const [, bad] = given;
    const { call } = witness;
    if (typeof bad === 'function' && call) {
      given[1] = page.expose('', 1, ([thrown]) => { caught(thrown, call); return bad(thrown); });
    }
    return original();
  });
}

// Errors that code of the bundle caught: the instrumented `catch` clauses call this.
function caught(thrown, call) {
  if (call && (thrown instanceof PageErrors || thrown instanceof PageException)) call.caught.add(thrown);
}

function watchOwnRequests() {
  page.replace(page.window, 'fetch', async () => {
    witness.tell('fetch', { text: 'fetch', ...placeInBundle() });
    throw new TypeError('Load failed');
  });
  page.replace(page.window.XMLHttpRequest.prototype, 'send', (given, self) => {
    witness.tell('fetch', { text: 'XMLHttpRequest', ...placeInBundle() });
    clock.set(() => self.dispatchEvent(new page.window.ProgressEvent('error')), 1, false);
  });
}

// MARK: Coverage

const MAX_BLOCKS = 1 << 21;
const blocks = new page.window.Uint8Array(MAX_BLOCKS);
function ranBlocks() {
  const find = (from) => apply(Uint8Array.prototype.indexOf, blocks, [1, from]);
  const numbers = [];
  for (let number = find(0); number >= 0; number = find(number + 1)) numbers.push(number);
  return numbers;
}
// Under these names the instruments that were put into the bundle find their other half.
function giveInstruments() {
  const report = page.expose('', 1, ([thrown]) => caught(thrown, witness.call));
  Object.defineProperty(page.window, '__parserOTABlocks', { value: blocks });
  Object.defineProperty(page.window, '__parserOTACaught', { value: report });
}
