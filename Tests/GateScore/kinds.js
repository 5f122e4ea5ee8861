'use strict';
// All kinds: what must be found, and what must be let alone.
const load = (folder, names) => names.flatMap((name) => require(`./${folder}/${name}.js`));

const faults = load('faults', ['names', 'promises', 'arguments', 'interfaces', 'objects', 'results', 'patterns', 'addresses', 'catalog', 'files', 'running']);
const harmless = load('harmless', ['hooks', 'pages', 'styles', 'builds', 'changes']);

module.exports = { faults, harmless };
