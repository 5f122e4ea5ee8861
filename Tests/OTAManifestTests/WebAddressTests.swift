import OTAManifest
import Testing

@Suite("Addresses and paths are read so that every reader understands them alike")
struct WebAddressTests {
  @Test(
    "Plain addresses are taken apart",
    arguments: [
      ("https://parsers.example/feed/a.js", "parsers.example", nil, "/feed/a.js", nil),
      ("HTTPS://Parsers.EXAMPLE/A.js", "parsers.example", nil, "/A.js", nil),
      ("https://parsers.example", "parsers.example", nil, "/", nil),
      ("https://parsers.example?v=1", "parsers.example", nil, "/", "v=1"),
      (
        "https://parsers.example:8443/a?x=https://other.example/@&y", "parsers.example", 8443, "/a",
        "x=https://other.example/@&y"
      ),
      ("http://127.0.0.1:80/a%20b", "127.0.0.1", 80, "/a%20b", nil),
      ("https://[2001:DB8::1]:443/", "[2001:db8::1]", 443, "/", nil),
      ("https://xn--bcher-kva.example/", "xn--bcher-kva.example", nil, "/", nil),
      ("https://3com.example/...", "3com.example", nil, "/...", nil),
    ] as [(String, String, Int?, String, String?)])
  func parts(text: String, host: String, port: Int?, path: String, query: String?) throws {
    let address = try WebAddress(text)
    #expect(address.host == host && address.port == port && address.path == path && address.query == query)
    #expect(try WebAddress(address.text) == address)
  }

  @Test(
    "B67: addresses that two readers understand differently are refused",
    arguments: [
      "", "https:", "https://", "https:///x", "https:/a", "//evil.example/x", "/x", "x", "https//x",
      #"https://good\@evil/x"#, #"https:\\evil.example"#, "https://good@evil.example/", "https://u:p@h/",
      "https://@h/",
      "file:///etc/passwd", "ftp://h/x", "javascript://h/%0aalert(1)", "data://x", "HTTPSX://h/",
      " https://h/",
      "https://h/ x", "https://h/\tx", "https://h/\nx", "https://h/\0", "https://h/\u{7F}", "https://h/ä",
      "https://hä/",
      "https://h/#f", "https://h/%2e%2e%2f", "https://h/%2E%2e/x", "https://h/.%2e/x", "https://h/../x",
      "https://h/.",
      "https://h/a/./b", "https://h/a%2Fb", "https://h/a%5cb", "https://h/a%00", "https://h/%",
      "https://h/%4",
      "https://h/%zz", "https://h/?%4", "https://h/%+1", "https://%68/", "https://h:", "https://h:/",
      "https://h:0/", "https://h:65536/",
      "https://h:8 0/", "https://h:-1/", "https://h:1:2/", "https://h:000443/", "https://[::1", "https://[]/",
      "https://[::1]x/",
      "https://[::1]]/", "https://[::g]/", "https://a[::1]/", "https://::1/", "https://./", "https://../x",
      "https://a..b/",
      "https://.a/", "https://a./", "https://a_b/", "https://2130706433/", "https://0x7f.1/",
      "https://0x7f000001/",
      "https://127.1/", "https://127.0.0.01/", "https://1.2.3.256/", "https://1.2.3.4.5/", "https://a.1/",
      "https://h/<x>", "https://h/{x}", "https://h/|", "https://h/^", "https://h/`", "https://h/\"",
    ])
  func refused(text: String) {
    let error = #expect(throws: InputError.self, "\(text)") { try WebAddress(text) }
    #expect(error?.reason == .forbiddenURL)
  }

  @Test("B67: long addresses are refused, those at the limit are not")
  func length() throws {
    let stem = "https://parsers.example/"
    let longest = stem + String(repeating: "a", count: 2048 - stem.utf8.count)
    #expect(try WebAddress(longest).text == longest)
    #expect(throws: InputError.self) { try WebAddress(longest + "a") }
    #expect(throws: InputError.self) { try WebAddress(stem + String(repeating: "a", count: 5000)) }
  }

  @Test("Only this machine's own names are loopback")
  func loopback() throws {
    for text in [
      "http://localhost/", "http://LOCALHOST:80/", "http://127.0.0.1/", "http://127.9.9.9:1/",
      "http://[::1]/",
    ] {
      #expect(try WebAddress(text).isLoopback, "\(text)")
    }
    for text in [
      "http://localhost.example/", "http://127.0.0.1.example/", "http://127.a.b.c1/", "http://128.0.0.1/",
      "http://[::2]/",
      "http://10.127.0.1/",
    ] {
      #expect(try !WebAddress(text).isLoopback, "\(text)")
    }
  }

  @Test("Folders take files, whatever the form in which they were given")
  func folders() throws {
    let file = try RelativePath("files/a.js")
    for text in [
      "https://h.example/feed", "https://h.example/feed/", "https://h.example/feed/manifest.json",
      "https://h.example/feed/manifest.json?x=1",
    ] {
      #expect(try WebAddress(text).asFolder.appending(file).text == "https://h.example/feed/files/a.js")
    }
    #expect(
      try WebAddress("https://h.example").asFolder.appending(file).text == "https://h.example/files/a.js")
    #expect(try WebAddress("https://h.example/xmanifest.json").asFolder.path == "/xmanifest.json/")
  }

  @Test(
    "Plain relative paths are taken apart",
    arguments: ["a", "a/b.js", "a/b/c~d_e-f.G9", "...", ".a", "a..b", "NUL"])
  func relative(text: String) throws {
    let path = try RelativePath(text)
    #expect(path.text == text && path.components == text.split(separator: "/").map(String.init))
    #expect(try ArtifactLocation(text) == .relative(path))
  }

  @Test(
    "B67: paths that lead elsewhere are refused",
    arguments: [
      "", "/", ".", "..", "../x", "a/..", "a/../b", "./a", "a/.", "//evil.example/x", "/etc/passwd", "a//b",
      "a/",
      "%2e%2e%2f", "%2e", #"C:\x"#, "C:/x", #"a\b"#, "a:b", "a b", "a\0", "a\n", "a?b", "a#b", "ä",
      "a/\u{301}",
      "．．/x", "a@b", "a*", "~/x/..",
    ])
  func refusedPaths(text: String) {
    let error = #expect(throws: InputError.self, "\(text)") { try RelativePath(text) }
    #expect(error?.reason == .forbiddenURL)
    #expect(throws: InputError.self) { try ArtifactLocation(text) }
  }

  @Test("B67: long paths and long names are refused")
  func pathLength() throws {
    #expect(throws: InputError.self) { try RelativePath(String(repeating: "a", count: 5000)) }
    #expect(throws: InputError.self) { try RelativePath(String(repeating: "a", count: 256)) }
    #expect(throws: InputError.self) { try RelativePath(String(repeating: "a/", count: 1024) + "a") }
    #expect(try RelativePath(String(repeating: "a", count: 255)).components.count == 1)
  }

  @Test(
    "What has a scheme is never a path", arguments: ["file:///etc/passwd", "a/b://c", "://x", "https://"])
  func schemes(text: String) {
    #expect(throws: InputError.self) { try ArtifactLocation(text) }
  }
}
