'use strict';
// Runs the check on mutants, several at a time, and says of each what became of it.
const fs = require('fs');
const os = require('os');
const path = require('path');
const { spawn, spawnSync } = require('child_process');

const SECONDS = 180;

// A feed whose live release is the bundle without a change.
class Bench {
  constructor(tool, bundle, sources, options = []) {
    Object.assign(this, { tool, bundle, sources, options });
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gate-score-'));
    this.feed = path.join(this.folder, 'feed');
    this.count = 0;
  }

  open() {
    const { folder } = this;
    fs.writeFileSync(path.join(folder, 'live.js'), this.bundle);
    fs.writeFileSync(path.join(folder, 'live.json'), this.sources);
    this.must(['init', '--feed', this.feed, '--checksums-only', '-q']);
    this.must(['publish', '--feed', this.feed, '--bundle', path.join(folder, 'live.js'), '--sources', path.join(folder, 'live.json'), '-q', ...this.options]);
  }

  must(words) {
    const done = spawnSync(this.tool, words, { encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`parser-ota ${words[0]} ended ${done.status}: ${done.error || done.stderr}${done.stdout}`);
  }

  close() { fs.rmSync(this.folder, { recursive: true, force: true }); }

  // What the check says of two files, and how long it took.
  check(bundle, sources, options = [], isCompared = true) {
    const folder = path.join(this.folder, String(this.count++));
    fs.mkdirSync(folder);
    fs.writeFileSync(path.join(folder, 'bundle.js'), bundle);
    fs.writeFileSync(path.join(folder, 'sources.json'), sources);
    const words = ['check', '--bundle', path.join(folder, 'bundle.js'), '--sources', path.join(folder, 'sources.json'), '--json',
      ...(isCompared ? ['--against', this.feed] : []), ...this.options, ...options];
    return new Promise((done) => {
      const begun = process.hrtime.bigint();
      const child = spawn(this.tool, words, { stdio: ['ignore', 'pipe', 'pipe'] });
      const parts = { stdout: '', stderr: '' };
      for (const name of Object.keys(parts)) child[name].on('data', (data) => { parts[name] += data; });
      const timer = setTimeout(() => child.kill('SIGKILL'), SECONDS * 1000);
      child.on('close', (status) => {
        clearTimeout(timer);
        fs.rmSync(folder, { recursive: true, force: true });
        done({ ...answerOf(parts, status), seconds: Number(process.hrtime.bigint() - begun) / 1e9 });
      });
    });
  }
}

function answerOf(parts, status) {
  let answer = null;
  try { answer = JSON.parse(parts.stdout); } catch { /* An answer that is none is told as what the tool wrote. */ }
  if (answer && Array.isArray(answer.findings)) return { refused: answer.refused, findings: answer.findings, checks: answer.checks, status };
  return { refused: status !== 0, findings: [], checks: [], status, broken: (parts.stderr || parts.stdout).slice(0, 400) || `ended ${status}` };
}

const keyOf = (finding) => `${finding.code} ${finding.message.replace(/\d+/g, '#')} ${finding.sources.join(' ')}`;

// Errors and warnings that the bundle without a change does not have; notes are no alarm.
function newFindings(answer, before) {
  const known = new Set(before.findings.map(keyOf));
  return answer.findings.filter((finding) => finding.severity !== 'note' && !known.has(keyOf(finding)));
}

// Whether a finding names a right line of the bundle or of the catalog file.
function namesPlace(finding, mutant) {
  const name = path.basename(finding.file || '');
  const lines = name === 'sources.json' ? mutant.sourceLines : mutant.lines;
  return Boolean(lines && finding.line !== null && lines.includes(finding.line));
}

// What became of one mutant: `refused`, `warned` or `missed`, and whether the right line was named.
function verdictOf(mutant, answer, before) {
  const findings = newFindings(answer, before);
  const refuses = findings.some((finding) => finding.refuses) || Boolean(answer.broken);
  const hasLine = mutant.lines !== null && (mutant.lines.length > 0 || mutant.sourceLines.length > 0);
  return {
    id: mutant.id, kind: mutant.kind, group: mutant.group, site: mutant.site, what: mutant.what,
    verdict: refuses ? 'refused' : findings.length > 0 ? 'warned' : 'missed',
    line: hasLine ? findings.some((finding) => namesPlace(finding, mutant)) : null,
    lines: mutant.lines, seconds: answer.seconds, broken: answer.broken,
    findings: findings.map((finding) => ({ code: finding.code, severity: finding.severity, refuses: finding.refuses, message: finding.message, file: path.basename(finding.file || ''), line: finding.line })),
  };
}

// Runs all mutants, so many at a time, and tells each verdict when it is there.
async function run(bench, mutants, { jobs, tell, engines }) {
  const before = await bench.check(`${bench.bundle}// nothing changed\n`, bench.sources);
  if (before.broken) throw new Error(`the bundle without a change cannot be checked: ${before.broken}`);
  const results = new Array(mutants.length);
  let next = 0;
  const worker = async () => {
    while (next < mutants.length) {
      const at = next++;
      const mutant = mutants[at];
      const answer = await bench.check(mutant.bundle, mutant.sources, mutant.engines ? engines : []);
      results[at] = verdictOf(mutant, answer, before);
      tell(results[at], at + 1);
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return { before, results };
}

module.exports = { Bench, run, newFindings, namesPlace };
