internal import OTAFeed
internal import OTAManifest

/// Files of a feed that need not be there.
extension FeedReader {
  /// The bytes of a file; `nil` when reading it fails with one of the codes that mean that there is none.
  func readIfThere(
    _ path: String, maxBytes: Int,
    absentWhen codes: Set<ProblemCode> = [.notFound, .fileMissing, .archiveInvalid]
  ) async throws(Problem) -> [UInt8]? {
    do {
      return try await read(RelativePath(path), maxBytes: maxBytes)
    } catch let problem as Problem {
      guard codes.contains(problem.code) else { throw problem }
      return nil
    } catch {
      throw Problem(.misuse, "the path \(path) cannot be used")
    }
  }

  /// The trust that was asked for, else that of the feed's own first root, else checksums alone.
  func usedTrust(_ given: Trust?) async throws(Problem) -> Trust {
    if let given { return given }
    let root = try await readIfThere(FeedLayout.firstRoot, maxBytes: FeedLayout.maxRootBytes)
    return root.map { .root($0) } ?? .checksumsOnly
  }
}
