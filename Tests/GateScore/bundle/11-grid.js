// src/grid.js
var GridParser = class extends BaseParser {
  constructor(context, source, domain) {
    super(context, source, domain, 30);
    this.languages = ["en"];
    this.tokenPath = "/token";
    this.token = null;
    this.selectCell = ".grid .cell, .unit";
  }
  async signedUrl(path, params) {
    if (!this.token) this.token = await this.fetchToken();
    const query = new URLSearchParams({ ...params, token: this.token });
    return `https://${this.domain}${path}?${query}`;
  }
  async fetchToken() {
    try {
      const answer = await this.context.httpGet(`https://${this.domain}${this.tokenPath}`, this);
      const match = /"token"\s*:\s*"([^"]+)"/.exec(answer);
      return match ? match[1] : "guest";
    } catch (error) {
      console.warn(`token of ${this.domain}: ${error}`);
      return "guest";
    }
  }
  *cellsOf(doc) {
    for (const cell of doc.querySelectorAll(this.selectCell)) {
      const link = cell.querySelector("a[href]");
      if (link) yield { cell, link };
    }
  }
  async getListPage(page, order, filter) {
    const params = { page: String(page), sort: this.sortOf(order) };
    if (filter && filter.query) params.keyword = filter.query;
    const html = await this.context.httpGet(await this.signedUrl("/filter", params), this);
    const doc = this.context.parseHTML(html);
    const list = [];
    for (const { cell, link } of this.cellsOf(doc)) {
      const url = this.toRelativeUrl(link.getAttribute("href"));
      const flag = cell.querySelector("[data-lang]");
      const language = flag ? flag.getAttribute("data-lang") : "en";
      if (!this.languages.includes(language)) continue;
      list.push(new Manga({
        id: url,
        url,
        publicUrl: this.toAbsoluteUrl(url),
        coverUrl: this.imageOf(cell.querySelector("img")),
        title: cleanTitle(link.textContent),
        contentRating: this.rating,
        source: this.source
      }));
    }
    return list;
  }
  sortOf(order) {
    return { [SortOrder.UPDATED]: "recently_updated", [SortOrder.NEWEST]: "recently_added", [SortOrder.RATING]: "scores" }[order] || "most_viewed";
  }
  async getDetails(manga) {
    const doc = await this.documentOf(this.toAbsoluteUrl(manga.url));
    const id = this.idOf(manga.url);
    const branches = await Promise.all(this.languages.map((language) => this.branch(doc, id, language)));
    const genres = [...doc.querySelectorAll(".meta a[href*='/genre/']")];
    return new Manga({
      ...manga,
      description: this.textOf(doc, ".description, #synopsis"),
      tags: genres.map((genre) => ({ key: lastPart(genre.getAttribute("href")), title: genre.textContent.trim() })),
      chapters: branches.flat().sort((one, other) => one.number - other.number)
    });
  }
  idOf(url) {
    const part = lastPart(url);
    const dot = part.lastIndexOf(".");
    return dot >= 0 ? part.substring(dot + 1) : part;
  }
  async branch(doc, id, language) {
    const list = doc.querySelector(`.list-body[data-name="${language}"]`) || doc;
    const items = [...list.querySelectorAll("li.item, ul.chapters li")];
    if (items.length === 0) return this.remoteBranch(id, language);
    return items.map((item, index) => {
      const link = item.querySelector("a");
      const url = this.toRelativeUrl(link?.getAttribute("href") ?? "");
      return this.branchChapter(url, item.textContent, Number(item.getAttribute("data-number")) || index + 1, language);
    }).filter((chapter) => chapter.url);
  }
  async remoteBranch(id, language) {
    const address = await this.signedUrl(`/ajax/manga/${id}/chapter/${language}`, {});
    const answer = JSON.parse(await this.context.httpGet(address, this));
    const rows = Object.values(answer.result || {});
    return rows.map((row) => this.branchChapter(row.url, row.title, Number(row.number), language));
  }
  branchChapter(url, text, number, language) {
    const title = cleanTitle(text) || `Chapter ${number}`;
    return new MangaChapter({ id: `${url}#${language}`, url, title, number, branch: language, source: this.source });
  }
  async getPages(chapter) {
    const address = await this.signedUrl(`/ajax/read/${lastPart(chapter.url)}`, {});
    const text = await this.context.httpGet(address, this);
    let images = [];
    try {
      images = JSON.parse(text).result.images;
    } catch {
      const doc = this.context.parseHTML(text);
      images = [...doc.querySelectorAll("img")].map((image, index) => [this.imageOf(image), index, 0]);
    }
    return images.filter(([url]) => Boolean(url)).map(([url, , offset], index) => new MangaPage({
      id: `${chapter.url}/${index}`,
      url,
      preview: offset > 0 ? `${url}#scrambled_${offset}` : null,
      source: this.source
    }));
  }
};
