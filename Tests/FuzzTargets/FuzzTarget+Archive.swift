import OTAFeed
import OTAManifest
import OTATransfer
import TestSupport
import UpdaterTestSupport

extension FuzzTarget {
  /// Archives: what is taken holds one whole release under the names of a feed, and is taken again.
  ///
  /// An input is read as it is, as a tar that is packed first, and as one whose headers are made right again: else a flipped
  /// bit would come no further than the sum of its header.
  static let archive = FuzzTarget(
    name: "archive",
    seeds: {
      let release = try SampleRelease(3, .init(bundle: Array("let a = 1".utf8), sources: Array("[]".utf8)))
      let newer = try SampleRelease(4, .init(bundle: Array("let a = 2".utf8), sources: Array("[ ]".utf8)))
      let metadata = ["1.root", "timestamp", "2.snapshot", "3.targets"].map {
        ("metadata/\($0).json", [UInt8]("{}".utf8))
      }
      var link = RawTar()
      link.add("manifest.json", type: "2", link: "/etc/passwd")
      link.addExtension("path", "../x")
      link.add("x", [1])
      return [
        tar(release.archiveFiles()), tar(release.archiveFiles(newest: newer)),
        tar(metadata + release.archiveFiles()),
        rawArchive(release.archiveFiles()), link.ended,
      ]
    },
    check: { bytes throws(BrokenRule) in
      for archive in [bytes, rawZstandard(bytes), rawZstandard(mended(bytes))] { try checkArchive(archive) }
    })

  private static func checkArchive(_ bytes: [UInt8]) throws(BrokenRule) {
    guard let archive = reading({ try ReleaseArchive(bytes, name: "a") }) else { return }
    let manifest = archive.manifest
    let names = archive.files.map(\.name)
    try require(
      names.allSatisfy { name in reading { try RelativePath(name) } != nil }, "names are plain: \(names)")
    try require(Set(names.map { $0.lowercased() }).count == names.count, "each name is there once: \(names)")
    let sizes = [manifest.bundle, manifest.sources].map { Int($0.bytes) }
    try require(archive.files.suffix(2).map(\.bytes) == sizes, "the two files are those of the manifest")
    let again = try must("an archive that was taken is taken again") { try ReleaseArchive(bytes, name: "b") }
    try require(again.manifest == manifest, "it holds the same release")
  }

  private static func tar(_ files: [ArchivedFile]) -> [UInt8] {
    var tar = RawTar()
    for file in files { tar.add(file.name, file.bytes) }
    return tar.ended
  }

  /// The input with a right sum in every block that looks like a header.
  private static func mended(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for start in stride(from: 0, to: bytes.count - 511, by: 512)
    where bytes[(start + 257)..<(start + 262)].elementsEqual("ustar".utf8) {
      bytes.replaceSubrange((start + 148)..<(start + 156), with: "        ".utf8)
      let sum = bytes[start..<(start + 512)].reduce(0) { $0 + Int($1) }
      let text = String(sum, radix: 8)
      let digits = String(repeating: "0", count: max(0, 6 - text.count)) + text
      bytes.replaceSubrange((start + 148)..<(start + 156), with: Array(digits.utf8.prefix(6)) + [0, 0x20])
    }
    return bytes
  }
}
