import OTAFeed
import OTAManifest
import Testing

/// What people write when they say where a feed is.
@Suite("Feed locations")
struct FeedLocationTests {
  @Test(
    "paths and file URLs are folders",
    arguments: [
      ("/srv/feed", "/srv/feed"), ("feed", "feed"), ("./a b", "./a b"), ("file:///srv/feed", "/srv/feed"),
      ("FILE:///srv/feed", "/srv/feed"), ("file:/srv/feed", "/srv/feed"),
      ("file://localhost/srv/feed", "/srv/feed"), ("file:///srv/my%20feed", "/srv/my feed"),
      ("file:///srv/%C3%A9", "/srv/é"),
    ])
  func folders(text: String, path: String) throws {
    #expect(try FeedLocation(text) == .directory(path))
  }

  @Test(
    "addresses become the address of the folder",
    arguments: [
      ("https://a.example", "https://a.example/"), ("https://a.example/feed", "https://a.example/feed/"),
      ("HTTPS://A.example/feed/manifest.json", "https://a.example/feed/"),
      ("http://127.0.0.1:8080/", "http://127.0.0.1:8080/"),
    ])
  func addresses(text: String, address: String) throws {
    let location = try FeedLocation(text)
    #expect(location.text == address)
    #expect(try location == .web(WebAddress(address)))
  }

  @Test(
    "B67: what is neither is refused",
    arguments: [
      "", "a\0b", "file://other.example/srv", "file:srv", "file:///a%zz", "file:///a%+1", "file:///a%2",
      "file:///a%00b", "ftp://a.example/", "https://user@a.example/", "https://a.example/../x",
      "file:///%FF",
    ])
  func refused(text: String) {
    #expect(throws: InputError.self) { try FeedLocation(text) }
  }
}
