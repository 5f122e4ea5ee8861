// Hands a bundle to TypeScript: with the contract put in where parsers are written, and libraries without what no parser uses.
'use strict';

const { keyOf, walk } = require('./syntax.js');

/** What apps call, and what its result must be. */
const results = {
  getListPage: 'ParserItem[]', getDetails: 'ParserDetails', getChapters: 'ParserChapter[]', getPages: 'ParserPage[]',
};

/** A bundle's text with comments for the checker in it, and the way back to the bundle's own offsets. */
class Annotated {
  constructor(bundle) {
    this.insertions = [];
    const parsers = parserClasses(bundle);
    for (const node of parsers) this.annotateClass(node);
    for (const node of bundle.of('FunctionDeclaration')) {
      const context = node.params.find((one) => one.type === 'Identifier' && one.name === 'context');
      if (context && /\bcontext\.(httpGet|httpPost|parseHTML)\b/.test(bundle.text.slice(...node.range))) this.insertContext(context);
    }
    this.insertions.sort((left, right) => left.at - right.at);
    this.text = this.build(withoutTypeComments(bundle));
  }

  annotateClass(node) {
    for (const member of node.body.body) {
      const key = keyOf(member);
      if (member.type !== 'MethodDefinition' || member.static) continue;
      const first = member.value.params[0];
      if (member.kind === 'constructor' && first?.type === 'Identifier' && isContext(first.name, member)) this.insertContext(first);
      const result = Object.hasOwn(results, key ?? '') && member.kind === 'method' && !member.value.generator && results[key];
      if (!result) continue;
      const type = member.value.async ? `Promise<${result}>` : `${result} | Promise<${result}>`;
      this.insert(member.range[0], `/** @returns {${type}} */ `);
    }
  }

  insertContext(parameter) { this.insert(parameter.range[0], '/** @type {ParserContext} */ '); }

  insert(at, text) { this.insertions.push({ at, text }); }

  build(text) {
    let built = '', from = 0, shift = 0;
    for (const one of this.insertions) {
      built += text.slice(from, one.at) + one.text;
      from = one.at;
      shift += one.text.length;
      one.shift = shift;
    }
    return built + text.slice(from);
  }

  /** The offset in the bundle of an offset in the annotated text. */
  original(offset) {
    let low = 0, high = this.insertions.length;
    while (low < high) {
      const middle = (low + high) >> 1, one = this.insertions[middle];
      if (one.at + one.shift <= offset) low = middle + 1; else high = middle;
    }
    return offset - (low > 0 ? this.insertions[low - 1].shift : 0);
  }
}

/** Whether a constructor keeps its first argument as the context, or hands it on as the first one. */
function isContext(name, constructor) {
  if (name === 'context' || name === 'ctx') return true;
  let found = false;
  walk(constructor.value.body, (node) => {
    const right = node.type === 'AssignmentExpression' && node.left.type === 'MemberExpression' && keyOf(node.left) === 'context' ? node.right
      : node.type === 'CallExpression' && node.callee.type === 'Super' ? node.arguments[0] : null;
    if (right?.type === 'Identifier' && right.name === name) found = true;
  });
  return found;
}

/** Classes with a method of the contract, and those that inherit from one or from which one inherits. */
function parserClasses(bundle) {
  const found = new Set();
  for (const node of bundle.classes) {
    if (!node.body.body.some((member) => Object.hasOwn(results, keyOf(member) ?? ''))) continue;
    for (const one of bundle.chain(node).chain) found.add(one);
  }
  for (const node of bundle.classes) if (bundle.chain(node).chain.some((one) => found.has(one))) found.add(node);
  return found;
}

/** The text in which no comment of the bundle's own declares a type: authors write those for people. */
function withoutTypeComments(bundle) {
  return bundle.comments.length === 0 ? bundle.text : replaceAt(bundle.text, bundle.comments);
}

function replaceAt(text, offsets) {
  let built = '', from = 0;
  for (const offset of offsets) {
    built += `${text.slice(from, offset + 2)} `;
    from = offset + 3;
  }
  return built + text.slice(from);
}

/** Interfaces of the page that parsers use; of all others every member is taken to exist. */
const kept = new RegExp('^(Node|Element|HTML\\w*Element|Document|DocumentFragment|DocumentOrShadowRoot|NonElementParentNode|ParentNode|ChildNode'
  + '|NonDocumentTypeChildNode|InnerHTML|HTMLOrSVGElement|ElementContentEditable|NodeList|NodeListOf|HTMLCollection\\w*|Attr|NamedNodeMap'
  + '|DOMTokenList|DOMStringMap|DOMParser|XMLSerializer|XMLDocument|URL|URLSearchParams|Headers|Body|Response|ResponseInit|Request|AbortController'
  + '|AbortSignal|Blob|File|FormData|TextEncoder\\w*|TextDecoder\\w*|CharacterData|Text|Comment|EventTarget|Storage|Location|Crypto'
  + '|\\w*TagNameMap|ARIAMixin|HTMLHyperlinkElementUtils|Slottable|Animatable|Range|AbstractRange|TreeWalker|NodeIterator)$');

/** The page's library with the members of what parsers do not use left out. */
function slim(text) {
  const above = new Map();
  for (const match of text.matchAll(/^interface (\w+)(?:<[^{]*?>)? extends ([^{\n]+)\{/gm)) {
    above.set(match[1], match[2].split(/,(?![^<]*>)/).map((one) => one.trim().replace(/<.*/, '')));
  }
  // What a kept interface inherits from must be kept, or it would seem to have every member.
  const whole = new Set();
  const keep = (name) => {
    if (whole.has(name)) return;
    whole.add(name);
    for (const one of above.get(name) ?? []) keep(one);
  };
  for (const match of text.matchAll(/^interface (\w+)/gm)) if (kept.test(match[1]) || /Map$/.test(match[1])) keep(match[1]);
  return text.replace(/^(interface (\w+)(?:<[^{]*?>)?)([^{\n]*)\{\n[\s\S]*?^\}/gm, (all, head, name) =>
    whole.has(name) ? all : `${head} { [member: string]: any }`);
}

/** A library without what it says to people, which is half of it and would be parsed as well. */
const withoutNotes = (text) => text.replace(/^[ \t]*\/\*\*[\s\S]*?\*\/[ \t]*\r?\n/gm, '');

class Compiler {
  constructor(ts, contracts) {
    this.ts = ts;
    this.options = {
      noEmit: true, allowJs: true, checkJs: true, target: ts.ScriptTarget.ESNext, skipLibCheck: true, noImplicitAny: false, strict: false,
      useUnknownInCatchVariables: false, strictNullChecks: false, strictBindCallApply: false, types: [], noResolve: false,
      lib: ['lib.esnext.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    };
    this.files = new Map();
    this.contracts = contracts.map(({ text }, index) => {
      const name = `contract${index}.d.ts`;
      this.files.set(name, ts.createSourceFile(name, text, ts.ScriptTarget.ESNext));
      return name;
    });
    this.host = ts.createCompilerHost(this.options);
    this.host.getSourceFile = (name, version) => {
      if (this.files.has(name)) return this.files.get(name);
      const isPage = /lib\.dom\.d\.ts$/.test(name), text = isPage ? slim(this.domText(name)) : ts.sys.readFile(name);
      const file = text === undefined ? undefined : ts.createSourceFile(name, withoutNotes(text), version);
      this.files.set(name, file);
      return file;
    };
    this.host.fileExists = (name) => this.files.has(name) || ts.sys.fileExists(name);
    this.host.readFile = (name) => this.files.get(name)?.text ?? ts.sys.readFile(name);
  }

  domText(name) {
    this.dom ??= this.ts.sys.readFile(name) ?? '';
    return this.dom;
  }

  /** What is wrong with the declarations of contracts; undefined when nothing is. */
  contractFault(program, names) {
    for (const [index, name] of this.contracts.entries()) {
      const file = program.getSourceFile(name);
      const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)][0];
      if (!found) continue;
      const { line, character } = file.getLineAndCharacterOfPosition(found.start ?? 0);
      const text = this.ts.flattenDiagnosticMessageText(found.messageText, ' ');
      return { name: names[index], line: line + 1, column: character + 1, text };
    }
    return undefined;
  }

  /** A program of one bundle; the libraries are read once. */
  program(bundle) {
    const annotated = new Annotated(bundle);
    const file = this.ts.createSourceFile('bundle.js', annotated.text, this.ts.ScriptTarget.ESNext);
    this.files.set('bundle.js', file);
    const program = this.ts.createProgram(['bundle.js', ...this.contracts], this.options, this.host);
    return { program, checker: program.getTypeChecker(), file, annotated, bundle };
  }
}

module.exports = { Compiler, results, parserClasses };
