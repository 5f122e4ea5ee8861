// What the sorting of messages asks about types and expressions: where a type comes from, and how far it can be relied on.
'use strict';

const { Sorter } = require('./sorting.js');

const callbacks = new Set(['map', 'forEach', 'filter', 'find', 'findIndex', 'some', 'every', 'flatMap', 'then']);
const names = /^\s{4}(?:readonly |static )?(\w+)[?(:<]/gm;

Object.assign(Sorter.prototype, {
  /** The node of the bundle's own tree at an offset of the annotated text. */
  treeNode(start) { return this.bundle.nodeAt(this.annotated.original(start)); },

  /** The name of a type that is declared; of a primitive that of its object. */
  nameOf(type) {
    const { TypeFlags } = this.ts;
    if (type.flags & TypeFlags.StringLike) return 'String';
    if (type.flags & TypeFlags.NumberLike) return 'Number';
    if (type.flags & TypeFlags.BooleanLike) return 'Boolean';
    if (type.isUnion?.() && type.types.length) {
      const all = new Set(type.types.map((one) => this.nameOf(one)));
      return all.size === 1 ? [...all][0] : '';
    }
    return type.symbol?.name ?? '';
  },

  isPromise(type) {
    return type.symbol?.name === 'Promise' && this.isLibrary(type.symbol);
  },

  isArray(type) { return type.symbol?.name === 'Array' && this.isLibrary(type.symbol); },

  isLibrary(symbol) {
    return symbol.declarations?.some((one) => /(^|\/)lib\.[\w.]+\.d\.ts$/.test(one.getSourceFile().fileName)) ?? false;
  },

  isOfPage(type) {
    return type.symbol?.declarations?.some((one) => /(^|\/)lib\.dom[\w.]*\.d\.ts$/.test(one.getSourceFile().fileName)) ?? false;
  },

  /** Whether the bundle gives something a member of this name: then it may be on a prototype, too. */
  isAssigned(name) { return this.bundle.assigned.has(name); },

  isNewer(owner, name) { return this.newer[owner]?.includes(name) ?? false; },

  /** Whether any interface of the libraries has a member of this name. */
  isOfLibrary(name) {
    this.libraryNames ??= (() => {
      const found = new Set(Object.values(this.newer).flat());
      for (const [file, source] of this.compiler.files) {
        const text = /lib\.dom\.d\.ts$/.test(file) ? this.compiler.domText(file) : /lib\.[\w.]+\.d\.ts$/.test(file) ? source?.text ?? '' : '';
        for (const match of text.matchAll(names)) found.add(match[1]);
      }
      return found;
    })();
    return this.libraryNames.has(name);
  },

  /** Whether an interface of the page that inherits from this one has the member: an Element may be a link. */
  belowHas(owner, name) {
    this.page ??= (() => {
      const page = new Map(), text = this.compiler.dom ?? '';
      for (const match of text.matchAll(/^interface (\w+)(?:<[^{]*?>)?(?: extends ([^{]+))? \{\n([\s\S]*?)^\}/gm)) {
        const above = (match[2] ?? '').split(/,(?![^<]*>)/).map((one) => one.trim().replace(/<.*/, ''));
        page.set(match[1], { above, members: new Set([...match[3].matchAll(names)].map((one) => one[1])) });
      }
      return page;
    })();
    const above = (one, seen = new Set()) => {
      for (const next of this.page.get(one)?.above ?? []) if (!seen.has(next)) { seen.add(next); above(next, seen); }
      return seen;
    };
    for (const [title, { members }] of this.page) {
      const all = above(title);
      if (!all.has(owner)) continue;
      if (members.has(name) || [...all].some((one) => this.page.get(one)?.members.has(name)) || this.isNewer(title, name)) return true;
    }
    return false;
  },

  // MARK: Where a type comes from

  /** Whether the checker may be wrong about the type of an expression, because other code gives it another. */
  isWeak(expression, depth = 0) {
    const { ts } = this;
    if (depth > 8) return true;
    const weak = (one) => this.isWeak(one, depth + 1);
    switch (expression.kind) {
      case ts.SyntaxKind.ParenthesizedExpression: case ts.SyntaxKind.AwaitExpression: case ts.SyntaxKind.NonNullExpression:
        return weak(expression.expression);
      case ts.SyntaxKind.StringLiteral: case ts.SyntaxKind.TemplateExpression: case ts.SyntaxKind.NoSubstitutionTemplateLiteral:
      case ts.SyntaxKind.NumericLiteral: case ts.SyntaxKind.RegularExpressionLiteral: case ts.SyntaxKind.ArrayLiteralExpression:
        return false;
      case ts.SyntaxKind.NewExpression: return !this.isLibraryCall(expression);
      case ts.SyntaxKind.ConditionalExpression: return weak(expression.whenTrue) || weak(expression.whenFalse);
      case ts.SyntaxKind.BinaryExpression: return weak(expression.left) || weak(expression.right);
      case ts.SyntaxKind.CallExpression: return this.isWeakCall(expression, depth);
      case ts.SyntaxKind.ElementAccessExpression: return weak(expression.expression);
      case ts.SyntaxKind.PropertyAccessExpression: return this.isWeakMember(expression, depth);
      case ts.SyntaxKind.Identifier: return this.isWeakName(expression, depth);
      default: return true;
    }
  },

  isWeakCall(call, depth) {
    const { ts } = this, callee = call.expression;
    const declaration = this.checker.getResolvedSignature(call)?.declaration;
    if (!declaration) return true;
    if (declaration.getSourceFile() !== this.file) {
      return ts.isPropertyAccessExpression(callee) ? this.isWeak(callee.expression, depth + 1) : false;
    }
    if (!ts.isPropertyAccessExpression(callee)) return !ts.isFunctionDeclaration(declaration);
    // A method that another class writes as well may give something else there.
    const all = this.bundle.methods.get(callee.name.text) ?? [];
    if (this.bundle.assigned.has(callee.name.text)) return true;
    return all.length !== 1 && !(all.length > 1 && all.every((one) => one.value.async && !one.value.generator));
  },

  isWeakMember(access, depth) {
    const symbol = this.checker.getSymbolAtLocation(access.name);
    if (!symbol?.declarations?.length) return true;
    if (symbol.declarations.every((one) => one.getSourceFile() !== this.file)) return this.isWeak(access.expression, depth + 1);
    return this.nameOf(this.checker.getTypeAtLocation(access)) !== 'ParserContext';
  },

  isWeakName(node, depth) {
    const { ts, checker } = this;
    const symbol = checker.getSymbolAtLocation(node), declaration = symbol?.valueDeclaration;
    if (!declaration) return true;
    if (declaration.getSourceFile() !== this.file) return false;
    if (ts.isParameter(declaration)) return this.isWeakParameter(declaration, depth);
    if (!ts.isVariableDeclaration(declaration)) return !ts.isFunctionDeclaration(declaration) && !ts.isBindingElement(declaration);
    const loop = declaration.parent.parent;
    if (ts.isForOfStatement(loop)) return this.isWeak(loop.expression, depth + 1);
    if (!declaration.initializer) return true;
    return this.isAssignedAgain(node) || this.isWeak(declaration.initializer, depth + 1);
  },

  /** Only a function given to `map` and the like of a list has parameters of a known type. */
  isWeakParameter(parameter, depth) {
    const { ts } = this, call = parameter.parent.parent;
    if (parameter.initializer || !ts.isCallExpression(call) || !ts.isPropertyAccessExpression(call.expression)) return true;
    return !callbacks.has(call.expression.name.text) || this.isWeak(call.expression.expression, depth + 1);
  },

  /** Whether a variable gets another value after its first, by the scopes of the bundle. */
  isAssignedAgain(node) {
    this.written ??= (() => {
      const written = new Map();
      for (const scope of this.bundle.scopes.scopes) {
        for (const variable of scope.variables) {
          const again = variable.references.some((one) => one.isWrite() && !one.init);
          for (const reference of variable.references) written.set(reference.identifier.range[0], again);
        }
      }
      return written;
    })();
    return this.written.get(this.annotated.original(node.getStart(this.file))) ?? true;
  },

  // MARK: Calls

  enclosingCall(node) {
    for (let up = node; up; up = up.parent) {
      if (this.ts.isCallExpression(up) || this.ts.isNewExpression(up)) return up;
      if (this.ts.isStatement(up) || this.ts.isFunctionLike(up) && up !== node) return undefined;
    }
    return undefined;
  },

  contains(outer, inner) { return outer.pos <= inner.pos && inner.end <= outer.end; },

  signatures(call) {
    const type = this.checker.getTypeAtLocation(call.expression);
    return this.ts.isNewExpression(call) ? type.getConstructSignatures() : type.getCallSignatures();
  },

  isLibraryCall(call) {
    const all = this.signatures(call);
    return all.length > 0 && all.every((one) => one.declaration && one.declaration.getSourceFile() !== this.file);
  },

  isPageCall(call) {
    const all = this.signatures(call);
    return all.length > 0 && all.every((one) => /lib\.dom[\w.]*\.d\.ts$/.test(one.declaration?.getSourceFile().fileName ?? ''));
  },

  leastArguments(call) {
    return Math.min(...this.signatures(call).map((one) => one.minArgumentCount ?? one.parameters.length));
  },

  contractSignature(call) {
    const first = this.signatures(call)[0]?.declaration;
    return first ? first.getText().replace(/\s+/g, ' ').replace(/;$/, '') : 'another form';
  },

  // MARK: Results

  /** The method of the contract whose result a node is part of. */
  contractMethod(node) {
    for (let up = node; up; up = up.parent) {
      if (!this.ts.isFunctionLike(up)) continue;
      const tags = this.ts.getJSDocReturnType(up);
      return tags && /\bParser(Item|Details|Chapter|Page)\b/.test(tags.getText()) && up.name?.text || '';
    }
    return '';
  },

  returned(node) {
    for (let up = node; up; up = up.parent) {
      if (this.ts.isReturnStatement(up)) return up.expression;
      if (this.ts.isFunctionLike(up)) return undefined;
    }
    return undefined;
  },

  /** An expression as it is shown in a sentence. */
  shown(node) {
    const text = node.getText(this.file).replace(/\/\*\*.*?\*\/ /g, '').replace(/\s+/g, ' ');
    return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
  },

  typeText(type) {
    const text = this.checker.typeToString(type, undefined, this.ts.TypeFlags.None);
    return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
  },
});

module.exports = { Sorter };
