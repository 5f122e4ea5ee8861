// src/reader.js
var ReaderParser = class extends BaseParser {
  constructor(context, source, domain) {
    super(context, source, domain, 20);
    this.listPath = "/manga";
    this.selectCard = ".listupd .bs .bsx, .utao .uta .imgu";
    this.selectChapter = "#chapterlist li, .bxcl li";
    this.selectImage = "#readerarea img";
    this.encodedPages = false;
  }
  async getListPage(page, order, filter = {}) {
    const doc = await this.documentOf(this.listAddress(page, order, filter));
    const cards = Array.from(doc.querySelectorAll(this.selectCard));
    return cards.map((card) => this.cardOf(card)).filter(Boolean);
  }
  listAddress(page, order, filter) {
    if (filter.query) {
      return `${this.origin}/page/${page}/?s=${encodeURIComponent(filter.query)}`;
    }
    const parts = [`page=${page}`, `order=${this.orderName(order)}`];
    for (const tag of filter.tags || []) {
      parts.push("genre[]=" + encodeURIComponent(tag.key));
    }
    return `${this.origin}${this.listPath}/?${parts.join("&")}`;
  }
  orderName(order) {
    if (order === SortOrder.ALPHABETICAL) return "title";
    if (order === SortOrder.POPULARITY) return "popular";
    if (order === SortOrder.NEWEST) return "latest";
    return "update";
  }
  cardOf(card) {
    const link = card.querySelector("a[href]");
    if (!link) return null;
    const url = this.toRelativeUrl(link.getAttribute("href"));
    return new Manga({
      id: url,
      url,
      title: cleanTitle(link.getAttribute("title") || link.textContent),
      coverUrl: this.imageOf(card.querySelector("img")),
      publicUrl: this.toAbsoluteUrl(url),
      contentRating: this.rating,
      source: this.source
    });
  }
  async getDetails(manga) {
    const doc = await this.documentOf(this.toAbsoluteUrl(manga.url));
    const rows = {};
    for (const row of doc.querySelectorAll(".tsinfo .imptdt, .infotable tr")) {
      const [name, ...rest] = row.textContent.split(":");
      rows[name.trim().toLowerCase()] = rest.join(":").trim();
    }
    const chapters = Array.from(doc.querySelectorAll(this.selectChapter)).reverse().map((row, index) => this.chapterOf(row, index));
    const author = rows.author || rows.posted || "";
    return new Manga({
      ...manga,
      title: this.textOf(doc, "h1.entry-title, h1") || manga.title,
      description: this.textOf(doc, "div.entry-content p, .desc"),
      authors: author ? author.split(",").map((name) => name.trim()) : [],
      state: this.stateNamed(rows.status),
      chapters
    });
  }
  stateNamed(text) {
    const states = { ongoing: MangaState.ONGOING, completed: MangaState.FINISHED, hiatus: MangaState.PAUSED, dropped: MangaState.ABANDONED };
    return text ? states[text.toLowerCase()] : null;
  }
  chapterOf(row, index) {
    const link = row.querySelector("a") || row;
    const url = this.toRelativeUrl(link.getAttribute("href") || "/chapter-" + index);
    const label = row.querySelector(".chapternum");
    const date = row.querySelector(".chapterdate");
    return new MangaChapter({
      id: url,
      url,
      title: cleanTitle(label ? label.textContent : link.textContent),
      number: numberIn(row.getAttribute("data-num"), index + 1),
      uploadDate: date ? Date.parse(date.textContent) || 0 : 0,
      source: this.source
    });
  }
  async getPages(chapter) {
    const html = await this.context.httpGet(this.toAbsoluteUrl(chapter.url), this, { Referer: `${this.origin}/` });
    const urls = this.scriptImages(html);
    if (urls.length > 0) return urls.map((url) => this.pageOf(url));
    const doc = this.context.parseHTML(html);
    const images = [];
    doc.querySelectorAll(this.selectImage).forEach((image) => {
      const url = this.imageOf(image);
      if (url) images.push(this.pageOf(url));
    });
    return images;
  }
  scriptImages(html) {
    const match = /ts_reader\.run\((\{.*?\})\);/s.exec(html);
    if (!match) return [];
    try {
      const data = JSON.parse(match[1]);
      const first = data.sources.find((entry) => entry.images.length > 0);
      return first ? first.images : [];
    } catch (problem) {
      const short = html.slice(0, 40);
      console.debug(`no script in ${short}: ${problem}`);
      return [];
    }
  }
  pageOf(url) {
    const address = url.replace(/^http:/, "https:");
    return new MangaPage({ id: address, url: address, source: this.source, headers: { Referer: this.origin } });
  }
};
