internal import CCurl

/// One libcurl transfer handle with its header list and error text.
///
/// The callbacks get the `CurlTransfer` that owns this handle, so they never outlive it.
@safe struct EasyHandle: ~Copyable {
  /// For `MultiHandle` alone.
  let pointer: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  private let guardState: UnsafeMutablePointer<ccurl_guard>
  private var headers: UnsafeMutablePointer<curl_slist>?
  /// Kept alive for as long as libcurl may look into it.
  private var cookies: CookieJar?
  /// The first setting that libcurl did not take; a transfer with one must not start.
  private(set) var refusedSetting: CURLcode?

  /// `nil` when there is no memory. libcurl must be loaded.
  init?(id: UInt64) {
    guard let pointer = unsafe ccurl_easy_init() else { return nil }
    unsafe self.pointer = unsafe pointer
    let capacity = Int(CURL_ERROR_SIZE)
    unsafe errorText = .allocate(capacity: capacity)
    unsafe errorText.initialize(repeating: 0, count: capacity)
    unsafe guardState = .allocate(capacity: 1)
    unsafe guardState.initialize(to: ccurl_guard(allows_loopback: 0, has_refused: 0))
    unsafe note(ccurl_set_ptr(pointer, CURLOPT_ERRORBUFFER, errorText))
    unsafe note(ccurl_set_id(pointer, id))
  }

  deinit {
    unsafe ccurl_easy_cleanup(pointer)
    unsafe ccurl_slist_free_all(headers)
    unsafe errorText.deallocate()
    unsafe guardState.deallocate()
  }

  mutating func set(_ option: CURLoption, _ value: Int) {
    unsafe note(ccurl_set_long(pointer, option, value))
  }

  mutating func set(_ option: CURLoption, _ value: String?) {
    unsafe note(ccurl_set_str(pointer, option, value))
  }

  /// Adds a header line of the request.
  mutating func add(header: String) {
    guard let list = unsafe ccurl_slist_append(headers, header) else { return note(CURLE_OUT_OF_MEMORY) }
    unsafe headers = list
    unsafe note(ccurl_set_list(pointer, CURLOPT_HTTPHEADER, list))
  }

  /// Forgets the header lines, so that a redirect may have others.
  mutating func removeHeaders() {
    unsafe note(ccurl_set_list(pointer, CURLOPT_HTTPHEADER, nil))
    unsafe ccurl_slist_free_all(headers)
    unsafe headers = nil
  }

  /// Makes the request a `POST` with a copy of this body.
  mutating func set(body: [UInt8]) {
    unsafe note(body.withUnsafeBytes { unsafe ccurl_set_body(pointer, $0.baseAddress, $0.count) })
  }

  /// Refuses connections into local networks, wherever a name leads.
  mutating func refuseLocalAddresses(exceptLoopback: Bool) {
    unsafe guardState.pointee.allows_loopback = exceptLoopback ? 1 : 0
    unsafe note(ccurl_set_guard(pointer, guardState))
  }

  /// Whether a connection was not made because it would have led into a local network.
  var hasRefusedAddress: Bool { unsafe guardState.pointee.has_refused != 0 }

  /// Takes cookies from a jar and puts new ones into it.
  mutating func set(cookies: CookieJar) {
    unsafe note(ccurl_set_cookies(pointer, cookies.pointer))
    self.cookies = cookies
  }

  /// Points the handle at a checked URL, with no other protocol than that of the URL.
  mutating func set(url: FetchURL) {
    set(CURLOPT_URL, url.text)
    unsafe note(ccurl_set_only_protocol(pointer, url.isPlainHTTP ? 1 : 0))
    // What stays within this machine must not pass a proxy.
    if url.isPlainHTTP, url.isLoopback { set(CURLOPT_PROXY, "") } else { set(CURLOPT_PROXY, nil) }
  }

  /// Registers the two callbacks with their shared context.
  mutating func set(
    header: @escaping ccurl_data_callback, body: @escaping ccurl_data_callback,
    context: UnsafeMutableRawPointer
  ) {
    unsafe note(ccurl_set_callback(pointer, CURLOPT_HEADERFUNCTION, header))
    unsafe note(ccurl_set_ptr(pointer, CURLOPT_HEADERDATA, context))
    unsafe note(ccurl_set_callback(pointer, CURLOPT_WRITEFUNCTION, body))
    unsafe note(ccurl_set_ptr(pointer, CURLOPT_WRITEDATA, context))
  }

  /// Lets cancellation not wait for a name lookup.
  func allowQuickExit() { unsafe ccurl_set_quick_exit(pointer) }

  func number(_ info: CURLINFO) -> Int { unsafe ccurl_get_long(pointer, info) }

  /// Whether the connection stands, TLS included, so that the request could be sent.
  var isConnected: Bool { unsafe ccurl_get_microseconds(pointer, CURLINFO_PRETRANSFER_TIME_T) > 0 }

  /// What the connection of the last answer was like.
  var facts: ConnectionFacts {
    let versions = [
      Int(CURL_HTTP_VERSION_1_0): "1.0", Int(CURL_HTTP_VERSION_1_1): "1.1", Int(CURL_HTTP_VERSION_2_0): "2",
      30: "3",
    ]
    var end = [CChar](repeating: 0, count: 64)
    let hasEnd = unsafe ccurl_certificate_end(pointer, &end, end.count) == 0
    return ConnectionFacts(
      httpVersion: versions[number(CURLINFO_HTTP_VERSION)],
      address: unsafe ccurl_get_str(pointer, CURLINFO_PRIMARY_IP).map { unsafe String(cString: $0) },
      certificateEnd: hasEnd
        ? String(decoding: end.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil)
  }

  /// The absolute target of a redirect that was not followed.
  var redirectURL: String? {
    guard let text = unsafe ccurl_get_str(pointer, CURLINFO_REDIRECT_URL) else { return nil }
    return unsafe String(cString: text)
  }

  /// libcurl's own words about a failure, falling back to the general text of the code.
  func failureText(_ code: CURLcode) -> String {
    let text = unsafe String(cString: errorText)
    return text.isEmpty ? unsafe String(cString: ccurl_easy_strerror(code)) : text
  }

  private mutating func note(_ code: CURLcode) {
    if code != CURLE_OK, refusedSetting == nil { refusedSetting = code }
  }
}
