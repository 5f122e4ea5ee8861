// Promises that are used as if they were their values, where the language does not mind and the checker says nothing.
'use strict';

const { results } = require('./program.js');

/** Members of results whose value an app shows or goes through. */
const resultKeys = new Set(['url', 'title', 'chapters', 'coverUrl', 'description', 'pages', 'publicUrl', 'altTitles', 'tags', 'authors']);
/** Functions that turn anything into text. */
const toText = new Set(['String', 'encodeURIComponent', 'encodeURI', 'decodeURIComponent']);

function promises(ts, work, sorter, put) {
  const { checker, file } = work;
  const isPromise = (node) => sorter.isPromise(checker.getTypeAtLocation(node));
  const report = (node, where) => { if (isPromise(node)) put(sorter.promiseIn(node, where)); };
  const visit = (node) => {
    switch (node.kind) {
      case ts.SyntaxKind.TemplateSpan:
        if (mayBePromise(ts, node.expression)) report(node.expression, 'a text');
        break;
      case ts.SyntaxKind.BinaryExpression:
        if (node.operatorToken.kind === ts.SyntaxKind.PlusToken) for (const one of [node.left, node.right]) if (mayBePromise(ts, one)) report(one, 'a sum or text');
        break;
      case ts.SyntaxKind.PropertyAssignment: case ts.SyntaxKind.ShorthandPropertyAssignment: property(node); break;
      case ts.SyntaxKind.SpreadAssignment: if (mayBePromise(ts, node.expression)) report(node.expression, 'a spread'); break;
      case ts.SyntaxKind.CallExpression: call(node); break;
    }
    ts.forEachChild(node, visit);
  };

  /** `chapters: this.chaptersOf(root)` where chaptersOf is async. */
  function property(node) {
    const name = node.name && (ts.isIdentifier(node.name) || ts.isStringLiteral(node.name)) ? node.name.text : '';
    if (!resultKeys.has(name)) return;
    const value = ts.isPropertyAssignment(node) ? node.initializer : node.name;
    if (!mayBePromise(ts, value)) return;
    const type = ts.isPropertyAssignment(node) ? checker.getTypeAtLocation(value)
      : checker.getTypeOfSymbolAtLocation(checker.getShorthandAssignmentValueSymbol(node) ?? checker.getSymbolAtLocation(node.name), node);
    const isList = sorter.isArray(type) && sorter.isPromise(checker.getTypeArguments(type)[0] ?? type);
    if (!sorter.isPromise(type) && !isList || work.bundle.awaited.has(name)) return;
    put({
      ...sorter.promiseIn(value, `the member ${name}`),
      ...(isList ? { text: `${name} is an array of promises: Promise.all is missing`, advice: 'write await Promise.all(…) around the list' } : {}),
    });
  }

  /** Promises that become text. */
  function call(node) {
    const callee = node.expression, first = node.arguments[0];
    if (!first) return;
    if (ts.isIdentifier(callee) && toText.has(callee.text) && mayBePromise(ts, first)) report(first, `${callee.text}()`);
    if (!ts.isPropertyAccessExpression(callee)) return;
    const name = callee.name.text;
    if (name === 'stringify' && callee.expression.getText(file) === 'JSON' && mayBePromise(ts, first)) report(first, 'JSON.stringify()');
  }
  visit(file);
}

/** A quick look before the checker is asked: calls, names and members can be promises, texts and numbers cannot. */
function mayBePromise(ts, node) {
  return ts.isCallExpression(node) || ts.isIdentifier(node) || ts.isPropertyAccessExpression(node) || ts.isParenthesizedExpression(node)
    || ts.isConditionalExpression(node) || ts.isBinaryExpression(node) || ts.isNewExpression(node);
}

module.exports = { promises, results };
