internal import OTAFeed
public import OTAManifest
internal import OTAStorage
internal import OTATransfer

/// Where a publisher writes to, and what goes along with it.
public struct HostPlace: Sendable {
  /// A folder, or the URL of a host: `s3://…`, `git+https://…`, `dav+https://…`.
  public var feed: String
  /// The command that carries a folder to where it is served; `nil` for none.
  public var deploy: String?
  /// Whether the history of a git branch is cut after each change.
  public var squashes = false
  /// The address at which readers get the feed; `nil` takes the base URL where the host is no plain folder.
  public var publicAddress: WebAddress?
  /// How long new files may take to be there for readers.
  public var publicPatience: Duration = .seconds(300)
  /// Credentials and settings of hosts, as the environment of a process has them.
  public var environment: [String: String]

  /// Describes a place; nothing is opened or asked yet.
  public init(_ feed: String, environment: [String: String] = [:]) {
    self.feed = feed
    self.environment = environment
  }

  /// Whether a text is the URL of a host, and neither a folder nor the public address of a feed.
  public static func isHost(_ text: String) -> Bool {
    ["s3://", "git+", "dav+"].contains { text.asciiLowercased.hasPrefix($0) }
  }

  /// Whether it is the URL of a host, which no folder of this machine answers for.
  public var isRemote: Bool { Self.isHost(feed) }
}

extension HostPlace {
  /// Opens the place; the network is not asked yet.
  ///
  /// - Throws: `misuse` for a URL that names no host, `noPermission` without credentials.
  package func host() throws(Problem) -> any FeedHost {
    let folded = feed.asciiLowercased
    if folded.hasPrefix("s3://") { return try objectStore() }
    if folded.hasPrefix("git+") { return try gitBranch() }
    if folded.hasPrefix("dav+") { return try webFolder() }
    let folder = DirectoryHost(root: feed)
    return deploy.map { DeployHost(folder: folder, command: $0, environment: environment) } ?? folder
  }

  private var patience: HostPatience {
    var patience = HostPatience()
    // For hosts on which a second is long, and for tests.
    if let seconds = environment["PARSER_OTA_HOST_LEASE"].flatMap({ Int($0) }), (1...600).contains(seconds) {
      patience.lease = .seconds(seconds)
      patience.standing = min(patience.standing, patience.lease / 4)
    }
    return patience
  }

  private var requests: HostRequests {
    var policy = TransferPolicy()
    policy.total = .init(start: .seconds(60), bytesPerSecond: 32 << 10)
    policy.stall = .init(bytesPerSecond: 1, seconds: 30)
    return HostRequests(transport: HostConnection(policy: policy), patience: patience)
  }

  private func objectStore() throws(Problem) -> any FeedHost {
    let settings = try ObjectStoreSettings(feed, environment, files: Self.file)
    let store = ObjectStore(settings, requests) {
      Timestamp(secondsSinceEpoch: SystemClock.wallSeconds())
    }
    return RemoteHost(store, patience: patience)
  }

  private func webFolder() throws(Problem) -> any FeedHost {
    let base: WebAddress
    do {
      base = try WebAddress(String(feed.dropFirst("dav+".count)))
    } catch {
      throw Self.refusal("\(Self.shown(feed)) \(error.detail)")
    }
    guard base.scheme == "https" || base.isLoopback, base.query == nil else {
      throw Self.refusal("\(Self.shown(feed)) is no https address of a folder")
    }
    let authorization = WebCredentials.authorization(for: base, environment, files: Self.file)
    return RemoteHost(WebFolder(base, authorization: authorization, requests), patience: patience)
  }

  private func gitBranch() throws(Problem) -> any FeedHost {
    let parts = feed.dropFirst("git+".count).split(
      separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let address = String(parts[0])
    let branch = parts.count > 1 ? String(parts[1]) : "gh-pages"
    let scheme = address.prefix { $0 != ":" }.asciiLowercased
    guard ["file", "https", "ssh"].contains(scheme), address.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw Self.refusal("\(Self.shown(feed)) is neither git+file:, git+https: nor git+ssh:")
    }
    guard scheme != "https" || !Self.hasUser(address) else {
      throw Self.refusal(
        "\(Self.shown(feed)) has a user name or password: set PARSER_OTA_GIT_TOKEN instead")
    }
    let isName = branch.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-._/".utf8.contains(byte)
    }
    guard isName, !branch.isEmpty, !branch.hasPrefix("-"), !branch.contains("..") else {
      throw Self.refusal("\(branch.printable()) is no name of a branch")
    }
    let folder = try Self.temporaryFolder(environment)
    let git = GitCommand(address: address, branch: branch, folder: folder, environment)
    return GitHost(
      git, place: "git+\(address)#\(branch)", folder: folder, squashes: squashes)
  }

  private static func hasUser(_ address: String) -> Bool {
    let authority = address.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false).last
    return authority?.prefix { $0 != "/" }.contains("@") ?? false
  }

  /// The URL without what may be a secret in it.
  private static func shown(_ text: String) -> String {
    guard let at = text.lastIndex(of: "@"), let slashes = text.firstRange(of: "//"), slashes.upperBound < at
    else {
      return text.printable()
    }
    return "\(text[..<slashes.upperBound])…\(text[at...])".printable()
  }

  static func refusal(_ message: String) -> Problem {
    Problem(
      .misuse, message,
      advice:
        "write a folder, s3://BUCKET/PREFIX, git+https://HOST/REPOSITORY.git#BRANCH or dav+https://HOST/FOLDER/"
    )
  }

  /// The text of a file of settings; `nil` when there is none that can be read.
  private static func file(_ path: String) -> String? {
    // Settings that are not there are found elsewhere, and missing credentials are said by whoever needs them.
    (try? readFile(at: path, maxBytes: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// A new folder among the files that may go.
  static func temporaryFolder(_ environment: [String: String]) throws(Problem) -> String {
    let parent = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    let name = randomBytes(8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let path = (parent.hasSuffix("/") ? parent : parent + "/") + "parser-ota-\(name)"
    do {
      _ = try Directory.create(path, mode: 0o700)
    } catch {
      throw Problem(onFeed: error)
    }
    return path
  }
}

extension Publisher {
  /// Works on the feed at a place: a folder, or a host on the network.
  ///
  /// - Throws: `misuse` for a URL that names no host, `noPermission` without credentials.
  public init(at place: HostPlace, now: @escaping @Sendable () -> Timestamp) throws(Problem) {
    self.init(host: try place.host(), place: place.feed, now: now)
    // Nobody reads a plain folder by its address before something else has carried it there.
    let isServed = place.isRemote || place.deploy != nil || place.publicAddress != nil
    publicFiles = isServed ? PublicFiles(address: place.publicAddress, patience: place.publicPatience) : nil
  }

  /// What a person should know of the host, each a sentence; complete once something was written.
  public var hostWarnings: [String] { host.warnings }
}
