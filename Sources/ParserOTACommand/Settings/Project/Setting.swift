/// A value that `parser-ota.json` or the environment gives where an option is left out.
///
/// An option takes the setting of its name; the table of options says where one does not.
struct Setting: Equatable, Sendable {
  /// What the value is, which decides how it is read and what it is relative to.
  enum Kind: Equatable, Sendable {
    case text, number, flag
    /// A path; in the file it starts at the folder of the file.
    case path
    /// A path, or the address of a feed or host.
    case place
    /// Several paths.
    case paths
    /// The name of a key: a path, or `env:NAME` for a variable that holds it. The variable of the setting holds a key itself.
    case key
  }

  /// The key in `parser-ota.json`.
  let key: String
  /// The long name of the option, without dashes.
  let option: String
  let kind: Kind
  /// One phrase, lower case, without a full stop.
  let help: String
  /// What counts when nothing is said; `nil` for nothing.
  var fallback: String?
  /// Whether a verb reads the variable by itself, since it means more there than the option's value.
  var verbReadsVariable = false
  /// Options that say the opposite: where one is given, the setting does not count.
  var unless: [String] = []

  /// The variable of the environment: `PARSER_OTA_BASE_URL`.
  var variable: String {
    "PARSER_OTA_" + String(option.uppercased().map { $0 == "-" ? "_" : $0 })
  }

  private init(
    _ key: String, _ option: String, _ kind: Kind, _ help: String, fallback: String? = nil,
    unless: [String] = []
  ) {
    (self.key, self.option, self.kind, self.help) = (key, option, kind, help)
    (self.fallback, self.unless) = (fallback, unless)
    verbReadsVariable = kind == .key || option == "engine"
  }

  /// Every setting, in the order in which people meet them.
  static let all = [
    Setting("feed", "feed", .place, "the folder of the feed, or where it is hosted"),
    Setting("bundle", "bundle", .path, "the parser bundle"),
    Setting("sources", "sources", .path, "the source catalog"),
    Setting("baseURL", "base-url", .text, "the public address of the feed's folder"),
    Setting("publicURL", "public-url", .text, "where readers get the feed, when that is another address"),
    Setting("deploy", "deploy", .text, "a command that carries the folder to its host"),
    Setting("channel", "channel", .text, "the channel", fallback: "stable"),
    Setting("global", "global", .text, "the global that the bundle defines", fallback: "NyoraParsers"),
    Setting("root", "root", .path, "the root of trust that ships in apps", unless: ["checksums-only"]),
    Setting(
      "releaseKey", "release-key", .key, "the name of the key that signs releases",
      unless: ["checksums-only", "sign-with"]),
    Setting(
      "rootKey", "root-key", .key, "the name of the key that signs the root",
      unless: ["checksums-only", "sign-with"]),
    Setting(
      "signWith", "sign-with", .text, "a shell command that signs",
      unless: ["checksums-only", "release-key", "root-key"]),
    Setting(
      "signWithPublic", "sign-with-public", .path, "the public key of that command",
      unless: ["checksums-only", "release-key", "root-key"]),
    Setting("passphraseFile", "passphrase-file", .path, "a file with the passphrase of encrypted keys"),
    Setting("contract", "contract", .number, "the contract between app and bundle that the bundle needs"),
    Setting("minimumAppVersion", "minimum-app-version", .text, "the oldest app that can run the bundle"),
    Setting("aliases", "aliases", .path, "a file with the source ids that changed, old and new"),
    Setting(
      "notesFromGit", "notes-from-git", .flag,
      "whether notes are the subjects of the commits since the last release",
      fallback: "false", unless: ["notes", "notes-file"]),
    Setting("fixtures", "fixtures", .path, "the folder of recorded sources"),
    Setting("maxWorse", "max-worse", .number, "how many recorded sources may give less", fallback: "0"),
    Setting("engine", "engine", .path, "the program that runs bundles"),
    Setting(
      "engines", "engines", .text, "the oldest engines of apps, such as \"ios 15, android-webview 90\""),
    Setting("contractTypes", "contract-types", .paths, "TypeScript declarations of what apps offer parsers"),
    Setting("store", "store", .path, "the folder of a device, for the device verbs"),
  ]

  /// The setting of an option, by its long name.
  static func named(_ option: String) -> Setting? { all.first { $0.option == option } }
}

extension OptionSpec {
  /// The setting that stands in where the option is left out; `nil` for none.
  var setting: Setting? {
    switch source {
    case .byName: Setting.named(name)
    case .named(let other): Setting.named(other)
    case .none: nil
    }
  }
}
