internal import OTAManifest

/// What readers are told about their sources: the file that `parser-ota advise --from` reads.
///
/// Every source of which something is known has an entry, those that are well too, so that an advisory goes when its reason
/// has. What cannot be known from where was asked is left out, so that it stays as it is.
public enum SurveyAdvisories {
  /// The version of the format.
  public static let format: Int64 = 1

  /// The bytes of the file; `nil` when the survey knows nothing, because no site at all could be reached.
  public static func bytes(_ report: SurveyReport) -> [UInt8]? {
    guard !report.isWithoutNetwork else { return nil }
    let entries = report.sources.filter { $0.state != .unknown }.map(entry)
    return JSONValue.object([
      JSONMember("format", .integer(format)), JSONMember("surveyed", .string(report.surveyed.description)),
      JSONMember("advisories", .array(entries)),
    ]).encoded(indented: true)
  }

  private static func entry(_ source: SurveyedSource) -> JSONValue {
    var members = [
      JSONMember("id", .string(source.id.text)), JSONMember("state", .string(source.state.rawValue)),
    ]
    if source.state != .ok { members.append(JSONMember("text", .string(text(source)))) }
    if source.state == .moved, let domain = source.decisive?.domain {
      members.append(JSONMember("domain", .string(domain)))
    }
    return .object(members)
  }

  /// One sentence for readers, who know nothing of parsers.
  private static func text(_ source: SurveyedSource) -> String {
    guard let step = source.decisive else { return "" }
    switch step.verdict {
    case .moved where source.state == .moved: return "The site moved to \(step.domain ?? "another address")."
    case .moved: return "The site moved and cannot be read at the moment."
    case .dns: return "The address of the site no longer exists."
    case .tls: return "The site has no valid certificate."
    case .login: return "The site asks for an account."
    case .timeout, .unreachable, .answer: return "The site does not answer at the moment."
    case .status where (step.status ?? 0) >= 500: return "The site is down at the moment."
    case .fewer: return "Some details are missing at the moment."
    case .empty, .fault, .status:
      return step.name.isEssential
        ? "The site changed and cannot be read at the moment."
        : "\(thing(step.name)) does not work at the moment."
    case .ok, .skipped, .challenge, .blocked, .unknown: return "The state of the site is not known."
    }
  }

  private static func thing(_ name: SurveyStep.Name) -> String {
    name == .search ? "Search" : "The display of pictures"
  }
}
