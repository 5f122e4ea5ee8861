extension HostFinding.Code {
  /// Whom it hurts, and how.
  var hurts: String {
    switch self {
    case .answersEverything:
      "devices of a signed feed need one more request for each check; other clients of signed feeds stop"
    case .missingRefused: "devices of a signed feed stop: they ask for the next root and need to hear \"no\""
    case .transformed: "every device refuses the file: its length or digest differs"
    case .unaskedEncoding: "every device refuses the file, and a resume cannot work"
    case .wrongEncodingLabel: "devices of this package see through it; browsers and other clients do not"
    case .wrongType: "nobody but browsers; devices ignore the type"
    case .cachedTooLong: "everybody sees a fix late"
    case .notCached: "the bill: each device fetches what never changes from the origin"
    case .oldCopy: "devices behind this edge see a fix late"
    case .noRanges: "devices on bad lines: a download that broke starts over"
    case .noConditions: "the bill: a check transfers what has not changed"
    case .redirected: "every device needs more requests for each file"
    case .redirectedElsewhere: "every device refuses the file"
    case .plainHTTP: "every device refuses the feed"
    case .certificateEnds: "every device stops on that day"
    case .clockDiffers: "publishing: signatures may be dated wrongly; on this machine or on the host"
    case .noHTTP2: "devices fetch bundle and catalog one after the other"
    case .noIPv6: "devices on networks without IPv4 need a translator"
    case .brokenIPv6: "devices on networks with IPv6 wait before they fall back"
    case .brokenIPv4: "devices on networks without IPv6 cannot update"
    case .noCORS: "web pages of other sites; devices and the feed's own page do not need it"
    case .rateLimited: "devices behind one address: many of them at once are refused"
    case .oddStatus: "other clients; devices of this package take it"
    case .expiresSoon: "every device stops taking releases on that day"
    case .expired: "every device takes nothing new"
    case .contentWrong: "devices refuse this release"
    case .mirrorStale: "devices that fall back to the mirror see a fix late"
    case .mirrorBroken: "devices that fall back to the mirror get nothing"
    case .noMissingPage:
      "devices of a signed feed on hosts that then answer with index.html, such as Cloudflare Pages"
    case .noPlainHosting:
      "devices, where GitHub Pages leaves out names that begin with a dot or an underscore"
    case .noHeadersFile: "everybody on Cloudflare Pages and Netlify: fixes show late, files are fetched again"
    }
  }

  /// What to do about it on a host of a kind.
  func remedy(on host: HostKind) -> String {
    switch self {
    case .answersEverything: Self.fallback(host)
    case .missingRefused:
      "let the host answer 404 for files that are not there"
        + (host == .s3 ? ": allow s3:ListBucket, or 403" : "")
    case .transformed: Self.transform(host)
    case .unaskedEncoding, .wrongEncodingLabel:
      host == .s3
        ? "upload without Content-Encoding: aws s3 cp without --content-encoding"
        : host == .nginx
          ? "gzip off; for the feed's location"
          : "upload without Content-Encoding and switch compression off for the feed"
    case .wrongType: "serve .json as application/json and .js as text/javascript"
    case .cachedTooLong: Self.pointerCache(host)
    case .notCached: Self.fileCache(host)
    case .oldCopy:
      "purge manifest.json and metadata/timestamp.json at the CDN after a publish, or "
        + Self.pointerCache(host)
    case .noRanges: "switch byte ranges on for files/"
    case .noConditions: "let the host send ETag or Last-Modified"
    case .redirected: "use the address that it redirects to as the feed's address"
    case .redirectedElsewhere: "serve the files over https at the feed's own address"
    case .plainHTTP: "serve the feed over https"
    case .certificateEnds: "renew the certificate now, and look at why that was not automatic"
    case .clockDiffers: "set the clock of this machine; else tell the host"
    case .noHTTP2: host == .nginx ? "listen 443 ssl http2;" : "switch HTTP/2 on"
    case .noIPv6: "add an AAAA record where the host has IPv6"
    case .brokenIPv6: "mend the AAAA record, or remove it"
    case .brokenIPv4: "mend the A record"
    case .noCORS: "send Access-Control-Allow-Origin: * if web pages shall read the feed"
    case .rateLimited:
      host == .rawGitHub
        ? "use GitHub Pages: raw file hosts limit each address" : "raise the limit, or put a CDN before it"
    case .oddStatus: "serve the files with status 200"
    case .expiresSoon, .expired: "renew the signatures: parser-ota refresh; a root: parser-ota root prepare"
    case .contentWrong:
      "parser-ota verify names the files; run parser-ota repair on the folder, then deploy it again"
    case .mirrorStale: "run parser-ota mirror, or the schedule that does"
    case .noMissingPage, .noPlainHosting, .noHeadersFile:
      "run parser-ota init on the folder again: it writes what is missing"
    case .mirrorBroken: "copy the feed to the mirror again"
    }
  }

  private static func fallback(_ host: HostKind) -> String {
    switch host {
    case .cloudflare, .githubPages, .gitlabPages:
      "put a 404.html at the top of the feed (parser-ota init writes one)"
    case .netlify: "remove the rule \"/* /index.html 200\" from _redirects"
    case .vercel: "remove the rewrite of /(.*) to /index.html"
    case .firebase: "remove the rewrite of ** from firebase.json"
    case .nginx: "try_files $uri =404; in place of $uri /index.html"
    case .s3, .googleStorage: "set no error document, or one that is sent with 404"
    case .apache: "remove FallbackResource or the RewriteRule to index.html"
    case .caddy: "remove try_files {path} /index.html"
    case .rawGitHub, .other: "switch the single-page fallback off, or put a 404.html at the top of the feed"
    }
  }

  private static func transform(_ host: HostKind) -> String {
    switch host {
    case .cloudflare: "switch Rocket Loader, Auto Minify and Email Obfuscation off for the feed"
    case .netlify: "switch post processing (bundling, minifying) off"
    default:
      "switch minifying, injected scripts and other changes off for the feed; then deploy the files again as binary"
    }
  }

  private static func pointerCache(_ host: HostKind) -> String {
    switch host {
    case .nginx: "add_header Cache-Control \"max-age=60\"; for manifest.json, channels/ and metadata/"
    case .cloudflare, .netlify: "deploy the _headers file that parser-ota init writes"
    case .s3, .googleStorage:
      "upload manifest.json, channels/ and metadata/timestamp.json with Cache-Control: no-cache"
    case .githubPages:
      "nothing can be set there: fixes show after ten minutes; use an object store for faster ones"
    default:
      "send Cache-Control: max-age=60 or no-cache for manifest.json, channels/ and metadata/timestamp.json"
    }
  }

  private static func fileCache(_ host: HostKind) -> String {
    switch host {
    case .nginx: "add_header Cache-Control \"max-age=31536000, immutable\"; for files/"
    case .cloudflare, .netlify: "deploy the _headers file that parser-ota init writes"
    default: "send Cache-Control: max-age=31536000, immutable for files/"
    }
  }
}
