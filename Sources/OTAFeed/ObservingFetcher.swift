internal import OTATransfer

/// Passes requests on and tells of each answer that came whole.
struct ObservingFetcher: Fetcher {
  let base: any Fetcher
  let observe: @Sendable (_ url: String, _ response: FetchResponse) -> Void

  func fetch(
    _ request: FetchRequest, into sink: any FetchSink
  ) async throws(TransferError) -> FetchResponse {
    let response = try await base.fetch(request, into: sink)
    observe(request.url, response)
    return response
  }
}
