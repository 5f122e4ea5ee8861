/// The limits of requests to web sites, and what is allowed; apart from `TransferPolicy` so that feeds stay strict.
public struct SitePolicy: Sendable {
  /// Allows sites on this machine, for tests; other addresses of local networks stay out of reach.
  ///
  /// Where a proxy is set in the environment, the proxy decides what can be reached.
  public var allowsLoopback = false
  /// Against bodies without end and compressed bombs; counted after decoding.
  public var maxBodyBytes = 8 << 20
  /// The limit on a whole request, redirects included.
  public var timeout: Duration = .seconds(30)
  /// Whether redirects are followed; otherwise an answer that is one comes back with the request that it asks for.
  public var followsRedirects = true
  /// The fields of answers that are kept, in lower case; `content-type` always is.
  public var keptFields: Set<String> = []
  /// Which addresses of a host are tried.
  public var addresses = Addresses.all
  /// Whether bodies are asked for compressed and handed over decoded, as web views do; `false` asks for `identity` and
  /// hands over what comes.
  public var decodes = true
  /// Whether answers say what their connection was like.
  public var wantsFacts = false
  /// Allows addresses of local networks, for hosts that a person names and no page does.
  public var allowsLocalNetworks = false
  /// Connections, certificates, redirects and the size of heads. What it says of plain http is for feeds.
  public var transfer: TransferPolicy

  /// The families of addresses that a host may be reached by.
  public enum Addresses: Sendable {
    case all, v4, v6
  }

  /// The production defaults.
  public init() {
    transfer = TransferPolicy()
    transfer.connectionsPerHost = 6
    // A page that takes long to be made sends nothing at all meanwhile; the timeout ends it.
    transfer.stall = TransferPolicy.Stall(bytesPerSecond: 1, seconds: 30)
  }
}
