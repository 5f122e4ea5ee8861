internal import OTAFeed
internal import OTAManifest
internal import Synchronization

/// Copies of a feed, asked for files by their digests; what they say about releases is never trusted.
struct RepairSources {
  /// One copy, and whether a person named it.
  fileprivate struct Source {
    let location: FeedLocation
    let isNamed: Bool
    let reader: FeedReader
  }

  fileprivate let sources: [Source]
  private let silent = SilentSources()

  init(_ request: RepairRequest, baseURL: WebAddress?) {
    var sources = request.sources.map { location in
      Source(
        location: location, isNamed: true,
        reader: FeedReader(location, allowsPlainHTTPOnLoopback: request.allowsPlainHTTPOnLoopback))
    }
    if let baseURL, !request.sources.contains(.web(baseURL)) {
      sources.append(
        Source(
          location: .web(baseURL), isNamed: false,
          reader: FeedReader(.web(baseURL), allowsPlainHTTPOnLoopback: baseURL.isLoopback)))
    }
    self.sources = sources
  }

  /// Refuses named copies that are no feeds: a slip in an address must not let a repair give up releases.
  func requireFeeds() async throws(Problem) {
    for source in sources where source.isNamed { try await source.requireFeed() }
  }

  /// The first bytes that `accept` takes, from the first of these paths that has them.
  ///
  /// - Throws: the problem of a named copy that could not be asked, when no other had the file.
  func find(
    _ paths: [String], maxBytes: Int, _ accept: ([UInt8]) throws(Problem) -> [UInt8]?
  ) async throws(Problem) -> (bytes: [UInt8], source: String)? {
    var failure: Problem?
    for source in sources {
      if let known = silent.problem(of: source.location) {
        if source.isNamed { failure = failure ?? known }
        continue
      }
      for path in paths {
        do throws(Problem) {
          guard let bytes = try await source.read(path, maxBytes: maxBytes) else { continue }
          if let right = try accept(bytes) { return (right, source.location.text) }
        } catch {
          silent.note(error, of: source.location)
          // The feed's own host may be down, or not there yet: it was nobody's promise to have the file.
          if source.isNamed { failure = failure ?? error }
          if error.code.responsibility == .tryLater { break }
        }
      }
    }
    if let failure { throw failure.keeping("what was restored so far stays") }
    return nil
  }
}

extension RepairSources.Source {
  /// Damage is fine, it is a copy for a repair; but something of a feed must be there.
  fileprivate func requireFeed() async throws(Problem) {
    do throws(Problem) {
      if case .directory(let root) = location {
        let names = try DirectoryHost(root: root).list("")
        guard !names.contains(where: Self.namesOfFeeds.contains) else { return }
        throw Problem(
          .notAFeed, "\(root) is not a copy of a feed: it has no \(Channel.stable.manifestPath)",
          kept: Self.unchanged, advice: "give the folder or address of a copy with --from")
      }
      _ = try await Trust.checksumsOnly.authority.newestManifest(of: .stable, from: reader)
    } catch  where error.code == .manifestInvalid || error.code == .wrongChannel {
      // A manifest all the same.
    } catch {
      throw error.keeping(Self.unchanged)
    }
  }

  private static let namesOfFeeds: Set<String> = [
    Channel.stable.manifestPath, FeedLayout.targetsFolder, FeedLayout.metadataFolder,
    FeedLayout.channelsFolder,
  ]
  private static let unchanged = "nothing was restored, and nothing was dropped"

  fileprivate func read(_ path: String, maxBytes: Int) async throws(Problem) -> [UInt8]? {
    do throws(Problem) {
      if case .directory(let root) = location {
        return try DirectoryHost(root: root).read(path, maxBytes: maxBytes)
      }
      return try await reader.readIfThere(path, maxBytes: maxBytes)
    } catch  where error.code.responsibility == .untrustedContent || error.code == .wrongKind {
      // Something else has that name there.
      return nil
    } catch  where error.code == .htmlInstead || error.code == .misuse {
      return nil
    }
  }
}

/// Copies that did not answer: they are not waited for once more with each file.
private final class SilentSources: Sendable {
  private let problems = Mutex<[String: Problem]>([:])

  func problem(of location: FeedLocation) -> Problem? { problems.withLock { $0[location.text] } }

  func note(_ problem: Problem, of location: FeedLocation) {
    guard problem.code.responsibility == .tryLater else { return }
    problems.withLock { $0[location.text] = problem }
  }
}
