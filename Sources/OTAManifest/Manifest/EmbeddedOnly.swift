/// A signed word that apps run their embedded copy and no release of the feed up to this one.
///
/// A later release ends it by being later. It says nothing about a copy inside an app.
public struct EmbeddedOnly: Equatable, Sendable {
  /// The oldest app that it is for; `nil` for no lower end.
  public let from: AppVersion?
  /// The newest app that it is for; `nil` for no upper end.
  public let through: AppVersion?

  static let fields = ["from", "through"]

  /// Describes a range of apps; both ends belong to it.
  ///
  /// - Throws: `InputError` for a range that is empty.
  public init(from: AppVersion? = nil, through: AppVersion? = nil) throws(InputError) {
    if let from, let through, through < from {
      throw InputError(.outOfRange, "goes from app \(from) to \(through)")
    }
    self.from = from
    self.through = through
  }

  /// Reads the members.
  package init(_ object: JSONObject) throws(InputError) {
    do {
      try self.init(
        from: object.optional("from", object.appVersion),
        through: object.optional("through", object.appVersion))
    } catch {
      throw InputError(error.reason, field: error.field.isEmpty ? object.path : error.field, error.detail)
    }
  }

  /// Whether it is for an app; one that does not state its version is meant only by a range without ends.
  public func includes(_ app: AppVersion?) -> Bool {
    guard from != nil || through != nil else { return true }
    guard let app else { return false }
    return (from.map { $0 <= app } ?? true) && (through.map { app <= $0 } ?? true)
  }

  /// The members as they are written.
  public var json: JSONValue {
    var members: [JSONMember] = []
    if let from { members.append(JSONMember("from", .string(from.text))) }
    if let through { members.append(JSONMember("through", .string(through.text))) }
    return .object(members)
  }
}
