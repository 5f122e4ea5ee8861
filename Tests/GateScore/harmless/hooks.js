'use strict';
// Optional hooks that only some sources have, asked for in every way, and members that come into being while code runs.
const { kindsOf } = require('../kind.js');
const { insert } = require('../edits.js');
const { snippets } = require('./snippets.js');

const hooks = snippets('hooks', [
  ['hook-not-undefined', 'if (this.onInit !== undefined) await this.onInit({P});'],
  ['hook-not-null', 'if (this.onInit != null) this.onInit();'],
  ['hook-returned-before', { members: 'prepare(value) { if (this.onPrepare === undefined) return value; return this.onPrepare(value); }', statement: 'this.prepare({P});' }],
  ['hook-by-in', 'if ("onInit" in this) this.onInit();'],
  ['hook-by-instance', 'if (this.onInit instanceof Function) this.onInit();'],
  ['hook-by-boolean', 'if (Boolean(this.onInit)) this.onInit();'],
  ['hook-by-double-negation', 'if (!!this.onInit) this.onInit();'],
  ['hook-by-has-own', 'if (Object.hasOwn(this, "onInit")) this.onInit();'],
  ['hook-by-has-own-property', 'if (Object.prototype.hasOwnProperty.call(this, "onInit")) this.onInit();'],
  ['hook-by-reflect', 'if (Reflect.has(this, "onInit")) this.onInit();'],
  ['hook-by-typeof-key', 'if (typeof this["onInit"] === "function") this.onInit();'],
  ['hook-by-typeof', 'if (typeof this.onInit == "function") await this.onInit();'],
  ['hook-destructured', 'const { onInit } = this; if (onInit) this.onInit();'],
  ['hook-in-variable', 'const hook = this.onInit; if (hook) hook.call(this, {P});'],
  ['hook-tried', 'try { this.onInit(); } catch { }'],
  ['hook-tried-with-report', 'try { this.onInit(); } catch (missing) { if (!(missing instanceof TypeError)) throw missing; }'],
  ['hook-filled-later', { members: 'decryptor = null;\n    arm() { if (this.source.secret) this.decryptor = (text) => text; }', statement: 'this.arm(); if (this.decryptor !== null) this.decryptor({P});' }],
  ['hook-field-undefined', { members: 'transform = undefined;', statement: 'const changed = this.transform === undefined ? {} : this.transform({P});' }],
  ['hook-optional-call', 'this.onInit?.({P});'],
  ['hook-in-conditional', 'const early = this.onInit ? this.onInit({P}) : null;'],
  ['hook-by-and', 'this.onInit && this.onInit({P}); void 0 !== this.onLate && this.onLate();'],
  ['hook-by-or', 'const made = (this.onMake || ((value) => value)).call(this, {P});'],
  ['hook-in-switch', 'switch (typeof this.onInit) { case "function": this.onInit(); break; default: break; }'],
  ['hook-negated-throw', { members: 'needed() { if (!this.onSecret) throw new Error("this site has no secret"); return this.onSecret(); }', statement: 'if (this.source.secret) this.needed();' }],
  ['hook-in-list-of-names', 'for (const name of ["onInit", "onLate"]) if (typeof this[name] === "function") this[name]({P});'],
  ['hook-of-default-function', { members: 'run(hook = this.onRun) { if (hook) return this.onRun(); return null; }', statement: 'this.run();' }],
]);

const dynamic = snippets('dynamic', [
  ['member-by-loop', { members: 'setUp() { for (const name of ["encodeOne", "decodeOne"]) this[name] = (value) => value; }', statement: 'this.setUp(); this.encodeOne(this.decodeOne({P}));' }],
  ['member-by-assign', { members: 'setUp() { Object.assign(this, { encodeOne(value) { return value; } }); }', statement: 'this.setUp(); this.encodeOne({P});' }],
  ['member-by-define', { members: 'setUp() { Object.defineProperty(this, "encodeOne", { value: (value) => value, configurable: true }); }', statement: 'this.setUp(); this.encodeOne({P});' }],
  ['member-by-define-all', { members: 'setUp() { Object.defineProperties(this, { encodeOne: { value: (value) => value, configurable: true } }); }', statement: 'this.setUp(); this.encodeOne({P});' }],
  ['member-by-destructuring', { top: 'var tools_{T} = { encodeOne: (value) => value };', members: 'setUp() { ({ encodeOne: this.encodeOne } = tools_{T}); }', statement: 'this.setUp(); this.encodeOne({P});' }],
  ['member-by-self', { members: 'setUp() { const self = this; self.encodeOne = function(value) { return value; }; }', statement: 'this.setUp(); this.encodeOne({P});' }],
  ['member-by-nullish', { members: 'setUp() { this.encodeOne ??= (value) => value; }', statement: 'this.setUp(); this.encodeOne({P});' }],
  ['member-by-or', { members: 'setUp() { this.encodeOne ||= (value) => value; }', statement: 'this.setUp(); this.encodeOne({P});' }],
  ['member-by-plain-assignment', { members: 'setUp() { this.encodeOne = (value) => value; }', statement: 'this.setUp(); this.encodeOne({P});' }],
  ['member-by-reflect', { members: 'setUp() { Reflect.set(this, "encodeOne", (value) => value); }', statement: 'this.setUp(); this.encodeOne({P});' }],
  ['member-by-for-in', { top: 'var kit_{T} = { encodeOne: (value) => value, decodeOne: (value) => value };', members: 'setUp() { for (const name in kit_{T}) this[name] = kit_{T}[name]; }', statement: 'this.setUp(); this.decodeOne({P});' }],
  ['member-by-entries', { members: 'setUp() { Object.entries({ encodeOne: (value) => value }).forEach(([name, work]) => { this[name] = work; }); }', statement: 'this.setUp(); this.encodeOne({P});' }],
  ['member-by-computed-name', { members: '["encode" + "One"](value) { return value; }', statement: 'this.encodeOne({P});' }],
  ['member-by-bind', { members: 'plainOne(value) { return this.domain + value; }', statement: 'this.boundOne = this.plainOne.bind(this); this.boundOne({P});' }],
  ['member-deleted', { members: 'cachedOne = null;', statement: 'this.cachedOne = () => 1; this.cachedOne(); delete this.cachedOne;' }],
  ['member-of-prototype', { members: 'static { this.prototype.encodeOne = function(value) { return value; }; }', statement: 'this.encodeOne({P});' }],
  ['member-by-fallback', { members: 'get encodeOne() { return (value) => value; }', statement: 'this.encodeOne({P});' }],
]);

// A method that calls what only other families have: in the base class, and in a family whose sources have it off.
const templates = kindsOf('hooks', [
  {
    name: 'template-of-other-families', count: 2,
    places: (program) => program.classes.filter((one) => one.isParser && program.families.some((family) => family.chain.includes(one))),
    change: (one, program) => {
      const other = program.families.find((family) => !family.chain.includes(one) && !one.chain.includes(family)) || program.families.find((family) => family !== one);
      const at = (owner) => owner.node.body.start + 1;
      return {
        edits: [
          insert(at(one), '\n    renderRows(rows) { return rows.map((row) => this.renderRow(row)); }\n    rowsOf(rows) { return this.hasRows ? this.renderRows(rows) : rows; }'),
          insert(at(other), '\n    renderRow(row) { return { ...row, rendered: true }; }'),
        ], what: 'a template calls what other families have',
      };
    },
  },
], true);

module.exports = [...hooks, ...templates, ...dynamic];
