// src/cipher.js
var CIPHER_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
var Unpacker = class _Unpacker {
  static pattern = /\}\('(.*)', *(\d+), *(\d+), *'(.*?)'\.split\('\|'\)/s;
  static isPacked(text) {
    return _Unpacker.pattern.test(text);
  }
  static unpack(text) {
    const match = _Unpacker.pattern.exec(text);
    if (!match) return text;
    const [, body, radix, count, words] = match;
    const table = words.split("|");
    if (table.length !== Number(count)) throw new RangeError(`${table.length} words, not ${count}`);
    const base = Number(radix);
    return body.replace(/\b\w+\b/g, (word) => {
      const index = _Unpacker.indexOf(word, base);
      return table[index] || word;
    });
  }
  static indexOf(word, base) {
    let value = 0;
    for (const character of word) {
      value = value * base + CIPHER_ALPHABET.indexOf(character.toLowerCase());
    }
    return value;
  }
};
var CipherParser = class extends BaseParser {
  #key = "mangakey";
  #cache = /* @__PURE__ */ new Map();
  constructor(context, source, domain) {
    super(context, source, domain, 42);
    this.listPath = "/list/update/";
    this.imageServer = `https://cdn.${domain}`;
    this.selectList = "#contList li, .cont-list li";
    this.selectChapters = "#chapter-list-1 li a, .chapter-list a";
  }
  keyBytes() {
    return Array.from(this.#key, (letter) => letter.charCodeAt(0));
  }
  async cachedPage(url) {
    const known = this.#cache.get(url);
    if (known) return known;
    const html = await this.context.httpGet(url, this, { "User-Agent": DESKTOP_AGENT });
    this.#cache.set(url, html);
    return html;
  }
  async getListPage(page, order, filter) {
    const query = filter?.query ?? "";
    const url = query ? `${this.origin}/search/?keywords=${encodeURIComponent(query)}&page=${page}` : `${this.origin}${this.listPath}${page}/`;
    const doc = this.context.parseHTML(await this.cachedPage(url));
    const list = [...doc.querySelectorAll(this.selectList)].flatMap((node) => {
      const link = node.querySelector("a[href]");
      return link ? [this.itemOf(node, link)] : [];
    });
    return order === SortOrder.ALPHABETICAL ? list.sort((one, other) => one.title < other.title ? -1 : 1) : list;
  }
  itemOf(node, link) {
    const url = this.toRelativeUrl(link.getAttribute("href"));
    return new Manga({
      id: url,
      url,
      publicUrl: this.toAbsoluteUrl(url),
      title: link.getAttribute("title") || cleanTitle(link.textContent),
      coverUrl: this.imageOf(node.querySelector("img")),
      description: this.textOf(node, ".update, .tt"),
      contentRating: this.rating,
      source: this.source
    });
  }
  async getDetails(manga) {
    const html = await this.cachedPage(this.toAbsoluteUrl(manga.url));
    const doc = this.context.parseHTML(html);
    let links = [...doc.querySelectorAll(this.selectChapters)];
    if (links.length === 0) {
      const hidden = doc.querySelector("#__VIEWSTATE");
      const packed = hidden ? hidden.getAttribute("value") : "";
      if (packed) {
        const inner = this.context.parseHTML(this.decode(packed));
        links = [...inner.querySelectorAll("a")];
      }
    }
    const chapters = links.map((link, index) => this.chapterAt(link, links.length - index));
    chapters.sort((one, other) => one.number - other.number);
    return new Manga({ ...manga, description: this.textOf(doc, "#intro-all p, .intro"), chapters });
  }
  chapterAt(link, number) {
    const url = this.toRelativeUrl(link.getAttribute("href"));
    return new MangaChapter({ id: url, url, title: cleanTitle(link.getAttribute("title") || link.textContent), number, source: this.source });
  }
  async getPages(chapter) {
    const html = await this.cachedPage(this.toAbsoluteUrl(chapter.url));
    const paths = this.pathsIn(html);
    return paths.map((path, index) => new MangaPage({
      id: `${chapter.url}?${index}`,
      url: path.startsWith("http") ? path : `${this.imageServer}/${path.replace(/^\//, "")}`,
      source: this.source
    }));
  }
  pathsIn(html) {
    const plain = /chapterImages\s*=\s*(\[[^\]]*\])/.exec(html);
    if (plain) return JSON.parse(plain[1]);
    const coded = /chapterImages\s*=\s*["']([A-Za-z0-9+/=]+)["']/.exec(html);
    if (coded) {
      const text = this.decode(coded[1]);
      return text.split(",").filter((path) => path !== "");
    }
    if (Unpacker.isPacked(html)) {
      const script = Unpacker.unpack(html);
      return (script.match(/"[^"]+\.(?:jpe?g|webp|png)"/g) || []).map((text) => text.slice(1, -1));
    }
    return this.imagesIn(html);
  }
  imagesIn(html) {
    const doc = this.context.parseHTML(html);
    return [...doc.querySelectorAll("img.page, .reader img, #images img")].map((image) => this.imageOf(image)).filter(Boolean);
  }
  decode(text) {
    const key = this.keyBytes();
    try {
      const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
      for (let i = 0; i < bytes.length; i++) {
        bytes[i] = bytes[i] ^ key[i % key.length];
      }
      return new TextDecoder().decode(bytes);
    } catch (cause) {
      const start = text.slice(0, 12);
      throw new Error(`cannot decode ${start}: ${cause.message}`);
    }
  }
};
