import Foundation
import TestSupport

/// A site of files behind a real nginx: compressed, in several encodings, and with an old address that leads elsewhere.
final class StaticSite {
  let tls: TLSServer
  let nginx: NginxServer
  private let root: TemporaryDirectory

  /// Host and port.
  var domain: String { String(nginx.url.dropFirst("https://".count).dropLast()) }
  var port: String { String(domain.split(separator: ":").last ?? "") }

  static let japanese = "\u{9032}\u{6483}\u{306E}\u{5DE8}\u{4EBA}"
  static let korean = "\u{B098}\u{B8E8}\u{D1A0}"
  private static let koreanBytes: [UInt8] = [0xB3, 0xAA, 0xB7, 0xE7, 0xC5, 0xE4]

  init() throws {
    tls = try TLSServer.shared.get()
    root = try TemporaryDirectory()
    try Self.makePages(in: root)
    nginx = try NginxServer(
      root: root.path, certificatesOf: tls,
      directives: """
        default_type text/html; charset off; gzip on; gzip_min_length 1;
        location /sjis/ { default_type "text/html; charset=Shift_JIS"; }
        location /old/ { rewrite ^/old(/.*)$ https://localhost:$server_port$1 redirect; }
        """)
  }

  /// Waits until nginx answers.
  func waitUntilUp() throws {
    for _ in 0..<100 {
      let answer = try run(
        "/usr/bin/curl", ["-sf", "--cacert", tls.authorityFile, "-o", "/dev/null", nginx.url + "list"])
      if answer.status == .exited(0) { return }
      usleep(50_000)
    }
    throw SystemFailure("nginx does not answer")
  }

  private static func makePages(in root: TemporaryDirectory) throws {
    func put(_ path: String, _ bytes: [UInt8]) throws {
      let file = URL(fileURLWithPath: root.path(path))
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
    func put(_ path: String, _ text: String) throws { try put(path, Array(text.utf8)) }
    // nginx runs as another user when the tests run as root.
    chmod(root.path, 0o755)
    try put(
      "list",
      "<meta charset=utf-8><a class=work href=/m/1>\(japanese)</a><a class=work href=/m/2>Two</a>"
        + String(repeating: "<p>filler</p>", count: 400))
    for number in 1...2 {
      try put(
        "m/\(number)",
        "<h1>Work \(number)</h1><a class=chapter href=/c/\(number)/1>1</a><a class=chapter href=/c/\(number)/2>2</a>"
      )
      for chapter in 1...2 {
        try put("c/\(number)/\(chapter)", "<img class=page src=/i/1.png><img class=page src=/i/2.png>")
      }
    }
    let shifted = "<a class=work href=/m/1>\(japanese)</a>".data(using: .shiftJIS) ?? Data()
    try put("sjis/list", Array(shifted))
    try put(
      "euckr/list",
      Array("<html><head><meta charset=\"euc-kr\"></head><a class=work href=/m/1>".utf8) + koreanBytes
        + Array("</a>".utf8))
  }
}
