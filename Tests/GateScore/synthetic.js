'use strict';
// A made-up bundle in the shape of living ones, as a bundler writes it: thirteen families of parsers over one base class, and
// a catalog. Larger ones repeat the families under other names.
const fs = require('fs');
const path = require('path');

const FOLDER = path.join(__dirname, 'bundle');
const LANGUAGES = ['en', 'it', 'es', 'pt', 'vi', 'id', 'zh', 'ja'];

// What single sources change of their family; the place in the list is the number of the source within its family.
const OVERRIDES = {
  ThemeParser: [
    {}, { withoutAjax: true, listPath: 'comics/' }, { postChapters: true, selectPage: 'div.page-break img.wp-manga-chapter-img' },
    { stylePage: '', selectItem: '.page-item-detail, .manga-item' },
  ],
  ReaderParser: [{}, { listPath: '/series', selectCard: '.listupd .bsx' }, { selectImage: '#readerarea img.ts-main-image' }],
  StreamParser: [{}, { apiVersion: 'v1' }],
  FoolParser: [{}, { path: 'list/' }],
  ArchiveParser: [{}, { forceWww: true }],
  ComicParser: [{}, { ajaxChapters: false, searchPath: '/search' }],
  ZineParser: [{}, { label: 'Manga', maxResults: 100 }],
  BoxParser: [{}, { searchPath: 'find/' }],
  GridParser: [{}, { languages: ['en', 'fr'] }],
  ViewerParser: [{}, { scrambled: true }],
};

function familyFiles() {
  return fs.readdirSync(FOLDER).sort().map((name) => fs.readFileSync(path.join(FOLDER, name), 'utf8'));
}

// The names of the families that the bundle registers.
function familyNames(files) {
  const registry = /var FAMILIES = \{([^}]*)\}/.exec(files[files.length - 1])[1];
  return registry.split(',').map((name) => name.trim());
}

function renamed(text, names, suffix) {
  return suffix ? text.replace(new RegExp(`\\b(${names.join('|')})\\b`, 'g'), `$1${suffix}`) : text;
}

function entryOf(family, base, index, nth) {
  const number = index + 1;
  const name = `${base.replace('Parser', '')}${number}`;
  const overrides = OVERRIDES[base] || [{}];
  return {
    id: `${name.toUpperCase()}_${LANGUAGES[number % LANGUAGES.length].toUpperCase()}`,
    className: name, title: `${name} Scans`, locale: LANGUAGES[number % LANGUAGES.length],
    domain: `${name.toLowerCase()}.example`, family, isNsfw: index % 7 === 3,
    overrides: overrides[nth % overrides.length],
  };
}

// Entries for all families in turn.
function catalog(families, names, count) {
  return Array.from({ length: count }, (_, index) => {
    const family = families[index % families.length];
    const base = names.find((name) => family.startsWith(name) && /^\d*$/.test(family.slice(name.length)));
    return entryOf(family, base, index, Math.floor(index / families.length));
  });
}

// A value as bundlers write it: keys without quotes, each on its line.
function literal(value, indent = '  ') {
  const inner = indent + '  ';
  if (Array.isArray(value)) {
    return value.length ? `[\n${value.map((item) => inner + literal(item, inner)).join(',\n')}\n${indent}]` : '[]';
  }
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const keys = Object.keys(value);
  return keys.length ? `{\n${keys.map((key) => `${inner}${key}: ${literal(value[key], inner)}`).join(',\n')}\n${indent}}` : '{}';
}

// Methods for pages that only some sites have, as large families carry them.
function variants(bytes) {
  let text = '';
  for (let number = 1; text.length < bytes; number++) {
    text += `  variant${number}(root, page) {
    const nodes = root.querySelectorAll("div.list-${number} > .entry a, ul#list-${number} li[data-page]");
    const found = [];
    for (const node of nodes) {
      const url = this.toRelativeUrl(node.getAttribute("href") || "/v${number}/" + page);
      if (/\\/(ads|sponsor)[/?]/.test(url)) continue;
      found.push({ url, title: cleanTitle(node.textContent), number: ${number} });
    }
    return found.slice(0, this.pageSize);
  }
`;
  }
  return text;
}

const HEAD = `"use strict";
var NyoraParsers = (() => {
  var __defProp = Object.defineProperty;
  var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
  var __getOwnPropNames = Object.getOwnPropertyNames;
  var __hasOwnProp = Object.prototype.hasOwnProperty;
  var __export = (target, all) => {
    for (var name in all)
      __defProp(target, name, { get: all[name], enumerable: true });
  };
  var __copyProps = (to, from, except, desc) => {
    if (from && typeof from === "object" || typeof from === "function") {
      for (let key of __getOwnPropNames(from))
        if (!__hasOwnProp.call(to, key) && key !== except)
          __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
    }
    return to;
  };
  var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

  // src/entry.js
  var entry_exports = {};
  __export(entry_exports, {
    SortOrder: () => SortOrder,
    getAllSources: () => getAllSources,
    getParser: () => getParser
  });

`;

const indented = (text) => text.replace(/^(?=.)/gm, '  ');

// Makes a bundle and its catalog: so many families (each of the thirteen again and again), sources, and about so many bytes.
function synthetic({ families = 13, sources = 32, bytes = 0 } = {}) {
  const files = familyFiles();
  const names = familyNames(files);
  const [base, index] = [files[0], files[files.length - 1]];
  const copies = Math.ceil(families / names.length);
  const chosen = Array.from({ length: copies }, (_, copy) => names.map((name) => renamed(name, names, copy ? copy + 1 : '')))
    .flat().slice(0, Math.max(families, names.length));
  const bodies = Array.from({ length: copies }, (_, copy) => files.slice(1, -1).map((text) => renamed(text, names, copy ? copy + 1 : '')))
    .flat().map((text, at) => at < 11 ? text : text.replace(/^var (CIPHER_ALPHABET|Unpacker) = .*?;\n(?=var)/gms, ''));
  const entries = catalog(chosen, names, sources);
  const fixed = base.length + index.length + bodies.join('').length + entries.length * 260;
  const fill = bytes > fixed ? Math.ceil((bytes - fixed) * 0.93 / bodies.length) : 0;
  const filled = fill ? bodies.map((text) => text.replace(/(\n\s*async getPages)/, (head) => `\n${variants(fill)}${head.slice(1)}`)) : bodies;
  const registry = index.replace(/var FAMILIES = \{[^}]*\}/, `var FAMILIES = {\n  ${chosen.join(',\n  ')}\n}`);
  const parts = [base, ...filled, `// src/sources.json\nvar sources_default = ${literal(entries, '')};\n`, registry];
  const bundle = `${HEAD}${parts.map(indented).join('\n')}  return __toCommonJS(entry_exports);\n})();\n`;
  return { bundle, sources: JSON.stringify(entries, null, 1) + '\n' };
}

module.exports = { synthetic };
