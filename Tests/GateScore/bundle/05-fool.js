// src/fool.js
var FoolParser = class extends BaseParser {
  constructor(context, source, domain) {
    super(context, source, domain, 25);
    this.path = "directory/";
    this.selectGroup = "div.list div.group, div.list div.title";
    this.selectElement = "div.list div.element";
    this.adultBody = "adult=true";
  }
  async getListPage(page, order, filter) {
    const query = filter?.query;
    const base = `https://${this.domain}/`;
    const html = query ? await this.context.httpPost(base + "search/", `search=${encodeURIComponent(query)}`, { "Content-Type": "application/x-www-form-urlencoded" }, this) : await this.context.httpGet(`${base}${order === SortOrder.UPDATED ? "latest/" : this.path}${page}/`, this);
    const doc = this.context.parseHTML(html);
    return uniqueBy([...doc.querySelectorAll(this.selectGroup)].map((group) => this.groupOf(group)).filter((manga) => manga !== null), (manga) => manga.url);
  }
  groupOf(group) {
    const link = group.querySelector(".title a, a");
    if (!link) return null;
    const url = this.toRelativeUrl(link.href || link.getAttribute("href"));
    const image = group.querySelector("img");
    return new Manga({
      id: url,
      url,
      publicUrl: this.toAbsoluteUrl(url),
      title: cleanTitle(link.title || link.textContent),
      coverUrl: image ? this.imageOf(image) : "",
      source: this.source,
      contentRating: this.rating
    });
  }
  async adultDocument(url) {
    const html = await this.context.httpPost(this.toAbsoluteUrl(url), this.adultBody, {}, this);
    return this.context.parseHTML(html);
  }
  async getDetails(manga) {
    let doc = await this.documentOf(this.toAbsoluteUrl(manga.url));
    if (doc.querySelector("form input[name=adult]")) {
      doc = await this.adultDocument(manga.url);
    }
    const info = this.textOf(doc, "div.info");
    const description = info.includes("Synopsis:") ? info.slice(info.indexOf("Synopsis:") + 9).trim() : info;
    const author = /Author:\s*([^:]+?)(?:\s+\w+:|$)/.exec(info);
    const elements = [...doc.querySelectorAll(this.selectElement)].reverse();
    return new Manga({
      ...manga,
      description,
      authors: author ? [author[1]] : [],
      chapters: elements.map((element, index) => this.elementOf(element, index)).filter(Boolean)
    });
  }
  elementOf(element, index) {
    const link = element.querySelector(".title a, a");
    if (!link) return null;
    const url = this.toRelativeUrl(link.getAttribute("href"));
    const meta = this.textOf(element, ".meta_r");
    const date = meta.split(",").pop().trim();
    return new MangaChapter({
      id: url,
      url,
      title: cleanTitle(link.textContent),
      number: index + 1,
      uploadDate: this.dayOf(date),
      source: this.source
    });
  }
  dayOf(text) {
    const today = /* @__PURE__ */ new Date();
    if (text === "Today") return today.getTime();
    if (text === "Yesterday") return today.getTime() - MILLISECONDS.day;
    const parts = /^(\d{4})\.(\d{2})\.(\d{2})$/.exec(text);
    if (!parts) return 0;
    return Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]));
  }
  async getPages(chapter) {
    const doc = await this.adultDocument(chapter.url);
    const script = [...doc.querySelectorAll("script")].map((node) => node.textContent).find((text) => text.includes("var pages"));
    if (!script) return this.plainPages(doc);
    const encoded = /atob\("([^"]+)"\)/.exec(script);
    let pages = [];
    try {
      const text = encoded ? this.decodeText(encoded[1]) : script.slice(script.indexOf("["), script.lastIndexOf("]") + 1);
      pages = JSON.parse(text);
    } catch (error) {
      throw new Error(`pages of ${chapter.url} cannot be read: ${error.message}`);
    }
    return pages.map((page) => new MangaPage({ id: page.url, url: page.url, preview: page.thumb_url, source: this.source }));
  }
  decodeText(encoded) {
    const binary = atob(encoded);
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8").decode(bytes);
  }
  plainPages(doc) {
    const pages = [];
    for (const image of doc.querySelectorAll("#page img, .inner img")) {
      const url = this.imageOf(image);
      if (!url) continue;
      pages.push(new MangaPage({ id: url, url, source: this.source }));
    }
    return pages;
  }
};
