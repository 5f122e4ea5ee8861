'use strict';
// A bundle as a tree, with the questions that the makers of mutants ask: which code can be reached, who calls what, where is
// it. It knows JavaScript and the contract of parsers, and nothing about what checks bundles.
const { readableParser } = require('./tools.js');

const ENTRY_METHODS = ['getListPage', 'getDetails', 'getPages'];
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const STATEMENT = /Statement$|Declaration$/;

function childrenOf(node) {
  const children = [];
  for (const key of Object.keys(node)) {
    if (key === 'parent' || key === 'loc') continue;
    const value = node[key];
    if (Array.isArray(value)) children.push(...value.filter((item) => item && typeof item.type === 'string'));
    else if (value && typeof value.type === 'string') children.push(value);
  }
  return children;
}

class Program {
  constructor(bundle, sources) {
    this.text = bundle;
    this.sourcesText = sources;
    this.entries = JSON.parse(sources);
    this.tree = readableParser().parse(bundle, { ecmaVersion: 'latest', locations: true });
    this.nodes = [];
    this.byType = new Map();
    this.answers = new Map();
    this.reachable = new Map();
    this.index(this.tree, null);
    for (const list of this.byType.values()) list.sort((one, other) => one.start - other.start);
    this.readClasses();
    this.findLive();
  }

  index(node, parent) {
    node.parent = parent;
    this.nodes.push(node);
    if (!this.byType.has(node.type)) this.byType.set(node.type, []);
    this.byType.get(node.type).push(node);
    for (const child of childrenOf(node)) this.index(child, node);
  }

  // What is asked often, and answered once.
  once(key, answer) {
    if (!this.answers.has(key)) this.answers.set(key, answer());
    return this.answers.get(key);
  }

  // Nodes of one type in code that can be reached.
  all(type) { return this.once(`all ${type}`, () => (this.byType.get(type) || []).filter((node) => this.isLive(node))); }

  source(node) { return this.text.slice(node.start, node.end); }
  line(node) { return node.loc.start.line; }
  within(root, node) { return root.start <= node.start && node.end <= root.end; }

  // Nodes of one type inside of another; nodes stand in the order of the text.
  inside(root, type) {
    const list = this.byType.get(type) || [];
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle].start < root.start) low = middle + 1;
      else high = middle;
    }
    const found = [];
    for (let at = low; at < list.length && list[at].start <= root.end; at++) if (this.within(root, list[at])) found.push(list[at]);
    return found;
  }


  // The nearest node around one for which a question is true.
  around(node, isIt) {
    for (let at = node.parent; at; at = at.parent) if (isIt(at)) return at;
    return null;
  }

  functionOf(node) { return this.around(node, (at) => FUNCTIONS.has(at.type)); }
  methodOf(node) { return this.around(node, (at) => at.type === 'MethodDefinition'); }
  statementOf(node) { return STATEMENT.test(node.type) ? node : this.around(node, (at) => STATEMENT.test(at.type)); }

  classOf(node) {
    const found = this.around(node, (at) => at.type === 'ClassExpression' || at.type === 'ClassDeclaration');
    return (found && this.classByNode.get(found)) || null;
  }

  // Whether `this` means the parser at that place: within a method, through arrow functions only.
  thisIsParser(node) {
    for (let at = node.parent; at; at = at.parent) {
      if (at.type === 'MethodDefinition') return !at.static;
      if (at.type === 'FunctionDeclaration') return false;
      if (at.type === 'FunctionExpression' && at.parent.type !== 'MethodDefinition') return false;
    }
    return false;
  }

  // MARK: Classes

  readClasses() {
    this.classes = [];
    for (const type of ['ClassExpression', 'ClassDeclaration']) {
      for (const node of this.byType.get(type) || []) {
        const holder = node.parent && node.parent.type === 'VariableDeclarator' ? node.parent.id.name : null;
        const name = holder || (node.id && node.id.name);
        if (!name) continue;
        const methods = node.body.body.filter((member) => member.type === 'MethodDefinition' && !member.computed);
        this.classes.push({ name, node, methods, base: node.superClass && node.superClass.name });
      }
    }
    this.classNamed = new Map(this.classes.map((one) => [one.name, one]));
    this.classByNode = new Map(this.classes.map((one) => [one.node, one]));
    for (const one of this.classes) {
      one.chain = [];
      for (let at = one; at && !one.chain.includes(at); at = this.classNamed.get(at.base)) one.chain.push(at);
      one.isParser = one.chain.some((link) => this.ownMethod(link, 'getListPage'));
    }
    const families = new Set(this.entries.map((entry) => entry.family));
    this.families = this.classes.filter((one) => one.isParser && families.has(one.name));
    const kept = new Set(this.families.flatMap((one) => one.chain));
    for (const one of this.classes) one.isUsed = one.isParser ? kept.has(one) : this.references(one.name) > 1;
  }

  ownMethod(one, name) {
    return one.methods.find((method) => method.key.name === name && method.kind !== 'set') || null;
  }

  // The method that instances of a class have by that name.
  method(one, name) {
    for (const link of one.chain) {
      const found = this.ownMethod(link, name);
      if (found) return found;
    }
    return null;
  }

  references(name) {
    return (this.byType.get('Identifier') || []).filter((node) => node.name === name).length;
  }

  // The ids of the sources whose parser has that class in its chain.
  sourcesOf(one) {
    const names = new Set(this.families.filter((family) => family.chain.includes(one)).map((family) => family.name));
    return this.entries.filter((entry) => names.has(entry.family)).map((entry) => entry.id);
  }

  // A method that is only a place for others: it throws and does nothing else.
  isStub(method) {
    const body = method.value.body.body;
    return body.length === 1 && body[0].type === 'ThrowStatement';
  }

  // MARK: Reach

  // Functions by name, reached from what loads and from what apps call; a name in a text counts as a call.
  findLive() {
    const owners = new Map();
    for (const node of this.nodes) {
      const name = this.ownName(node);
      if (name === null) continue;
      if (!owners.has(name)) owners.set(name, []);
      owners.get(name).push(node);
    }
    this.live = new Set();
    const reached = new Set();
    const follow = [...ENTRY_METHODS, 'constructor', ...this.namesIn(this.tree)];
    while (follow.length > 0) {
      const name = follow.pop();
      if (reached.has(name)) continue;
      reached.add(name);
      for (const node of owners.get(name) || []) {
        if (node.type === 'MethodDefinition' && !this.isLivingMember(node)) continue;
        this.live.add(node);
        follow.push(...this.namesIn(node.type === 'MethodDefinition' ? node.value : node));
      }
    }
  }

  // The name under which a named function or method is called; null for other nodes.
  ownName(node) {
    if (node.type === 'MethodDefinition') return node.computed ? null : node.key.name || String(node.key.value || '#');
    if (node.type === 'FunctionDeclaration') return node.id.name;
    return null;
  }

  isLivingMember(method) {
    const one = this.classOf(method);
    if (!one) return true;
    if (!one.isUsed) return false;
    if (method.kind !== 'method' || method.static || !one.isParser) return true;
    const heirs = this.families.filter((family) => family.chain.includes(one));
    return heirs.some((family) => this.method(family, method.key.name) === method || this.callsSuper(family, one, method.key.name));
  }

  callsSuper(family, one, name) {
    const below = family.chain.slice(0, family.chain.indexOf(one));
    return below.some((link) => this.inside(link.node, 'MemberExpression')
      .some((node) => node.object.type === 'Super' && node.property.name === name));
  }

  // The names that code mentions, without those inside of other named functions.
  namesIn(root) {
    const names = [];
    const visit = (node) => {
      if (node !== root && this.ownName(node) !== null) return;
      if (node.type === 'Identifier') names.push(node.name);
      else if (node.type === 'PrivateIdentifier') names.push(node.name);
      else if (node.type === 'Literal' && typeof node.value === 'string' && /^[\w$]+$/.test(node.value)) names.push(node.value);
      for (const child of childrenOf(node)) visit(child);
    };
    visit(root);
    return names;
  }

  isLive(node) {
    if (!node) return true;
    if (!this.reachable.has(node)) this.reachable.set(node, this.isLiveHere(node) && this.isLive(node.parent));
    return this.reachable.get(node);
  }

  isLiveHere(node) {
    if (this.ownName(node) !== null && !this.live.has(node)) return false;
    if (node.type === 'MethodDefinition' && this.isStub(node)) return false;
    const one = this.classByNode.get(node);
    return !one || one.isUsed;
  }

  // MARK: Names

  // Whether any name of the bundle, also in texts, is this one.
  hasName(name) {
    if (!this.names) {
      this.names = new Set();
      for (const node of this.nodes) {
        if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') this.names.add(node.name);
        if (node.type === 'Literal' && typeof node.value === 'string') this.names.add(node.value);
      }
    }
    return this.names.has(name);
  }

  // The variables that a function declares itself, its parameters included.
  localsOf(fn) { return this.once(fn, () => this.findLocals(fn)); }

  findLocals(fn) {
    const names = new Set();
    const take = (pattern) => {
      if (!pattern) return;
      if (pattern.type === 'Identifier') names.add(pattern.name);
      else if (pattern.type === 'AssignmentPattern') take(pattern.left);
      else if (pattern.type === 'RestElement') take(pattern.argument);
      else if (pattern.type === 'ArrayPattern') pattern.elements.forEach(take);
      else if (pattern.type === 'ObjectPattern') pattern.properties.forEach((one) => take(one.value || one.argument));
    };
    fn.params.forEach(take);
    this.inside(fn.body, 'VariableDeclarator').forEach((node) => take(node.id));
    return names;
  }

  // Whether an identifier is a value that is read: no key, no property, no declaration.
  isRead(node) {
    const { parent } = node;
    if (parent.type === 'MemberExpression') return parent.object === node || parent.computed;
    if (parent.type === 'Property') return parent.value === node && !parent.shorthand && parent.parent.type === 'ObjectExpression';
    if (parent.type === 'VariableDeclarator') return parent.init === node;
    if (parent.type === 'AssignmentExpression') return parent.right === node;
    if (FUNCTIONS.has(parent.type) || parent.type === 'AssignmentPattern' || parent.type === 'CatchClause') return parent.body === node;
    return !/Pattern|Class|MethodDefinition|PropertyDefinition|RestElement|Labeled|Break|Continue|UpdateExpression/.test(parent.type);
  }

  // Whether a node stands in code that does not always run: a branch, a loop, a callback, a handler.
  isConditional(node) {
    const method = this.functionOf(node);
    return Boolean(this.around(node, (at) => method && this.within(method, at) && at !== method
      && /^(If|Conditional|Switch|For|While|Catch|Logical)/.test(at.type)));
  }

  // MARK: The catalog

  // The object literals of the catalog inside the bundle, by id.
  catalogNodes() { return this.once('catalog nodes', () => this.findCatalog()); }

  findCatalog() {
    const found = new Map();
    for (const node of this.byType.get('ObjectExpression') || []) {
      const id = node.properties.find((one) => one.key && (one.key.name || one.key.value) === 'id');
      if (id && id.value && id.value.type === 'Literal' && this.entries.some((entry) => entry.id === id.value.value)
        && node.parent.type === 'ArrayExpression') found.set(id.value.value, node);
    }
    return found;
  }
}

module.exports = { Program, ENTRY_METHODS, FUNCTIONS };
