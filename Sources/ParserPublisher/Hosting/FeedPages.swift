internal import OTAFeed
internal import OTAManifest

/// The files of a feed that are for people and for hosts.
struct FeedPages {
  let isSigned: Bool

  /// Writes what is missing or of the other kind of feed; a page that people wrote is kept.
  func write(to host: any FeedHost) async throws(Problem) {
    let page: [UInt8]?
    do throws(Problem) {
      page = try await host.read(FeedLayout.page, maxBytes: 1 << 20)
    } catch  where error.code == .tooLarge {
      // Then it is not one of the first two, and stays.
      page = []
    }
    if page == nil || page == Array(FirstPage.html(isSigned: !isSigned).utf8) {
      try await host.replace(FeedLayout.page, with: Array(FirstPage.html(isSigned: isSigned).utf8))
    }
    try await Self.writeMissingPage(to: host)
    for (path, content) in [(FeedLayout.plainHosting, ""), (FeedLayout.headers, FirstPage.headers)]
    where try await host.read(path, maxBytes: 1 << 20) == nil {
      try await host.replace(path, with: Array(content.utf8))
    }
  }

  /// Writes the page for what is not there, unless there is one.
  ///
  /// Hosts without it answer with `index.html` and status 200, and then no client learns that there is no newer root.
  static func writeMissingPage(to host: any FeedHost) async throws(Problem) {
    guard try await host.read(FeedLayout.missingPage, maxBytes: 1 << 20) == nil else { return }
    try await host.replace(FeedLayout.missingPage, with: Array(FirstPage.missing.utf8))
  }
}

/// The page of a feed as `init` used to write it, without the releases; known so that it can be replaced.
enum FirstPage {
  /// Whether a page is one of the two.
  static func isOne(_ page: [UInt8]) -> Bool {
    [true, false].contains { page == Array(html(isSigned: $0).utf8) }
  }

  static func html(isSigned: Bool) -> String { isSigned ? head + signatures + script : head + script }

  /// The page that a host sends with 404; without script, so that it is safe under any address.
  static let missing = """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <title>Not found</title>
    <h1>Not found</h1>
    <p>This feed has no such file.</p>
    </html>

    """

  /// Header fields for Cloudflare Pages and Netlify, which read this file; others ignore it.
  static let headers = """
    /*
      Access-Control-Allow-Origin: *
      X-Content-Type-Options: nosniff
    /manifest.json
      Cache-Control: no-cache
    /channels/*
      Cache-Control: no-cache
    /metadata/*
      Cache-Control: no-cache
    /files/*
      Cache-Control: public, max-age=31536000, immutable

    """

  private static let signatures = """
    <p>Everything here is signed: <a href="\(FeedLayout.timestamp)">metadata/</a> is a repository of The Update Framework
      with its targets in files/, and apps accept nothing that its keys did not sign.</p>

    """

  private static let head = """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Parser feed</title>
    <style>
      body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; }
    </style>
    <h1>Parser feed</h1>
    <p>This is a feed of parser releases. Apps read it by themselves; there is nothing to install from here.</p>
    <p>Newest release: <strong id="version">see manifest.json</strong> <span id="released"></span></p>
    <p id="notes"></p>
    <p><a href="manifest.json">manifest.json</a> describes the newest release: its number, its parser bundle and its
      source catalog, each with size and SHA-256 digest.</p>

    """

  private static let script = """
    <script>
      fetch("manifest.json", { cache: "no-store" })
        .then(function (answer) { return answer.json(); })
        .then(function (manifest) {
          document.getElementById("version").textContent = String(manifest.version);
          document.getElementById("released").textContent = manifest.released ? "of " + manifest.released : "";
          document.getElementById("notes").textContent = manifest.notes || "";
        })
        .catch(function () {});
    </script>
    </html>

    """
}
