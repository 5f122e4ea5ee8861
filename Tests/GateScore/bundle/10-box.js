// src/box.js
var BoxParser = class extends ThemeParser {
  constructor(context, source, domain) {
    super(context, source, domain, 24);
    this.withoutAjax = true;
    this.listPath = "manga-list/";
    this.selectItem = ".list-story-item, .story_item, .list-comic-item-wrap";
    this.selectTitle = "h3 a, .item-title";
    this.selectPage = ".container-chapter-reader img";
    this.searchPath = "search/story/";
  }
  async getListPage(page, order, filter) {
    if (filter && filter.query) {
      const words = this.searchWords(filter.query);
      const doc = await this.documentOf(`https://${this.domain}/${this.searchPath}${words}?page=${page}`);
      return this.parseNodes(doc);
    }
    const html = await this.context.httpGet(`https://${this.domain}/${this.listPath}${this.sortingOf(order)}?page=${page}`, this);
    return this.parseNodes(this.context.parseHTML(html));
  }
  searchWords(query) {
    const plain = query.toLowerCase().normalize("NFD").replace(/[\u0300-\u036f]/g, "");
    return plain.replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "");
  }
  sortingOf(order) {
    const name = super.sortingOf(order);
    return name === "views" ? "hot-manga" : name === "new-manga" ? "new-manga" : "latest-manga";
  }
  parseNodes(doc) {
    const nodes = this.queryAll(doc, [this.selectItem, "div.search-story-item", "a"]);
    return nodes.map((node) => {
      const link = node.matches("a") ? node : node.querySelector("a");
      if (!link) return null;
      const url = this.toRelativeUrl(link.getAttribute("href"));
      return new Manga({
        id: url,
        url,
        title: this.textOf(node, this.selectTitle) || cleanTitle(link.textContent),
        coverUrl: this.imageOf(node.querySelector("img")),
        publicUrl: this.toAbsoluteUrl(url),
        contentRating: this.rating,
        source: this.source
      });
    }).filter(Boolean);
  }
  async getDetails(manga) {
    const details = await super.getDetails(manga);
    details.title = cleanTitle(details.title);
    details.altTitles = details.title.includes("/") ? details.title.split("/").map(cleanTitle) : [];
    return details;
  }
  parseChapters(root) {
    const rows = [...root.querySelectorAll("div.chapter-list div.row, ul.row-content-chapter li")];
    if (rows.length === 0) return super.parseChapters(root);
    return rows.reverse().map((row, index) => {
      const link = row.querySelector("a");
      const [, , date] = row.children;
      const url = this.toRelativeUrl(link ? link.getAttribute("href") : "");
      return new MangaChapter({
        id: url,
        url,
        title: link ? cleanTitle(link.textContent) : "",
        number: index + 1,
        uploadDate: date ? this.dateOf(date) : 0,
        source: this.source
      });
    }).filter((chapter) => chapter.url !== "");
  }
  async getPages(chapter) {
    const pages = await super.getPages(chapter);
    return pages.map((page) => {
      page.headers = { Referer: `https://${this.domain}/` };
      return page;
    });
  }
};
var PortalParser = class extends ArchiveParser {
  constructor(context, source, domain) {
    super(context, source, domain);
    this.archivePath = "/browse";
    this.selectEntry = ".portal-grid .card, .entry";
    this.forceWww = true;
  }
  sortParam(order) {
    return order === SortOrder.RATING ? "rating" : super.sortParam(order);
  }
  dateFrom(text) {
    const iso = /^(\d{4})-(\d{2})-(\d{2})/.exec(text || "");
    if (!iso) return super.dateFrom(text);
    return Date.UTC(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]));
  }
  async getPages(chapter) {
    const pages = await super.getPages(chapter);
    if (pages.length > 0) return pages;
    const data = await this.jsonOf(`https://${this.host}/api/chapter?path=${encodeURIComponent(chapter.url)}`);
    return (data.pages || []).map((url) => new MangaPage({ id: url, url: this.toAbsoluteUrl(url), source: this.source }));
  }
};
