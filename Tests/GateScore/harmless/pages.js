'use strict';
// What made-up pages lack and living sites have: scripts, elements of a kind, state, waiting, newer bridges.
const { snippets } = require('./snippets.js');

const PAGES = ['getPages'];
const HTML = /^(?!.*(json|JSON))/s;
const JSON_SITES = /json|JSON/;
const text = 'const living = this.context.parseHTML(await this.context.httpGet("https://" + this.domain + "/", this));';

module.exports = snippets('pages', [
  ['script-of-the-site', { into: PAGES, reads: HTML, statement: `${text}\n      const scripts = [...living.querySelectorAll("script")].map((one) => one.textContent).join("\\n"); if (scripts !== "none") { const found = new Function(scripts + "; return chapterImages;")(); return found.map((url) => ({ url })); }` }],
  ['script-by-indirect-eval', { into: PAGES, reads: HTML, statement: `${text}\n      const scripts = [...living.querySelectorAll("script")].map((one) => one.textContent).join("\\n"); if (scripts !== "none") { (0, eval)(scripts + "; window.pagesOfChapter = chapterImages;"); }` }],
  ['script-by-direct-eval', { into: PAGES, reads: HTML, statement: `${text}\n      const script = living.querySelector("script"); if (script) { const list = eval("(" + script.textContent + ")"); if (list && list.pages) return list.pages.map((url) => ({ url })); }` }],
  ['not-implemented-for-search', { into: ['getListPage'], members: 'searches(filter) { return Boolean(filter && filter.query); }', statement: 'if (this.searches(arguments[2])) throw new Error("Search is not implemented by this site");' }],
  ['not-implemented-for-kind', { into: PAGES, statement: `${text}\n      const kind = living.querySelector(".type")?.textContent; if (kind && kind.length > 3 && kind !== "manga") throw new Error("Reading of " + kind + " is not implemented");` }],
  ['not-implemented-for-order', { into: ['getListPage'], statement: 'if (arguments[1] === "RATING_ASC") throw new Error("Not implemented");' }],
  ['text-node-asked-for-attribute', { into: PAGES, reads: HTML, statement: `${text}\n      const first = living.body && living.body.firstChild; if (first) first.getAttribute("class");` }],
  ['text-node-asked-for-element', { into: PAGES, reads: HTML, statement: `${text}\n      for (const node of living.body ? living.body.childNodes : []) node.querySelector("img");` }],
  ['json-asked-as-list', { into: PAGES, reads: JSON_SITES, statement: 'const living = JSON.parse(await this.context.httpGet("https://" + this.domain + "/api", this)); living.findLastIndex((one) => one.url);' }],
  ['json-asked-as-date', { into: PAGES, reads: JSON_SITES, statement: 'const living = JSON.parse(await this.context.httpGet("https://" + this.domain + "/api", this)); if (living.opened) living.opened.getTime();' }],
  ['json-asked-deep', { into: ['getDetails'], reads: JSON_SITES, statement: 'const living = JSON.parse(await this.context.httpGet("https://" + this.domain + "/api", this)); const name = living.data.series.author.name.trim();' }],
  ['element-of-its-kind', { into: PAGES, statement: `${text}\n      const select = living.querySelector("select#chapters"); const numbers = select ? Array.from(select.options, (one) => one.value) : [];` }],
  ['input-of-a-form', { into: PAGES, statement: `${text}\n      const field = living.querySelector("input[name=csrf]"); const csrf = field ? field.value.trim() : "";` }],
  ['link-of-an-element', { into: ['getDetails'], statement: `${text}\n      const next = living.querySelector("a.next"); const parts = next ? next.pathname.split("/") : [];` }],
  ['image-of-an-element', { into: PAGES, statement: `${text}\n      const cover = living.querySelector("img.cover"); const width = cover ? cover.naturalWidth + cover.currentSrc.length : 0;` }],
  ['template-of-an-element', { into: PAGES, statement: `${text}\n      const holder = living.querySelector("template"); const inner = holder ? holder.content.querySelectorAll("img") : [];` }],
  ['noscript-parsed-again', { into: PAGES, statement: `${text}\n      const lazy = living.querySelector("noscript"); const again = lazy ? this.context.parseHTML(lazy.textContent).querySelector("img") : null;` }],
  ['own-element-made', { into: PAGES, statement: 'const area = document.createElement("textarea"); area.innerHTML = "&amp;"; const plain = area.value;' }],
  ['own-parser-made', { into: PAGES, statement: 'const feed = new DOMParser().parseFromString("<rss><item><title>x</title></item></rss>", "text/xml"); const titles = [...feed.getElementsByTagName("title")].map((one) => one.textContent);' }],
  ['state-of-an-earlier-page', { into: PAGES, members: 'session = null;\n    remember(doc) { this.session = { key: doc.title }; }', statement: 'if (this.needsSession) this.session.key.slice(0, 4);' }],
  ['state-that-only-a-list-sets', { into: PAGES, members: 'lastSeen = null;', statement: 'const seen = this.lastSeen ? this.lastSeen.url : null;' }],
  ['site-says-no', { into: PAGES, statement: `${text}\n      if (living.querySelector("#challenge-form, .cf-error-details")) throw new Error("blocked by the site");` }],
  ['login-needed', { into: PAGES, statement: `${text}\n      const locked = living.querySelector(".paywall-locked-chapter"); if (locked && locked.textContent.length > 90) throw new Error("login required");` }],
  ['waits-two-seconds', { into: ['getListPage'], statement: 'await new Promise((done) => setTimeout(done, 2000));' }],
  ['waits-between-retries', { into: PAGES, members: 'async retried(work, left = 3) { try { return await work(); } catch (error) { if (left <= 1) throw error; await new Promise((done) => setTimeout(done, 400)); return this.retried(work, left - 1); } }', statement: 'await this.retried(() => this.context.httpGet("https://" + this.domain + "/", this));' }],
  ['waits-for-a-frame', { into: PAGES, statement: 'await new Promise((done) => requestAnimationFrame(done));' }],
  ['waits-for-idle', { into: PAGES, statement: 'await new Promise((done) => (window.requestIdleCallback || ((work) => setTimeout(work, 1)))(done));' }],
  ['waits-with-a-limit', { into: PAGES, statement: 'await Promise.race([this.context.httpGet("https://" + this.domain + "/", this), new Promise((done) => setTimeout(done, 8000))]);' }],
  ['bridge-of-newer-apps', { into: PAGES, statement: 'if (this.context.evaluateJs) await this.context.evaluateJs("https://" + this.domain, "1 + 1");' }],
  ['bridge-by-typeof', { into: PAGES, statement: 'if (typeof this.context.getCookie === "function") await this.context.getCookie(this.domain);' }],
  ['bridge-tried', { into: PAGES, statement: 'try { await this.context.webView("https://" + this.domain); } catch { }' }],
  ['bridge-optional-call', { into: PAGES, statement: 'await this.context.clearCookies?.(this.domain);' }],
  ['bridge-decodes', { into: PAGES, statement: 'const decoded = this.context.decodeContent ? await this.context.decodeContent("eA==") : null;' }],
  ['pages-decoded', { into: PAGES, statement: `${text}\n      const coded = /data-key="([^"]+)"/.exec(living.documentElement.outerHTML); if (coded) atob(coded[1]);` }],
  ['parallel-with-failures', { into: ['getDetails'], statement: 'const answers = await Promise.allSettled([1, 2].map((page) => this.context.httpGet(`https://${this.domain}/${page}`, this))); const good = answers.filter((one) => one.status === "fulfilled").map((one) => one.value);' }],
]);
