// Where a place of the bundle stands in the sources that it was built from, when the bundle says so.
'use strict';

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const values = new Map([...digits].map((digit, index) => [digit, index]));

class SourceMap {
  /** @param beside the text of the map file beside the bundle; null when there is none. */
  constructor(text, beside) {
    this.text = text;
    this.beside = beside;
  }

  /** The source file, line and column, all from 1; undefined when it is not known. */
  place(line, column) {
    this.map ??= this.read();
    const segments = this.map.lines[line - 1];
    let found;
    for (const segment of segments ?? []) {
      if (segment.column > column - 1) break;
      if (segment.source !== undefined) found = segment;
    }
    if (!found) return undefined;
    return { file: this.map.sources[found.source], line: found.line + 1, column: found.sourceColumn + 1 };
  }

  /** A map that cannot be read is none: it only helps people to find a place. */
  read() {
    const none = { sources: [], lines: [] };
    const inline = /\/\/[#@] sourceMappingURL=data:application\/json[^,]*?(;base64)?,(\S+)\s*$/.exec(this.text.slice(-8_000_000));
    try {
      const text = inline ? inline[1] ? Buffer.from(inline[2], 'base64').toString('utf8') : decodeURIComponent(inline[2]) : this.beside;
      if (!text) return none;
      const map = JSON.parse(text);
      if (map.sections || typeof map.mappings !== 'string' || !Array.isArray(map.sources)) return none;
      const root = map.sourceRoot ? `${String(map.sourceRoot).replace(/\/$/, '')}/` : '';
      return { sources: map.sources.map((source) => `${root}${source}`.slice(0, 300)), lines: lines(map.mappings) };
    } catch {
      return none;
    }
  }
}

function lines(mappings) {
  const state = [0, 0, 0, 0];
  return mappings.split(';').map((line) => {
    state[0] = 0;
    return line.split(',').filter(Boolean).map((text) => {
      const numbers = decode(text);
      for (let index = 0; index < Math.min(4, numbers.length); index += 1) state[index] += numbers[index];
      const segment = { column: state[0] };
      if (numbers.length >= 4) [segment.source, segment.line, segment.sourceColumn] = [state[1], state[2], state[3]];
      return segment;
    });
  });
}

function decode(text) {
  const numbers = [];
  let value = 0, shift = 0;
  for (const digit of text) {
    const bits = values.get(digit);
    if (bits === undefined) throw new Error('no base64 digit');
    value += (bits & 31) * 2 ** shift;
    shift += 5;
    if (bits & 32) continue;
    numbers.push(value & 1 ? -Math.floor(value / 2) : Math.floor(value / 2));
    value = 0;
    shift = 0;
  }
  return numbers;
}

module.exports = { SourceMap };
