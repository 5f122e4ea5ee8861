'use strict';
// How the time of a check grows with the bundle, the sources and the classes. Linear is what the last step says: twice the
// size must not cost much more than twice the time.
const os = require('os');
const { Bench } = require('./bench.js');
const { synthetic } = require('./synthetic.js');

const MB = 1_000_000;
const SERIES = [
  { name: 'bundle, MB', unit: MB, steps: [0.5, 1, 2, 4, 8, 16, 32], make: (size) => synthetic({ bytes: size * MB, sources: 121, families: 39 }) },
  { name: 'sources', unit: 1, steps: [121, 500, 1000, 2500, 5000, 10_000], make: (count) => synthetic({ sources: count, families: 39 }) },
  { name: 'classes, a source each', unit: 1, steps: [100, 500, 1000, 2500, 5000], make: (count) => synthetic({ sources: count, families: count }) },
];
const BIG = { bytes: 548_000, sources: 235, families: 39 };
const GOAL_SECONDS = 4;
// More than this times the growth of the size is no longer linear.
const MAX_SLOPE = 1.25;

const load = () => os.loadavg()[0].toFixed(1);

// The check of one size against itself; only its time and its answer count.
async function timed(tool, options, { bundle, sources }, isCompared) {
  const bench = new Bench(tool, bundle, sources, options);
  try {
    if (isCompared) bench.open();
    const answer = await bench.check(`${bundle}// changed\n`, sources, [], isCompared);
    return { ...answer, bytes: bundle.length };
  } finally {
    bench.close();
  }
}

// The exponent between two steps: 1 is linear, 2 is quadratic.
const slope = (one, other) => Math.log(other.seconds / one.seconds) / Math.log(other.size / one.size);

async function series(tool, options, one, write) {
  write(`\n${one.name.padEnd(24)} seconds  slope  answer`);
  const steps = [];
  for (const size of one.steps) {
    const answer = await timed(tool, options, one.make(size), false);
    const step = { size, seconds: answer.seconds, refused: answer.refused };
    const last = steps[steps.length - 1];
    const text = last ? slope(last, step).toFixed(2) : '';
    const why = answer.broken || answer.findings.filter((finding) => finding.refuses).map((finding) => `${finding.code}: ${finding.message}`)[0];
    write(`${String(size).padEnd(24)} ${answer.seconds.toFixed(1).padStart(7)}  ${text.padStart(5)}  ${answer.refused ? `refused: ${String(why).slice(0, 120)}` : 'ok'}`);
    steps.push(step);
  }
  // What starting costs hides the growth of the small ones, so the larger half is looked at.
  const half = steps.slice(Math.floor(steps.length / 2));
  const whole = slope(half[0], half[half.length - 1]);
  const isLinear = whole <= MAX_SLOPE;
  write(`slope of the larger half ${whole.toFixed(2)}: ${isLinear ? 'linear' : 'NOT LINEAR'}`);
  return isLinear && steps.every((step) => !step.refused);
}

async function growth(tool, options) {
  const write = (line) => process.stdout.write(`${line}\n`);
  const big = synthetic(BIG);
  const answers = [];
  for (let round = 0; round < 3; round++) answers.push(await timed(tool, options, big, true));
  const best = Math.min(...answers.map((answer) => answer.seconds));
  write(`${(big.bundle.length / 1000).toFixed(0)} kB and ${BIG.sources} sources, compared with the live release: ${best.toFixed(1)} s (${answers.map((one) => one.seconds.toFixed(1)).join(', ')}), the goal is ${GOAL_SECONDS} s on two idle cores in a release build; load ${load()}`);
  for (const check of answers[0].checks.filter((one) => one.ran && one.milliseconds >= 20)) write(`  ${check.code} ${check.milliseconds} ms`);
  let isGood = best <= GOAL_SECONDS && answers.every((one) => !one.refused);
  for (const one of SERIES) isGood = await series(tool, options, one, write) && isGood;
  write(`ci/gate-score: ${isGood ? 'all sizes are checked in time, and the time grows with the size' : 'a goal is missed'}; load ${load()}`);
  return isGood ? 0 : 1;
}

module.exports = { growth };
