import Foundation
import TestSupport
import Testing

@testable import OTATransfer

@Suite("Secure connections")
struct TLSTests {
  private let server: TLSServer

  init() throws { server = try TLSServer.shared.get() }

  private func trusting(_ change: (inout TransferPolicy) -> Void = { _ in }) -> CurlFetcher {
    loopbackFetcher {
      $0.certificateFile = server.authorityFile
      change(&$0)
    }
  }

  @Test("an own authority is accepted from a file and from a hashed directory, and its connection is kept")
  func ownAuthority() async throws {
    let fromFile = trusting()
    for _ in 0..<2 {
      let arrived = try await fromFile.bytes(server.url(.good))
      #expect(arrived == TLSServer.body)
    }
    let fromDirectory = loopbackFetcher { $0.certificateDirectory = server.authorityDirectory }
    let arrived = try await fromDirectory.bytes(server.url(.good))
    #expect(arrived == TLSServer.body)
  }

  @Test(
    "B74: an unknown authority, another host, an expired and a self-signed certificate have their own words")
  func refusals() async throws {
    let foreign = loopbackFetcher { $0.certificateDirectory = "/etc/ssl/certs" }
    let details = [
      try await detail(foreign, .good), try await detail(trusting(), .otherHost),
      try await detail(trusting(), .expired), try await detail(trusting(), .selfSigned),
    ]
    #expect(details[0].contains("unknown authority (trusted: /etc/ssl/certs)"))
    #expect(details[1].contains("for another host"))
    #expect(details[2].contains("expired"))
    #expect(details[3].contains("self-signed"))
    #expect(Set(details).count == 4)
  }

  @Test("B74: an authority file that is not there is named")
  func missingAuthorities() async throws {
    let fetcher = loopbackFetcher { $0.certificateFile = "/nonexistent/ca.pem" }
    // Nothing is wrong with the server: the settings of this machine are.
    let error = try #require(await fetcher.failure(FetchRequest(url: server.url(.good), maxBytes: 100)))
    #expect(error.kind == .tls && error.detail.contains("/nonexistent/ca.pem"))
  }

  @Test("B38: a redirect from https to http is refused, even to this machine where that is allowed")
  func downgrade() async throws {
    try await withServer({ _ in .ok([1]) }) { plain in
      let request = FetchRequest(url: server.url(.good) + "to?" + plain.url, maxBytes: 10)
      let error = await trusting().failure(request)
      #expect(error?.kind == .refusedURL)
      #expect(plain.requests.isEmpty)
    }
  }

  @Test("a redirect from plain http on this machine to https is followed, and its certificate is checked")
  func upgrade() async throws {
    try await withServer({ [server] request in
      .redirect(to: server.url(request.path == "/good" ? .good : .expired))
    }) { plain in
      let arrived = try await trusting().bytes(plain.url + "good")
      #expect(arrived == TLSServer.body)
      let error = await trusting().failure(FetchRequest(url: plain.url + "expired", maxBytes: 100))
      #expect(error?.kind == .tlsExpired)
    }
  }

  private func detail(_ fetcher: CurlFetcher, _ certificate: TLSServer.Certificate) async throws -> String {
    let sink = RecordingSink()
    let request = FetchRequest(url: server.url(certificate), maxBytes: 100)
    let error = try #require(await fetcher.failure(request, into: sink))
    let kinds: [TLSServer.Certificate: TransferError.Kind] = [
      .expired: .tlsExpired, .otherHost: .tlsWrongHost, .selfSigned: .tlsUnknownAuthority,
      .good: .tlsUnknownAuthority,
    ]
    #expect(error.kind == kinds[certificate])
    #expect(sink.begun.isEmpty)
    return error.detail
  }
}
