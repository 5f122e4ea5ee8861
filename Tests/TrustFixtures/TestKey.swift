import OTACrypto
import OTAManifest
import OTATrust

/// A signing key that is the same in every run, with its entry in metadata.
package struct TestKey: Sendable {
  /// The key itself.
  package let key: PrivateKey
  /// The entry under `keys`.
  package let entry: JSONValue
  /// The id, the digest of the entry's canonical form.
  package let id: String

  /// The key of a number.
  ///
  /// - Parameter note: an unknown field of the entry, which makes another id for the same key.
  package init(_ number: UInt8, note: String? = nil) throws {
    key = try PrivateKey(seed: [number] + [UInt8](repeating: 7, count: 31))
    let extra = note.map { [JSONMember("x-note", .string($0))] } ?? []
    entry = Self.entry(ed25519: hex(key.publicKey.ed25519Bytes ?? []), extra: extra)
    id = try sha256(CanonicalJSON.encode(entry)).hex
  }

  /// An entry for any Ed25519 key.
  package static func entry(ed25519 hex: String, extra: [JSONMember] = []) -> JSONValue {
    object(
      [
        JSONMember("keytype", "ed25519"), JSONMember("scheme", "ed25519"),
        JSONMember("keyval", object([JSONMember("public", .string(hex))])),
      ] + extra)
  }
}

/// An object value.
package func object(_ members: [JSONMember]) -> JSONValue { .object(members) }

/// Lower-case hexadecimal digits.
package func hex(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral
{
  /// An array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// A string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue {
  /// A member of an object; an empty object when there is none.
  package subscript(_ key: String) -> JSONValue {
    guard case .object(let members) = self else { return .object([]) }
    return members.first { $0.key == key }?.value ?? .object([])
  }

  /// The same object with one member replaced or added at its end; taken out for `nil`.
  package func with(_ key: String, _ value: JSONValue?) -> JSONValue {
    guard case .object(var members) = self else { return self }
    let place = members.firstIndex { $0.key == key }
    switch (place, value) {
    case (let place?, let value?): members[place] = JSONMember(key, value)
    case (let place?, nil): members.remove(at: place)
    case (nil, let value?): members.append(JSONMember(key, value))
    case (nil, nil): break
    }
    return .object(members)
  }
}

/// Metadata with the signatures of some keys.
package func signed(_ body: JSONValue, by keys: [TestKey], indented: Bool = false) throws -> [UInt8] {
  let canonical = try CanonicalJSON.encode(body)
  let signatures = try keys.map { key in
    object([
      JSONMember("keyid", .string(key.id)), JSONMember("sig", .string(hex(try key.key.sign(canonical)))),
    ])
  }
  return envelope(body, signatures).encoded(indented: indented)
}

/// Metadata with signatures made elsewhere.
package func envelope(_ body: JSONValue, _ signatures: [JSONValue]) -> JSONValue {
  object([JSONMember("signed", body), JSONMember("signatures", .array(signatures))])
}
