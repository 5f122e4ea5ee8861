internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// Where the objects of a feed are, and how they are asked for.
struct ObjectStoreSettings: Equatable, Sendable {
  let bucket: String
  /// Before every path; empty or ending in `/`.
  let prefix: String
  /// Scheme, host and port, without a path.
  let endpoint: WebAddress
  let region: String
  /// Whether the bucket is a part of the path, and not of the host.
  let usesPath: Bool
  let credentials: StoreCredentials

  /// The host as it is asked, with its port where that is not the usual one.
  var host: String {
    let own = usesPath ? endpoint.host : "\(bucket).\(endpoint.host)"
    return endpoint.port.map { "\(own):\($0)" } ?? own
  }

  /// The path of an object as the host knows it.
  func path(of key: String) -> String { usesPath ? "/\(bucket)/\(key)" : "/\(key)" }
}

extension ObjectStoreSettings {
  /// Reads `s3://bucket/prefix?endpoint=URL&region=NAME&style=path|virtual&profile=NAME`; what it leaves out comes from
  /// the environment and the files of the AWS tools.
  ///
  /// - Parameter files: the text of a file by its path; `nil` when there is none.
  init(
    _ text: String, _ environment: [String: String], files: (String) -> String?
  ) throws(Problem) {
    let parts = text.dropFirst("s3://".count).split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let names = parts[0].split(separator: "/", omittingEmptySubsequences: true).map(String.init)
    guard let bucket = names.first, Self.isBucket(bucket), !names.contains("."), !names.contains("..") else {
      throw Self.refusal("\(text.printable()) names no bucket: write s3://bucket/prefix")
    }
    let query = try Self.query(parts.count > 1 ? parts[1] : "")
    let profile = ProfileFiles(environment, name: query["profile"], files: files)
    self.bucket = bucket
    prefix = names.dropFirst().map { "\($0)/" }.joined()
    region =
      query["region"] ?? Self.first(environment, "AWS_REGION", "AWS_DEFAULT_REGION") ?? profile["region"]
      ?? "us-east-1"
    let given =
      query["endpoint"] ?? Self.first(environment, "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
      ?? profile["endpoint_url"]
    endpoint = try Self.endpoint(given ?? "https://s3.\(region).amazonaws.com")
    let style = query["style"] ?? profile["addressing_style"]
    guard [nil, "path", "virtual", "auto"].contains(style) else {
      throw Self.refusal("the style \(style?.printable() ?? "") is neither path nor virtual")
    }
    // A dot in a bucket's name fits no certificate of a wildcard.
    usesPath = style == "path" || (style != "virtual" && (given != nil || bucket.contains(".")))
    credentials = try Self.credentials(environment, profile)
  }

  private static func first(_ environment: [String: String], _ names: String...) -> String? {
    names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
  }

  private static func credentials(
    _ environment: [String: String], _ profile: ProfileFiles
  ) throws(Problem) -> StoreCredentials {
    if !profile.isNamed, let id = first(environment, "AWS_ACCESS_KEY_ID"),
      let secret = first(environment, "AWS_SECRET_ACCESS_KEY")
    {
      return StoreCredentials(
        keyID: id, secret: secret, sessionToken: first(environment, "AWS_SESSION_TOKEN"))
    }
    if let id = profile["aws_access_key_id"], let secret = profile["aws_secret_access_key"] {
      return StoreCredentials(keyID: id, secret: secret, sessionToken: profile["aws_session_token"])
    }
    throw Problem(
      .noPermission, "there are no credentials for the object store\(profile.note)",
      advice:
        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE for a profile of ~/.aws/credentials")
  }

  private static func endpoint(_ text: String) throws(Problem) -> WebAddress {
    do {
      let address = try WebAddress(text)
      guard address.scheme == "https" || address.isLoopback else {
        throw refusal(
          "the endpoint \(address) is plain http, which would show the release to everybody on the way")
      }
      guard address.path == "/", address.query == nil else {
        throw refusal("the endpoint \(address) has a path: give the address of the store alone")
      }
      return address
    } catch let problem as Problem {
      throw problem
    } catch let error as InputError {
      throw refusal("the endpoint \(error.message)")
    } catch {
      throw refusal("the endpoint cannot be read")
    }
  }

  private static func query(_ text: Substring) throws(Problem) -> [String: String] {
    var found: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, ["endpoint", "region", "style", "profile"].contains(parts[0]),
        let value = parts[1].percentDecoded
      else {
        throw refusal(
          "\(pair.prefix { $0 != "=" }.description.printable()) is no setting of an object store: there are endpoint, region,"
            + " style and profile")
      }
      found[String(parts[0])] = value
    }
    return found
  }

  private static func isBucket(_ name: String) -> Bool {
    (1...255).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "-._".utf8.contains(byte)
      }
  }

  private static func refusal(_ message: String) -> Problem {
    Problem(.misuse, message, advice: "write s3://BUCKET/PREFIX, with ?endpoint=URL for a store of your own")
  }
}

/// A profile of the AWS tools: their shared files, of which the credentials count more than the configuration.
struct ProfileFiles {
  /// Whether somebody asked for a profile by its name.
  let isNamed: Bool
  private let name: String
  private var values: [String: String] = [:]

  init(_ environment: [String: String], name: String?, files: (String) -> String?) {
    let asked = name ?? environment["AWS_PROFILE"].flatMap { $0.isEmpty ? nil : $0 }
    isNamed = asked != nil
    self.name = asked ?? "default"
    let home = environment["HOME"] ?? ""
    let configuration = environment["AWS_CONFIG_FILE"] ?? "\(home)/.aws/config"
    let credentials = environment["AWS_SHARED_CREDENTIALS_FILE"] ?? "\(home)/.aws/credentials"
    let title = self.name == "default" ? "default" : "profile \(self.name)"
    if let text = files(configuration) { take(text, section: title) }
    if let text = files(credentials) { take(text, section: self.name) }
  }

  subscript(key: String) -> String? { values[key] }

  /// What to add to a sentence about credentials that are not there.
  var note: String { isNamed ? " in the profile \(name.printable())" : "" }

  private mutating func take(_ text: String, section: String) {
    var isInside = false
    for line in text.split(whereSeparator: \.isNewline) {
      let trimmed = line.drop { $0 == " " || $0 == "\t" }
      guard !trimmed.hasPrefix("#"), !trimmed.hasPrefix(";") else { continue }
      if trimmed.hasPrefix("[") {
        isInside =
          trimmed.dropFirst().prefix { $0 != "]" }.split(separator: " ").joined(separator: " ") == section
        continue
      }
      let parts = trimmed.split(separator: "=", maxSplits: 1).map { part in
        part.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
      }
      if isInside, parts.count == 2 { values[parts[0]] = parts[1] }
    }
  }
}
