internal import OTAManifest

/// The text of a key as it was given: with harmless damage mended, and with a name for the rest.
struct KeyText {
  /// Where a key came from, for messages and for the command that mends it.
  enum Place {
    case file(String), variable(String), standardInput

    /// What messages call it.
    var name: String {
      switch self {
      case .file(let path): path
      case .variable(let name): name
      case .standardInput: "the key on standard input"
      }
    }

    /// The shell words that print what was given.
    fileprivate var printing: String {
      switch self {
      case .file(let path): "\"$(cat \(path.shellWord))\""
      case .variable(let name): "\"$\(name)\""
      case .standardInput: "\"$(cat FILE)\""
      }
    }
  }

  private static let beginning = "-----BEGIN "
  private static let dashes = "-----"

  /// The bytes with line feeds alone, and without blanks around the lines, empty lines or a byte-order mark.
  ///
  /// None of these can be part of a key, so they are no reason to refuse one.
  static func mended(_ bytes: [UInt8]) -> [UInt8] {
    var mended: [UInt8] = []
    mended.reserveCapacity(bytes.count + 1)
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    for line in text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
      let trimmed = trim(line)
      if trimmed.isEmpty { continue }
      mended += trimmed
      mended.append(0x0A)
    }
    return mended
  }

  private static func trim(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
    guard let last = line.lastIndex(where: { !isBlank($0) }) else { return [] }
    return line[...last].drop(while: isBlank)
  }

  private let bytes: [UInt8]
  private let text: String
  private let place: Place

  /// Looks at what was given, mended or not.
  init(_ bytes: [UInt8], from place: Place) {
    self.bytes = bytes
    self.place = place
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// What this is when it is no private key that signs here; `nil` when it looks like one.
  func privateProblem() -> (message: String, hint: String)? {
    if let problem = damage() ?? otherFormat() { return problem }
    switch label {
    case "PRIVATE KEY", "ENCRYPTED PRIVATE KEY": return brokenBody()
    case "PUBLIC KEY": return ("it is the public half of a key", "give the private key" + withoutSuffix)
    case let label?: return otherKind(label)
    case nil: return withoutLabel()
    }
  }

  /// What this is when it is not a public key; `nil` when it looks like one.
  func publicProblem() -> (message: String, hint: String)? {
    if label?.hasSuffix("PRIVATE KEY") == true {
      return (
        "it holds a private key where a public one is wanted",
        "parser-ota key public --key FILE --out FILE.pub writes the public half"
      )
    }
    if let problem = damage() ?? otherFormat() { return problem }
    switch label {
    case "PUBLIC KEY": return brokenBody()
    case "CERTIFICATE":
      return (
        "it is a certificate", "openssl x509 -pubkey -noout -in FILE prints its key, which must be Ed25519"
      )
    case let label?: return otherKind(label)
    case nil: return withoutLabel()
    }
  }

  /// The word between `BEGIN` and the dashes of the first PEM block.
  private var label: String? {
    guard let start = text.ranges(of: Self.beginning).first else { return nil }
    let rest = text[start.upperBound...]
    guard let end = rest.ranges(of: Self.dashes).first else { return nil }
    return String(rest[..<end.lowerBound])
  }

  /// How a key of the right kind was damaged on its way.
  private func damage() -> (String, String)? {
    if bytes.isEmpty || KeyText.mended(bytes).isEmpty { return ("it is empty", "give an Ed25519 key as PEM") }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      return ("it is UTF-16 text", "iconv -f UTF-16 -t UTF-8 FILE > mended.pem")
    }
    if text.contains(Self.beginning), text.contains("\\n") {
      return (
        "its line ends are the two characters \\n instead of line feeds",
        "mend it: (umask 077; printf '%b\\n' \(place.printing) > mended.pem)"
      )
    }
    if let inner = Self.base64(bytes), inner.starts(with: Self.beginning.utf8) {
      return (
        "it is a whole PEM file, encoded as Base64 once more",
        "mend it: (umask 077; printf '%s' \(place.printing) | tr -d '\\r' | base64 -d > mended.pem)"
      )
    }
    return nil
  }

  /// Keys that are no PEM, and what cannot be a key.
  private func otherFormat() -> (String, String)? {
    if let block = text.ranges(of: Self.beginning).first, block.lowerBound == text.startIndex { return nil }
    let first = text.split(separator: "\n").first ?? ""
    if ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-"].contains(where: first.hasPrefix) {
      return ("it is the public half of an SSH key", Self.another)
    }
    if first.hasPrefix("PuTTY-User-Key-File") { return ("it is a PuTTY key", Self.another) }
    if first.hasPrefix("AGE-SECRET-KEY-") || first.hasPrefix("# created:") {
      return ("it is an age key, which cannot sign", Self.another)
    }
    if first.hasPrefix("untrusted comment:") { return ("it is a minisign or signify key", Self.another) }
    if first.hasPrefix("{") { return ("it is JSON, such as a JWK or an account file", Self.another) }
    if first.hasPrefix("<") { return ("it is an HTML or XML page", "download the key again") }
    return binaryFormat()
  }

  private func binaryFormat() -> (String, String)? {
    guard bytes.contains(where: { $0 < 0x09 || $0 > 0x7E }) else { return nil }
    guard bytes.first == 0x30 else { return ("it is a binary file, and no key", Self.another) }
    // PKCS#12 begins with its version 3, behind a sequence of any length.
    if bytes.dropFirst(2).prefix(5).contains(0x82) || bytes.count > 200,
      bytes.prefix(12).split(separator: 0x02).dropFirst().contains(where: { $0.starts(with: [0x01, 0x03]) })
    {
      return (
        "it is a PKCS#12 file (.p12, .pfx)",
        "openssl pkcs12 -in FILE -nocerts -nodes -out mended.pem, when the key in it is Ed25519"
      )
    }
    return ("it is DER, not PEM", "(umask 077; openssl pkey -inform DER -in FILE -out mended.pem)")
  }

  private func otherKind(_ label: String) -> (String, String) {
    let name =
      switch label {
      case "OPENSSH PRIVATE KEY": "an OpenSSH private key"
      case "RSA PRIVATE KEY", "RSA PUBLIC KEY": "an RSA key, and only Ed25519 keys sign here"
      case "EC PRIVATE KEY", "EC PARAMETERS": "an EC key, and only Ed25519 keys sign here"
      case "DSA PRIVATE KEY": "a DSA key, and only Ed25519 keys sign here"
      case "PGP PRIVATE KEY BLOCK", "PGP PUBLIC KEY BLOCK": "a PGP key"
      case "SSH2 PUBLIC KEY": "the public half of an SSH key"
      case "CERTIFICATE", "TRUSTED CERTIFICATE": "a certificate, which holds no private key"
      case "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST": "a certificate request"
      case "PKCS7": "a PKCS#7 file"
      default: "a PEM block of another kind: \(label.printable(maxCharacters: 40))"
      }
    return ("it is \(name)", Self.another)
  }

  /// What is wrong with a block that has the right label.
  private func brokenBody() -> (String, String)? {
    guard let label else { return nil }
    let (begin, end) = ("\(Self.beginning)\(label)\(Self.dashes)", "-----END \(label)\(Self.dashes)")
    guard let last = text.ranges(of: end).first else {
      return ("its end is missing: no line \(end)", "copy the whole file again")
    }
    let rest = text[last.upperBound...].filter { !$0.isWhitespace }
    if rest.contains(Self.beginning.filter { !$0.isWhitespace }) {
      return ("it holds more than one key", "give each key in a file of its own")
    }
    guard rest.isEmpty else {
      return ("\(rest.utf8.count) bytes follow the end of the key", "delete everything after the line \(end)")
    }
    guard let first = text.ranges(of: begin).first else { return nil }
    if !text[first.upperBound..<last.lowerBound].contains("\n") {
      return (
        "its line ends were lost: all of it is one line",
        "give the file as it is, in quotes where a shell reads it: NAME=\"$(cat FILE)\""
      )
    }
    return nil
  }

  private func withoutLabel() -> (String, String) {
    let line = text.filter { !$0.isWhitespace }
    if line.contains("PRIVATEKEY") || line.contains("PUBLICKEY") {
      return ("its BEGIN or END line is damaged", "copy the whole file again")
    }
    if let body = Self.base64(bytes), body.starts(with: [0x30]) {
      return ("its BEGIN and END lines are missing", "copy the whole file again")
    }
    if line.utf8.count == 64, line.utf8.allSatisfy(Self.isHexDigit) {
      return ("it is 64 hexadecimal digits, not PEM", Self.another)
    }
    if isPath {
      let advice =
        if case .variable(let name) = place {
          "give the file: \(name.hasSuffix("ROOT_KEY") ? "--root-key" : "--release-key") FILE, or set \(name)=\"$(cat FILE)\""
        } else {
          "give the file that it names"
        }
      return ("it holds a path in place of the text of a key", advice)
    }
    return ("it holds no key as PEM", Self.another)
  }

  /// Whether one short line with a slash or the ending of a key file is all there is.
  private var isPath: Bool {
    let lines = text.split(separator: "\n")
    guard lines.count == 1, let line = lines.first, line.utf8.count < 1024,
      !KeyMaterial.isLikely(String(line))
    else { return false }
    return line.contains("/") || [".pem", ".key", ".pub"].contains(where: line.hasSuffix)
  }

  private var withoutSuffix: String {
    guard case .file(let path) = place, path.hasSuffix(".pub") else { return "" }
    return ", without .pub: \(path.dropLast(4))"
  }

  private static let another = "make an Ed25519 key: parser-ota key generate --out FILE.pem"

  private static func isHexDigit(_ code: UInt8) -> Bool {
    (0x30...0x39).contains(code) || (0x61...0x66).contains(code | 0x20)
  }

  /// The bytes of a Base64 text with any line breaks; `nil` for any other text.
  private static func base64(_ text: [UInt8]) -> [UInt8]? {
    var (bits, count): (UInt32, Int) = (0, 0)
    var bytes: [UInt8] = []
    for code in text where ![0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: "=")].contains(code) {
      guard let value = value(ofBase64: code) else { return nil }
      (bits, count) = (bits << 6 | value, count + 6)
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> count))
    }
    return bytes.count < 16 ? nil : bytes
  }

  private static func value(ofBase64 code: UInt8) -> UInt32? {
    switch code {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(code - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(code - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(code - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
