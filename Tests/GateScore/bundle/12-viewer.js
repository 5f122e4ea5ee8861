// src/viewer.js
var ViewerParser = class extends BaseParser {
  constructor(context, source, domain) {
    super(context, source, domain, 50);
    this.seriesPath = "/series";
    this.apiPath = "/api/viewer/";
    this.selectSeries = ".series-list .series, .series-items li";
    this.selectEpisode = ".episode-list li, .series-episode";
    this.scrambled = false;
  }
  async getListPage(page, order, filter) {
    if (filter && filter.query) return this.search(filter.query, page);
    if (page > 1) return [];
    const html = await this.context.httpGet(this.origin + this.seriesPath, this);
    const root = this.context.parseHTML(html);
    const found = [...root.querySelectorAll(this.selectSeries)].map((node) => this.seriesFrom(node));
    return found.filter((series) => series !== null);
  }
  async search(query, page) {
    const doc = await this.documentOf(`${this.origin}/search?q=${encodeURIComponent(query)}&p=${page}`);
    const results = Array.from(doc.querySelectorAll(".search-result li, .search-item"));
    const list = [];
    for (const result of results) {
      const series = this.seriesFrom(result);
      if (series) list.push(series);
    }
    return list;
  }
  seriesFrom(node) {
    const link = node.querySelector("a");
    if (!link) return null;
    const url = this.toRelativeUrl(link.getAttribute("href"));
    const image = node.querySelector("img");
    const title = this.textOf(node, ".series-title, h2, h3");
    return new Manga({
      id: url,
      url,
      publicUrl: this.toAbsoluteUrl(url),
      coverUrl: this.imageOf(image),
      title: title || cleanTitle(image ? image.getAttribute("alt") : link.textContent),
      contentRating: ContentRating.SAFE,
      source: this.source
    });
  }
  async getDetails(manga) {
    const doc = await this.documentOf(this.toAbsoluteUrl(manga.url));
    const chapters = await this.episodes(doc, manga);
    const author = this.textOf(doc, ".series-author, .author").replace(/^\(c\)\s*/i, "");
    return new Manga({
      ...manga,
      authors: author.split("/").map((name) => name.trim()).filter(Boolean),
      description: this.textOf(doc, ".series-description, .description"),
      chapters
    });
  }
  async episodes(doc, manga) {
    const nodes = [...doc.querySelectorAll(this.selectEpisode)];
    if (nodes.length > 0) {
      return nodes.map((node, index) => this.episodeFrom(node, nodes.length - index)).filter((episode) => episode.url).reverse();
    }
    try {
      const data = await this.jsonOf(`${this.origin}${this.apiPath}episodes?series=${lastPart(manga.url)}`);
      return data.episodes.map((episode) => new MangaChapter({
        id: episode.path,
        url: episode.path,
        title: episode.title,
        number: episode.number,
        uploadDate: this.parseDate(episode.opened),
        source: this.source
      }));
    } catch (reason) {
      const name = manga.title || manga.url;
      console.warn(`no episodes of ${name}: ${reason.message}`);
      return [];
    }
  }
  episodeFrom(node, number) {
    const link = node.querySelector("a");
    const url = link ? this.toRelativeUrl(link.getAttribute("href")) : "";
    const isPaid = node.classList.contains("paid") || node.querySelector(".coin") !== null;
    const title = this.textOf(node, ".episode-title, h4") || cleanTitle(node.textContent);
    return new MangaChapter({
      id: url,
      url,
      title: isPaid ? `\u{1F512} ${title}` : title,
      number,
      uploadDate: this.parseDate(this.textOf(node, ".episode-date, time")),
      source: this.source
    });
  }
  parseDate(text) {
    if (!text) return 0;
    const match = /(\d{4})[/.-](\d{1,2})[/.-](\d{1,2})/.exec(text);
    if (match) {
      const [, year, month, day] = match;
      return Date.UTC(+year, +month - 1, +day);
    }
    const time = Date.parse(text);
    return isNaN(time) ? 0 : time;
  }
  async getPages(chapter) {
    const doc = await this.documentOf(this.toAbsoluteUrl(chapter.url), { Referer: this.origin });
    const viewer = doc.querySelector("#comici-viewer, [data-viewer-id]");
    const id = viewer ? viewer.getAttribute("data-viewer-id") : null;
    if (!id) {
      const images = [...doc.querySelectorAll(".viewer img, main img, img")];
      return images.map((image) => this.imageOf(image)).filter(Boolean).map((url) => new MangaPage({ id: url, url, source: this.source }));
    }
    const info = await this.jsonOf(`${this.origin}${this.apiPath}contents?viewer=${id}&page-to=1`);
    const total = info.totalPages || 1;
    const data = await this.jsonOf(`${this.origin}${this.apiPath}contents?viewer=${id}&page-to=${total}`);
    const pages = (data.result || []).sort((one, other) => one.sort - other.sort);
    return pages.map((page) => {
      const order = this.scrambled && page.scramble ? this.orderOf(page.scramble) : "";
      return new MangaPage({
        id: page.imageUrl,
        url: order ? `${page.imageUrl}#${order}` : page.imageUrl,
        source: this.source,
        headers: { Referer: `${this.origin}/` }
      });
    });
  }
  orderOf(text) {
    const numbers = text.replace(/[[\]\s]/g, "").split(",").map(Number);
    const order = new Array(numbers.length);
    numbers.forEach((from, to) => {
      order[from] = to;
    });
    return order.join("-");
  }
};
