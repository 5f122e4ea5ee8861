// src/theme.js
var ThemeParser = class extends BaseParser {
  constructor(context, source, domain, pageSize = 12) {
    super(context, source, domain, pageSize);
    this.listPath = "manga/";
    this.tagPrefix = "manga-genre/";
    this.stylePage = "?style=list";
    this.withoutAjax = false;
    this.postChapters = false;
    this.selectItem = "div.row.c-tabs-item__content, div.page-item-detail";
    this.selectTitle = "h3, h4, .manga-name, .post-title";
    this.selectDescription = "div.description-summary div.summary__content, .post-content_item p";
    this.selectPage = "div.page-break img, div.reading-content img";
    this.ongoing = /* @__PURE__ */ new Set(["ongoing", "en curso", "em andamento", "in corso", "updating"]);
    this.finished = /* @__PURE__ */ new Set(["completed", "completo", "finalizado", "completata", "end"]);
    this.paused = /* @__PURE__ */ new Set(["hiatus", "on hold", "pausado", "en pause"]);
  }
  async getListPage(page, order, filter) {
    const query = filter && filter.query ? filter.query : "";
    if (this.withoutAjax) {
      let url = `https://${this.domain}/${this.listPath}`;
      if (page > 1) url += `page/${page}/`;
      url += `?s=${encodeURIComponent(query)}&post_type=wp-manga`;
      const sorting = this.sortingOf(order);
      if (sorting) url += `&m_orderby=${sorting}`;
      const html2 = await this.context.httpGet(url, this);
      return this.parseList(html2);
    }
    const params = new URLSearchParams();
    params.append("action", "madara_load_more");
    params.append("page", String(page - 1));
    params.append("vars[s]", query);
    params.append("vars[post_type]", "wp-manga");
    if (order === SortOrder.POPULARITY) {
      params.append("vars[meta_key]", "_wp_manga_views");
      params.append("vars[order]", "desc");
    } else if (order === SortOrder.UPDATED) {
      params.append("vars[meta_key]", "_latest_update");
    }
    const address = `https://${this.domain}/wp-admin/admin-ajax.php`;
    const html = await this.context.httpPost(address, params.toString(), { "User-Agent": DESKTOP_AGENT }, this);
    return this.parseList(html);
  }
  sortingOf(order) {
    switch (order) {
      case SortOrder.POPULARITY:
        return "views";
      case SortOrder.UPDATED:
        return "latest";
      case SortOrder.NEWEST:
        return "new-manga";
      case SortOrder.RATING:
        return "rating";
      default:
        return "";
    }
  }
  parseList(html) {
    const doc = this.context.parseHTML(html);
    const list = [];
    for (const node of doc.querySelectorAll(this.selectItem)) {
      const link = node.querySelector("a");
      if (!link) continue;
      const address = this.toRelativeUrl(link.getAttribute("href"));
      const heading = node.querySelector(this.selectTitle);
      const image = node.querySelector("img");
      list.push(new Manga({
        id: address,
        url: address,
        publicUrl: this.toAbsoluteUrl(address),
        coverUrl: this.imageOf(image),
        title: heading ? heading.textContent.trim() : "",
        source: this.source,
        contentRating: this.rating
      }));
    }
    return list;
  }
  async getDetails(manga) {
    const doc = await this.documentOf(this.toAbsoluteUrl(manga.url));
    const title = doc.querySelector("h1")?.textContent?.trim() || manga.title;
    const summary = doc.querySelector(this.selectDescription);
    const chapters = await this.loadChapters(manga, doc);
    const authors = Array.from(doc.querySelectorAll("div.author-content > a")).map((link) => cleanTitle(link.textContent));
    return new Manga({
      ...manga,
      title,
      authors,
      state: this.stateOf(doc),
      tags: this.tagsOf(doc),
      description: summary ? summary.innerHTML : "",
      chapters
    });
  }
  stateOf(doc) {
    const label = this.textOf(doc, "div.post-status div.summary-content, div.tags_wrap").toLowerCase();
    if (this.ongoing.has(label)) return MangaState.ONGOING;
    if (this.finished.has(label)) return MangaState.FINISHED;
    if (this.paused.has(label)) return MangaState.PAUSED;
    return null;
  }
  tagsOf(doc) {
    return Array.from(doc.querySelectorAll("div.genres-content a")).map((link) => {
      const key = lastPart(link.getAttribute("href") || "");
      return { key, title: cleanTitle(link.textContent) };
    });
  }
  async loadChapters(manga, doc) {
    if (!this.postChapters) return this.parseChapters(doc);
    const holder = doc.querySelector("div#manga-chapters-holder");
    const address = this.toAbsoluteUrl(manga.url);
    try {
      const id = holder ? holder.getAttribute("data-id") : "";
      const html = id ? await this.context.httpPost(`https://${this.domain}/wp-admin/admin-ajax.php`, `action=manga_get_chapters&manga=${id}`, {}, this) : await this.context.httpPost(`${withoutSlash(address)}/ajax/chapters/`, "", {}, this);
      return this.parseChapters(this.context.parseHTML(html));
    } catch (failure) {
      console.warn(`${this.domain}: ${failure.message}`);
      return this.parseChapters(doc);
    }
  }
  parseChapters(root) {
    const nodes = this.queryAll(root, ["li.wp-manga-chapter", "div.wp-manga-chapter", ".chapter-list li", ".chapters li"]).reverse();
    return nodes.map((node, index) => {
      const link = node.querySelector("a");
      if (!link) return null;
      const address = this.toRelativeUrl(link.getAttribute("href"));
      const date = node.querySelector(".chapter-release-date, time");
      return new MangaChapter({
        id: address,
        url: address + this.stylePage,
        title: cleanTitle(link.textContent),
        number: numberIn(link.textContent, index + 1),
        uploadDate: this.dateOf(date),
        source: this.source
      });
    }).filter((chapter) => chapter && chapter.url);
  }
  dateOf(node) {
    if (!node) return 0;
    const text = (node.getAttribute("datetime") || node.textContent || "").trim();
    const ago = /(\d+)\s+(second|minute|hour|day|week)s?\s+ago/i.exec(text);
    if (ago) return Date.now() - parseInt(ago[1], 10) * MILLISECONDS[ago[2].toLowerCase()];
    const time = Date.parse(text);
    return Number.isNaN(time) ? 0 : time;
  }
  async getPages(chapter) {
    const doc = await this.documentOf(this.toAbsoluteUrl(chapter.url));
    const images = this.queryAll(doc, [this.selectPage, "div.reading-content img", "img.wp-manga-chapter-img"]);
    return images.map((image) => this.imageOf(image)).filter((url) => url.length > 0).map((url) => new MangaPage({
      id: url,
      url,
      preview: null,
      source: this.source
    }));
  }
};
