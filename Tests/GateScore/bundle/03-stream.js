// src/stream.js
var StreamParser = class extends BaseParser {
  constructor(context, source, domain) {
    super(context, source, domain, 24);
    this.apiHost = `api.${domain}`;
    this.apiVersion = "v2";
    this.imageHost = `img.${domain}`;
    this.language = source && source.locale ? source.locale : "en";
    this.cachedTags = null;
  }
  get api() {
    return `https://${this.apiHost}/${this.apiVersion}`;
  }
  async getListPage(page, order, filter) {
    const params = new URLSearchParams({
      page: String(page),
      limit: String(this.pageSize),
      sort: this.sortKey(order)
    });
    if (filter && filter.query) params.set("q", filter.query);
    const answer = await this.jsonOf(`${this.api}/series?${params.toString()}`);
    const items = Array.isArray(answer) ? answer : answer.data || answer.results || [];
    return items.map((item) => this.seriesOf(item));
  }
  sortKey(order) {
    const keys = {
      [SortOrder.UPDATED]: "updated_at",
      [SortOrder.NEWEST]: "created_at",
      [SortOrder.POPULARITY]: "views",
      [SortOrder.RATING]: "rating"
    };
    return keys[order] || "updated_at";
  }
  seriesOf(item) {
    const url = `/series/${item.slug}`;
    const cover = item.cover || item.thumbnail || "";
    return new Manga({
      id: url,
      url,
      title: item.title || item.name || "",
      altTitles: Object.values(item.titles || {}).filter((title) => title !== item.title),
      coverUrl: cover.startsWith("http") ? cover : `https://${this.imageHost}/${cover}`,
      publicUrl: this.origin + url,
      contentRating: item.adult ? ContentRating.ADULT : ContentRating.SAFE,
      state: this.stateFrom(item.status),
      source: this.source
    });
  }
  stateFrom(status) {
    switch (String(status).toUpperCase()) {
      case "RELEASING":
        return MangaState.ONGOING;
      case "FINISHED":
        return MangaState.FINISHED;
      case "CANCELLED":
        return MangaState.ABANDONED;
      default:
        return null;
    }
  }
  async getDetails(manga) {
    const slug = lastPart(manga.url);
    const [detail, chapters] = await Promise.all([
      this.jsonOf(`${this.api}/series/${slug}`),
      this.allChapters(slug)
    ]);
    const data = detail.data || detail;
    const tags = await this.tagsNamed(data.genres || []);
    return new Manga({
      ...manga,
      title: data.title || manga.title,
      description: this.plainText(data.summary || ""),
      authors: (data.staff || []).map((person) => person.name),
      tags,
      chapters
    });
  }
  async allChapters(slug) {
    const found = [];
    for (let page = 1; page <= MAX_FOLLOWED; page++) {
      const answer = await this.jsonOf(`${this.api}/series/${slug}/chapters?page=${page}`);
      const rows = answer.data || [];
      for (const row of rows) {
        if (row.language && row.language !== this.language) continue;
        found.push(this.chapterFrom(row, slug));
      }
      if (!answer.next_page || rows.length === 0) break;
    }
    return found.sort((left, right) => left.number - right.number);
  }
  chapterFrom(row, slug) {
    const number = Number(row.number) || 0;
    const label = row.title ? `Chapter ${number}: ${row.title}` : `Chapter ${number}`;
    return new MangaChapter({
      id: `/series/${slug}/chapter/${row.id}`,
      url: `/series/${slug}/chapter/${row.id}`,
      title: label,
      number,
      volume: Number(row.volume) || 0,
      branch: row.group ? row.group.name : null,
      uploadDate: Date.parse(row.published_at) || 0,
      source: this.source
    });
  }
  async tagsNamed(ids) {
    if (!this.cachedTags) {
      try {
        const answer = await this.jsonOf(`${this.api}/genres`);
        this.cachedTags = new Map((answer.data || []).map((genre) => [genre.id, genre.name]));
      } catch (error) {
        this.cachedTags = /* @__PURE__ */ new Map();
        console.warn("no genres", error);
      }
    }
    return ids.map((id) => ({ key: String(id), title: this.cachedTags.get(id) || String(id) }));
  }
  plainText(html) {
    const doc = this.context.parseHTML(html);
    return cleanTitle(doc.body ? doc.body.textContent : "");
  }
  async getPages(chapter) {
    const id = lastPart(chapter.url);
    const answer = await this.jsonOf(`${this.api}/chapters/${id}`);
    const data = answer.data || answer;
    const images = data.images || data.pages || [];
    return images.map((image, index) => {
      const path = typeof image === "string" ? image : image.path;
      const url = path.startsWith("http") ? path : `https://${this.imageHost}/${path}`;
      return new MangaPage({ id: `${id}-${index}`, url, source: this.source });
    });
  }
};
