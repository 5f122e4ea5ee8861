// src/comic.js
var ComicParser = class extends BaseParser {
  constructor(context, source, domain) {
    super(context, source, domain, 36);
    this.searchPath = "/tim-truyen";
    this.selectItems = "div.items div.item";
    this.selectRows = "#nt_listchapter li.row, .list-chapter li";
    this.ajaxChapters = true;
    this.requests = 0;
  }
  async getListPage(page, order, filter) {
    const params = [`page=${page}`];
    if (filter && filter.query) params.push(`keyword=${encodeURIComponent(filter.query)}`);
    const sort = this.sortNumber(order);
    if (sort !== null) params.push(`sort=${sort}`);
    const root = await this.page(`${this.searchPath}?${params.join("&")}`);
    const items = root.querySelectorAll(this.selectItems);
    return Array.from(items, (item) => this.mangaOf(item)).filter((manga) => manga && manga.url);
  }
  sortNumber(order) {
    const numbers = /* @__PURE__ */ new Map([[SortOrder.UPDATED, 0], [SortOrder.NEWEST, 15], [SortOrder.POPULARITY, 10], [SortOrder.RATING, 20]]);
    return numbers.has(order) ? numbers.get(order) : null;
  }
  async page(address) {
    this.requests += 1;
    const url = this.toAbsoluteUrl(address);
    if (this.beforeRequest) await this.beforeRequest(url);
    const html = await this.context.httpGet(url, this, { Referer: this.origin + "/" });
    return this.context.parseHTML(html);
  }
  mangaOf(item) {
    const figure = item.querySelector("figure, .image");
    const link = item.querySelector("h3 a, a");
    if (!link) return void 0;
    const url = this.toRelativeUrl(link.getAttribute("href"));
    const picture = figure ? figure.querySelector("img") : item.querySelector("img");
    return new Manga({
      id: url,
      url,
      title: cleanTitle(link.textContent),
      coverUrl: this.imageOf(picture),
      publicUrl: this.toAbsoluteUrl(url),
      source: this.source,
      contentRating: this.rating
    });
  }
  async getDetails(manga) {
    const root = await this.page(manga.url);
    const extra = this.ajaxChapters ? await this.moreChapters(root, manga) : [];
    const own = this.rowsOf(root);
    const chapters = uniqueBy(own.concat(extra), (chapter) => chapter.url);
    const details = { description: this.textOf(root, ".detail-content p, .summary"), state: this.stateIn(root) };
    const result = new Manga({ ...manga, ...details, chapters });
    result.authors = [this.textOf(root, "li.author p.col-xs-8")].filter(Boolean);
    return result;
  }
  stateIn(root) {
    const label = this.textOf(root, "li.status p.col-xs-8");
    if (/ti\u1EBFn h\u00E0nh|ongoing/i.test(label)) return MangaState.ONGOING;
    if (/ho\u00E0n th\u00E0nh|completed/i.test(label)) return MangaState.FINISHED;
    return null;
  }
  async moreChapters(root, manga) {
    const holder = root.querySelector("[data-comic-id]");
    const id = holder && holder.getAttribute("data-comic-id");
    if (!id) return [];
    let next = 1;
    const chapters = [];
    while (next && next <= MAX_FOLLOWED) {
      try {
        const answer = await this.jsonOf(`${this.origin}/Comic/Services/ComicService.asmx/ProcessChapterList?comicId=${id}&page=${next}`);
        for (const row of answer.chapters || []) {
          chapters.push(this.rowOf(row.url, row.name, row.date, chapters.length));
        }
        next = answer.hasMore ? next + 1 : 0;
      } catch (error) {
        const place = `${manga.url} page ${next}`;
        console.warn("chapters of", place, error);
        next = 0;
      }
    }
    return chapters;
  }
  rowsOf(root) {
    const rows = [...root.querySelectorAll(this.selectRows)];
    return rows.map((row, index) => {
      const link = row.querySelector("a");
      const time = row.querySelector(".no-wrap, time");
      return link ? this.rowOf(link.getAttribute("href"), link.textContent, time ? time.textContent : "", rows.length - index) : null;
    }).filter(Boolean).reverse();
  }
  rowOf(href, name, date, index) {
    const url = this.toRelativeUrl(href);
    return new MangaChapter({
      id: url,
      url,
      title: cleanTitle(name),
      number: numberIn(name, index),
      uploadDate: this.timeOf(date),
      source: this.source
    });
  }
  timeOf(text) {
    const value = (text || "").trim();
    const short = /^(\d{2}):(\d{2}) (\d{2})\/(\d{2})$/.exec(value);
    if (short) {
      const year = (/* @__PURE__ */ new Date()).getFullYear();
      return new Date(year, Number(short[4]) - 1, Number(short[3]), Number(short[1]), Number(short[2])).getTime();
    }
    const long = /^(\d{2})\/(\d{2})\/(\d{2,4})$/.exec(value);
    if (!long) return 0;
    const year = long[3].length === 2 ? 2e3 + Number(long[3]) : Number(long[3]);
    return Date.UTC(year, Number(long[2]) - 1, Number(long[1]));
  }
  async getPages(chapter) {
    const root = await this.page(chapter.url);
    const pages = [];
    root.querySelectorAll(".page-chapter img, .reading-detail img").forEach((image, index) => {
      const original = image.getAttribute("data-original") || "";
      const url = original ? this.toAbsoluteUrl(original) : this.imageOf(image);
      if (!url) return;
      pages.push(new MangaPage({ id: `${chapter.url}/${index}`, url, source: this.source, headers: { Referer: this.origin } }));
    });
    return pages;
  }
};
