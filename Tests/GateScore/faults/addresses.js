'use strict';
// Addresses that no server has, and requests past the app.
const { kindsOf } = require('../kind.js');
const { replace } = require('../edits.js');
const { misspelt } = require('../random.js');

const start = (node) => node.quasis[0].value.raw;
// Template texts that begin with a scheme and a host that is computed, and are no field of another host.
const addresses = (program) => program.all('TemplateLiteral').filter((node) => /^https?:\/\/$/.test(start(node)) && node.expressions.length > 0
  && program.methodOf(node) && program.methodOf(node).kind !== 'constructor' && !isHeader(node));
// A header only tells where a request comes from.
const isHeader = (node) => node.parent.type === 'Property' && /^(Referer|Origin)$/i.test(node.parent.key.name || node.parent.key.value || '');
// Any text with parts that is used as an address.
const templates = (program) => program.all('TemplateLiteral').filter((node) => node.expressions.length > 0 && program.methodOf(node)
  && (/^https?:\/\//.test(start(node)) || isOrigin(node.expressions[0], program, node)) && !program.source(node).includes('"'));
const isOrigin = (node, program, template) => start(template) === '' && /^this\.(origin|api|base\w*|host\w*)$/i.test(program.source(node));
const host = (node) => ({ start: node.start + 1, end: node.quasis[1].start });
const atHost = (node, text, what) => ({ edits: [replace(host(node), text)], what });

const requests = (program) => program.all('AwaitExpression').filter((node) => node.argument.type === 'CallExpression'
  && node.argument.callee.type === 'MemberExpression' && node.argument.callee.property.name === 'httpGet' && node.argument.arguments.length > 0);
const absolutes = (program) => program.all('CallExpression').filter((node) => node.callee.type === 'MemberExpression' && node.callee.object.type === 'ThisExpression'
  && /abs(olute)?|requestUrl|reqUrl/i.test(node.callee.property.name || '') && node.arguments.length === 1 && node.parent.type === 'CallExpression'
  && node.parent.arguments[0] === node && /httpGet|httpPost|document|json|load|page/i.test(program.source(node.parent.callee)));
// Conversions of what is handed to the app.
const relatives = (program) => program.all('CallExpression').filter((node) => node.callee.type === 'MemberExpression' && node.callee.object.type === 'ThisExpression'
  && /relative/i.test(node.callee.property.name || '') && node.arguments.length === 1 && node.parent.type === 'VariableDeclarator');

const words = (program, isIt) => program.all('TemplateElement').filter((node) => isIt(node.value.raw) && program.methodOf(node)
  && templates(program).includes(node.parent));

module.exports = kindsOf('addresses', [
  {
    name: 'scheme-misspelt', count: 5, places: addresses,
    change: (node, program, random) => {
      const scheme = random.pick(['https:/', 'https//', 'htps://', 'http//', 'https:', 'ttps://', 'https;//']);
      return { edits: [replace({ start: node.start + 1, end: node.quasis[0].end }, scheme)], what: `the scheme is ${scheme}` };
    },
  },
  {
    name: 'scheme-missing', count: 3, places: addresses,
    change: (node) => ({ edits: [replace({ start: node.start + 1, end: node.quasis[0].end }, '')], what: 'the scheme is left out' }),
  },
  {
    name: 'template-in-plain-quotes', count: 6, places: templates,
    change: (node, program) => ({ edits: [replace(node, `"${program.source(node).slice(1, -1)}"`)], what: 'a template stands in plain quotes' }),
  },
  {
    name: 'address-of-this-machine', count: 5, places: addresses,
    change: (node, program, random) => atHost(node, random.pick(['http://localhost:3000', 'http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:3000']), 'the address is this machine'),
  },
  {
    name: 'private-address', count: 3, places: addresses,
    change: (node, program, random) => atHost(node, random.pick(['http://192.168.1.20', 'http://10.0.0.5:8000', 'http://172.16.3.1']), 'the address is a private one'),
  },
  {
    name: 'staging-address', count: 3, places: addresses,
    change: (node, program, random) => {
      const expression = program.source(node.expressions[0]);
      return atHost(node, `https://${random.pick(['staging', 'dev', 'test'])}.\${${expression}}`, 'the host is one for tests');
    },
  },
  {
    name: 'host-of-another-site', count: 3, places: addresses,
    change: (node, program, random) => atHost(node, random.pick(['https://old-mirror.test', 'https://proxy.elsewhere.test', 'https://web.archive.invalid']), 'another host is asked'),
  },
  {
    name: 'own-fetch', count: 6, places: requests,
    change: (node, program) => ({ edits: [replace(node, `await (await fetch(${program.source(node.argument.arguments[0])})).text()`)], what: 'fetch in place of the context' }),
  },
  {
    name: 'own-request-object', count: 3, places: requests,
    change: (node, program) => ({
      edits: [replace(node, `await new Promise((done) => { const request = new XMLHttpRequest(); request.open("GET", ${program.source(node.argument.arguments[0])}); request.onload = () => done(request.responseText); request.onerror = () => done(""); request.send(); })`)],
      what: 'XMLHttpRequest in place of the context',
    }),
  },
  {
    name: 'relative-request', count: 5, places: absolutes,
    change: (node, program) => ({ edits: [replace(node, program.source(node.arguments[0]))], what: 'a relative address is asked for' }),
  },
  {
    name: 'unknown-field-in-address', count: 4, places: addresses,
    change: (node, program, random) => atHost(node, `https://\${this.source.${random.pick(['host', 'baseUrl', 'website'])}}`, 'the host is undefined'),
  },
  { name: 'object-in-address', count: 3, places: addresses, change: (node) => atHost(node, 'https://${this.source}', 'the host is [object Object]') },
  {
    name: 'number-that-is-none-in-address', count: 3,
    places: (program) => program.all('TemplateLiteral').flatMap((node) => node.expressions.filter((one) => one.type === 'Identifier' && one.name === 'page')),
    change: (node) => ({ edits: [replace(node, '(page.number - 1) * 20')], what: 'the page is NaN' }),
  },
  {
    name: 'address-form-changed', count: 5, places: relatives,
    change: (node, program) => ({
      edits: [replace(node, `this.toAbsoluteUrl(${program.source(node.arguments[0])})`)], what: 'an address is absolute that was relative',
      method: program.methodOf(node),
    }),
  },
  {
    name: 'ids-made-in-another-way', count: 3,
    places: (program) => program.all('Literal').filter((node) => node.bigint && !['0', '1'].includes(node.bigint) && program.functionOf(node)),
    change: (node) => ({ edits: [replace(node, `${BigInt(node.bigint) + 4n}n`)], what: 'all ids are others' }),
  },
  {
    name: 'path-of-another-page', count: 4, site: 'only the site tells which paths it has',
    places: (program) => words(program, (text) => /\/[a-z]{4,}/.test(text)),
    change: (node, program, random) => ({
      edits: [replace(node, node.value.raw.replace(/\/([a-z]{4,})/, (all, word) => `/${misspelt(word, random)}`))], what: 'another path is asked for',
    }),
  },
  {
    name: 'query-of-another-name', count: 3, site: 'only the site tells which parameters it reads',
    places: (program) => words(program, (text) => /[?&][a-z]+=/.test(text)),
    change: (node, program, random) => ({
      edits: [replace(node, node.value.raw.replace(/([?&])([a-z]+)=/, (all, sign, word) => `${sign}${word.length > 1 ? misspelt(word, random) : 'query'}=`))],
      what: 'another parameter is given',
    }),
  },
  {
    name: 'query-not-encoded', count: 3, site: 'only some searches make a difference',
    places: (program) => program.all('CallExpression').filter((node) => node.callee.name === 'encodeURIComponent' && program.methodOf(node)),
    change: (node, program) => ({ edits: [replace(node, program.source(node.arguments[0]))], what: 'the search is not encoded' }),
  },
]);
