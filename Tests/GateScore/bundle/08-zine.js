// src/zine.js
var ZineParser = class extends BaseParser {
  constructor(context, source, domain) {
    super(context, source, domain, 20);
    this.label = "Series";
    this.chapterLabel = "Chapter";
    this.selectBody = "#post-body, .post-body, article";
    this.maxResults = 150;
  }
  feedAddress(label, start, count) {
    const query = `alt=json&start-index=${start}&max-results=${count}`;
    return `https://${this.domain}/feeds/posts/default/-/${encodeURIComponent(label)}?${query}`;
  }
  entriesOf(feed) {
    if (!feed || !feed.feed) return [];
    return feed.feed.entry || [];
  }
  linkOf(entry) {
    const links = entry.link || [];
    const found = links.find((link) => link.rel === "alternate");
    return found ? found.href : "";
  }
  async getListPage(page, order, filter) {
    const start = (page - 1) * this.pageSize + 1;
    let address = this.feedAddress(this.label, start, this.pageSize);
    if (filter && filter.query) address += `&q=${encodeURIComponent(filter.query)}`;
    if (order === SortOrder.UPDATED) address += "&orderby=updated";
    const entries = this.entriesOf(await this.jsonOf(address));
    return entries.map((entry) => {
      const url = this.toRelativeUrl(this.linkOf(entry));
      const thumbnail = entry.media$thumbnail ? entry.media$thumbnail.url : this.firstImage(entry);
      return new Manga({
        id: url,
        url,
        publicUrl: this.toAbsoluteUrl(url),
        coverUrl: this.larger(thumbnail),
        title: cleanTitle(entry.title.$t),
        tags: (entry.category || []).map((category) => ({ key: category.term, title: category.term })),
        contentRating: this.rating,
        source: this.source
      });
    });
  }
  firstImage(entry) {
    const content = entry.content || entry.summary;
    if (!content) return "";
    const image = this.context.parseHTML(content.$t).querySelector("img");
    return image ? image.getAttribute("src") || "" : "";
  }
  larger(address) {
    return address.replace(/\/s\d+(-[a-z]+)*\//, "/s1600/").replace("http://", "https://");
  }
  async getDetails(manga) {
    const doc = await this.documentOf(this.toAbsoluteUrl(manga.url));
    const label = this.labelIn(doc) || manga.title;
    const feed = await this.jsonOf(this.feedAddress(label, 1, this.maxResults));
    const chapters = [];
    this.entriesOf(feed).forEach((entry, index) => {
      const chapter = this.chapterFrom(entry, index);
      if (chapter.url !== manga.url) chapters.push(chapter);
    });
    const fields = this.fieldsIn(doc);
    return new Manga({
      ...manga,
      description: this.textOf(doc, "#synopsis, .synopsis p"),
      authors: fields.author ? [fields.author] : [],
      chapters: chapters.reverse()
    });
  }
  labelIn(doc) {
    const node = doc.querySelector("[data-label]");
    if (node) return node.getAttribute("data-label");
    const script = Array.from(doc.scripts).find((item) => item.textContent.includes("clwd.run"));
    const match = script ? /clwd\.run\(["'](.*?)["']\)/.exec(script.textContent) : null;
    return match ? match[1] : "";
  }
  fieldsIn(doc) {
    const fields = {};
    for (const row of doc.querySelectorAll("#extra-info dl, .info p")) {
      const name = this.textOf(row, "dt, b").replace(":", "").toLowerCase();
      if (name) fields[name] = this.textOf(row, "dd, span");
    }
    return fields;
  }
  chapterFrom(entry, index) {
    const url = this.toRelativeUrl(this.linkOf(entry));
    const title = cleanTitle(entry.title.$t);
    return new MangaChapter({
      id: url,
      url,
      title,
      number: numberIn(title, index + 1),
      uploadDate: Date.parse(entry.published.$t) || 0,
      source: this.source
    });
  }
  async getPages(chapter) {
    const doc = await this.documentOf(this.toAbsoluteUrl(chapter.url));
    const body = doc.querySelector(this.selectBody) || doc.body;
    const urls = Array.from(body.querySelectorAll("img"), (image) => image.getAttribute("src")).filter((url) => url && !url.includes("logo"));
    return urls.map((url) => {
      const address = this.larger(this.toAbsoluteUrl(url));
      return new MangaPage({ id: address, url: address, source: this.source });
    });
  }
};
