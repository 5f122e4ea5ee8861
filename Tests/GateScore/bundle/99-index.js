// src/index.js
var FAMILIES = {
  ThemeParser,
  ReaderParser,
  StreamParser,
  FolderParser,
  FoolParser,
  ArchiveParser,
  ComicParser,
  ZineParser,
  CipherParser,
  BoxParser,
  PortalParser,
  GridParser,
  ViewerParser
};
function getParser(sourceId, context) {
  const source = sources_default.find((entry) => entry.id === sourceId);
  if (!source) return null;
  const Family = FAMILIES[source.family] || BaseParser;
  const parser = new Family(context, source, source.domain);
  if (source.overrides) {
    Object.assign(parser, source.overrides);
  }
  return stampIds(parser, source.id);
}
function stampIds(parser, token) {
  const stampChapter = (chapter) => {
    if (chapter && chapter.url != null) chapter.id = stampOf(token, `chapter ${chapter.url}`);
    return chapter;
  };
  const stampManga = (manga) => {
    if (manga && manga.url != null) {
      manga.id = stampOf(token, manga.url);
      if (Array.isArray(manga.chapters)) manga.chapters.forEach(stampChapter);
    }
    return manga;
  };
  const wrap = (name, after) => {
    const original = parser[name];
    if (typeof original !== "function") return;
    parser[name] = async function(...args) {
      const result = await original.apply(this, args);
      after(result);
      return result;
    };
  };
  wrap("getListPage", (result) => {
    if (Array.isArray(result)) result.forEach(stampManga);
  });
  wrap("getDetails", (result) => {
    stampManga(result);
  });
  return parser;
}
function getAllSources() {
  return sources_default;
}
