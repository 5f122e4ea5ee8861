// Says what calls gave: a part of the script that the gate runs in the page. It gives shapes, never content, so that what
// thousands of calls gave fits into one answer.

function isPromise(value) {
  if (value === null || typeof value !== 'object' || isGenerous(value)) return false;
  return value instanceof PagePromise || typeof value.then === 'function';
}

// The form of one value, in one word.
function formOf(value) {
  if (value === undefined) return 'undefined';
  if (value === null) return 'null';
  if (isGenerous(value)) return 'any';
  if (isPromise(value)) return 'promise';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'string': return formOfText(value);
    case 'number': return Number.isFinite(value) ? 'number' : 'NaN';
    case 'object': return value instanceof PageNode ? 'node' : 'object';
    default: return typeof value;
  }
}
function formOfText(text) {
  if (text.trim() === '') return 'empty';
  if (/\bundefined\b|\bNaN\b|\[object |\$\{/.test(text)) return 'garbled';
  if (/^(https?:)?\/\//i.test(text)) return 'absolute';
  return text.startsWith('/') ? 'relative' : 'text';
}

// What the calls of one method of one source gave, all taken together.
class Shape {
  constructor() { this.kinds = new Set(); this.most = -1; this.fields = new Map(); this.chapters = null; this.named = new Map(); }
  note(value, isList) {
    this.kinds.add(formOf(value));
    if (isGenerous(value)) return;
    if (isList) this.list(value); else if (value !== null && typeof value === 'object' && !Array.isArray(value)) this.details(value);
  }
  list(value) {
    if (!Array.isArray(value)) return;
    this.most = Math.max(this.most, value.length);
    for (let index = 0; index < Math.min(value.length, 8); index += 1) {
      const item = value[index];
      if (item === null || typeof item !== 'object' || isGenerous(item) || isPromise(item) || Array.isArray(item) || item instanceof PageNode) {
        this.field('', formOf(item));
      } else {
        this.field('', 'object');
        this.members(item);
        if (typeof item.url === 'string' && item.id !== undefined && this.named.size < 2) this.named.set(item.url.slice(0, 200), String(item.id).slice(0, 200));
      }
    }
  }
  details(value) {
    if (isPromise(value)) return;
    this.members(value);
    if (Array.isArray(value.chapters)) {
      this.chapters = this.chapters || new Shape();
      this.chapters.list(value.chapters);
    }
  }
  members(object) {
    for (const name of Object.keys(object).slice(0, 64)) {
      if (name !== 'source') this.field(name, formOf(object[name]));
    }
  }
  field(name, form) {
    const forms = this.fields.get(name);
    if (forms) forms.add(form); else this.fields.set(name, new Set([form]));
  }
  toJSON() {
    const fields = {};
    for (const [name, forms] of [...this.fields].sort()) fields[name] = [...forms].sort();
    const shape = { kinds: [...this.kinds].sort(), most: this.most, fields };
    if (this.chapters) shape.chapters = this.chapters.toJSON();
    return shape;
  }
}

// The shapes of all sources; those that are the same are told once.
class Shapes {
  constructor() { this.byKey = new Map(); this.ids = []; }
  finish(source, method, shape) {
    const told = shape.toJSON();
    const key = `${method} ${JSON.stringify(told)}`;
    const entry = this.byKey.get(key);
    if (entry) entry.sources.push(source); else this.byKey.set(key, { method, shape: told, sources: [source] });
    for (const [part, named] of [[method, shape.named], ['chapters', shape.chapters ? shape.chapters.named : new Map()]]) {
      for (const [url, id] of named) this.ids.push([source, part, url, id]);
    }
  }
  get list() { return [...this.byKey.values()]; }
}

// MARK: Requests

const PRIVATE_HOST = /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|0\.0\.0\.0|\[)|\.(local|localhost|test|internal|lan)$|^[^.]+$/i;
const STAGING_HOST = /(^|[.-])(staging|stage|dev|test|local|preprod|sandbox)[.-]/i;

// What is wrong with an address that is asked for; '' when nothing is.
function faultOfAddress(text, domain) {
  if (/\$\{/.test(text) || /%7B.*%7D/i.test(text) && /%24%7B/i.test(text)) return 'template';
  if (/\[object |%5Bobject%20/i.test(text)) return 'object';
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text)) return 'relative';
  let url;
  try { url = new URL(text); } catch { return 'malformed'; }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'scheme';
  if (/^https?:\/\/https?[:/]|^https?:\/{3,}|^https?:[^/]/i.test(text)) return 'malformed';
  if (/(^|\.)(undefined|null|nan)(\.|$)/i.test(url.hostname)) return 'undefined-host';
  if (url.host !== domain) {
    if (PRIVATE_HOST.test(url.hostname)) return 'private';
    if (STAGING_HOST.test(url.hostname)) return 'staging';
  }
  return /\bundefined\b|\bNaN\b/.test(text) ? 'undefined' : '';
}

class Requests {
  constructor() { this.places = new Map(); this.hosts = new Map(); }
  note(call, url, place) {
    const text = String(url);
    call.requests += 1;
    const fault = isSampleText(text) ? '' : faultOfAddress(text, call.domain);
    const key = `${place.line}:${place.column}:${call.family}`;
    let entry = this.places.get(key);
    if (!entry) {
      entry = { ...place, good: 0, faults: new Map() };
      this.places.set(key, entry);
    }
    if (fault === '') entry.good += 1; else this.fault(entry, fault, text, call);
    this.host(text, call, place);
  }
  fault(entry, fault, text, call) {
    let told = entry.faults.get(fault);
    // Only addresses that came before any page are the code's alone.
    if (!told) {
      told = { fault, url: text.slice(0, 200), method: call.method, sources: new Set(), isFirst: false };
      entry.faults.set(fault, told);
    }
    told.sources.add(call.source);
    if (call.requests === 1) told.isFirst = true;
  }
  host(text, call, place) {
    let host;
    try { host = new URL(text).host; } catch { return; }
    const domain = call.domain;
    // Addresses of made-up things may grow onto the domain.
    if (host.startsWith(domain) || host === '' || host.endsWith(`.${domain}`) || domain.endsWith(`.${host}`)) return;
    const entry = this.hosts.get(host) || { host, ...place, method: call.method, sources: new Set() };
    entry.sources.add(call.source);
    this.hosts.set(host, entry);
  }
  toJSON() {
    const faults = [];
    for (const { line, column, good, faults: found } of this.places.values()) {
      for (const told of found.values()) faults.push({ ...told, line, column, good, sources: [...told.sources] });
    }
    return { faults, hosts: [...this.hosts.values()].map((entry) => ({ ...entry, sources: [...entry.sources] })) };
  }
}
