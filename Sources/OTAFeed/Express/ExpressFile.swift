internal import OTAArchive
package import OTAManifest

/// What a device would ask a feed for next, in one small file: metadata, newest manifests and small patches.
///
/// Each part is byte for byte the file of its name, and goes through the same client as if it had been fetched by that
/// name. So being here earns no trust, and a feed without this file works as well.
package struct ExpressFile: Equatable, Sendable {
  /// Where it is below the feed: a tar, packed with zstd.
  package static let path = FeedLayout.express
  /// Bytes of the file, against a host that pads it; a check costs no more than this.
  package static let maxPackedBytes = 64 << 10
  /// Bytes of what is in it, against bombs.
  private static let maxPlainBytes = 1 << 20

  /// The parts by their paths below the feed.
  package let parts: [String: [UInt8]]

  /// Reads a file as it came; nothing in it is verified.
  ///
  /// - Throws: `expressInvalid`.
  package init(decoding packed: [UInt8]) throws(Problem) {
    do {
      let tar = try Zstd.unpack(packed, maxBytes: Self.maxPlainBytes)
      var parts: [String: [UInt8]] = [:]
      for entry in try PlainTar.read(tar) { parts[entry.name] = entry.bytes }
      self.parts = parts
    } catch let error as ZstdError {
      throw Self.problem(error.detail)
    } catch let error as ArchiveError {
      throw Self.problem(error.detail)
    } catch {
      throw Self.problem("cannot be read")
    }
  }

  private static func problem(_ detail: String) -> Problem {
    Problem(
      .expressInvalid, "\(path) \(detail)",
      advice: "devices read the feed without it; the next publish or refresh writes it again")
  }

  /// Takes parts that are at hand.
  package init(parts: [String: [UInt8]]) { self.parts = parts }

  /// The file; the same parts give the same bytes. `nil` where zstd is missing, or when a name does not fit.
  package func encoded() -> [UInt8]? {
    let entries = parts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .map { PlainTar.Entry(name: $0.key, bytes: $0.value) }
    do {
      let packed = try Zstd.pack(try PlainTar.encoded(entries)).bytes
      return packed.count <= Self.maxPackedBytes ? packed : nil
    } catch {
      // A feed without this file works as well.
      return nil
    }
  }

  /// The newest root among the parts; 1 when there is none, since the first root never comes this way.
  var newestRoot: Int64 { parts.keys.compactMap(Self.rootVersion).max() ?? 1 }

  /// The version of a root by its path; `nil` for any other path.
  static func rootVersion(_ path: String) -> Int64? {
    let (folder, name) = FeedLayout.split(path)
    return folder == FeedLayout.metadataFolder
      ? FeedLayout.metadataVersion("root", inName: String(name)) : nil
  }
}
