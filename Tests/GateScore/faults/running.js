'use strict';
// Code that does not end, and code that needs another engine than apps have.
const { kindsOf } = require('../kind.js');
const { replace, insert, remove } = require('../edits.js');
const { ENTRY_METHODS } = require('../program.js');

const entries = (program) => program.all('MethodDefinition').filter((node) => ENTRY_METHODS.includes(node.key.name) && program.classOf(node)
  && program.classOf(node).isParser);
const plain = (program) => program.all('MethodDefinition').filter((node) => node.kind === 'method' && !node.static && program.classOf(node)
  && program.classOf(node).isParser && !node.value.generator && node.key.name !== 'constructor');
const top = (node) => node.value.body.start + 1;
const names = (node) => node.value.params.map((one) => one.type === 'AssignmentPattern' ? one.left.name : one.name);
const prepend = (node, text, what) => ({ edits: [insert(top(node), `\n      ${text}`)], what, at: node, method: node });

const NEWER = [
  ['new-at', 'const newest = [1, 2, 3].at(-1);'], ['new-structured-clone', 'const copy = structuredClone({ page: 1 });'],
  ['new-group-by', 'const groups = Object.groupBy([1, 2], (one) => one % 2 ? "odd" : "even");'], ['new-to-sorted', 'const sorted = [3, 1].toSorted();'],
  ['new-find-last', 'const last = [1, 2].findLast((one) => one > 0);'], ['new-has-own', 'const isOwn = Object.hasOwn({ a: 1 }, "a");'],
  ['new-with-resolvers', 'const { promise, resolve } = Promise.withResolvers(); resolve(promise);'], ['new-set-union', 'const both = new Set([1]).union(new Set([2]));'],
  ['new-lookbehind', 'const price = /(?<=\\$)\\d+/.exec("$5");'], ['new-v-flag', 'const letters = /[\\p{L}--[a-z]]/v.test("A");'],
  ['new-static-block', 'const Table = class { static size; static { this.size = 4; } };'], ['new-private-in', 'const Box = class { #a = 1; static isBox(one) { return #a in one; } };'],
];
const LOAD_NODE = ['const fs = require("fs");', 'const home = process.env.HOME;', 'module.exports = { version: 1 };', 'const buffer = Buffer.from("x");', 'const here = __dirname;', 'const shared = global.shared || {};'];
const LOAD_PAGE = ['const base = document.getElementById("app").dataset.base;', 'const script = document.currentScript.src;', 'const agent = chrome.runtime.id;', 'const root = $("body");', 'const token = GM_getValue("token");', 'const saved = document.querySelector("meta[name=token]").content;'];
const atLoad = (list) => (node, program, random) => ({ edits: [insert(node.start, `${random.pick(list)}\n  `)], what: 'it cannot be loaded in an app' });
const firstClass = (program) => program.classes.filter((one) => one.isParser && one.node.parent.type === 'VariableDeclarator' && one.node.parent.parent.type === 'VariableDeclaration')
  .map((one) => one.node.parent.parent);

module.exports = kindsOf('running', [
  { name: 'endless-loop', count: 3, places: entries, change: (node) => prepend(node, 'let tries = 0;\n      while (tries < 3) { if (!this.domain) tries += 1; }', 'a loop does not end') },
  {
    name: 'endless-loop-in-method', count: 3, places: plain,
    change: (node) => prepend(node, 'for (let at = 0; at < 10; at--) { if (at > 5) break; if (at < -1e15) at = 0; }', 'a loop counts the wrong way'),
  },
  { name: 'endless-paging', count: 3, places: (program) => entries(program).filter((node) => node.key.name === 'getListPage'), change: (node, program) => prepend(node, `let number = 1;\n      let more = true;\n      while (more) {\n        const text = await this.context.httpGet(\`https://\${this.domain}/page/\${number}\`, this);\n        more = text !== null;\n        number += 1;\n      }`, 'pages are asked for without end') },
  { name: 'endless-recursion', count: 3, places: plain, change: (node) => prepend(node, `if (this.domain) return this.${node.key.name}(${names(node).filter(Boolean).join(', ')});`, 'a method calls itself without end') },
  { name: 'endless-promise', count: 2, places: entries, change: (node) => prepend(node, 'await new Promise((done) => { this.waiting = done; });', 'a promise is never kept') },
  ...NEWER.map(([name, text]) => ({ name, engines: true, count: 1, places: entries, change: (node) => ({ ...prepend(node, text, 'old apps do not have it'), isFile: true }) })),
  { name: 'load-needs-node', count: 5, places: firstClass, change: atLoad(LOAD_NODE) },
  { name: 'load-needs-page', count: 5, places: firstClass, change: atLoad(LOAD_PAGE) },
  {
    name: 'node-in-method', count: 5, places: entries,
    change: (node, program, random) => prepend(node, random.pick(['const text = Buffer.from("eA==", "base64").toString();', 'const crypto = require("crypto");', 'const key = process.env.SITE_KEY;', 'const path = __dirname + "/x";']), 'a method needs Node'),
  },
  {
    name: 'step-forgotten', count: 2, site: 'a loop runs only over what a page has',
    places: (program) => program.all('ForStatement').filter((node) => node.update && program.methodOf(node)),
    change: (node) => ({ edits: [remove(node.update)], what: 'a loop has no step' }),
  },
]);
