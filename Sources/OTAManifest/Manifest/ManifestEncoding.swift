extension Manifest {
  /// The manifest as a file: the same bytes for the same value, fields in a fixed order, empty ones left out.
  public func encoded() -> [UInt8] { json.encoded(indented: true) }

  /// The manifest as a value, for output beside other values.
  public var json: JSONValue {
    var members = [
      JSONMember("version", .integer(version.number)), JSONMember("bundle", bundle.json),
      JSONMember("sources", sources.json), JSONMember("channel", .string(channel.name)),
    ]
    func add(_ name: String, _ value: JSONValue?) {
      if let value { members.append(JSONMember(name, value)) }
    }
    add("released", released.map { .string($0.description) })
    add("notes", notes.map { .string($0) })
    add("contract", contract.map { .integer($0) })
    add("minimumAppVersion", minimumAppVersion.map { .string($0.text) })
    add("content", .integer(content.number))
    add("parent", parent.map { .string($0.hex) })
    add("parentVersion", parentVersion.map { .integer($0.number) })
    add("withdrawn", withdrawn.isEmpty ? nil : .array(withdrawn.map { .integer($0.number) }))
    add(
      "withdrawnContent", withdrawnContent.isEmpty ? nil : .array(withdrawnContent.map(\.json)))
    add("aliases", aliases.isEmpty ? nil : .object(aliases.map { JSONMember($0.old, .string($0.new)) }))
    add("requires", requires.isEmpty ? nil : .array(requires.map { .string($0) }))
    add("fixtures", fixtures?.json)
    add("source", source.map { .string($0) })
    add("allowed", allowed.isEmpty ? nil : .array(allowed.map { .string($0) }))
    add("embeddedOnly", embeddedOnly?.json)
    add("follow", follow.map { .string($0.name) })
    add("beside", beside.isEmpty ? nil : .array(beside.map { .string($0) }))
    add("critical", isCritical ? .bool(true) : nil)
    return .object(members)
  }
}
