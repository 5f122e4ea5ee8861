'use strict';
// The command line of ci/gate-score.
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawnSync } = require('child_process');
const { Bench, run } = require('./bench.js');
const { cases, runCases } = require('./cases.js');
const { packs } = require('./pack.js');
const { Program } = require('./program.js');
const { synthetic } = require('./synthetic.js');
const kinds = require('./kinds.js');
const report = require('./report.js');

const ROOT = path.join(__dirname, '..', '..');
const ENGINES = ['--engines', 'ios 15, android-webview 90'];
const VALUES = { '--bundle': 1, '--sources': 1, '--seed': 1, '--kind': 1, '--only': 1, '--count': 1, '--jobs': 1, '--tool': 1, '--show': 1, '--check-option': 1 };
const FLAGS = ['--json', '--list', '--together', '--cases', '--growth', '--help', '-h'];

class Misuse extends Error {}

function readOptions(words) {
  const options = { '--kind': [], '--check-option': [] };
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (FLAGS.includes(word)) options[word] = true;
    else if (!VALUES[word]) throw new Misuse(`unknown option ${word}; see ci/gate-score --help`);
    else if (words[at + 1] === undefined) throw new Misuse(`${word} needs a value`);
    else if (Array.isArray(options[word])) options[word].push(words[++at]);
    else options[word] = words[++at];
  }
  for (const name of ['--seed', '--count', '--jobs']) {
    if (options[name] !== undefined && !/^\d+$/.test(options[name])) throw new Misuse(`${name} must be a number`);
  }
  if (options['--only'] && !['faults', 'harmless'].includes(options['--only'])) throw new Misuse('--only must be faults or harmless');
  if (Boolean(options['--bundle']) !== Boolean(options['--sources'])) throw new Misuse('--bundle and --sources belong together');
  return options;
}

function releaseOf(options) {
  if (!options['--bundle']) return synthetic();
  return { bundle: fs.readFileSync(options['--bundle'], 'utf8'), sources: fs.readFileSync(options['--sources'], 'utf8') };
}

// The built tool; it is built first when it is not given.
function toolOf(options) {
  if (options['--tool']) return path.resolve(options['--tool']);
  for (const product of ['parser-ota', 'parser-ota-engine']) {
    const built = spawnSync('swift', ['build', '--product', product], { cwd: ROOT, encoding: 'utf8' });
    if (built.status !== 0) throw new Error(`swift build --product ${product} failed: ${built.stderr || built.stdout}`);
  }
  const place = spawnSync('swift', ['build', '--show-bin-path'], { cwd: ROOT, encoding: 'utf8' });
  return path.join(place.stdout.trim(), 'parser-ota');
}

function chosenKinds(options) {
  const halves = { faults: kinds.faults, harmless: kinds.harmless };
  if (options['--only']) halves[options['--only'] === 'faults' ? 'harmless' : 'faults'] = [];
  const wanted = options['--kind'];
  const all = [...halves.faults, ...halves.harmless].filter((kind) => wanted.length === 0 || wanted.includes(kind.name) || wanted.includes(kind.group));
  for (const name of wanted) {
    if (!all.some((kind) => kind.name === name || kind.group === name)) throw new Misuse(`no kind ${name}; see ci/gate-score --list`);
  }
  return all;
}

function mutantsOf(kind, program, options) {
  const count = options['--count'] === undefined ? kind.count : Math.min(kind.count, Number(options['--count']));
  return kind.mutants(program, Number(options['--seed'] || 1), count).filter(Boolean).map((mutant) => ({ ...mutant, isHarmless: kind.isHarmless }));
}

function list(options, program) {
  let group = '';
  for (const kind of chosenKinds(options)) {
    if (kind.group !== group) process.stdout.write(`${(group = kind.group)}${kind.isHarmless ? ' (harmless)' : ''}\n`);
    process.stdout.write(`  ${kind.name} ${mutantsOf(kind, program, options).length}${kind.site ? ` — ${kind.site}` : ''}\n`);
  }
  return 0;
}

function show(options, program) {
  const [name, number] = options['--show'].split(':');
  const kind = [...kinds.faults, ...kinds.harmless].find((one) => one.name === name);
  if (!kind) throw new Misuse(`no kind ${name}; see ci/gate-score --list`);
  const mutant = mutantsOf(kind, program, {})[Number(number || 1) - 1];
  if (!mutant) throw new Misuse(`${name} has no ${number} in this bundle`);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gate-score-'));
  try {
    for (const [file, before, after] of [['bundle.js', program.text, mutant.bundle], ['sources.json', program.sourcesText, mutant.sources]]) {
      fs.writeFileSync(path.join(folder, `before-${file}`), before);
      fs.writeFileSync(path.join(folder, file), after);
      process.stdout.write(spawnSync('diff', ['-u', `before-${file}`, file], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 }).stdout);
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  process.stdout.write(`${mutant.what}; right lines: ${mutant.lines === null ? 'any' : mutant.lines.join(', ')}\n`);
  return 0;
}

// Runs what is chosen; the status.
async function score(options, program) {
  const tool = toolOf(options);
  const jobs = Number(options['--jobs'] || os.cpus().length);
  const mutants = chosenKinds(options).flatMap((kind) => mutantsOf(kind, program, options));
  const help = spawnSync(tool, ['check', '--help'], { encoding: 'utf8' });
  const engines = (help.stdout || '').includes('--engines') ? ENGINES : [];
  const bench = new Bench(tool, program.text, program.sourcesText, options['--check-option']);
  const begun = Date.now();
  const load = os.loadavg()[0];
  try {
    bench.open();
    const isShown = process.stderr.isTTY;
    const { before, results } = await run(bench, mutants, {
      jobs, engines, tell: (one, count) => { if (isShown) process.stderr.write(`\r${count} of ${mutants.length} ${one.id}\x1b[K`); },
    });
    if (isShown) process.stderr.write('\r\x1b[K');
    return finish(options, { before, results, mutants, seconds: (Date.now() - begun) / 1000, load, jobs });
  } finally {
    bench.close();
  }
}

function finish(options, { before, results, mutants, seconds, load, jobs }) {
  const isHarmless = new Map(mutants.map((mutant) => [mutant.id, mutant.isHarmless]));
  const [faults, harmless] = [results.filter((one) => !isHarmless.get(one.id)), results.filter((one) => isHarmless.get(one.id))];
  const totals = { faults: report.faultTotals(faults), harmless: report.harmlessTotals(harmless) };
  const goals = report.goals(totals.faults, totals.harmless);
  const notRun = before.checks.filter((one) => !one.ran).map((one) => `${one.code}: ${one.reason}`);
  if (options['--json']) {
    process.stdout.write(`${JSON.stringify({ seed: Number(options['--seed'] || 1), seconds, jobs, load, notRun, totals, goals, faults, harmless, before: before.findings }, null, 1)}\n`);
  } else {
    report.print(faults, harmless, (line) => process.stdout.write(`${line}\n`));
    for (const one of [...faults.filter((found) => found.broken), ...harmless.filter((found) => found.broken)]) process.stdout.write(`no answer for ${one.id}: ${one.broken.split('\n')[0]}\n`);
    for (const one of harmless.filter((found) => found.verdict !== 'missed')) process.stdout.write(`${one.id} ${one.verdict}: ${one.findings.map((found) => `${found.code} ${found.message}`).join('; ').slice(0, 240)}\n`);
    for (const reason of notRun) process.stdout.write(`not run ${reason}\n`);
    for (const goal of goals) process.stdout.write(`${goal.ok ? 'reached' : 'MISSED '}  ${goal.name}: ${goal.text}\n`);
    process.stdout.write(`ci/gate-score: ${faults.length} faults in ${totals.faults.kinds} kinds, ${harmless.length} harmless in ${totals.harmless.kinds}, ${seconds.toFixed(0)} s, ${jobs} at a time, load ${load.toFixed(1)}, seed ${options['--seed'] || 1}\n`);
  }
  return goals.every((goal) => goal.ok) ? 0 : 1;
}

// Many changes in each bundle: quick, and only findings at a right line count.
async function together(options, program) {
  const bench = new Bench(toolOf(options), program.text, program.sourcesText, options['--check-option']);
  const count = options['--count'] === undefined ? Infinity : Number(options['--count']);
  const chosen = chosenKinds(options);
  const seed = Number(options['--seed'] || 1);
  const make = (isHarmless) => packs(program, chosen.filter((kind) => Boolean(kind.isHarmless) === isHarmless), seed, count);
  try {
    bench.open();
    const before = await bench.check(`${bench.bundle}// nothing changed\n`, bench.sources);
    return await tellPacks(options, { bench, before, faults: make(false), harmless: make(true) });
  } finally {
    bench.close();
  }
}

async function tellPacks(options, { bench, before, faults, harmless }) {
  const answers = await inTurn([...faults, ...harmless], Number(options['--jobs'] || os.cpus().length), (pack) => pack.checked(bench, before));
  const [found, alarms] = [answers.slice(0, faults.length), answers.slice(faults.length)];
  const verdict = (one) => one.findings.some((finding) => finding.refuses) ? 'refused' : one.findings.length > 0 ? 'warned' : 'missed';
  const results = found.flatMap((pack) => pack.cases.map((one) => ({ ...one, verdict: verdict(one), line: one.findings.length > 0, seconds: pack.answer.seconds / pack.cases.length })));
  const totals = report.faultTotals(results);
  report.print(results.sort((one, other) => one.kind < other.kind ? -1 : 1), [], (line) => process.stdout.write(`${line}\n`));
  for (const one of results.filter((result) => result.verdict === 'missed' && !result.site)) process.stdout.write(`missed ${one.id} in ${one.family}, line ${(one.lines || []).slice(0, 4)}: ${one.what}\n`);
  for (const pack of alarms) {
    for (const finding of pack.findings) {
      const near = pack.cases.find((one) => one.findings.includes(finding));
      process.stdout.write(`alarm ${near ? near.id : `among ${pack.cases.map((one) => one.id).join(' ')}`}: ${finding.severity} ${finding.code} ${finding.message.slice(0, 200)}, line ${finding.line}\n`);
    }
  }
  process.stdout.write(`ci/gate-score: together, ${totals.visibleCaught} of ${totals.visible} faults that need no site and ${totals.caught} of ${totals.count} in all are named at a right line; `
    + `${alarms.reduce((sum, pack) => sum + pack.findings.length, 0)} alarms over ${alarms.reduce((sum, pack) => sum + pack.cases.length, 0)} harmless\n`);
  return 0;
}

// Does the work for each item, so many at a time, and keeps their order.
async function inTurn(items, jobs, work) {
  const results = new Array(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(items[at]);
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return results;
}

async function fixedCases(options) {
  const all = cases();
  const bench = new Bench(toolOf(options), all.program.text, all.program.sourcesText, options['--check-option']);
  try {
    return await runCases(bench, all, (line) => process.stdout.write(`${line}\n`));
  } finally {
    bench.close();
  }
}

async function main(words, usage) {
  try {
    const options = readOptions(words);
    if (options['--help'] || options['-h']) {
      process.stdout.write(usage);
      return 0;
    }
    if (options['--growth']) return await require('./growth.js').growth(toolOf(options), options['--check-option']);
    if (options['--cases']) return await fixedCases(options);
    const { bundle, sources } = releaseOf(options);
    const program = new Program(bundle, sources);
    if (options['--list']) return list(options, program);
    if (options['--together']) return await together(options, program);
    if (options['--show']) return show(options, program);
    return await score(options, program);
  } catch (error) {
    if (!(error instanceof Misuse)) throw error;
    process.stderr.write(`ci/gate-score: error: ${error.message}\n`);
    return 2;
  }
}

module.exports = { main };
