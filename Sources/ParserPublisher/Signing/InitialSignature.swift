internal import OTACrypto
internal import OTAFeed
internal import OTAManifest
internal import OTATrust

/// What `init` does about signatures: makes the first root and signs what is there, or leaves a signed feed as it is.
struct InitialSignature {
  /// The keys and numbers of a feed that is to be signed.
  struct Wish {
    let rootSigners: [any MetadataSigner]
    let releaseSigners: [any MetadataSigner]
    let rootThreshold: Int
    let releaseThreshold: Int
    let expiry: ExpiryPolicy
    let date: Timestamp
    /// The name that was asked for; a new feed without one gets a random one.
    let name: String?
  }

  /// What is to be made, and its root; `nil` when there is nothing to sign.
  private let made: (wish: Wish, root: [UInt8])?
  /// What the settings shall say.
  let trust: FeedTrust

  /// Compares what is asked for with what is there.
  ///
  /// - Throws: `inputRefused` for keys that are not those of the feed's root, and for a signed feed without signatures.
  ///
  /// - Parameter found: the trust that a feed without settings shows by itself.
  init(
    request: InitRequest, before: FeedSettings?, found: FeedTrust, host: any FeedHost
  ) async throws(Problem) {
    let isCommitted = try await host.list(FeedLayout.metadataFolder).contains(FeedLayout.timestampName)
    let isSigned = isCommitted || (before.map { $0.trust != .checksumsOnly } ?? false)
    switch request.trust {
    case nil where isSigned && before?.trust == .checksumsOnly: throw Self.needsKeys(request.directory)
    case nil: (made, trust) = (nil, before?.trust ?? found)
    case .checksumsOnly:
      guard !isSigned else { throw Self.staysSigned(request.directory) }
      (made, trust) = (nil, .checksumsOnly)
    case .signed(let roots, let releases, let rootThreshold, let releaseThreshold, let expiry):
      try expiry.check()
      guard let date = request.date else { throw Problem(.misuse, "a signed feed needs a date to sign at") }
      let begun = isSigned ? nil : try await Self.begunName(host)
      let wish = Wish(
        rootSigners: roots, releaseSigners: releases, rootThreshold: rootThreshold,
        releaseThreshold: releaseThreshold, expiry: expiry, date: date,
        name: request.name ?? begun)
      if isSigned { try await Self.requireSameKeys(wish, host) }
      made = isSigned ? nil : (wish, try await Self.makeRoot(wish))
      trust = Self.trust(expiry, before?.trust ?? found)
    }
  }

  /// Days that nobody asked for stay as the feed has them.
  private static func trust(_ expiry: ExpiryPolicy, _ before: FeedTrust) -> FeedTrust {
    var days = expiry
    days.checkInterval = nil
    if case .signed = before, days == ExpiryPolicy() { return before }
    return .signed(days)
  }

  /// The first root and all that follows from it; `nil` when there is nothing to sign.
  ///
  /// - Parameter host: the feed as it will be.
  func plan(
    under settings: FeedSettings, on host: any FeedHost
  ) async throws(Problem) -> (files: [FeedWrite], metadata: MetadataPlan, root: [UInt8])? {
    guard let (wish, root) = made else { return nil }
    let chain = try RootChain(first: root)
    let signing = FeedSigning(
      firstRoot: root, root: chain.newest, signers: wish.releaseSigners, expiry: wish.expiry, date: wish.date)
    let state = try await FeedState.readUnsigned(settings, host)
    let files =
      try await Self.lastingFiles(of: state, host)
      + [FeedWrite(path: FeedLayout.metadata("root", 1), bytes: root)]
    return (files, try await signing.plan(for: state, files, host, whole: Set(state.live.keys)), root)
  }

  /// What signed metadata needs under the names that it gives: feeds from elsewhere have other names.
  private static func lastingFiles(
    of state: FeedState, _ host: any FeedHost
  ) async throws(Problem) -> [FeedWrite] {
    var files: [FeedWrite] = []
    let lookup = ContentLookup(host: host)
    for release in state.releases {
      let manifest = release.manifest
      for file in FeedLayout.ContentFile.allCases {
        files.append(
          FeedWrite(
            path: TargetsInventory.content(file, of: manifest).path,
            bytes: try await lookup.bytes(of: file, in: manifest)))
      }
      files.append(
        FeedWrite(path: FeedLayout.manifest(release.digest, of: manifest.version), bytes: release.bytes))
    }
    return files
  }

  private static func makeRoot(_ wish: Wish) async throws(Problem) -> [UInt8] {
    do {
      var root = RootDocument(expires: wish.expiry.expiry(of: .root, signedAt: wish.date))
      root.setFeedName(wish.name ?? randomName())
      for signer in wish.rootSigners { try root.addKey(signer.publicKey, to: .root) }
      root.setThreshold(wish.rootThreshold, of: .root)
      for role in [Root.Role.targets, .snapshot, .timestamp] {
        for signer in wish.releaseSigners { try root.addKey(signer.publicKey, to: role) }
        root.setThreshold(wish.releaseThreshold, of: role)
      }
      var document = try root.document()
      for signer in wish.rootSigners {
        try await document.sign(with: signer, keyID: try signer.publicKey.metadataID())
      }
      return document.encoded()
    } catch let problem as Problem {
      throw problem
    } catch let error as TrustError {
      throw Problem(
        .inputRefused, "the new \(error.message)",
        advice: "give at least as many different keys as the threshold says")
    } catch {
      throw Problem(.cryptoUnavailable, "the root cannot be signed on this machine")
    }
  }

  /// The name of a root that an interrupted `init` left: the same command goes on with it.
  private static func begunName(_ host: any FeedHost) async throws(Problem) -> String? {
    let path = FeedLayout.metadata("root", 1)
    guard let bytes = try await host.read(path, maxBytes: FeedLayout.maxRootBytes) else { return nil }
    do {
      return try RootChain(first: bytes).newest.feedName
    } catch {
      // Half a root, or something else: it is replaced.
      return nil
    }
  }

  /// 128 random bits, so that no two feeds have one name by chance.
  private static func randomName() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  private static func requireSameName(_ name: String?, _ root: Root) throws(Problem) {
    guard let name, root.feedName != name else { return }
    guard let feedName = root.feedName else {
      throw Problem(
        .inputRefused, "the feed is signed already, and its root has no name",
        advice:
          "name it with the next root: parser-ota root prepare --feed DIR --name \(name) --out next.root.json"
      )
    }
    throw Problem(
      .inputRefused, "the feed is named \(feedName), and apps refuse a root that renames it",
      advice: "leave --name out")
  }

  private static func requireSameKeys(_ wish: Wish, _ host: any FeedHost) async throws(Problem) {
    let root = try await MetadataState.read(from: host).chain.newest
    try requireSameName(wish.name, root)
    let wanted: [(Root.Role, [any MetadataSigner], Int)] = [
      (.root, wish.rootSigners, wish.rootThreshold), (.targets, wish.releaseSigners, wish.releaseThreshold),
    ]
    for (role, signers, threshold) in wanted {
      let keys: RoleKeys
      do { keys = try root.keys(of: role) } catch { throw Problem(onFeed: error, FeedLayout.metadataFolder) }
      let isSame = signers.allSatisfy { signer in keys.keys.contains { $0.use == .verifies(signer.publicKey) }
      }
      guard isSame, Set(signers.map(\.publicKey)).count == keys.keys.count, threshold == keys.threshold else {
        throw Problem(
          .inputRefused,
          "the feed is signed already, and root \(root.version) has other keys or another threshold for the role "
            + "\(role.rawValue)",
          advice: "change keys with parser-ota key, which makes the next root")
      }
    }
  }

  private static func needsKeys(_ place: String) -> Problem {
    Problem(
      .inputRefused, "\(place) has signed metadata, but its settings do not say so",
      advice: "run parser-ota init with the keys of the feed, or restore the settings from a backup")
  }

  private static func staysSigned(_ place: String) -> Problem {
    Problem(
      .inputRefused,
      "\(place) is a signed feed and stays one: installed clients take nothing without signatures",
      advice: "make a feed with checksums only in another folder")
  }
}
