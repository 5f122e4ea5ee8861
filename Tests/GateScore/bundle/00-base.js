// src/base.js
var MangaState = {
  ONGOING: "ONGOING",
  FINISHED: "FINISHED",
  ABANDONED: "ABANDONED",
  PAUSED: "PAUSED"
};
var SortOrder = {
  UPDATED: "UPDATED",
  POPULARITY: "POPULARITY",
  NEWEST: "NEWEST",
  ALPHABETICAL: "ALPHABETICAL",
  RATING: "RATING"
};
var ContentRating = {
  SAFE: "SAFE",
  ADULT: "ADULT"
};
var DESKTOP_AGENT = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/120.0.0.0 Safari/537.36";
var MAX_FOLLOWED = 4;
var MILLISECONDS = { second: 1e3, minute: 6e4, hour: 36e5, day: 864e5, week: 6048e5 };
function stampOf(token, address) {
  let hash = 1469598103n;
  const text = `${token}|${address}`;
  for (let i = 0; i < text.length; i++) {
    hash = BigInt.asIntN(64, hash * 33n + BigInt(text.charCodeAt(i)));
  }
  return hash.toString();
}
function cleanTitle(text) {
  return (text || "").replace(/\s+/g, " ").trim();
}
function numberIn(text, fallback) {
  const match = /(\d+(?:\.\d+)?)/.exec(text || "");
  return match ? parseFloat(match[1]) : fallback;
}
function withoutSlash(address) {
  return address.endsWith("/") ? address.slice(0, -1) : address;
}
function lastPart(address) {
  const clean = withoutSlash(address);
  return clean.slice(clean.lastIndexOf("/") + 1);
}
function uniqueBy(items, keyOf) {
  const seen = /* @__PURE__ */ new Set();
  return items.filter((item) => {
    const key = keyOf(item);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
var Manga = class {
  constructor(data) {
    this.id = data.id;
    this.url = data.url;
    this.publicUrl = data.publicUrl;
    this.coverUrl = data.coverUrl;
    this.title = data.title;
    this.altTitles = data.altTitles || [];
    this.tags = data.tags || [];
    this.authors = data.authors || [];
    this.state = data.state;
    this.source = data.source;
    this.contentRating = data.contentRating;
    this.description = data.description || "";
    this.chapters = data.chapters || [];
  }
};
var MangaChapter = class {
  constructor(data) {
    this.id = data.id;
    this.url = data.url;
    this.title = data.title;
    this.number = data.number;
    this.volume = data.volume || 0;
    this.branch = data.branch;
    this.uploadDate = data.uploadDate || 0;
    this.source = data.source;
  }
};
var MangaPage = class {
  constructor(data) {
    this.id = data.id;
    this.url = data.url;
    this.preview = data.preview;
    this.source = data.source;
    this.headers = data.headers || {};
  }
};
var BaseParser = class {
  constructor(context, source, domain, pageSize = 12) {
    this.context = context;
    this.source = source;
    this.domain = domain;
    this.pageSize = pageSize;
  }
  async getListPage(page, order, filter) {
    throw new Error("Not implemented");
  }
  async getDetails(manga) {
    throw new Error("Not implemented");
  }
  async getChapters(manga) {
    throw new Error("Not implemented");
  }
  async getPages(chapter) {
    throw new Error("Not implemented");
  }
  // Helpers
  get rating() {
    return this.source && this.source.isNsfw ? ContentRating.ADULT : ContentRating.SAFE;
  }
  get origin() {
    return `https://${this.domain}`;
  }
  async documentOf(url, headers) {
    const html = await this.context.httpGet(url, this, headers || {});
    return this.context.parseHTML(html);
  }
  async jsonOf(url) {
    const text = await this.context.httpGet(url, this, { Accept: "application/json" });
    return JSON.parse(text);
  }
  queryAll(root, selectors) {
    for (const selector of selectors.filter(Boolean)) {
      try {
        const found = Array.from(root.querySelectorAll(selector));
        if (found.length) return found;
      } catch {
      }
    }
    return [];
  }
  textOf(root, selector) {
    const node = root.querySelector(selector);
    return node ? cleanTitle(node.textContent) : "";
  }
  imageOf(image) {
    if (!image) return "";
    const url = image.getAttribute("data-src") || image.getAttribute("data-lazy-src") || image.getAttribute("src") || "";
    if (!url || url.startsWith("data:")) return "";
    return this.toAbsoluteUrl(url.trim());
  }
  toAbsoluteUrl(url) {
    if (!url) return "";
    if (url.startsWith("http")) return url;
    if (url.startsWith("//")) return "https:" + url;
    return new URL(url, this.origin).href;
  }
  toRelativeUrl(url) {
    if (!url) return "";
    if (!url.startsWith("http")) return url;
    try {
      const parsed = new URL(url);
      return parsed.pathname + parsed.search + parsed.hash;
    } catch {
      return url;
    }
  }
};
