/// Finds a name among many by any of its spellings, in constant time.
struct SourceIndex: Sendable {
  /// Whole names, byte for byte.
  private var exact: [ExactText: Int] = [:]
  /// The keys of whole names.
  private var folded: [String: Int] = [:]
  /// The keys of what is left of the names without scheme and tag.
  private var derived: [String: Int] = [:]
  private var slugs: [String: Int] = [:]
  private var ambiguousSlugs: Set<String> = []

  /// Adds a trimmed name. Where two names share a spelling, the first keeps it.
  ///
  /// - Returns: the position of an earlier name that is a spelling of the same source; `nil` when there is none.
  @discardableResult
  mutating func insert(_ name: String, position: Int) -> Int? {
    let forms = SourceSpelling.foldedForms(of: name)
    let twin = forms.compactMap { folded[$0] ?? derived[$0] }.first
    keep(position, for: ExactText(name), in: &exact)
    keep(position, for: forms[0], in: &folded)
    for form in forms.dropFirst() { keep(position, for: form, in: &derived) }
    for slug in forms.map(SourceSpelling.slug(of:)) where keep(position, for: slug, in: &slugs) != position {
      ambiguousSlugs.insert(slug)
    }
    return twin
  }

  /// The position of the name that `name` is a spelling of: whole and exact first, then without scheme and tag,
  /// then by its key.
  func position(of name: String) -> Int? {
    if let position = exact[ExactText(name)] { return position }
    for form in SourceSpelling.forms(of: name).dropFirst() {
      if let position = exact[ExactText(form)] { return position }
    }
    let forms = SourceSpelling.foldedForms(of: name)
    return forms.lazy.compactMap { folded[$0] }.first ?? forms.lazy.compactMap { derived[$0] }.first
  }

  /// The position of the one name with the slug of `name`; `nil` when none or several have it.
  func position(ofSlug name: String) -> Int? {
    let slug = SourceSpelling.slug(of: name)
    return ambiguousSlugs.contains(slug) ? nil : slugs[slug]
  }
}

/// Stores a position unless the key has one; the position that the key has then.
@discardableResult
private func keep<Key>(_ position: Int, for key: Key, in table: inout [Key: Int]) -> Int {
  if let kept = table[key] { return kept }
  table[key] = position
  return position
}
