/// What can be left in a release; the raw values are what `--allow leftovers:KIND` names.
enum LeftoverKind: String, CaseIterable {
  case debugger
  case mergeMarker = "merge-marker"
  case privateKey = "private-key"
  case token
  case publicKey = "api-key"
  case sourceMap = "source-map"
  /// The catalog's own text before or behind the script, as files are when they are joined by mistake.
  case catalog
  case inlineSourceMap = "inline-source-map"
  case localPath = "local-path"
  case ownMachine = "own-machine"
  case plainTemplate = "plain-template"
  case misspeltScheme = "misspelt-scheme"

  var severity: Finding.Severity {
    switch self {
    case .debugger, .mergeMarker, .privateKey, .token, .catalog: .error
    // A site's own page carries such a key as often as a maintainer's notes do; a path tells something and breaks nothing.
    case .publicKey, .localPath, .ownMachine, .plainTemplate, .misspeltScheme: .warning
    // Only the tools of people follow it; where the map is not served, they do without.
    case .sourceMap, .inlineSourceMap: .note
    }
  }

  var isSecret: Bool { [.privateKey, .token, .publicKey].contains(self) }

  var description: String {
    switch self {
    case .debugger: "a debugger statement"
    case .mergeMarker: "a merge conflict marker"
    case .privateKey: "a private key"
    case .token: "something that looks like an access token"
    case .publicKey: "possible API key"
    case .sourceMap: "a reference to a source map"
    case .catalog: "a catalog behind the script"
    case .inlineSourceMap: "an inline source map"
    case .localPath: "a path of the machine that built it"
    case .ownMachine: "an address of this machine or of a private network"
    case .plainTemplate: "an address in plain quotes with ${…}, which only a template fills"
    case .misspeltScheme: "a misspelt scheme of an address"
    }
  }

  var advice: String {
    switch self {
    case .debugger: "remove the statement"
    case .mergeMarker: "resolve the conflict and build again"
    case .privateKey, .token: "remove it, and call it stolen where it was in use"
    case .publicKey: "make sure that it is the site's own and not yours"
    case .catalog: "build again: two files were joined"
    case .ownMachine: "write the domain of the site"
    case .plainTemplate: "use backticks"
    case .misspeltScheme: "write https://"
    case .inlineSourceMap: "leave it out for a smaller download"
    case .sourceMap, .localPath: "build for release, without source maps and paths"
    }
  }
}
