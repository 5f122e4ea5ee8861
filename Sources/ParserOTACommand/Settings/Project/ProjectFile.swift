internal import OTAManifest
internal import OTAStorage

/// What `parser-ota.json` says: the settings of one project, beside its sources.
struct ProjectFile: Sendable {
  static let name = "parser-ota.json"
  static let variable = "PARSER_OTA_CONFIG"
  private static let maxBytes = 64 << 10
  private static let maxParents = 32

  /// The path as messages show it.
  let shown: String
  /// The absolute path.
  let path: String
  /// The texts of each setting, by its key; paths are complete.
  let values: [String: [String]]
  let allowances: [StandingAllowance]

  /// The file that the command line or the environment names, else the one of this folder or of its repository.
  ///
  /// Folders above are looked at only inside a repository, up to its top: a file that others could leave there may name programs.
  /// - Throws: `config-invalid` for a file that cannot be read as settings, `input-missing` for a named one that is not there.
  static func find(
    named option: String?, _ context: CommandContext
  ) throws(CommandFailure) -> ProjectFile? {
    if let option { return try read(option, source: "--config", context) }
    if let named = context.environment[variable], !named.isEmpty {
      return try read(named, source: variable, context)
    }
    guard let path = nearest(to: context.currentDirectory) else { return nil }
    let own = "\(context.currentDirectory)/\(name)"
    return try read(path == own ? name : path, source: "settings", context)
  }

  private static func nearest(to folder: String) -> String? {
    let own = exists("\(folder)/\(name)") ? "\(folder)/\(name)" : nil
    var (found, place) = (own, folder)
    for _ in 0..<maxParents {
      if exists("\(place)/.git") { return found }
      guard let slash = place.lastIndex(of: "/"), place != "/" else { break }
      place = String(place[..<slash])
      if found == nil, exists("\(place)/\(name)") { found = "\(place)/\(name)" }
    }
    return own
  }

  private static func exists(_ path: String) -> Bool {
    do {
      _ = try readFile(at: path, maxBytes: 0)
      return true
    } catch {
      return error.kind != .missing
    }
  }

  private static func read(
    _ named: String, source: String, _ context: CommandContext
  ) throws(CommandFailure) -> ProjectFile {
    let path = context.absolutePath(named)
    let bytes = try InputFile.read(named, option: source, maxBytes: maxBytes, context)
    do {
      return try ProjectFile(bytes, path: path, shown: named, currentDirectory: context.currentDirectory)
    } catch {
      let hint =
        "parser-ota config --help lists the settings; manifests/config.schema.json describes the file"
      throw InputFile.refusal(bytes, .configInvalid, named, error, hint)
    }
  }

  /// Reads the file strictly.
  init(_ bytes: [UInt8], path: String, shown: String, currentDirectory: String) throws(InputError) {
    let object = try JSONObject(JSONReader.read(bytes, maxBytes: Self.maxBytes))
    let known = Setting.all.map(\.key) + ["allow", "$schema"]
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    let base = folder == currentDirectory ? "" : folder + "/"
    var values: [String: [String]] = [:]
    for member in object.members {
      guard known.contains(where: { $0.hasSameBytes(as: member.key) }) else {
        throw UnknownKey.error(member.key, at: member.key, among: known)
      }
      guard let setting = Setting.all.first(where: { $0.key.hasSameBytes(as: member.key) }) else { continue }
      values[setting.key] = try Self.texts(setting, object, base)
    }
    allowances =
      try object.optional("allow") { (name) throws(InputError) in
        try Self.allowances(object.array(name))
      } ?? []
    (self.values, self.path, self.shown) = (values, path, shown)
  }

  private static func allowances(_ items: [JSONValue]) throws(InputError) -> [StandingAllowance] {
    var found: [StandingAllowance] = []
    for (index, item) in items.enumerated() {
      found.append(try StandingAllowance(JSONObject(item, path: "allow[\(index)]")))
    }
    return found
  }

  private static func texts(
    _ setting: Setting, _ object: JSONObject, _ base: String
  ) throws(InputError) -> [String] {
    let key = setting.key
    switch setting.kind {
    case .flag: return [try object.bool(key) ? "true" : "false"]
    case .number: return ["\(try object.integer(key, in: 0...JSONObject.maxExactInteger))"]
    case .text: return [try filled(object.string(key), key)]
    case .path, .place: return [complete(try filled(object.string(key), key), base)]
    case .key, .paths:
      guard case .array(let items)? = object[key] else {
        return [try name(filled(object.string(key), key), setting, base)]
      }
      var texts: [String] = []
      for (index, item) in items.enumerated() {
        guard case .string(let text) = item else {
          throw InputError(.wrongType, field: "\(key)[\(index)]", "is \(item.kindName), not a string")
        }
        texts.append(try name(filled(text, "\(key)[\(index)]"), setting, base))
      }
      return texts
    }
  }

  private static func filled(_ text: String, _ field: String) throws(InputError) -> String {
    guard !text.isEmpty else {
      throw InputError(.malformed, field: field, "is empty: leave it out, or give a value")
    }
    guard !text.utf8.contains(0) else { throw InputError(.malformed, field: field, "has a NUL character") }
    return text
  }

  private static func name(_ text: String, _ setting: Setting, _ base: String) throws(InputError) -> String {
    guard setting.kind == .key else { return complete(text, base) }
    guard !KeyMaterial.isLikely(text) else {
      throw InputError(
        .malformed, field: setting.key,
        "looks like a key itself: make a new key, and write the path of its file or env:NAME")
    }
    return text.hasPrefix(KeyFile.variablePrefix) || text == "-" ? text : complete(text, base)
  }

  /// A path from the folder of the file on; addresses and complete paths stay.
  private static func complete(_ text: String, _ base: String) -> String {
    let isAddress = text.prefixMatch(of: #/[A-Za-z][A-Za-z0-9+.\-]+:/#) != nil
    return text.hasPrefix("/") || isAddress ? text : base + text
  }
}
