// What the parts of the gate's script share. They run beside the page of the bundle, in the realm of the engine's bridge, and
// keep its three rules: `page.value` for what a bundle gets, `page.settle` for what it promises, `page.expose` for functions.
'use strict';
const { apply } = Reflect;
const pageDocument = page.window.document;
const {
  Document: PageDocument, DocumentFragment: PageFragment, Element: PageElement, Node: PageNode, Promise: PagePromise, Error: PageErrors,
  DOMException: PageException,
} = page.window;
const MAX_MESSAGE = 400;

// What was thrown in the bridge's words, short and without its stack: there may be thousands.
function describe(thrown) {
  const { name, message, line, column, script } = page.describe(thrown);
  return { name, message: message.slice(0, MAX_MESSAGE), line, column, script };
}
