'use strict';
// The figures of a run, by kind and in all, against the goals.

const GOALS = { visible: 0.8, all: 0.7, line: 0.8, refusedHarmless: 0, warnedHarmlessOf160: 3 };

const isCaught = (one) => one.verdict === 'refused' || (one.verdict === 'warned' && one.line === true);
const share = (part, whole) => whole === 0 ? 1 : part / whole;
const percent = (value) => `${(value * 100).toFixed(1)} %`;
const mean = (values) => values.length ? values.reduce((sum, one) => sum + one, 0) / values.length : 0;

function byKind(results) {
  const kinds = new Map();
  for (const one of results) {
    if (!kinds.has(one.kind)) kinds.set(one.kind, []);
    kinds.get(one.kind).push(one);
  }
  return [...kinds].map(([name, all]) => ({
    name, group: all[0].group, site: all[0].site, count: all.length, refused: all.filter((one) => one.verdict === 'refused').length,
    warned: all.filter((one) => one.verdict === 'warned').length, warnedAtPlace: all.filter((one) => one.verdict === 'warned' && one.line).length,
    missed: all.filter((one) => one.verdict === 'missed').length,
    lined: all.filter((one) => one.line === true).length, withLine: all.filter((one) => one.line !== null && one.verdict !== 'missed').length,
    seconds: mean(all.map((one) => one.seconds)),
  }));
}

function faultTotals(results) {
  const visible = results.filter((one) => !one.site);
  const found = results.filter((one) => one.line !== null && one.verdict !== 'missed');
  return {
    count: results.length, kinds: new Set(results.map((one) => one.kind)).size, caught: results.filter(isCaught).length,
    visible: visible.length, visibleCaught: visible.filter(isCaught).length, refused: results.filter((one) => one.verdict === 'refused').length,
    warned: results.filter((one) => one.verdict === 'warned').length, missed: results.filter((one) => one.verdict === 'missed').length,
    found: found.length, lined: found.filter((one) => one.line).length,
  };
}

function harmlessTotals(results) {
  return {
    count: results.length, kinds: new Set(results.map((one) => one.kind)).size,
    refused: results.filter((one) => one.verdict === 'refused').length, warned: results.filter((one) => one.verdict === 'warned').length,
  };
}

// Each goal with what was reached; a goal that nothing was run for is left out.
function goals(faults, harmless) {
  const list = [];
  if (faults.count > 0) {
    list.push(['faults that need no site', share(faults.visibleCaught, faults.visible), GOALS.visible, `${faults.visibleCaught} of ${faults.visible}`]);
    list.push(['all faults', share(faults.caught, faults.count), GOALS.all, `${faults.caught} of ${faults.count}`]);
    list.push(['right line', share(faults.lined, faults.found), GOALS.line, `${faults.lined} of ${faults.found}`]);
  }
  const made = list.map(([name, reached, goal, of]) => ({ name, reached, goal, of, ok: reached >= goal, text: `${percent(reached)} (${of}), the goal is ${percent(goal)}` }));
  if (harmless.count > 0) {
    const mayWarn = Math.max(GOALS.warnedHarmlessOf160, Math.floor(harmless.count * GOALS.warnedHarmlessOf160 / 160));
    made.push({ name: 'harmless refused', reached: harmless.refused, goal: 0, ok: harmless.refused === 0, text: `${harmless.refused} of ${harmless.count}, the goal is 0` });
    made.push({ name: 'harmless warned', reached: harmless.warned, goal: mayWarn, ok: harmless.warned <= mayWarn, text: `${harmless.warned} of ${harmless.count}, the goal is at most ${mayWarn}` });
  }
  return made;
}

const HEAD = ['kind', 'tried', 'refused', 'warned', 'missed', 'line', 's'];
function table(rows, print) {
  const all = [HEAD, ...rows.map((row) => [
    `${row.name}${row.site ? ' *' : ''}`, row.count, row.refused, row.warned ? `${row.warned} (${row.warnedAtPlace})` : 0, row.missed,
    row.withLine ? `${row.lined}/${row.withLine}` : '-', row.seconds.toFixed(1),
  ])].map((row) => row.map(String));
  const widths = HEAD.map((name, at) => Math.max(...all.map((row) => row[at].length)));
  for (const row of all) print(row.map((cell, at) => at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at])).join('  ').trimEnd());
}

function print(results, harmlessResults, write) {
  if (results.length > 0) {
    write('Faults. In brackets: warnings that name the right line, which count as caught. * marks what only the site can tell.\n');
    table(byKind(results), write);
    for (const kind of byKind(results).filter((one) => one.site)) write(`* ${kind.name}: ${kind.site}`);
    write('');
  }
  if (harmlessResults.length > 0) {
    write('Harmless.\n');
    table(byKind(harmlessResults), write);
    write('');
  }
}

module.exports = { print, goals, faultTotals, harmlessTotals, byKind, isCaught };
