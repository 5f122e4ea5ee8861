import OTAManifest
import ParserEngine
import Testing

/// Bundles that would rather answer for themselves. None has a parser, and each tries to be told to have one.
enum ForgingBundle {
  /// What each of them ends with.
  static let empty = "var NyoraParsers = { getAllSources: () => [{ id: 'ALPHA' }], getParser: () => null };"

  /// What they do before, by what they hope for.
  static let attempts: [(hope: String, text: String)] = [
    (
      "a probe among the globals",
      """
      for (let owner = window; owner; owner = Object.getPrototypeOf(owner)) for (const name of Reflect.ownKeys(owner)) {
        if (!/^(__|k[0-9a-f]{8})|prob|gate|bridge|engine|runParser|ask/i.test(String(name))) continue;
        const found = window[name];
        if (found && typeof found === 'object') for (const key of Reflect.ownKeys(found)) found[key] = () => 'some';
        if (typeof found === 'function') window[name] = () => 'some';
      }
      """
    ),
    (
      "questions that are asked with the page's own words",
      """
      const forged = JSON.stringify('some');
      JSON.stringify = () => forged; JSON.parse = () => ({ ok: true, value: 'some' });
      const { ownKeys } = Reflect;
      const kinds = [Map, WeakMap, Set, String, RegExp, Promise, Event, EventTarget, CustomEvent, Function, Array];
      const owners = [Reflect, Object];
      for (let index = 0; index < kinds.length; index += 1) owners[index + 2] = kinds[index].prototype;
      for (let owner = 0; owner < owners.length; owner += 1) {
        const names = ownKeys(owners[owner]);
        for (let index = 0; index < names.length; index += 1) {
          try { if (typeof owners[owner][names[index]] === 'function') owners[owner][names[index]] = () => 'some'; } catch { }
        }
      }
      window.eval = () => 'some';
      """
    ),
    (
      "a promise that is kept otherwise",
      """
      Promise.prototype.then = function (kept) { kept('some'); };
      Object.defineProperty(Promise, Symbol.species, { value: function (work) { work(() => {}, () => {}); } });
      window.Promise = class { constructor(work) { work(() => {}, () => {}); } then(kept) { kept('some'); } };
      Object.defineProperty(Object.prototype, 'then', { get() { return (kept) => kept('some'); }, set() {} });
      """
    ),
    (
      "objects that inherit an answer",
      """
      for (const name of ['toJSON', 'value', 'thrown', 'isThrown', 'ok', 'json', 'token', 'kind', 'detail', 'get', 'set']) {
        Object.defineProperty(Object.prototype, name, { __proto__: null, get() { return 'some'; }, set() {}, configurable: true });
      }
      Array.prototype.toJSON = String.prototype.toJSON = () => 'some';
      Object.defineProperty(Array.prototype, 0, { __proto__: null, get() { return 'some'; }, set() {} });
      """
    ),
    (
      "a door to the engine",
      """
      const post = (text) => {
        try { window.webkit.messageHandlers.parserEngine.postMessage(text); } catch { }
        window.postMessage(text, '*');
      };
      for (let number = 0; number < 3000; number += 1) {
        const answer = { kind: 'result', token: 'c' + number, ok: true, json: '"some"' };
        post(JSON.stringify(answer));
        for (const type of ['message', 'parserEngine', 'c' + number]) {
          document.dispatchEvent(new CustomEvent(type, { detail: JSON.stringify(answer) }));
        }
      }
      const dispatch = EventTarget.prototype.dispatchEvent;
      EventTarget.prototype.dispatchEvent = function (event) { window.seen = event.type; return dispatch.call(this, event); };
      window.CustomEvent = class { constructor(type) { window.seen = type; } };
      """
    ),
    (
      "names that are looked up in vain",
      """
      const listening = new Proxy({}, { has(_, name) { window.seen = name; return false; }, get(_, name) { window.seen = name; } });
      for (const owner of [EventTarget.prototype, Object.getPrototypeOf(Window.prototype), Window.prototype]) {
        try { Object.setPrototypeOf(owner, listening); } catch { }
      }
      """
    ),
    (
      "the realm of the questions, by what it is handed",
      """
      const seize = (thing) => {
        for (const found of [thing, thing && thing.constructor]) try {
          const realm = found.constructor('return globalThis')();
          if (realm === window) continue;
          realm.Map.prototype.get = realm.JSON.stringify = realm.Object.keys = () => '"some"';
        } catch { }
      };
      const greedy = { then(...given) { given.forEach(seize); }, toJSON(...given) { given.forEach(seize); } };
      for (const frame of document.querySelectorAll('*')) seize(frame.contentWindow);
      for (let number = 0; number < window.length; number += 1) seize(window[number]);
      var NyoraParsers = {
        getAllSources: () => [greedy],
        getParser(...given) {
          given.forEach(seize);
          for (const name of Reflect.ownKeys(given[1] || {})) { seize(given[1][name]); seize(given[1][name]('x')); }
          try { (function deeper() { given[1].httpGet('x'); deeper(); })(); } catch (error) { seize(error); }
          return null;
        },
      };
      """
    ),
  ]

  /// The text of a bundle that makes an attempt.
  static func text(_ attempt: String) -> String {
    attempt.contains("var NyoraParsers") ? attempt : "{\n\(attempt)\n}\n\(empty)"
  }
}

@Suite("A bundle that would answer for itself") struct ForgedAnswerTests {
  private static let probe = EngineScript(
    name: "probe.js",
    text: """
      probes.look = async ({ id }) => {
        const seen = new Map();
        const bundle = page.global('NyoraParsers');
        const made = await page.invoke(bundle, 'getParser', [id, page.context({ answer: () => 'text' })]);
        seen.set(id, 'thrown' in made || !made.value ? 'none' : 'some');
        return { ids: [...seen.keys()], found: seen.get(id), sources: bundle.getAllSources().length };
      };
      """)
  private static let none = JSONValue.object([
    JSONMember("ids", .array([.string("ALPHA")])), JSONMember("found", .string("none")),
    JSONMember("sources", .integer(1)),
  ])

  @Test("finds no way to, and is asked all the same", arguments: ForgingBundle.attempts.map(\.hope))
  func forged(_ hope: String) async throws {
    let attempt = try #require(ForgingBundle.attempts.first { $0.hope == hope })
    let session = try await Engines.engine().open(pages: NoPages())
    try await session.install(Self.probe)
    try await session.evaluate(
      EngineScript(name: "parsers.bundle.js", text: ForgingBundle.text(attempt.text)))
    let question = JSONValue.object([JSONMember("id", .string("ALPHA"))])
    #expect(try await session.ask("look", question) == Self.none)
    // Once more: what it learned the first time does not help.
    #expect(try await session.ask("look", question) == Self.none)
    let error = await Engines.error { _ = try await session.call(call(.list)) }
    guard case .call = error else {
      Issue.record("a call of no parser gave \(String(describing: error))")
      return
    }
    await session.close()
  }

  /// What well-meaning bundles do to the page, and apps let them.
  private static let harmless = """
    Object.freeze(console); Object.freeze(console.log);
    const text = JSON.stringify, read = JSON.parse;
    JSON.stringify = function (...all) { return text.apply(JSON, all); };
    JSON.parse = function (...all) { return read.apply(JSON, all); };
    const then = Promise.prototype.then;
    Promise.prototype.then = function (kept, broken) { return then.call(this, kept, broken); };
    window.Promise = class Promised extends Promise { };
    Array.prototype.sum = function () { return this.reduce((all, one) => all + one, 0); };
    Object.prototype.own = function (name) { return Object.prototype.hasOwnProperty.call(this, name); };
    Array.prototype.map = function (work) { const made = []; for (let i = 0; i < this.length; i++) made[i] = work(this[i], i, this); return made; };
    const walk = Array.prototype[Symbol.iterator];
    Array.prototype[Symbol.iterator] = function () { return walk.call(this); };
    window.fetch = undefined; window.eval = window.eval.bind(window); document.body.innerHTML = '<p>here</p>';
    """

  @Test("is not every one that changes the page: polyfills and frozen consoles are as good as none")
  func changed() async throws {
    let session = try await Engines.engine().open(pages: NoPages())
    try await session.install(Self.probe)
    let text = bundle(list: "console.log('line'); return [1, 2].map((x) => x + 1);", top: Self.harmless)
    try await session.evaluate(EngineScript(name: "parsers.bundle.js", text: text))
    let answer = try await session.ask("look", .object([JSONMember("id", .string("ALPHA"))]))
    guard case .object(let members) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(members.contains(JSONMember("found", .string("some"))))
    #expect(try await session.call(call(.list)) == .array([.integer(2), .integer(3)]))
    #expect(await session.takeLogs() == [LogLine(level: "log", text: "line")])
    await session.close()
  }

  @Test("sees what it sees in an app: no mark of a gate in names, elements, texts of functions or stacks")
  func marks() async throws {
    let session = try await Engines.engine().open(pages: NoPages())
    try await session.install(Self.probe)
    try await session.evaluate(
      EngineScript(
        name: "parsers.bundle.js",
        text: bundle(
          list: """
            return [window.length, 'webkit' in window && window.webkit !== undefined, document.querySelectorAll('*').length,
              Object.getOwnPropertyNames(window).filter((name) => /^(_|k[0-9a-f]{9})|probe|^gate/i.test(name)),
              new Error().stack.split('\\n').filter((line) => !line.startsWith('getListPage@')),
              [this.context.httpGet, console.log, Document.prototype.querySelector, Function.prototype.toString]
                .filter((method) => !String(method).includes(`function ${method.name}() {\\n    [native code]`)).length];
            """)))
    let expected: [JSONValue] = [
      .integer(0), .bool(false), .integer(4), .array([.string("__context")]), .array([]), .integer(0),
    ]
    let seen = try await session.call(call(.list))
    #expect(seen == .array(expected), "\(seen)")
    await session.close()
  }
}
