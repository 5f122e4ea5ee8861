/// An object under decoding: typed access to its members, with errors that name the whole path.
package struct JSONObject: Sendable {
  /// The largest integer that every JSON reader keeps exactly, 2^53 - 1.
  package static let maxExactInteger: Int64 = 9_007_199_254_740_991

  /// The path of the object in its document; empty for the document itself.
  package let path: String
  /// The members in the order of the text.
  package let members: [JSONMember]
  /// Where each member is, once there are more than a few: signed metadata may list tens of thousands.
  private let places: [ExactText: Int]?

  /// Takes an object value.
  ///
  /// - Parameter known: names that the caller reads; a name that differs from one of them only by case is refused,
  ///   since two readers could take it for two different things.
  package init(_ value: JSONValue, path: String = "", known: [String] = []) throws(InputError) {
    guard case .object(let members) = value else {
      throw InputError(.wrongType, field: path, "is \(value.kindName), not an object")
    }
    self.path = path
    self.members = members
    places = Self.places(of: members)
    for member in members where !known.contains(where: { $0.hasSameBytes(as: member.key) }) {
      if let name = known.first(where: { $0.differsOnlyByCase(from: member.key) }) {
        throw InputError(
          .ambiguousKey, field: JSONPath.member(member.key, of: path),
          "differs from \"\(name)\" only by upper and lower case")
      }
    }
  }

  /// The value of a member as it stands; `nil` when there is none.
  package subscript(_ name: String) -> JSONValue? {
    if let places { return places[ExactText(name)].map { members[$0].value } }
    return members.first { $0.key.hasSameBytes(as: name) }?.value
  }

  /// Few members are compared one by one, many are found by their hashes.
  private static func places(of members: [JSONMember]) -> [ExactText: Int]? {
    guard members.count > 16 else { return nil }
    var places: [ExactText: Int] = [:]
    places.reserveCapacity(members.count)
    for (index, member) in members.enumerated() where places[ExactText(member.key)] == nil {
      places[ExactText(member.key)] = index
    }
    return places
  }

  /// The path of a member.
  package func path(of name: String) -> String { JSONPath.member(name, of: path) }

  /// The value of a member that must be there.
  package func required(_ name: String) throws(InputError) -> JSONValue {
    guard let value = self[name] else { throw InputError(.missing, field: path(of: name), "is missing") }
    return value
  }

  /// A string member that must be there.
  package func string(_ name: String) throws(InputError) -> String {
    let value = try required(name)
    guard case .string(let text) = value else {
      throw InputError(.wrongType, field: path(of: name), "is \(value.kindName), not a string")
    }
    return text
  }

  /// A Boolean member that must be there.
  package func bool(_ name: String) throws(InputError) -> Bool {
    let value = try required(name)
    guard case .bool(let flag) = value else {
      throw InputError(.wrongType, field: path(of: name), "is \(value.kindName), not true or false")
    }
    return flag
  }

  /// An integer member that must be there and within `range`; `38.0`, `1e2` and `"38"` are not integers.
  package func integer(
    _ name: String, in range: ClosedRange<Int64> = 1...maxExactInteger
  ) throws(InputError) -> Int64 {
    try Self.integer(required(name), path: path(of: name), in: range)
  }

  /// An array member that must be there.
  package func array(_ name: String) throws(InputError) -> [JSONValue] {
    let value = try required(name)
    guard case .array(let items) = value else {
      throw InputError(.wrongType, field: path(of: name), "is \(value.kindName), not an array")
    }
    return items
  }

  /// An object member that must be there.
  package func object(_ name: String, known: [String] = []) throws(InputError) -> JSONObject {
    try JSONObject(required(name), path: path(of: name), known: known)
  }

  /// Reads a member with `read` when it is there; `nil` when it is not. An explicit `null` is not absence.
  package func optional<Value>(
    _ name: String, _ read: (String) throws(InputError) -> Value
  ) throws(InputError) -> Value? {
    self[name] == nil ? nil : try read(name)
  }

  /// Reads an integer out of a value that stands at `path`.
  package static func integer(
    _ value: JSONValue, path: String, in range: ClosedRange<Int64> = 1...maxExactInteger
  ) throws(InputError) -> Int64 {
    guard case .number(let number) = value else {
      throw InputError(.wrongType, field: path, "is \(value.kindName), not an integer")
    }
    let shown = number.text.printable(maxCharacters: 30)
    guard number.text.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: "-") }) else {
      throw InputError(
        .wrongType, field: path, "is \(shown), not a plain integer without fraction or exponent")
    }
    guard let integer = number.integer, range.contains(integer) else {
      throw InputError(
        .outOfRange, field: path, "is \(shown), outside \(range.lowerBound) to \(range.upperBound)")
    }
    return integer
  }
}

extension String {
  /// Whether two names that differ are the same in lower case.
  fileprivate func differsOnlyByCase(from other: String) -> Bool {
    utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
      && asciiLowercased.hasSameBytes(as: other.asciiLowercased)
  }
}

extension StringProtocol {
  /// The text with `A` to `Z` lowered and every other byte kept.
  package var asciiLowercased: String {
    String(decoding: utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
