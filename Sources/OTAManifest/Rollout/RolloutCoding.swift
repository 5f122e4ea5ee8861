extension Rollout {
  /// Bytes of the document: a step takes less than a hundred.
  public static let maxBytes = 8 << 10
  private static let fields = [
    "format", "channel", "version", "manifest", "revision", "start", "steps", "reached", "state", "halted",
    "critical", "written", "takesBack",
  ]

  /// Reads a document strictly.
  ///
  /// - Throws: `InputError` that names the field.
  public static func decode(_ bytes: [UInt8]) throws(InputError) -> Rollout {
    let document = try JSONReader.read(bytes, maxBytes: maxBytes, maxDepth: 4)
    return try Rollout(JSONObject(document, known: fields))
  }

  /// Reads the members of a document.
  package init(_ object: JSONObject) throws(InputError) {
    _ = try object.integer("format", in: 1...1)
    self.init(
      channel: try object.channel("channel"), version: try object.version("version"),
      manifest: try object.digest("manifest"), steps: try Self.steps(object),
      start: try object.timestamp("start"),
      isCritical: try object.optional("critical", object.bool) ?? false)
    revision = try object.integer("revision")
    reached = Int(try object.integer("reached", in: 0...Int64(RolloutSteps.maxSteps)))
    let name = try object.string("state")
    guard let state = State(rawValue: name) else {
      throw InputError(
        .malformed, field: object.path(of: "state"),
        "is \"\(name.printable(maxCharacters: 30))\", not "
          + State.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))
    }
    self.state = state
    haltedAt = try object.optional("halted", object.timestamp)
    written = try object.timestamp("written")
    takesBack = try object.optional("takesBack", object.versions) ?? []
    guard takesBack.count <= Self.maxTakenBack, !takesBack.contains(version) else {
      throw InputError(
        .malformed, field: object.path(of: "takesBack"),
        "names release \(version) itself, or more than \(Self.maxTakenBack) releases")
    }
  }

  private static func steps(_ object: JSONObject) throws(InputError) -> RolloutSteps {
    var steps: [RolloutSteps.Step] = []
    for (index, item) in try object.array("steps").enumerated() {
      let step = try JSONObject(
        item, path: JSONPath.element(index, of: object.path(of: "steps")), known: ["share", "after"])
      let parts = try step.integer("share", in: 0...Int64(Share.whole))
      let after = try step.optional("after") { (name) throws(InputError) in
        try step.integer(name, in: 0...RolloutSteps.maxSeconds)
      }
      steps.append(.init(share: Share(parts: parts) ?? .none, after: after ?? 0))
    }
    do {
      return try RolloutSteps(steps)
    } catch {
      throw InputError(error.reason, field: object.path(of: "steps"), error.detail)
    }
  }

  /// The document as a file: the same bytes for the same value.
  public func encoded() -> [UInt8] { json.encoded(indented: true) }

  /// The document as a value.
  public var json: JSONValue {
    var members = [
      JSONMember("format", .integer(1)), JSONMember("channel", .string(channel.name)),
      JSONMember("version", .integer(version.number)), JSONMember("manifest", .string(manifest.hex)),
      JSONMember("revision", .integer(revision)), JSONMember("start", .string("\(start)")),
      JSONMember(
        "steps",
        .array(
          steps.steps.map { step in
            .object(
              [JSONMember("share", .integer(Int64(step.share.parts)))]
                + (step.after == 0 ? [] : [JSONMember("after", .integer(step.after))]))
          })),
      JSONMember("reached", .integer(Int64(reached))), JSONMember("state", .string(state.rawValue)),
    ]
    if let haltedAt { members.append(JSONMember("halted", .string("\(haltedAt)"))) }
    if isCritical { members.append(JSONMember("critical", .bool(true))) }
    members.append(JSONMember("written", .string("\(written)")))
    if !takesBack.isEmpty {
      members.append(JSONMember("takesBack", .array(takesBack.map { .integer($0.number) })))
    }
    return .object(members)
  }
}
