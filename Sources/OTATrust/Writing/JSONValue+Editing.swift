internal import OTAManifest

extension JSONValue {
  /// The value of a member of an object; assigning replaces it in its place, adds it at the end, or removes it with `nil`.
  subscript(member name: String) -> JSONValue? {
    get {
      guard case .object(let members) = self else { return nil }
      return members.first { $0.key.hasSameBytes(as: name) }?.value
    }
    set {
      guard case .object(var members) = self else { return }
      let index = members.firstIndex { $0.key.hasSameBytes(as: name) }
      switch (index, newValue) {
      case (let index?, let value?): members[index] = JSONMember(name, value)
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(JSONMember(name, value))
      case (nil, nil): return
      }
      self = .object(members)
    }
  }

  /// The names of an object's members, in order.
  var memberNames: [String] {
    guard case .object(let members) = self else { return [] }
    return members.map(\.key)
  }

  /// The strings of an array; other items are left out.
  var texts: [String] {
    guard case .array(let items) = self else { return [] }
    return items.compactMap { item in
      if case .string(let text) = item { text } else { nil }
    }
  }
}
