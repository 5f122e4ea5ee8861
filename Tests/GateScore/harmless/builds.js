'use strict';
// The same bundle, built or wrapped in another way, and code around it that living bundles carry.
const { kindsOf } = require('../kind.js');
const { insert } = require('../edits.js');
const { esbuild, typescript } = require('../tools.js');

const NAME = /^(?:"use strict";\n)?(?:var|const|let) (\w+) = \(\(\) => \{/m;
const whole = (name, make) => ({
  name, count: 1,
  make: (program) => {
    const bundle = make(program.text, program);
    return bundle === null || bundle === undefined ? [] : [{ bundle, what: name, isFile: true }];
  },
});
const before = (text, code) => `${code}\n${text}`;
const globalOf = (text) => (NAME.exec(text) || [])[1];

// The bundle as a function that gives what the global is.
function wrapped(text, wrap) {
  const name = globalOf(text);
  return name ? wrap(name, text.replace(NAME, 'return (() => {')) : null;
}
const renamedGlobal = (text, assignment) => {
  const name = globalOf(text);
  return name ? text.replace(NAME, `${assignment.replace('{}', name)} = (() => {`) : null;
};

function inES5(text) {
  const ts = typescript();
  if (!ts) return null;
  return ts.transpileModule(text, { compilerOptions: { target: ts.ScriptTarget.ES5, allowJs: true, downlevelIteration: true, removeComments: true } }).outputText;
}

// Every name of an own method of one class that no text mentions, changed everywhere.
function renamedMethods(program) {
  const names = new Set(program.all('MethodDefinition').filter((node) => node.kind === 'method' && /^[a-z]+[A-Z]\w+Of$|^parse\w+$/.test(node.key.name || ''))
    .map((node) => node.key.name));
  return program.text.replace(/\b[A-Za-z_$][\w$]*\b/g, (word) => names.has(word) ? `${word}Renamed` : word);
}

const POLYFILLS = `if (!Array.prototype.at) Object.defineProperty(Array.prototype, "at", { value: function(at) { return this[at < 0 ? this.length + at : at]; }, writable: true, configurable: true });
if (!String.prototype.replaceAll) String.prototype.replaceAll = function(one, other) { return this.split(one).join(other); };
if (typeof Promise.allSettled !== "function") Promise.allSettled = (all) => Promise.all(all.map((one) => Promise.resolve(one).then((value) => ({ status: "fulfilled", value }), (reason) => ({ status: "rejected", reason }))));
if (typeof structuredClone === "undefined") globalThis.structuredClone = (value) => JSON.parse(JSON.stringify(value));`;
const MAP = Buffer.from(JSON.stringify({ version: 3, sources: ['src/base.js'], names: [], mappings: 'AAAA' })).toString('base64');

const plain = [
  whole('minified', (text) => esbuild(text, ['--minify'])),
  whole('minified-whitespace', (text) => esbuild(text, ['--minify-whitespace'])),
  whole('minified-names', (text) => esbuild(text, ['--minify-identifiers'])),
  whole('minified-syntax', (text) => esbuild(text, ['--minify-syntax'])),
  whole('minified-long-lines', (text) => { const made = esbuild(text, ['--minify']); return made && made.replace(/;var /g, ';\nvar '); }),
  whole('names-kept', (text) => esbuild(text, ['--keep-names'])),
  whole('names-kept-minified', (text) => esbuild(text, ['--keep-names', '--minify'])),
  whole('bundler-helpers-es2016', (text) => esbuild(text, ['--target=es2016', '--supported:bigint=true', '--supported:regexp-dot-all-flag=true'])),
  whole('bundler-helpers-es2019', (text) => esbuild(text, ['--target=es2019', '--supported:bigint=true'])),
  whole('bundler-helpers-minified', (text) => esbuild(text, ['--target=es2017', '--supported:bigint=true', '--supported:regexp-dot-all-flag=true', '--minify'])),
  whole('quotes-escaped', (text) => esbuild(text, ['--charset=ascii'])),
  whole('classes-as-es5', (text) => inES5(text)),
  whole('wrapped-for-all-loaders', (text) => wrapped(text, (name, body) => `(function(root, factory) {
  if (typeof define === "function" && define.amd) define([], factory);
  else if (typeof module === "object" && module.exports) module.exports = factory();
  else root.${name} = factory();
})(typeof self !== "undefined" ? self : this, function() {
${body}
});
`)),
  whole('wrapped-for-some-loaders', (text) => wrapped(text, (name, body) => `!function(e,t){"object"==typeof exports&&"undefined"!=typeof module?t(exports):"function"==typeof define&&define.amd?define(["exports"],t):t((e="undefined"!=typeof globalThis?globalThis:e||self).${name}={})}(this,function(exports){
Object.assign(exports, (() => {
${body}
})());
});
`)),
  whole('global-of-window', (text) => renamedGlobal(text, 'window.{}')),
  whole('global-of-global-this', (text) => renamedGlobal(text, 'globalThis.{}')),
  whole('global-of-self', (text) => renamedGlobal(text, 'self.{}')),
  whole('global-lexical', (text) => renamedGlobal(text, 'const {}')),
  whole('global-assigned-at-the-end', (text) => renamedGlobal(text, 'var bundled') && `${renamedGlobal(text, 'var bundled')}this.${globalOf(text)} = bundled;\n`),
  whole('global-frozen', (text) => globalOf(text) && `${text}Object.freeze(${globalOf(text)});\n`),
  whole('version-announced', (text) => globalOf(text) && `${text}Object.defineProperty(window, "bundleBuilt", { value: "2024-05-01" });\n`),
  whole('source-map-inline', (text) => `${text}//# sourceMappingURL=data:application/json;base64,${MAP}\n`),
  whole('source-map-beside', (text) => `${text}//# sourceMappingURL=parsers.bundle.js.map\n`),
  whole('lines-of-windows', (text) => text.replace(/\n/g, '\r\n')),
  whole('licence-in-front', (text) => before(text, '/*! parsers v2.1 | (c) the authors | MIT licence\n * this.looksLikeCode() and <<< are only text here.\n */')),
  whole('not-strict', (text) => text.replace(/^"use strict";\n/, '')),
  whole('strict-inside', (text) => text.replace(/^"use strict";\n/, '').replace(NAME, (head) => `${head}\n  "use strict";`)),
  whole('polyfills-in-front', (text) => before(text, POLYFILLS)),
  whole('console-frozen', (text) => before(text, 'Object.freeze(console);')),
  whole('console-replaced', (text) => before(text, 'window.console = { log() { }, warn() { }, error() { }, debug() { }, info() { } };')),
  whole('console-silent', (text) => before(text, 'for (const level of ["log", "warn", "debug"]) console[level] = function() { };')),
  whole('prototypes-patched', (text) => before(text, 'Object.defineProperty(Array.prototype, "last", { get() { return this[this.length - 1]; }, configurable: true });\nString.prototype.clean = function() { return this.replace(/\\s+/g, " ").trim(); };')),
  whole('prototype-with-visible-member', (text) => before(text, 'Array.prototype.first = function() { return this[0]; };')),
  whole('json-wrapped', (text) => before(text, 'JSON.parse = ((parse) => function(text, reviver) { return parse(String(text).replace(/^\\ufeff/, ""), reviver); })(JSON.parse);')),
  whole('promise-wrapped', (text) => before(text, 'window.Promise = class Promise extends window.Promise { };')),
  whole('promise-then-patched', (text) => before(text, 'Promise.prototype.then = ((then) => function(one, other) { return then.call(this, one, other); })(Promise.prototype.then);')),
  whole('fetch-wrapped', (text) => before(text, 'window.fetch = ((own) => (...all) => own(...all))(window.fetch);')),
  whole('timers-wrapped', (text) => before(text, 'window.setTimeout = ((own) => (work, time) => own(work, time))(window.setTimeout);')),
  whole('selectors-wrapped', (text) => before(text, 'Document.prototype.querySelectorAll = ((own) => function(selector) { return own.call(this, selector); })(Document.prototype.querySelectorAll);')),
  whole('intrinsics-frozen', (text) => before(text, '[Object, Array, Map, Set].forEach((one) => Object.freeze(one.prototype));')),
  whole('methods-renamed', (text, program) => renamedMethods(program)),
  whole('comments-removed', (text) => text.replace(/^\s*\/\/ .*\n/gm, '')),
];

const atEntry = (name, change) => ({
  name, count: 1, places: (program) => program.byType.get('FunctionDeclaration').filter((node) => node.id.name === 'getParser'),
  change: (node, program) => change(node, program),
});
// The statement that hands the parser out, as an expression around it.
const handedOut = (name, wrap, head = '') => atEntry(name, (node, program) => {
  const last = node.body.body[node.body.body.length - 1];
  const edits = [{ start: last.argument.start, end: last.argument.end, text: wrap(program.source(last.argument)) }];
  if (head) edits.push(insert(node.start, `${head}\n  `));
  return { edits, what: name };
});

const entries = [
  handedOut('parser-behind-proxy', (text) => `new Proxy(${text}, { get(target, name) { const value = Reflect.get(target, name, target); return typeof value === "function" ? value.bind(target) : value; } })`),
  handedOut('parser-behind-proxy-with-magic', (text) => `new Proxy(${text}, { get(target, name, all) { return name in target ? Reflect.get(target, name, all) : typeof name === "string" && name.startsWith("find") ? () => [] : undefined; } })`),
  handedOut('parser-as-heir', (text) => `Object.create(${text})`),
  handedOut('parser-kept', (text) => `(kept.has(sourceId + "") && kept.get(sourceId).context === context ? kept : kept.set(sourceId, ${text})).get(sourceId)`, 'var kept = new Map();'),
  handedOut('parser-decorated', (text) => `logged(${text})`, `function logged(parser) {
    for (const name of ["getListPage", "getPages"]) {
      const own = parser[name].bind(parser);
      parser[name] = async (...all) => { const begun = Date.now(); try { return await own(...all); } finally { parser.lastTime = Date.now() - begun; } };
    }
    return parser;
  }`),
  handedOut('parser-with-retries', (text) => `retried(${text})`, `function retried(parser) {
    const own = parser.getDetails;
    parser.getDetails = async function(manga) {
      for (let round = 0; ; round++) {
        try { return await own.call(this, manga); } catch (error) { if (round >= 1) throw error; await new Promise((done) => setTimeout(done, 100)); }
      }
    };
    return parser;
  }`),
  handedOut('parser-with-methods-of-one-source', (text) => `Object.assign(${text}, extras[sourceId])`, `var extras = {};
  extras[sources_default[0].id] = { unscramble(text) { return this.turn(text); }, turn(text) { return text.split("").reverse().join(""); } };`),
  handedOut('parser-sealed', (text) => `Object.seal(${text})`),
];

module.exports = kindsOf('builds', [...plain, ...entries], true);
