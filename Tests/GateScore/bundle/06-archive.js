// src/archive.js
var ArchiveParser = class extends BaseParser {
  constructor(context, source, domain) {
    super(context, source, domain, 16);
    this.archivePath = "/archive";
    this.selectEntry = ".comics-grid .entry";
    this.selectThumb = "a.thumb";
    this.selectName = ".name a.manga-title, .name a";
    this.selectChapter = ".chapters-wrapper .chapter a";
    this.selectPage = "#page img.img-fluid, img.page-image";
    this.forceWww = false;
    this.statusLabels = { "in corso": MangaState.ONGOING, finito: MangaState.FINISHED, "in pausa": MangaState.PAUSED };
    this.monthNames = ["gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre"];
  }
  get host() {
    const bare = this.domain.replace(/^https?:\/\//, "");
    return this.forceWww && !bare.startsWith("www.") ? `www.${bare}` : bare;
  }
  requestUrl(address) {
    const relative = this.toRelativeUrl(address);
    return `https://${this.host}${relative.startsWith("/") ? "" : "/"}${relative}`;
  }
  sortParam(order) {
    switch (order) {
      case SortOrder.POPULARITY:
        return "most_read";
      case SortOrder.ALPHABETICAL:
        return "a-z";
      case SortOrder.NEWEST:
        return "newest";
      default:
        return "updated";
    }
  }
  async getListPage(page, order, filter = {}) {
    const { query = "", tags = [], states = [] } = filter;
    const isPlain = !query && tags.length === 0 && states.length === 0;
    if (order === SortOrder.UPDATED && isPlain) {
      return this.parseList(await this.documentOf(`https://${this.host}/?page=${page}`));
    }
    let url = `https://${this.host}${this.archivePath}?page=${page}`;
    if (query) url += `&keyword=${encodeURIComponent(query)}`;
    for (const tag of tags) {
      const key = tag.key || tag;
      url += `&genre=${encodeURIComponent(key)}`;
    }
    url += `&sort=${this.sortParam(order)}`;
    for (const state of states) {
      const name = this.stateParam(state);
      if (name) url += `&status=${name}`;
    }
    return this.parseList(await this.documentOf(url));
  }
  stateParam(state) {
    const names = { ONGOING: "ongoing", FINISHED: "completed", PAUSED: "paused" };
    return names[state] ?? null;
  }
  parseList(doc) {
    const list = [];
    for (const entry of this.queryAll(doc, [this.selectEntry, ".entry"])) {
      const link = entry.querySelector(this.selectThumb) || entry.querySelector("a");
      const href = link ? link.getAttribute("href") : null;
      if (!href) continue;
      const address = this.toRelativeUrl(href);
      const tags = [];
      try {
        for (const genre of entry.querySelectorAll(".genres a[href*='genre=']")) {
          const key = (genre.getAttribute("href").split("genre=")[1] || "").split("&")[0];
          tags.push({ key: decodeURIComponent(key), title: cleanTitle(genre.textContent) });
        }
      } catch (failure) {
        console.debug("genres", address, failure);
      }
      const status = this.textOf(entry, ".status a").toLowerCase();
      const author = this.textOf(entry, ".author a");
      list.push(new Manga({
        id: address,
        url: address,
        publicUrl: this.requestUrl(address),
        coverUrl: this.imageOf(entry.querySelector(".thumb img, img")),
        title: this.textOf(entry, this.selectName) || cleanTitle(link.textContent),
        tags,
        state: this.statusLabels[status] || null,
        authors: author ? [author] : [],
        contentRating: this.rating,
        source: this.source
      }));
    }
    return list;
  }
  async getDetails(manga) {
    const doc = await this.documentOf(this.requestUrl(manga.url));
    const links = this.queryAll(doc, [this.selectChapter, ".chapter a"]);
    const count = links.length;
    const chapters = links.map((link, index) => {
      const address = this.toRelativeUrl(link.getAttribute("href"));
      const title = this.textOf(link, "span.d-inline-block") || cleanTitle(link.textContent);
      return new MangaChapter({
        id: address,
        url: `${address}?style=list`,
        title,
        number: numberIn(title, count - index),
        uploadDate: this.dateFrom(this.textOf(link, ".chap-date")),
        source: this.source
      });
    });
    return new Manga({
      ...manga,
      altTitles: this.otherTitles(doc),
      description: this.textOf(doc, "#noidungm"),
      chapters: chapters.reverse()
    });
  }
  otherTitles(doc) {
    for (const label of doc.querySelectorAll(".meta-data .font-weight-bold")) {
      if (!label.textContent.includes("Titoli alternativi")) continue;
      const parent = label.parentElement;
      if (!parent) break;
      return parent.textContent.replace(label.textContent, "").split(",").map((title) => title.trim()).filter(Boolean);
    }
    return [];
  }
  dateFrom(text) {
    if (!text) return 0;
    const match = /(\d{1,2})\s+([a-z]+)\s+(\d{4})/.exec(text.trim().toLowerCase());
    if (!match) return 0;
    const month = this.monthNames.indexOf(match[2]);
    if (month < 0) return 0;
    return Date.UTC(parseInt(match[3], 10), month, parseInt(match[1], 10));
  }
  async getPages(chapter) {
    const doc = await this.documentOf(this.requestUrl(chapter.url));
    const images = this.queryAll(doc, [this.selectPage, "img.img-fluid"]);
    const urls = [];
    for (let i = 0; i < images.length; i++) {
      const url = this.imageOf(images[i]);
      if (url) urls.push(url);
    }
    return urls.map((url, index) => new MangaPage({ id: `${chapter.url}#${index}`, url, source: this.source }));
  }
};
