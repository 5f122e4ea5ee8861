// The contract between an app and its parsers, as `parser-ota check` reads it. In an editor, put this at the top of a
// parser's file:  /// <reference path="parser-contract.d.ts" />  and write types in comments, such as
// /** @param {ParserContext} context */. Apps whose bridge offers more declare it in a file of their own, in the same
// way, and name that file with --contract-types: interfaces of one name are added up.

/** What an app hands to a parser: its constructor's first argument. */
interface ParserContext {
  /** Asks for a page; the parser that asks is named, since apps take the domain and the headers of its source from it. */
  httpGet(url: string, parser: ParserInstance, headers?: ParserHeaders): Promise<string>;
  /** The same in the older order, with headers before the parser. */
  httpGet(url: string, headers: ParserHeaders, parser: ParserInstance): Promise<string>;
  /** Sends a body to a page and gives what it answers. */
  httpPost(url: string, body: any, headers?: ParserHeaders, parser?: ParserInstance): Promise<string>;
  /** The same in the other order. */
  httpPost(url: string, body: any, parser: ParserInstance, headers?: ParserHeaders): Promise<string>;
  /** Makes a document of the text of a page, without running its scripts or loading anything. */
  parseHTML(html: string): Document;
  /** Undoes what an app did to a page to bring it over its bridge; most apps give the text back as it is. */
  decodeContent(text: string): string;
}

/** A parser as the bridge looks at it. */
interface ParserInstance {
  /** The host of the site, which an app may change when the site has moved. */
  domain: any;
}

/** Headers of a request by name. */
interface ParserHeaders {
  [name: string]: string;
}

/** What a list is asked for beside page and order. */
interface ParserFilter {
  /** What people typed into a search field. */
  query?: string;
  [more: string]: any;
}

/** An entry of a list: what an app shows, and hands back when details are wanted. */
interface ParserItem {
  /** The address of the work on its site, absolute or without its host. */
  url: string;
  title?: string;
  coverUrl?: string;
  description?: string;
  chapters?: ParserChapter[];
  [more: string]: any;
}

/** The details of a work. */
interface ParserDetails {
  url?: string;
  title?: string;
  coverUrl?: string;
  description?: string;
  chapters?: ParserChapter[];
  [more: string]: any;
}

/** A chapter of a work: what an app hands back when pages are wanted. */
interface ParserChapter {
  /** The address of the chapter on its site, absolute or without its host. */
  url: string;
  title?: string;
  number?: number | string;
  [more: string]: any;
}

/** A page of a chapter: an image. */
interface ParserPage {
  /** The address of the image. */
  url: string;
  headers?: any;
  [more: string]: any;
}

/** The methods that apps call. Each may give its value or a promise of it. */
interface ParserMethods {
  getListPage(page: number, order: string, filter: ParserFilter): ParserItem[] | Promise<ParserItem[]>;
  getDetails(manga: ParserItem): ParserDetails | Promise<ParserDetails>;
  getChapters?(manga: ParserItem): ParserChapter[] | Promise<ParserChapter[]>;
  getPages(chapter: ParserChapter): ParserPage[] | Promise<ParserPage[]>;
}
