extension Manifest {
  private static let fields = [
    "version", "bundle", "sources", "channel", "released", "notes", "contract", "minimumAppVersion",
    "content", "parent", "parentVersion", "withdrawn", "withdrawnContent", "aliases",
    "requires", "fixtures", "allowed", "source", "embeddedOnly", "follow", "beside", "critical",
  ]

  /// Reads a manifest strictly.
  ///
  /// - Parameter bytes: UTF-8 without BOM, at most 64 KiB, nested at most 16 levels.
  /// - Throws: `InputError` that names the field.
  public static func decode(_ bytes: [UInt8]) throws(InputError) -> Manifest {
    let limits = Limits.standard
    let document = try JSONReader.read(bytes, maxBytes: limits.maxManifestBytes, maxDepth: limits.maxDepth)
    return try Manifest(JSONObject(document, known: fields))
  }

  private init(_ object: JSONObject) throws(InputError) {
    let limits = Limits.standard
    version = try object.version("version")
    bundle = try Artifact(
      packed: object.object("bundle", known: Artifact.fields), maxBytes: limits.maxBundleBytes)
    sources = try Artifact(
      packed: object.object("sources", known: Artifact.fields), maxBytes: limits.maxSourcesBytes)
    channel = try object.optional("channel", object.channel) ?? .stable
    released = try object.optional("released", object.timestamp)
    notes = try object.optional("notes") { (name) throws(InputError) in
      try object.text(name, maxBytes: limits.maxNotesBytes)
    }
    contract = try object.optional("contract") { (name) throws(InputError) in try object.integer(name) }
    minimumAppVersion = try object.optional("minimumAppVersion", object.appVersion)
    content = try object.optional("content", object.version) ?? version
    parent = try object.optional("parent", object.digest)
    parentVersion = try object.optional("parentVersion", object.version)
    withdrawn = try object.optional("withdrawn", object.versions) ?? []
    withdrawnContent = try object.optional("withdrawnContent", object.withdrawnContent) ?? []
    aliases = try object.optional("aliases", object.aliases) ?? []
    requires = try object.optional("requires", object.features) ?? []
    fixtures = try object.optional("fixtures") { (name) throws(InputError) in
      try FixtureScore(object.object(name, known: FixtureScore.fields))
    }
    allowed = try object.optional("allowed", object.allowances) ?? []
    source = try object.optional("source", object.commit)
    embeddedOnly = try object.optional("embeddedOnly") { (name) throws(InputError) in
      try EmbeddedOnly(object.object(name, known: EmbeddedOnly.fields))
    }
    follow = try object.optional("follow", object.channel)
    beside = try object.optional("beside", object.features) ?? []
    isCritical = try object.optional("critical", object.bool) ?? false
    guard follow != channel else {
      throw InputError(.malformed, field: "follow", "names the channel \(channel) itself")
    }
    guard content <= version else {
      throw InputError(.outOfRange, field: "content", "is \(content), later than version \(version)")
    }
    guard !withdrawn.contains(version) else {
      throw InputError(.malformed, field: "withdrawn", "names version \(version) itself")
    }
  }
}

extension Manifest {
  /// Whether a text is the full id of a commit, in lower case.
  public static func isCommit(_ text: String) -> Bool {
    [40, 64].contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}

extension JSONObject {
  /// A release version that must be there.
  public func version(_ name: String) throws(InputError) -> ReleaseVersion {
    try Self.version(required(name), path: path(of: name))
  }

  /// A digest of 64 hexadecimal digits that must be there.
  public func digest(_ name: String) throws(InputError) -> Digest {
    guard let digest = Digest(hex: try string(name)) else {
      throw InputError(.malformed, field: path(of: name), "is not 64 hexadecimal digits")
    }
    return digest
  }

  /// A moment in UTC that must be there.
  public func timestamp(_ name: String) throws(InputError) -> Timestamp {
    guard let moment = Timestamp(try string(name)) else {
      throw InputError(.malformed, field: path(of: name), "is not a UTC time such as 2026-06-11T09:12:44Z")
    }
    return moment
  }

  /// A channel name that must be there.
  public func channel(_ name: String) throws(InputError) -> Channel {
    guard let channel = Channel(try string(name)) else {
      throw InputError(
        .malformed, field: path(of: name), "is not a channel name of lower-case letters, digits and hyphens")
    }
    return channel
  }

  /// An app version that must be there.
  public func appVersion(_ name: String) throws(InputError) -> AppVersion {
    guard let version = AppVersion(try string(name)) else {
      throw InputError(.malformed, field: path(of: name), "is not an app version such as 2.1.0")
    }
    return version
  }

  /// The id of a commit that must be there.
  fileprivate func commit(_ name: String) throws(InputError) -> String {
    let text = try string(name)
    guard Manifest.isCommit(text) else {
      throw InputError(.malformed, field: path(of: name), "is not a commit of 40 or 64 hexadecimal digits")
    }
    return text
  }

  /// A string of at most `maxBytes` bytes that must be there.
  public func text(_ name: String, maxBytes: Int) throws(InputError) -> String {
    let text = try string(name)
    guard text.utf8.count <= maxBytes else {
      throw InputError(.tooLarge, field: path(of: name), "is longer than \(maxBytes) bytes")
    }
    return text
  }

  fileprivate static func version(_ value: JSONValue, path: String) throws(InputError) -> ReleaseVersion {
    let number = try integer(value, path: path)
    guard let version = ReleaseVersion(number) else {
      throw InputError(.outOfRange, field: path, "is not a release version")
    }
    return version
  }

  /// An array of release versions that must be there.
  public func versions(_ name: String) throws(InputError) -> [ReleaseVersion] {
    let items = try bounded(array(name), name, max: Limits.standard.maxWithdrawn)
    var versions: [ReleaseVersion] = []
    for (index, item) in items.enumerated() {
      versions.append(try Self.version(item, path: JSONPath.element(index, of: path(of: name))))
    }
    return versions
  }

  fileprivate func withdrawnContent(_ name: String) throws(InputError) -> [WithdrawnContent] {
    let items = try bounded(array(name), name, max: Limits.standard.maxWithdrawn)
    var contents: [WithdrawnContent] = []
    for (index, item) in items.enumerated() {
      let path = JSONPath.element(index, of: path(of: name))
      contents.append(try WithdrawnContent(JSONObject(item, path: path, known: WithdrawnContent.fields)))
    }
    return contents
  }

  fileprivate func features(_ name: String) throws(InputError) -> [String] {
    try names(name, max: Limits.standard.maxRequires, maxBytes: 64)
  }

  fileprivate func allowances(_ name: String) throws(InputError) -> [String] {
    try names(name, max: Limits.standard.maxAllowed, maxBytes: Limits.standard.maxAllowedBytes)
  }

  private func names(_ name: String, max: Int, maxBytes: Int) throws(InputError) -> [String] {
    let items = try bounded(array(name), name, max: max)
    var names: [String] = []
    for (index, item) in items.enumerated() {
      let path = JSONPath.element(index, of: path(of: name))
      names.append(try Self.name(item, path: path, maxBytes: maxBytes))
    }
    return names
  }

  fileprivate func aliases(_ name: String) throws(InputError) -> [SourceAlias] {
    let names = try object(name)
    _ = try bounded(names.members, name, max: Limits.standard.maxAliases)
    var aliases: [SourceAlias] = []
    for member in names.members {
      let path = names.path(of: member.key)
      let old = try Self.name(.string(member.key), path: path, maxBytes: 256)
      aliases.append(SourceAlias(old: old, new: try Self.name(member.value, path: path, maxBytes: 256)))
    }
    return aliases
  }

  private static func name(_ value: JSONValue, path: String, maxBytes: Int) throws(InputError) -> String {
    guard case .string(let name) = value else {
      throw InputError(.wrongType, field: path, "is \(value.kindName), not a string")
    }
    guard (1...maxBytes).contains(name.utf8.count) else {
      throw InputError(.malformed, field: path, "is not a name of 1 to \(maxBytes) bytes")
    }
    return name
  }

  private func bounded<Item>(_ items: [Item], _ name: String, max: Int) throws(InputError) -> [Item] {
    guard items.count <= max else {
      throw InputError(
        .tooLarge, field: path(of: name), "has \(items.count) entries, more than the \(max) allowed")
    }
    return items
  }
}
