/// One message between the engine's process and its parent: a kind, and bytes whose meaning the kind gives.
///
/// On the line: one byte for the kind, four for the length, most significant first, then the payload.
package struct EngineFrame: Equatable, Sendable {
  /// What a frame says.
  package enum Kind: UInt8, Sendable {
    /// To the engine: make the page, with these `PageScripts` before everything else in it.
    case open = 0x6F
    /// To the engine: parse a script without running it. The payload is id, name and text, with line feeds between.
    case check = 0x63
    /// To the engine: evaluate a script. The payload is as for `check`.
    case evaluate = 0x65
    /// From the engine: the page is there. The payload says how the engine is kept in, as JSON.
    case ready = 0x72
    /// From the engine: a script is through. The payload is JSON with the id and, when it failed, the fault.
    case done = 0x64
    /// From the engine: the page posted this.
    case message = 0x6D
    /// From the engine: the web process ended, for this reason.
    case gone = 0x67
  }

  /// The largest payload in either direction, in bytes.
  package static let maxBytes = 128 << 20
  static let headBytes = 5

  /// What the frame says.
  package let kind: Kind
  /// The bytes that go with it.
  package let payload: [UInt8]

  /// A frame with bytes.
  package init(_ kind: Kind, _ payload: [UInt8]) {
    self.kind = kind
    self.payload = payload
  }

  /// A frame with text.
  package init(_ kind: Kind, _ text: String) { self.init(kind, Array(text.utf8)) }

  /// The payload as text.
  package var text: String { String(decoding: payload, as: UTF8.self) }

  /// The frame as it goes over the line.
  package var encoded: [UInt8] {
    let length = UInt32(payload.count)
    return [kind.rawValue] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + payload
  }
}

/// Bytes from the line, cut into frames as they become whole.
package struct FrameBuffer {
  /// Why bytes are no frame.
  package struct Malformed: Error {}

  private var bytes: [UInt8] = []
  private var start = 0

  /// Nothing yet.
  package init() {}

  /// Adds what came.
  package mutating func append(_ more: [UInt8]) {
    if start > 0 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += more
  }

  /// Takes the first frame, if a whole one is there.
  package mutating func next() throws(Malformed) -> EngineFrame? {
    let headEnd = start + EngineFrame.headBytes
    guard bytes.count >= headEnd else { return nil }
    let length = bytes[(start + 1)..<headEnd].reduce(0) { $0 << 8 | Int($1) }
    guard let kind = EngineFrame.Kind(rawValue: bytes[start]), length <= EngineFrame.maxBytes else {
      throw Malformed()
    }
    guard bytes.count >= headEnd + length else { return nil }
    defer { start = headEnd + length }
    return EngineFrame(kind, Array(bytes[headEnd..<headEnd + length]))
  }
}

/// Where the page says that it is, and where its scripts say that they come from.
package enum EnginePage {
  /// A made-up address, secure so that the page has what only secure pages have, such as `crypto.subtle`.
  package static let address = "https://parsers.invalid/"
}
