// src/folder.js
var FolderParser = class extends BaseParser {
  constructor(context, source, domain) {
    super(context, source, domain, 1e3);
    this.allSeriesPath = "/api/get_all_series/";
    this.seriesApiPath = "/api/series/";
    this.mediaPath = "/media/manga/";
    this.readPath = "/read/manga/";
  }
  seriesAddress(slug) {
    return `https://${this.domain}${this.seriesApiPath}${slug}/`;
  }
  async getListPage(page, order, filter) {
    if (page > 1) return [];
    const series = await this.jsonOf(`https://${this.domain}${this.allSeriesPath}`);
    const query = filter && filter.query ? String(filter.query).toLowerCase() : "";
    const list = [];
    for (const name of Object.keys(series)) {
      const entry = series[name];
      if (!entry || typeof entry !== "object" || !entry.slug) continue;
      if (query && !name.toLowerCase().includes(query)) continue;
      list.push(this.entryOf(entry, name));
    }
    if (order === SortOrder.ALPHABETICAL) list.sort((a, b) => a.title.localeCompare(b.title));
    return list;
  }
  entryOf(entry, name) {
    const address = this.seriesAddress(entry.slug);
    const cover = entry.cover ? this.toAbsoluteUrl(entry.cover) : "";
    const author = entry.author || entry.artist;
    return new Manga({
      id: address,
      url: address,
      publicUrl: `https://${this.domain}${this.readPath}${entry.slug}`,
      coverUrl: cover,
      title: name,
      description: entry.description || "",
      authors: author ? [author] : [],
      contentRating: this.rating,
      source: this.source
    });
  }
  async getDetails(manga) {
    const data = await this.jsonOf(this.toAbsoluteUrl(manga.url));
    const slug = data.slug || lastPart(manga.url);
    const chapters = Object.entries(data.chapters || {}).map(([key, chapter], index) => {
      const url = `https://${this.domain}${this.seriesApiPath}${slug}/${key}`;
      return new MangaChapter({
        id: url,
        url,
        title: chapter.title || `Chapter ${key}`,
        number: numberIn(key, index + 1),
        volume: Number(chapter.volume) || 0,
        source: this.source
      });
    });
    return new Manga({ ...manga, title: data.title || manga.title, chapters });
  }
  async getPages(chapter) {
    const address = withoutSlash(chapter.url);
    const key = lastPart(address);
    const seriesUrl = address.slice(0, address.length - key.length - 1);
    const data = await this.jsonOf(this.toAbsoluteUrl(seriesUrl) + "/");
    const chapters = data.chapters || {};
    const found = chapters[key];
    if (!found) return [];
    const groups = found.groups || {};
    const [group] = Object.keys(groups);
    if (!group) return [];
    const base = `https://${this.domain}${this.mediaPath}${data.slug}/chapters/${found.folder}/${group}`;
    return groups[group].map((file) => {
      const url = `${base}/${file}`;
      return new MangaPage({ id: url, url, preview: null, source: this.source });
    });
  }
};
