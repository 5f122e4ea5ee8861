// Sorts the messages of TypeScript's checker. A bundle is JavaScript that lives, so most of them are noise: what counts
// is what must go wrong when the line runs, whatever the page gives.
'use strict';

const { keyOf, isTested, isTestedLater, nearest, memberAround } = require('./syntax.js');
const { isWritten } = require('./bundle.js');
const { results } = require('./program.js');

const languageTypes = new Set(['String', 'Number', 'Boolean', 'BigInt', 'Symbol', 'Array', 'ReadonlyArray', 'RegExp', 'RegExpMatchArray',
  'RegExpExecArray', 'Date', 'Map', 'Set', 'WeakMap', 'WeakSet', 'Promise', 'PromiseConstructor', 'Math', 'JSON', 'ObjectConstructor',
  'ArrayConstructor', 'StringConstructor', 'NumberConstructor', 'DateConstructor', 'Error', 'IterableIterator', 'Uint8Array', 'ArrayBuffer']);

class Sorter {
  constructor(ts, compiler, work, question) {
    Object.assign(this, { ts, compiler, checker: work.checker, file: work.file, bundle: work.bundle, annotated: work.annotated });
    /** Members that engines have and this library of types does not know, by interface. */
    this.newer = question.members;
  }

  /** A finding; undefined for noise. */
  sort(diagnostic) {
    if (diagnostic.start === undefined) return undefined;
    const node = this.nodeAt(diagnostic.start, diagnostic.length);
    if (!node) return undefined;
    const one = this.judge(diagnostic.code, node, diagnostic);
    return one && { code: diagnostic.code, start: diagnostic.start, ...one };
  }

  nodeAt(start, length) {
    let node = this.file;
    for (;;) {
      const inner = this.ts.forEachChild(node, (child) => child.getStart(this.file) <= start && start + length <= child.end ? child : undefined);
      if (!inner) return node;
      node = inner;
    }
  }

  judge(code, node, diagnostic) {
    switch (code) {
      case 2339: case 2551: case 2550: case 2568: case 2576: return this.member(node);
      case 2345: case 2554: case 2555: case 2769: return this.call(code, node);
      case 2322: case 2739: case 2740: case 2741: case 2559: case 2696: return this.assignment(node);
      case 2355: return this.noResult(node);
      case 2349: case 2348: case 2351: case 6234: return this.notCallable(node);
      case 2488: case 2548: case 2549: case 2504: case 2461: case 2495: case 2802: return this.notIterable(node);
      case 2362: case 2363: case 2365: case 2367: case 2356: return this.operand(node);
      default: return undefined;
    }
  }

  // MARK: Members

  member(node) {
    const { ts, checker } = this;
    const access = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node ? node.parent : null;
    if (!access) return undefined;
    const name = node.text, type = checker.getTypeAtLocation(access.expression);
    const place = this.treeNode(node.getStart(this.file))?.parent;
    if (!place || place.type !== 'MemberExpression' || isWritten(place)) return undefined;
    const owner = this.nameOf(type);
    // A promise has none of what its value has, however it is asked for.
    if (this.isPromise(type)) return this.onPromise(access, name);
    const isAsked = isTested(place) || isTestedLater(place, this.bundle.scopes);
    if (!isAsked && type.flags & ts.TypeFlags.Void) return this.onNothing(access, name);
    if (!owner) return undefined;
    if (this.isAssigned(name)) return undefined;
    if (owner === 'ParserContext') return isAsked ? undefined : this.onContext(name, type);
    const isOfLanguage = languageTypes.has(owner) || /^(Readonly)?Array$/.test(owner), isOfPage = !isOfLanguage && this.isOfPage(type);
    if (!isOfLanguage && !isOfPage) return undefined;
    const found = this.onLibrary(access, name, type, owner, isOfPage);
    // `el.textConent || ''` asks for nothing; what exists anywhere may be asked for.
    return isAsked && !(found?.near && !this.isOfLibrary(name) && !this.bundle.made.has(name)) ? undefined : found;
  }

  /** A member of a promise: what its value has, since `await` is missing. */
  onPromise(access, name) {
    const called = this.shown(access.expression);
    return {
      rule: 'promise-as-value', sure: !this.isWeak(access.expression), subject: name,
      text: `${name} is read from a promise: await is missing before ${called}`, advice: `write (await ${called}).${name}`,
    };
  }

  onNothing(access, name) {
    const callee = this.ts.isCallExpression(access.expression) && access.expression.expression;
    const method = callee && this.ts.isPropertyAccessExpression(callee) ? callee.name.text : callee && this.ts.isIdentifier(callee) ? callee.text : '';
    // A hook that is empty here may give something in a class below.
    const all = this.bundle.methods.get(method) ?? [];
    if (!method || all.length > 1 || all.some((one) => one.value.body.body.length === 0)) return undefined;
    return {
      rule: 'no-result', sure: true, subject: method,
      text: `${method} returns nothing, and ${name} is read from its result`, advice: `return the result in ${method}`,
    };
  }

  onContext(name, type) {
    if (this.bundle.askedFor.has(name)) return undefined;
    const offered = this.checker.getPropertiesOfType(type).map((one) => one.name);
    const near = nearest(name, offered) ?? (name.length > 3 ? offered.find((one) => one.startsWith(name) || name.startsWith(one)) : undefined);
    return {
      rule: near ? 'unknown-member' : 'unknown-bridge', sure: Boolean(near), subject: `ParserContext.${name}`,
      text: `the context has no ${name}${near ? `: did you mean ${near}` : ''}`,
      advice: near ? 'correct the name' : `if the app's bridge offers ${name}, declare it in a file for --contract-types`,
    };
  }

  onLibrary(access, name, type, owner, isOfPage) {
    const title = owner === 'ReadonlyArray' ? 'Array' : owner;
    if (this.isNewer(title, name) || isOfPage && this.belowHas(title, name)) return undefined;
    const near = nearest(name, this.checker.getPropertiesOfType(this.checker.getApparentType(type)).map((one) => one.name));
    const isKnownElsewhere = this.isOfLibrary(name) || this.bundle.made.has(name);
    const isWeak = this.isWeak(access.expression);
    if (isWeak && isKnownElsewhere) return undefined;
    const subject = `${title}.${name}`, kind = isOfPage ? `${article(title)} ${title}` : shownType(title);
    return {
      rule: 'unknown-member', sure: !isWeak || !isKnownElsewhere && Boolean(near), subject, near,
      text: `${kind} has no ${name}${near ? `: did you mean ${near}` : ''}`, advice: 'correct the name',
    };
  }

  // MARK: Calls

  call(code, node) {
    const { ts } = this;
    // What does not fit may be a call itself.
    const call = this.enclosingCall(code === 2345 ? node.parent : node);
    if (!call || ts.isNewExpression(call) && code !== 2345) return undefined;
    if (call.arguments?.some((one) => ts.isSpreadElement(one))) return undefined;
    const callee = call.expression, name = ts.isPropertyAccessExpression(callee) ? callee.name.text : ts.isIdentifier(callee) ? callee.text : '';
    const owner = ts.isPropertyAccessExpression(callee) ? this.nameOf(this.checker.getTypeAtLocation(callee.expression)) : '';
    if (owner === 'ParserContext') return this.contractCall(call, name);
    const promise = code === 2345 && call.arguments?.find((one) => one === node || this.contains(one, node));
    if (promise && this.isPromise(this.checker.getTypeAtLocation(promise)) && this.isLibraryCall(call)) {
      return {
        rule: 'promise-as-value', sure: !this.isWeak(promise), subject: name,
        text: `a promise is given to ${name || 'a function'}: await is missing before ${this.shown(promise)}`,
        advice: 'await the value first',
      };
    }
    if (code === 2554 && this.isPageCall(call) && (call.arguments?.length ?? 0) < this.leastArguments(call)) {
      return {
        rule: 'wrong-arguments', sure: !this.isWeak(callee.expression ?? callee), subject: name,
        text: `${name} is called with ${count(call.arguments.length, 'argument')}, and throws with less than ${this.leastArguments(call)}`,
        advice: 'give the missing arguments',
      };
    }
    return undefined;
  }

  contractCall(call, name) {
    const { ts, checker } = this;
    const given = call.arguments.map((one) => checker.getTypeAtLocation(one));
    const kinds = call.arguments.map((one, index) => this.kind(one, given[index]));
    const signature = this.contractSignature(call);
    const least = this.leastArguments(call);
    const isShort = call.arguments.length < least;
    // What is no parser may be one that gets its domain later on; only what can never be one is sure.
    const isSure = isShort || kinds.some((kind, index) => kind === 'promise' || (index === 0 ? kind === 'this' || kind === 'object' : kind === 'string' && name === 'httpGet'))
      || name === 'httpGet' && kinds.length === 2 && kinds[1] === 'literal';
    return {
      rule: 'against-contract', sure: isSure, subject: name,
      text: isShort ? `${name} is called with ${count(call.arguments.length, 'argument')}, and the contract has ${signature}`
        : `${name}(${given.map((type, index) => kinds[index] === 'this' ? 'this' : this.typeText(type)).join(', ')}) does not fit the contract, which has ${signature}`,
      advice: kinds.includes('promise') ? 'await the value first' : 'give the arguments of the contract, in its order',
    };
  }

  kind(argument, type) {
    const { ts } = this;
    if (argument.kind === ts.SyntaxKind.ThisKeyword) return 'this';
    if (this.isPromise(type)) return 'promise';
    if (ts.isObjectLiteralExpression(argument)) return 'literal';
    if (type.flags & ts.TypeFlags.StringLike) return 'string';
    return type.flags & ts.TypeFlags.Object ? 'object' : 'other';
  }

  // MARK: Results

  assignment(node) {
    const { ts, checker } = this;
    const method = this.contractMethod(node);
    if (method) return this.wrongResult(node, method);
    // A promise where the page wants a text, or where a variable has held what a page gives.
    const target = ts.isBinaryExpression(node.parent) && node.parent.left === node ? node.parent : null;
    if (target && ts.isIdentifier(node) && this.isPromise(checker.getTypeAtLocation(target.right)) && !this.bundle.awaited.has(node.text)) {
      return this.promiseIn(target.right, `the variable ${node.text}`);
    }
    if (!target || !this.isPromise(checker.getTypeAtLocation(target.right)) || this.isWeak(target.right)) return undefined;
    if (!ts.isPropertyAccessExpression(target.left) || !this.isOfPage(checker.getTypeAtLocation(target.left.expression))) return undefined;
    return {
      rule: 'promise-as-value', sure: true, subject: target.left.name.text,
      text: `a promise is assigned to ${target.left.name.text}: await is missing before ${this.shown(target.right)}`, advice: 'await the value first',
    };
  }

  wrongResult(node, method) {
    const value = this.returned(node), type = value && this.checker.getTypeAtLocation(value);
    const wanted = results[method];
    let given = type && this.checker.getAwaitedType ? this.checker.getAwaitedType(type) ?? type : type;
    if (!given) return undefined;
    const isList = wanted.endsWith('[]');
    const isArray = this.isArray(given), element = isArray && this.checker.getTypeArguments(given)[0];
    const primitive = this.ts.TypeFlags.StringLike | this.ts.TypeFlags.NumberLike | this.ts.TypeFlags.BooleanLike | this.ts.TypeFlags.Void;
    const sure = !this.isWeak(value) && Boolean(given.flags & primitive || isList && !isArray || !isList && isArray
      || element && (element.flags & primitive || this.isPromise(element)) || isArray && element && this.isLiteralResult(value));
    // The members of a class may come by Object.assign, which the checker does not follow.
    if (!sure && this.isOfClass(element || given)) return undefined;
    const shown = this.typeText(given);
    return {
      rule: 'wrong-result', sure, subject: method,
      text: element && this.isPromise(element) ? `${method} gives an array of promises: Promise.all is missing`
        : `${method} gives ${shown}, and the contract wants ${wanted}`,
      advice: element && this.isPromise(element) ? 'write await Promise.all(…) around the list' : `see ${wanted.replace('[]', '')} in the contract`,
    };
  }

  isOfClass(type) { return Boolean(type.symbol && type.symbol.flags & this.ts.SymbolFlags.Class && !this.isPromise(type)); }

  /** Whether the entries of a list are written out where they are made, so that a missing field is missing. */
  isLiteralResult(value) {
    const element = this.checker.getTypeArguments(this.checker.getTypeAtLocation(value))[0];
    return Boolean(element && element.symbol && element.symbol.flags & this.ts.SymbolFlags.ObjectLiteral && !this.checker.getPropertyOfType(element, 'url'));
  }

  noResult(node) {
    const place = memberAround(this.treeNode(node.getStart(this.file)) ?? this.bundle.tree);
    const method = place && keyOf(place.member);
    const body = place?.member.value?.body;
    if (!Object.hasOwn(results, method ?? '') || !body || body.body.length === 0) return undefined;
    return {
      rule: 'no-result', sure: true, subject: method, text: `${method} returns nothing, and the contract wants ${results[method]}`,
      advice: `return the result in ${method}`,
    };
  }

  // MARK: Other uses

  notCallable(node) {
    const { ts, checker } = this;
    const access = ts.isPropertyAccessExpression(node) ? node : ts.isPropertyAccessExpression(node.parent) && node.parent.name === node ? node.parent : null;
    if (!access || !this.isOfPage(checker.getTypeAtLocation(access.expression)) && !languageTypes.has(this.nameOf(checker.getTypeAtLocation(access.expression)))) {
      return undefined;
    }
    if (this.isPromise(checker.getTypeAtLocation(access)) || this.isWeak(access.expression)) return undefined;
    const owner = this.nameOf(checker.getTypeAtLocation(access.expression));
    return {
      rule: 'not-a-function', sure: true, subject: `${owner}.${access.name.text}`,
      text: `${access.name.text} of ${shownType(owner)} is called, and it is no function`, advice: 'leave the parentheses out',
    };
  }

  notIterable(node) {
    const type = this.checker.getTypeAtLocation(node);
    if (!this.isPromise(type)) return undefined;
    return {
      rule: 'promise-as-value', sure: !this.isWeak(node), subject: 'iterator',
      text: `a promise is gone through like a list: await is missing before ${this.shown(node)}`, advice: 'await the value first',
    };
  }

  operand(node) {
    const { ts } = this;
    const both = ts.isBinaryExpression(node) ? [node.left, node.right] : [node];
    const promise = both.find((one) => this.isPromise(this.checker.getTypeAtLocation(one)));
    return promise && this.promiseIn(promise, 'an expression');
  }

  promiseIn(node, where) {
    return {
      rule: 'promise-as-value', sure: !this.isWeak(node), subject: where, start: node.getStart(this.file),
      text: `a promise is used in ${where}: await is missing before ${this.shown(node)}`, advice: 'await the value first',
    };
  }
}

const count = (number, word) => `${number || 'no'} ${word}${number === 1 ? '' : 's'}`;
const article = (word) => /^[AEIOU]/.test(word) ? 'an' : 'a';
const shownType = (name) => ({ String: 'a string', Number: 'a number', Boolean: 'a boolean', Array: 'an array', RegExpMatchArray: 'a match',
  RegExpExecArray: 'a match', PromiseConstructor: 'Promise' })[name] ?? (/Constructor$/.test(name) ? name.replace('Constructor', '') : `${article(name)} ${name}`);

module.exports = { Sorter };
