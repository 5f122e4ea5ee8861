internal import OTAManifest

/// Where in the text of a catalog its entries stand.
struct CatalogLines {
  let name: String
  private let positions: TextPosition

  init(_ name: String, _ bytes: [UInt8]) {
    self.name = name
    positions = TextPosition(bytes)
  }

  /// The place of the entry with this id; the file alone when it is written in a way that is not looked for.
  func place(of id: String) -> Finding.Place {
    let text = JSONValue.string(id).encoded(indented: false)
    var start = 0
    while let offset = positions.offset(of: text, from: start) {
      if isValueOfID(before: offset) { return positions.place(of: offset, in: name) }
      start = offset + 1
    }
    return Finding.Place(file: name)
  }

  /// Whether `"id":` stands before, with blanks between or not.
  private func isValueOfID(before offset: Int) -> Bool {
    let before = positions.bytes[..<offset].suffix(64).filter { $0 > 0x20 }
    return before.suffix(5).elementsEqual("\"id\":".utf8)
  }
}
