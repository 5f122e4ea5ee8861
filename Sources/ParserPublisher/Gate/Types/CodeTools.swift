internal import OTAProcess

/// Where Node.js and the libraries that read JavaScript are on this machine; they are needed in CI only.
struct CodeTools {
  /// The Debian packages that bring all of it.
  static let packages = "nodejs node-typescript node-acorn node-eslint-scope"

  /// The path of Node.js.
  let node: String
  /// The folders in which libraries are looked for, the first ones first.
  let folders: [String]

  /// What is installed; `nil` without Node.js.
  init?(environment: [String: String]) {
    let path = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
    let programs = path.split(separator: ":").flatMap { ["\($0)/node", "\($0)/nodejs"] }
    guard let node = programs.first(where: { $0.hasPrefix("/") && isExecutableFile(at: $0) }) else {
      return nil
    }
    self.node = node
    let prefix = node.split(separator: "/").dropLast(2).map { "/\($0)" }.joined()
    let own = (environment["NODE_PATH"] ?? "").split(separator: ":").map(String.init).filter {
      $0.hasPrefix("/")
    }
    folders =
      own + [
        "/usr/share/nodejs", "\(prefix)/lib/node_modules", "/usr/local/lib/node_modules",
        "/usr/lib/node_modules",
      ]
  }
}
