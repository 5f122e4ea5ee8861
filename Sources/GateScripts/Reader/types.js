// What TypeScript's checker tells about a bundle, sorted: what is sure, what is likely, and what is noise.
'use strict';

const { Compiler } = require('./program.js');
const { Sorter } = require('./evidence.js');
const { promises } = require('./promises.js');
const { memberAround, keyOf, isFunction } = require('./syntax.js');
const { collect } = require('./report.js');

/** A tree of a bundle takes about fifty times its text, and the time grows with it. */
const maxLength = 8_000_000;

function types(report, question, ts, answer) {
  if (question.bundle.length > maxLength) {
    answer.notRun.types = `the bundle is larger than ${maxLength / 1_000_000} MB, more than the checker of types is given`;
    return;
  }
  const compiler = new Compiler(ts, question.contracts);
  const work = compiler.program(report.bundle);
  answer.contractFault = compiler.contractFault(work.program, question.contracts.map((one) => one.name));
  if (answer.contractFault) {
    answer.notRun.types = 'the declarations of the contract have a fault';
    return;
  }
  const found = collect(report.bundle, (bundle, emit) => check(ts, compiler, work, question, emit));
  if (found.length === 0) return;
  const live = report.live();
  if (!live || live.text.length > maxLength) return report.tell('types', found, null);
  report.tell('types', found, liveFindings(ts, compiler, live, question, found));
}

function check(ts, compiler, work, question, emit) {
  const sorter = new Sorter(ts, compiler, work, question);
  const put = (one) => {
    const node = work.bundle.nodeAt(work.annotated.original(one.start));
    emit({ ...one, node });
  };
  for (const diagnostic of work.program.getSemanticDiagnostics(work.file)) {
    const one = sorter.sort(diagnostic);
    // What only some apps offer cannot be known here.
    if (one && one.rule !== 'unknown-bridge') put(one);
  }
  promises(ts, work, sorter, put);
}

/** What the live bundle has of these findings: first where they are looked for, then everywhere when that is not enough. */
function liveFindings(ts, compiler, live, question, found) {
  const work = compiler.program(live);
  const wanted = new Set(found.map((one) => `${one.class}\n${one.method}`));
  const restore = narrow(ts, work, (node) => wanted.has(label(node)));
  const known = collect(live, (bundle, emit) => check(ts, compiler, work, question, emit));
  const places = new Set(known.map((one) => one.placeKey));
  if (found.every((one) => places.has(one.placeKey))) return known;
  restore();
  return collect(live, (bundle, emit) => check(ts, compiler, compiler.program(live), question, emit));
}

/** The class and method, or the function, around a place of a bundle, as findings name them. */
function label(node) {
  const around = memberAround(node);
  if (around) return `${around.owner?.title ?? ''}\n${keyOf(around.member) ?? ''}`;
  for (let up = node; up; up = up.parent) if (up.type === 'FunctionDeclaration' && up.id) return `\n${up.id.name}`;
  return '\n';
}

/**
 * Takes what is not wanted out of the lists that the checker goes through: its types are still found when others need
 * them, and nothing else is looked at. Returns what puts it back.
 */
function narrow(ts, { file, annotated, bundle }, isWanted) {
  const kept = [];
  const keep = (owner, list, filter) => {
    const array = owner[list], some = ts.factory.createNodeArray(array.filter(filter));
    ts.setTextRange(some, array);
    kept.push([owner, list, array]);
    owner[list] = some;
  };
  const wants = (node) => isWanted(bundle.nodeAt(annotated.original(node.name ? node.name.getStart(file) : node.getStart(file))));
  const thin = (statements, owner, list) => {
    keep(owner, list, (statement) => {
      const classes = classesIn(ts, statement);
      if (classes.length === 0) return !ts.isFunctionDeclaration(statement) || wants(statement);
      let has = false;
      for (const one of classes) {
        const members = one.members.filter((member) => ts.isConstructorDeclaration(member) || wants(member));
        if (members.some((member) => wants(member))) has = true;
        keep(one, 'members', (member) => members.includes(member));
      }
      return has;
    });
  };
  for (const [owner, list] of bodies(ts, file)) thin(owner[list], owner, list);
  return () => { for (const [owner, list, array] of kept) owner[list] = array; };
}

/** The lists of statements that run while the bundle loads: of the file, and of functions that are called at once. */
function bodies(ts, file) {
  const found = [[file, 'statements']];
  const look = (node) => {
    if (ts.isClassLike(node)) return;
    if (ts.isCallExpression(node)) {
      const callee = ts.skipPartiallyEmittedExpressions(unwrapped(ts, node.expression));
      if ((ts.isArrowFunction(callee) || ts.isFunctionExpression(callee)) && ts.isBlock(callee.body)) found.push([callee.body, 'statements']);
    }
    if (found.length < 8) ts.forEachChild(node, (child) => { if (!ts.isFunctionDeclaration(child)) look(child); });
  };
  look(file);
  return found;
}

function unwrapped(ts, node) {
  let inner = node;
  while (ts.isParenthesizedExpression(inner)) inner = inner.expression;
  return inner;
}

/** The classes that a statement declares. */
function classesIn(ts, statement) {
  if (ts.isClassDeclaration(statement)) return [statement];
  if (!ts.isVariableStatement(statement)) return [];
  return statement.declarationList.declarations.map((one) => one.initializer && unwrapped(ts, one.initializer)).filter((one) => one && ts.isClassLike(one));
}

module.exports = { types };
