// A small bundle as real ones are built: families as classes, sources as entries with overrides.
var NyoraParsers = (() => {
  const sources = SOURCES;

  class ReaderParser {
    constructor(context, source) {
      this.context = context;
      this.source = source;
      this.domain = source.domain;
      this.scheme = 'https';
      this.listPath = '/list';
    }
    url(path) { return new URL(path, `${this.scheme}://${this.domain}`).href; }
    async document(path, ...rest) {
      return this.context.parseHTML(await this.context.httpGet(this.url(path), ...rest, this));
    }
    async getListPage(page, order, filter) {
      const path = filter.query ? `/search?q=${filter.query}` : `${this.listPath}?page=${page}&order=${order}`;
      const document = await this.document(path);
      return [...document.querySelectorAll('a.work')].map((link) => this.work(link));
    }
    work(link) {
      return { id: link.getAttribute('href'), url: link.getAttribute('href'), title: link.textContent.trim() };
    }
    async getDetails(manga) {
      const document = await this.document(manga.url);
      return {
        ...manga,
        title: document.querySelector('h1').textContent.trim(),
        chapters: this.chapters(document),
        domain: this.domain,
      };
    }
    chapters(document) {
      return [...document.querySelectorAll('a.chapter')].map((link, index) => (
        { id: link.getAttribute('href'), url: link.getAttribute('href'), title: link.textContent.trim(), number: index + 1 }
      ));
    }
    async getPages(chapter) {
      const document = await this.document(chapter.url);
      return [...document.querySelectorAll('img.page')].map((image) => ({ url: this.url(image.getAttribute('src')) }));
    }
  }

  // Chapters come from a form that wants the cookie which the page of the work has set.
  class FormParser extends ReaderParser {
    async getDetails(manga) {
      const details = await super.getDetails(manga);
      const html = await this.context.httpPost(
        this.url('/ajax/chapters'), `id=${encodeURIComponent(manga.url)}`, { 'X-Extra': 'yes' }, this);
      return { ...details, chapters: this.chapters(this.context.parseHTML(html)) };
    }
  }

  class BrokenParser extends ReaderParser {
    async getDetails(manga) {
      await this.document(manga.url);
      return this.detailsFrom(manga);
    }
  }

  const families = { ReaderParser, FormParser, BrokenParser };
  return {
    getAllSources: () => sources,
    getParser: (id, context) => {
      const source = sources.find((entry) => entry.id === id);
      if (!source) return null;
      return Object.assign(new families[source.className](context, source), source.overrides);
    },
  };
})();
