public import OTAManifest

/// The one spelling of a JSON value that signatures are made over ("OLPC canonical JSON").
///
/// Members sorted by the bytes of their names, no space, only `"` and `\` escaped, whole numbers alone.
/// Source: http://wiki.laptop.org/go/Canonical_JSON.
public enum CanonicalJSON {
  /// Encodes a value; its depth was bounded when it was read.
  ///
  /// - Throws: `InputError` for a number with fraction or exponent, which has no canonical form.
  public static func encode(_ value: JSONValue) throws(InputError) -> [UInt8] {
    var output: [UInt8] = []
    try append(value, to: &output)
    return output
  }

  private static func append(_ value: JSONValue, to output: inout [UInt8]) throws(InputError) {
    switch value {
    case .object(let members): try append(members, to: &output)
    case .array(let items): try append(items, to: &output)
    case .string(let text): append(text, to: &output)
    case .number(let number): output += try digits(of: number).utf8
    case .bool(let flag): output += (flag ? "true" : "false").utf8
    case .null: output += "null".utf8
    }
  }

  private static func append(_ members: [JSONMember], to output: inout [UInt8]) throws(InputError) {
    output.append(UInt8(ascii: "{"))
    let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    for (index, member) in sorted.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      append(member.key, to: &output)
      output.append(UInt8(ascii: ":"))
      try append(member.value, to: &output)
    }
    output.append(UInt8(ascii: "}"))
  }

  private static func append(_ items: [JSONValue], to output: inout [UInt8]) throws(InputError) {
    output.append(UInt8(ascii: "["))
    for (index, item) in items.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      try append(item, to: &output)
    }
    output.append(UInt8(ascii: "]"))
  }

  private static func append(_ text: String, to output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    for code in text.utf8 {
      if code == UInt8(ascii: "\"") || code == UInt8(ascii: "\\") { output.append(UInt8(ascii: "\\")) }
      output.append(code)
    }
    output.append(UInt8(ascii: "\""))
  }

  private static func digits(of number: JSONNumber) throws(InputError) -> String {
    if number.text == "-0" { return "0" }
    guard number.text.utf8.allSatisfy({ !".eE".utf8.contains($0) }) else {
      throw InputError(
        .wrongType, "has the number \(number.text.printable(maxCharacters: 30)), which has no canonical form")
    }
    return number.text
  }
}
