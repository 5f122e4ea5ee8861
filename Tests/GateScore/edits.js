'use strict';
// Changes to a text by position, and where lines stand afterwards.

function apply(text, edits) {
  let result = '';
  let at = 0;
  for (const edit of [...edits].sort((one, other) => one.start - other.start)) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

const newlines = (text) => text.split('\n').length - 1;

// The line on which a place of the old text stands in the new one.
function lineAfter(text, edits, position) {
  let line = 1 + newlines(text.slice(0, position));
  for (const edit of edits) {
    if (edit.end <= position && edit.start < position) line += newlines(edit.text) - newlines(text.slice(edit.start, edit.end));
  }
  return line;
}

// The lines that an edit covers in the new text.
function linesOf(text, edits, edit) {
  const first = lineAfter(text, edits, edit.start);
  return Array.from({ length: newlines(edit.text) + 1 }, (_, index) => first + index);
}

const replace = (node, text) => ({ start: node.start, end: node.end, text });
const insert = (position, text) => ({ start: position, end: position, text });
const remove = (node) => replace(node, '');

module.exports = { apply, lineAfter, linesOf, replace, insert, remove };
