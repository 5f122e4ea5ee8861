/// The source text of one made-up family of parsers, in the shape of real ones: a class with settings that overrides
/// change, the methods that apps call, and many small methods for variants of pages.
struct SyntheticFamily {
  let name: String
  /// How many bytes of variants the class carries.
  var fillBytes = 20_000
  /// Whether the details ask a method for an address that nobody wrote.
  var lacksMethod = false
  /// Whether titles go through a function that nobody wrote.
  var lacksFunction = false
  /// Whether lists, chapters and pages are always empty.
  var returnsNothing = false

  var source: String {
    """
      // src/\(name.lowercased()).js
      class \(name) extends BaseParser {
        constructor(context, source, domain) {
          super(context, source, domain, 20);
          this.listUrl = "manga/";
          this.tagPrefix = "manga-genre/";
          this.datePattern = "MMMM d, yyyy";
          this.withoutAjax = false;
          this.basePath = "";
          this.organizationDomain = "";
          this.postReq = false;
          this.selectDesc = this.selectState = ".summary";
          this.selectMangaList = this.selectMangaListImg = this.selectMangaListTitle = "";
          this.selectItem = ".item, .page-item-detail, article";
          this.selectChapter = "li.chapter a, .chapters a";
          this.selectPage = "img.page, .reader img";
        }
        async getListPage(page, order, filter) {
          const html = await this.context.httpGet(this.listAddress(page, order, filter), this);
          const root = this.context.parseHTML(html);
          return \(returnsNothing ? "[]" : "[...root.querySelectorAll(this.selectItem)].map((node) => this.itemOf(node)).filter(Boolean)");
        }
        listAddress(page, order, filter) {
          const query = filter && filter.query ? `?s=${encodeURIComponent(filter.query)}&post_type=manga` : "";
          return this.toAbsoluteUrl(`/${this.listUrl}page/${page}/${query}${order === "UPDATED" ? "#latest" : ""}`);
        }
        itemOf(node) {
          const link = node.querySelector("a[href]");
          if (!link) return null;
          const url = this.toRelativeUrl(link.getAttribute("href"));
          return new Manga({ url, publicUrl: this.toAbsoluteUrl(url), title: \(title), source: this.source });
        }
        async getDetails(manga) {
          \(lacksMethod ? "if (manga.url.includes(\"/manga/\")) return this.detailsOf(await this.context.httpGet(this.apiBase() + manga.url, this), manga);" : "")
          const html = await this.context.httpGet(this.toAbsoluteUrl(manga.url), this);
          return this.detailsOf(html, manga);
        }
        detailsOf(html, manga) {
          const root = this.context.parseHTML(html);
          const title = root.querySelector("h1");
          const text = title ? title.textContent.trim() : manga.title;
          return new Manga({ ...manga, title: text, chapters: this.chaptersOf(root), description: this.descriptionOf(root) });
        }
        descriptionOf(root) {
          const node = root.querySelector(".summary, .description");
          return node ? node.textContent.trim() : "";
        }
        chaptersOf(root) {
          const links = \(returnsNothing ? "[]" : "[...root.querySelectorAll(this.selectChapter)]");
          return links.reverse().map((link, index) => new MangaChapter({
            url: this.toRelativeUrl(link.getAttribute("href")), title: link.textContent.trim(), number: index + 1,
            uploadDate: this.dateOf(link), source: this.source,
          }));
        }
        dateOf(link) {
          const text = link.getAttribute("data-date") || "";
          const match = /(\\d{4})-(\\d{2})-(\\d{2})/.exec(text);
          return match ? Date.UTC(+match[1], +match[2] - 1, +match[3]) : 0;
        }
        async getChapters(manga) { return (await this.getDetails(manga)).chapters; }
        async getPages(chapter) {
          const root = this.context.parseHTML(await this.context.httpGet(this.toAbsoluteUrl(chapter.url), this));
          const images = \(returnsNothing ? "[]" : "[...root.querySelectorAll(this.selectPage)]");
          return images.map((image, index) => new MangaPage({
            id: `${chapter.url}#${index}`, url: this.toAbsoluteUrl(image.getAttribute("src")), source: this.source,
          }));
        }
    \(variants)  }

    """
  }

  private var title: String { lacksFunction ? "cleanTitle(link.textContent)" : "link.textContent.trim()" }

  private var variants: String {
    var text = ""
    var number = 0
    while text.utf8.count < fillBytes {
      number += 1
      text += """
            variant\(number)(root, page) {
              const nodes = root.querySelectorAll("div.list-\(number) > .entry a, ul#chapters-\(number) li[data-page='" + page + "']");
              const seen = new Set(), found = [];
              for (const node of nodes) {
                const url = this.toRelativeUrl(node.getAttribute("href") || "/v\(number)/" + page);
                if (seen.has(url) || /\\/(ads|sponsor)[/?]/.test(url)) continue;
                seen.add(url);
                found.push({ url, title: (node.title || node.textContent || "").replace(/\\s+/g, " ").trim(), number: \(number) });
              }
              return found.length / 2 > page ? found.slice(0, this.pageSize) : this.itemsOrNone(found);
            }

        """
    }
    return text
  }
}
