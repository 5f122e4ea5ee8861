internal import OTAManifest

/// The names under which a page and its engine speak, which no bundle can guess; new for each page.
struct PageSecrets {
  /// The name of a constant of the page that no object has as its property, so that no bundle can list it.
  private let entries = "k" + random()
  /// The type of the events that carry what the bridge says.
  private let channel = random()

  /// 128 bits that nobody can foresee, as text.
  static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// The scripts that make the page.
  var scripts: PageScripts {
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    let bridge = Self.literal(text(PackageResources.bridge_js))
    let channel = Self.literal(channel)
    return PageScripts(
      carrier: "\(text(PackageResources.carrier_js))(\(channel), \"\(PageScripts.handlerName)\");",
      bridge: "const \(entries) = \(text(PackageResources.kernel_js))(\(bridge), \(channel));")
  }

  /// A script that calls one of the bridge's functions with texts.
  func script(_ function: String, _ values: String...) -> String {
    "\(entries).\(function)(\(values.map(Self.literal).joined(separator: ", ")))"
  }

  private static func literal(_ text: String) -> String {
    String(decoding: JSONValue.string(text).encoded(indented: false), as: UTF8.self)
  }
}
