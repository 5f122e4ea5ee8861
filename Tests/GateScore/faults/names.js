'use strict';
// Names that nobody has: of methods, variables, helpers, constants, fields.
const { kindsOf } = require('../kind.js');
const { replace, remove, insert } = require('../edits.js');
const { misspelt } = require('../random.js');
const { ENTRY_METHODS, FUNCTIONS } = require('../program.js');

const member = (node) => node.type === 'MemberExpression' && !node.computed && node.property.type === 'Identifier';
const ownCall = (node) => member(node.callee) && node.callee.object.type === 'ThisExpression';
const slip = (name, program, random) => misspelt(name, random, (other) => program.hasName(other) || other in Object.prototype);
const renameTo = (node, program, random, also) => {
  const name = slip(node.name, program, random);
  return { edits: [replace(node, name)], what: `${node.name} is ${name}`, also };
};

// Calls of a parser's own methods by `this`.
const ownCalls = (program) => program.once('own calls', () => program.all('CallExpression').filter((node) => ownCall(node) && program.thisIsParser(node)
  && program.classes.some((one) => one.isParser && program.ownMethod(one, node.callee.property.name))));
const callsOf = (program, name) => ownCalls(program).filter((node) => node.callee.property.name === name);

// Methods that only one class defines and others call.
const loneMethods = (program) => program.all('MethodDefinition').filter((node) => {
  const one = program.classOf(node);
  if (!one || !one.isParser || node.kind !== 'method' || node.static || node.key.type !== 'Identifier') return false;
  const { name } = node.key;
  if (ENTRY_METHODS.includes(name) || name === 'getChapters' || callsOf(program, name).length === 0) return false;
  return program.classes.filter((other) => other.isParser && program.ownMethod(other, name)
    && (other.chain.includes(one) || one.chain.includes(other))).length === 1;
});
const relatedCalls = (program, node) => callsOf(program, node.key.name);

// Local variables that are read, with the question where.
const locals = (program, isThere) => program.all('Identifier').filter((node) => {
  if (node.name.length < 3 || !program.isRead(node)) return false;
  const fn = program.functionOf(node);
  if (!fn || !program.methodOf(node)) return false;
  for (let at = fn; at; at = program.functionOf(at)) if (program.localsOf(at).has(node.name)) return isThere(node, program);
  return false;
});
const inTry = (node, program) => program.around(node, (at) => at.parent && at.parent.type === 'TryStatement' && at.parent.block === at
  && at.parent.handler && program.functionOf(at) === program.functionOf(node));
const inCatch = (node, program) => program.around(node, (at) => at.type === 'CatchClause' && program.within(at.body, node));
const inCallback = (node, program) => program.functionOf(node).type === 'ArrowFunctionExpression';
const inTemplate = (node) => node.parent.type === 'TemplateLiteral';
const inBranch = (node, program) => program.around(node, (at) => ['IfStatement', 'SwitchCase', 'ConditionalExpression'].includes(at.type)
  && !program.within(at.test || at, node));
const plain = (node, program) => !inTry(node, program) && !inCatch(node, program) && !inCallback(node, program) && !inTemplate(node)
  && !inBranch(node, program);

// Functions and values of the whole bundle.
const topLevel = (program, type) => (program.byType.get(type) || []).filter((node) => {
  const fn = program.functionOf(node);
  return !fn || (program.functionOf(fn) === null && fn.parent.type === 'CallExpression');
});
const helpers = (program) => program.once('helpers', () => new Set(topLevel(program, 'FunctionDeclaration').map((node) => node.id.name)));
const values = (program) => topLevel(program, 'VariableDeclarator').filter((node) => node.id.type === 'Identifier');
const helperCalls = (program) => program.all('CallExpression')
  .filter((node) => node.callee.type === 'Identifier' && program.methodOf(node) && helpers(program).has(node.callee.name));
const uses = (program, name) => program.all('Identifier').filter((node) => node.name === name && program.isRead(node));
const isEnumeration = (node) => node && node.type === 'ObjectExpression' && node.properties.length > 1
  && node.properties.every((one) => one.value && one.value.type === 'Literal' && typeof one.value.value === 'string');
const enumerations = (program) => program.once('enumerations', () => new Set(values(program).filter((node) => isEnumeration(node.init)).map((node) => node.id.name)));
const enumerationReads = (program) => program.all('MemberExpression')
  .filter((node) => member(node) && node.object.type === 'Identifier' && enumerations(program).has(node.object.name));
const constants = (program) => program.once('constants', () => new Set(values(program).map((node) => node.id.name).filter((name) => /^[A-Z][A-Z0-9_]{3,}$/.test(name))));

// Fields that a constructor sets and a method reads.
const fieldWrites = (program) => program.all('AssignmentExpression').filter((node) => member(node.left)
  && node.left.object.type === 'ThisExpression' && program.methodOf(node) && program.methodOf(node).kind === 'constructor'
  && program.classOf(node) && program.classOf(node).isParser);
const fieldReads = (program, name) => program.all('MemberExpression').filter((node) => member(node)
  && node.object.type === 'ThisExpression' && node.parent.left !== node && (!name || node.property.name === name));

const NEW_HELPERS = ['normalizeEntry', 'unescapeText', 'stripQuery', 'asCleanUrl', 'fixEncoding'];

module.exports = kindsOf('names', [
  { name: 'method-call-misspelt', count: 8, places: ownCalls, change: (node, program, random) => renameTo(node.callee.property, program, random) },
  {
    name: 'method-missing', count: 8, places: loneMethods,
    change: (node, program) => ({ edits: [remove(node)], what: `${node.key.name} is gone`, also: [...relatedCalls(program, node), program.classOf(node).node] }),
  },
  {
    name: 'definition-misspelt', count: 8, places: loneMethods,
    change: (node, program, random) => renameTo(node.key, program, random, [...relatedCalls(program, node), program.classOf(node).node]),
  },
  {
    name: 'super-call-misspelt', count: 4,
    places: (program) => program.all('MemberExpression').filter((node) => node.object.type === 'Super' && node.parent.type === 'CallExpression'),
    change: (node, program, random) => renameTo(node.property, program, random),
  },
  {
    name: 'static-call-misspelt', count: 4,
    places: (program) => program.all('CallExpression').filter((node) => member(node.callee) && node.callee.object.type === 'Identifier'
      && program.classNamed.has(node.callee.object.name.replace(/^_/, ''))),
    change: (node, program, random) => renameTo(node.callee.property, program, random),
  },
  {
    name: 'getter-misspelt', count: 4,
    places: (program) => fieldReads(program).filter((node) => program.classes.some((one) => one.methods
      .some((method) => method.kind === 'get' && method.key.name === node.property.name))),
    change: (node, program, random) => renameTo(node.property, program, random),
  },
  { name: 'variable-misspelt', count: 8, places: (program) => locals(program, plain), change: renameTo },
  { name: 'variable-misspelt-in-try', count: 6, places: (program) => locals(program, inTry), change: renameTo },
  { name: 'variable-misspelt-in-catch', count: 6, places: (program) => locals(program, inCatch), change: renameTo },
  { name: 'variable-misspelt-in-callback', places: (program) => locals(program, inCallback), change: renameTo },
  { name: 'variable-misspelt-in-text', places: (program) => locals(program, inTemplate), change: renameTo },
  { name: 'variable-misspelt-in-branch', places: (program) => locals(program, inBranch), change: renameTo },
  {
    name: 'parameter-renamed', count: 4,
    places: (program) => program.all('Identifier').filter((node) => FUNCTIONS.has(node.parent.type) && node.parent.params.includes(node)
      && program.methodOf(node) && program.inside(node.parent.body, 'Identifier').some((one) => one.name === node.name && program.isRead(one))),
    change: (node, program, random) => renameTo(node, program, random,
      program.inside(node.parent.body, 'Identifier').filter((one) => one.name === node.name)),
  },
  {
    name: 'declaration-removed', count: 4,
    places: (program) => program.all('VariableDeclaration').filter((node) => node.declarations.length === 1 && program.methodOf(node)
      && node.declarations[0].id.type === 'Identifier' && node.parent.type === 'BlockStatement'
      && !program.inside(node.parent, 'AssignmentExpression').some((one) => one.left.name === node.declarations[0].id.name)),
    change: (node, program) => ({
      edits: [remove(node)], what: `${program.source(node.declarations[0].id)} is not declared`,
      also: program.inside(node.parent, 'Identifier').filter((one) => one.name === node.declarations[0].id.name && one.start > node.end),
    }),
  },
  { name: 'helper-misspelt', places: helperCalls, change: (node, program, random) => renameTo(node.callee, program, random) },
  {
    name: 'helper-undefined-in-branch', count: 8,
    places: (program) => program.all('ReturnStatement').filter((node) => node.argument && program.methodOf(node) && program.isConditional(node)
      && !['Literal', 'ArrayExpression'].includes(node.argument.type)),
    change: (node, program, random) => {
      const name = random.pick(NEW_HELPERS.filter((one) => !program.hasName(one)));
      return { edits: [replace(node.argument, `${name}(${program.source(node.argument)})`)], what: `${name} is nowhere` };
    },
  },
  {
    name: 'helper-missing', count: 4,
    places: (program) => topLevel(program, 'FunctionDeclaration').filter((node) => helperCalls(program).some((call) => call.callee.name === node.id.name)),
    change: (node, program) => ({ edits: [remove(node)], what: `${node.id.name} is gone`, also: uses(program, node.id.name) }),
  },
  {
    name: 'import-gone', count: 6,
    places: (program) => values(program).filter((node) => node.parent.declarations.length === 1
      && (enumerations(program).has(node.id.name) || constants(program).has(node.id.name)
        || (program.classNamed.has(node.id.name) && !program.classNamed.get(node.id.name).isParser))
      && uses(program, node.id.name).length > 0),
    change: (node, program) => ({ edits: [remove(node.parent)], what: `${node.id.name} is gone`, also: uses(program, node.id.name) }),
  },
  {
    name: 'import-of-nothing', count: 6,
    places: (program) => [...helperCalls(program).map((node) => node.callee), ...enumerationReads(program).map((node) => node.object)],
    change: (node, program, random) => {
      const text = random.below(2) ? '(void 0)' : node.parent.type === 'CallExpression' ? `(0, {}.${node.name})` : `({}).${node.name}`;
      return { edits: [replace(node, text)], what: `the import of ${node.name} is undefined` };
    },
  },
  {
    name: 'constant-misspelt',
    places: (program) => program.all('Identifier').filter((node) => constants(program).has(node.name) && program.isRead(node)),
    change: renameTo,
  },
  { name: 'enumeration-misspelt', places: enumerationReads, change: (node, program, random) => renameTo(node.object, program, random) },
  { name: 'enumeration-member-misspelt', count: 6, places: enumerationReads, change: (node, program, random) => renameTo(node.property, program, random) },
  {
    name: 'class-misspelt', count: 4,
    places: (program) => program.all('NewExpression').filter((node) => node.callee.type === 'Identifier' && program.classNamed.has(node.callee.name)),
    change: (node, program, random) => renameTo(node.callee, program, random),
  },
  {
    name: 'field-misspelt', count: 8,
    places: (program) => {
      const written = new Set(fieldWrites(program).map((node) => node.left.property.name));
      return fieldReads(program).filter((node) => written.has(node.property.name) && program.methodOf(node).kind !== 'constructor'
        && !['context', 'source', 'domain'].includes(node.property.name) && !(node.parent.type === 'CallExpression' && node.parent.callee === node));
    },
    change: (node, program, random) => renameTo(node.property, program, random),
  },
  {
    name: 'field-written-misspelt', count: 5,
    places: (program) => fieldWrites(program).filter((node) => fieldReads(program, node.left.property.name).length > 0
      && !['Literal'].includes(node.right.type === 'Literal' && !node.right.value ? 'Literal' : '')),
    change: (node, program, random) => renameTo(node.left.property, program, random, fieldReads(program, node.left.property.name)),
  },
  {
    name: 'json-key-misspelt', count: 4, site: 'which keys an answer has is known to the site only',
    places: (program) => program.all('MemberExpression').filter((node) => member(node) && node.object.type === 'Identifier'
      && ['data', 'row', 'item', 'entry', 'answer', 'json', 'obj'].includes(node.object.name) && node.parent.callee !== node && node.parent.left !== node
      && !/^(length|children)$/.test(node.property.name) && program.methodOf(node) && program.methodOf(node).kind !== 'constructor'),
    change: (node, program, random) => renameTo(node.property, program, random),
  },
  {
    name: 'const-assigned',
    places: (program) => program.all('VariableDeclaration').filter((node) => node.kind === 'let' && node.declarations.length === 1
      && node.declarations[0].init && node.declarations[0].id.type === 'Identifier' && program.methodOf(node)
      && assignments(program, node).length > 0),
    change: (node, program) => ({
      edits: [replace({ start: node.start, end: node.start + 3 }, 'const')], what: `${node.declarations[0].id.name} is constant and assigned`,
      also: assignments(program, node),
    }),
  },
  {
    name: 'used-before-declared',
    places: (program) => program.all('VariableDeclaration').filter((node) => ['const', 'let'].includes(node.kind) && usedNext(program, node)),
    change: (node, program) => {
      const next = usedNext(program, node);
      const between = program.text.slice(node.end, next.start);
      return {
        edits: [replace({ start: node.start, end: next.end }, program.source(next) + between + program.source(node))],
        what: 'two statements changed places',
      };
    },
  },
  {
    name: 'shadowed-by-itself', count: 4,
    places: (program) => program.all('VariableDeclarator').filter((node) => node.parent.kind === 'const' && node.id.type === 'Identifier'
      && node.init && program.methodOf(node) && outerRead(program, node)),
    change: (node, program) => ({
      edits: [replace(node.id, outerRead(program, node).name)], what: `${outerRead(program, node).name} is read in its own initialiser`,
      also: program.inside(program.functionOf(node).body, 'Identifier').filter((one) => one.name === node.id.name),
    }),
  },
  {
    name: 'method-twice', count: 4,
    places: (program) => program.all('MethodDefinition').filter((node) => node.kind === 'method' && !node.static && node.key.type === 'Identifier'
      && program.classOf(node) && program.classOf(node).isParser && node.key.name !== 'constructor'),
    change: (node, program) => ({
      edits: [insert(node.end, `\n    ${node.value.async ? 'async ' : ''}${node.key.name}(value) {\n      return value;\n    }`)],
      what: `${node.key.name} is written twice`, also: [node],
    }),
  },
]);

function assignments(program, declaration) {
  const { name } = declaration.declarations[0].id;
  const fn = program.functionOf(declaration);
  return [...program.inside(fn.body, 'AssignmentExpression').filter((one) => one.left.name === name),
    ...program.inside(fn.body, 'UpdateExpression').filter((one) => one.argument.name === name)];
}

// The statement after a declaration, when it reads at once what is declared.
function usedNext(program, node) {
  if (node.parent.type !== 'BlockStatement' || !program.methodOf(node)) return null;
  const next = node.parent.body[node.parent.body.indexOf(node) + 1];
  if (!next || node.declarations.length !== 1 || node.declarations[0].id.type !== 'Identifier') return null;
  const { name } = node.declarations[0].id;
  const fn = program.functionOf(node);
  const reads = program.inside(next, 'Identifier').some((one) => one.name === name && program.isRead(one) && program.functionOf(one) === fn);
  return reads && next.type !== 'FunctionDeclaration' ? next : null;
}

// A variable of an outer scope that an initialiser reads.
function outerRead(program, node) {
  const fn = program.functionOf(node);
  const isTop = node.parent.parent === fn.body;
  return program.inside(node.init, 'Identifier').find((one) => {
    if (one.name === node.id.name || !program.isRead(one) || program.functionOf(one) !== fn) return false;
    if (program.inside(node.parent.parent, 'VariableDeclarator').some((other) => other.id.name === one.name)) return false;
    const outer = program.functionOf(fn);
    return isTop ? Boolean(outer && program.methodOf(fn) && program.localsOf(outer).has(one.name) && !program.localsOf(fn).has(one.name))
      : node.parent.parent.type === 'BlockStatement' && program.localsOf(fn).has(one.name);
  }) || null;
}
