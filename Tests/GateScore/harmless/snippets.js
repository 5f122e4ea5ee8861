'use strict';
// Code that is put into a living family: members of its class, statements at the beginning of what apps call, lines before
// the class. Each is right as it stands.
const { kindsOf } = require('../kind.js');
const { insert } = require('../edits.js');
const { ENTRY_METHODS } = require('../program.js');

const entries = (into) => (program) => program.all('MethodDefinition').filter((node) => into.includes(node.key.name) && program.classOf(node)
  && program.classOf(node).isParser && program.families.includes(program.classOf(node)) && node.value.params.every((one) => one.type !== 'ObjectPattern'));
const parameter = (node, at = 0) => {
  const one = node.value.params[at];
  return one ? one.type === 'AssignmentPattern' ? one.left.name : one.name : 'undefined';
};
const declaration = (program, one) => one.node.parent.type === 'VariableDeclarator' ? one.node.parent.parent : one.node;

// One snippet as a kind. `reads` is what a method must have in its text, so that a snippet fits the pages of its family.
// `{P}` in a statement is the first parameter of the method, `{T}` the name of the class.
function snippet(name, { members = '', statement = '', top = '', into = ENTRY_METHODS, count = 2, reads = /./ }) {
  return {
    name, count, places: (program) => entries(into)(program).filter((node) => reads.test(program.source(node))),
    change: (node, program) => {
      const one = program.classOf(node);
      const filled = (text) => text.replace(/\{P\}/g, parameter(node)).replace(/\{T\}/g, one.name);
      const edits = [];
      if (statement) edits.push(insert(node.value.body.start + 1, `\n      ${filled(statement)}`));
      if (members) edits.push(insert(node.start, `${filled(members)}\n    `));
      if (top) edits.push(insert(declaration(program, one).start, `${filled(top)}\n  `));
      return { edits, what: name };
    },
  };
}

const snippets = (group, list) => kindsOf(group, list.map(([name, parts]) => snippet(name, typeof parts === 'string' ? { statement: parts } : parts)), true);

module.exports = { snippets, entries, parameter };
