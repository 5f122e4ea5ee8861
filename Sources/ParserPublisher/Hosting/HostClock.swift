internal import OTAFeed
public import OTAManifest
internal import OTATransfer

/// Asks the host of a feed for the time, as the second opinion on the clock of a publisher.
public struct HostClock: Sendable {
  /// The time at the host of this address; `nil` when it does not say.
  public let time: @Sendable (_ base: WebAddress) async -> Timestamp?

  /// Makes a clock of another kind, for tests and for publishers who know better.
  public init(time: @escaping @Sendable (_ base: WebAddress) async -> Timestamp?) { self.time = time }

  /// One short request for `manifest.json`, of which the fields `Date` and `Age` count; whatever fails is no answer.
  public static let http = HostClock { base in
    var policy = SitePolicy()
    policy.allowsLoopback = base.isLoopback
    policy.timeout = .seconds(3)
    policy.transfer.connectTimeout = .seconds(2)
    policy.keptFields = ["date", "age"]
    let request = SiteRequest(
      method: .head, url: base.asFolder.text + "manifest.json",
      fields: [SiteRequest.Field("Cache-Control", "no-cache")])
    do {
      let fields = try await CurlSiteFetcher(policy: policy).fetch(request).fields
      return fields["date"].flatMap { Timestamp(httpDate: $0) }?
        .advanced(bySeconds: fields["age"].flatMap { Int64($0) }.map { max(0, $0) } ?? 0)
    } catch {
      // A host that cannot be asked knows nothing: publishing does not need it.
      return nil
    }
  }
}

extension Timestamp {
  /// Reads the form that HTTP servers send, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, IMF-fixdate); `nil` for others.
  init?(httpDate text: String) {
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let parts = text.split(separator: " ")
    guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT", parts[1].utf8.count == 2,
      let month = months.firstIndex(of: String(parts[2]))
    else { return nil }
    let number = month + 1
    self.init("\(parts[3])-\(number < 10 ? "0" : "")\(number)-\(parts[1])T\(parts[4])Z")
  }
}
