// A bundle as the checks see it: its tree, its scopes, its classes, and every word by which it could make a member.
'use strict';

const { parse, walk, isFunction, isClass, keyOf, className, memberAround, Places, isTested } = require('./syntax.js');

const childKeys = (node) => Object.keys(node).filter((key) => key !== 'parent' && key !== 'above');

class Bundle {
  constructor(text, tools, catalogWords) {
    this.text = text;
    this.places = new Places(text);
    /** Where comments begin that could declare types. */
    this.comments = [];
    this.tree = parse(text, tools.acorn, (isBlock, comment, start) => {
      if (isBlock && comment.startsWith('*')) this.comments.push(start);
    });
    this.classes = [];
    this.isStrict = this.tree.body[0]?.directive === 'use strict';
    /** Words that exist as members: keys, class members, assigned properties, and every word in a string. */
    this.made = new Set(catalogWords);
    /** Properties that code assigns or defines on objects that exist. */
    this.assigned = new Set(catalogWords);
    /** Members whose value is awaited somewhere, so that a promise there is meant. */
    this.awaited = new Set();
    /** Members that code asks for before it uses them. */
    this.askedFor = new Set();
    /** Properties of the global object that are written or asked for by name. */
    this.onGlobal = new Set();
    /** Methods by name: their nodes. */
    this.methods = new Map();
    this.evaluators = [];
    this.hasProxy = false;
    this.nodes = new Map();
    walk(this.tree, (node) => this.note(node));
    this.scopes = tools.eslintScope.analyze(this.tree, { ecmaVersion: 2022, sourceType: 'script', fallback: childKeys });
    this.linkClasses();
  }

  of(type) { return this.nodes.get(type) ?? []; }

  note(node) {
    let list = this.nodes.get(node.type);
    if (!list) this.nodes.set(node.type, list = []);
    list.push(node);
    switch (node.type) {
      case 'ClassDeclaration': case 'ClassExpression': this.classes.push(node); break;
      case 'MethodDefinition': case 'PropertyDefinition': case 'Property': this.noteKey(node); break;
      case 'Literal': if (typeof node.value === 'string') this.noteWords(node.value); break;
      case 'TemplateElement': this.noteWords(node.value.cooked ?? node.value.raw); break;
      case 'MemberExpression': this.noteMember(node); break;
      case 'Identifier':
        if (node.name === 'Proxy') this.hasProxy = true;
        if (node.parent?.type === 'AwaitExpression') this.awaited.add(node.name);
        break;
      case 'CallExpression': case 'NewExpression': this.noteCall(node); break;
    }
  }

  noteKey(node) {
    const key = keyOf(node);
    // A pattern reads; everything else with a key makes one.
    if (key === undefined || node.parent.type === 'ObjectPattern') return;
    this.made.add(key);
    if (node.type !== 'MethodDefinition') return;
    const list = this.methods.get(key);
    if (list) list.push(node); else this.methods.set(key, [node]);
  }

  noteWords(text) {
    if (text.length > 4000) return;
    for (const word of text.match(/[A-Za-z_$][\w$]*/g) ?? []) this.made.add(word);
  }

  noteMember(node) {
    const key = keyOf(node);
    if (key === undefined) return;
    if (isWritten(node)) {
      this.made.add(key);
      this.assigned.add(key);
    }
    if (isTested(node)) this.askedFor.add(key);
    const around = node.parent.type === 'MemberExpression' ? keyOf(node.parent) : '';
    if (node.parent.type === 'AwaitExpression' || around === 'then' || around === 'catch') this.awaited.add(key);
    const object = node.object;
    if (object.type === 'Identifier' && ['window', 'self', 'globalThis', 'top', 'frames', 'global'].includes(object.name)
      || object.type === 'ThisExpression' && !memberAround(node)) this.onGlobal.add(key);
  }

  noteCall(node) {
    const callee = node.callee.type === 'SequenceExpression' ? node.callee.expressions.at(-1) : node.callee;
    const name = callee.type === 'Identifier' ? callee.name : callee.type === 'MemberExpression' ? keyOf(callee) : '';
    const first = node.arguments[0];
    if ((name === 'defineProperty' || name === 'set') && typeof node.arguments[1]?.value === 'string') this.assigned.add(node.arguments[1].value);
    if (name === 'assign' || name === 'defineProperties') this.noteMixin(node.arguments.slice(1));
    if (name === 'eval' || name === 'Function' || name === 'GeneratorFunction' || name === 'AsyncFunction'
      || (name === 'setTimeout' || name === 'setInterval') && first?.type === 'Literal') this.evaluators.push(node);
  }

  /** `Object.assign(X.prototype, { member() {} })`. */
  noteMixin(sources) {
    for (const source of sources) {
      for (const property of source.properties ?? []) {
        const key = property.type === 'Property' ? keyOf(property) : undefined;
        if (key !== undefined) this.assigned.add(key);
      }
    }
  }

  linkClasses() {
    this.byName = new Map();
    for (const node of this.classes) {
      node.title = className(node);
      if (node.title) this.byName.set(node.title, node);
    }
    for (const node of this.classes) {
      const above = node.superClass;
      node.above = above?.type === 'Identifier' ? this.byName.get(above.name) : undefined;
      if (node.above === node) node.above = undefined;
    }
  }

  /** How a name is used where it stands. */
  reference(identifier) {
    this.references ??= new Map(this.scopes.scopes.flatMap((scope) => scope.references.map((one) => [one.identifier, one])));
    return this.references.get(identifier);
  }

  /** The innermost node at an offset. */
  nodeAt(offset) {
    let node = this.tree;
    for (;;) {
      let below;
      for (const key of childKeys(node)) {
        const value = node[key];
        const inside = Array.isArray(value) ? value.find((item) => item?.range && item.range[0] <= offset && offset < item.range[1])
          : value?.range && value.range[0] <= offset && offset < value.range[1] ? value : undefined;
        if (inside && typeof inside.type === 'string') { below = inside; break; }
      }
      if (!below) return node;
      node = below;
    }
  }

  /** The class and those above it in the bundle, and whether something else stands at the top. */
  chain(node) {
    const chain = [];
    for (let one = node; one && !chain.includes(one); one = one.above) chain.push(one);
    return { chain, isWhole: !chain.at(-1)?.superClass };
  }

  /** Whether a node stands in a function that evaluates text, or in one around it. */
  evaluatesAround(node) {
    if (!this.evaluating) {
      this.evaluating = new Set();
      for (const call of this.evaluators) {
        for (let up = call.parent; up; up = up.parent) {
          if (isFunction(up)) { this.evaluating.add(up); if (memberAround(up)?.member.value === up) break; }
        }
      }
    }
    for (let up = node.parent; up; up = up.parent) {
      if (isFunction(up) && this.evaluating.has(up)) return true;
      if (isClass(up)) return false;
    }
    return false;
  }
}

/** Whether a member expression or identifier is given a value. */
function isWritten(node) {
  const parent = node.parent;
  switch (parent?.type) {
    case 'AssignmentExpression': return parent.left === node;
    case 'UpdateExpression': return true;
    case 'ForInStatement': case 'ForOfStatement': return parent.left === node;
    case 'ArrayPattern': case 'RestElement': return true;
    case 'AssignmentPattern': return parent.left === node;
    case 'Property': return parent.parent.type === 'ObjectPattern' && parent.value === node;
    default: return false;
  }
}

module.exports = { Bundle, isWritten };
