import OTAManifest
import Testing

/// What a manifest says of smaller ways to get a file.
@Suite("Packed files in a manifest") struct PackedFileTests {
  private static let hex = String(repeating: "a", count: 64)

  private func manifest(_ bundle: String) throws -> Manifest {
    let file = "\"url\": \"x.js\", \"sha256\": \"\(Self.hex)\", \"bytes\": 10"
    return try Manifest.decode(
      Array("{\"version\": 1, \"bundle\": {\(file), \(bundle)}, \"sources\": {\(file)}}".utf8))
  }

  @Test("an encoding from the future is passed over, and the others count")
  func unknownEncoding() throws {
    let known =
      "{\"encoding\": \"zstd\", \"url\": \"a/x.zst\", \"sha256\": \"\(Self.hex)\", \"bytes\": 3, \"memory\": 7}"
    let unknown = known.replacing("zstd", with: "tarball")
    let read = try manifest("\"encodings\": [\(unknown), \(known)]").bundle
    #expect(read.encodings.count == 1 && read.encodings[0].bytes == 3 && read.encodings[0].memory == 7)
    #expect(read.patches == [] && read.plain.encodings == [])
  }

  @Test("a file without packed forms is written as it was before there were any")
  func absent() throws {
    let text = String(decoding: try manifest("\"encodings\": []").encoded(), as: UTF8.self)
    #expect(!text.contains("encodings") && !text.contains("patches"))
  }
}
