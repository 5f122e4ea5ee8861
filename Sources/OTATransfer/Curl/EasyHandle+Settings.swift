internal import CCurl

/// How a transfer is set up: everything that is the same for all, and what one request asks for.
extension EasyHandle {
  /// Security, limits and behaviour. Redirects are followed by ourselves, one checked URL after the other.
  mutating func configure(_ policy: TransferPolicy, _ trust: TrustStore) {
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    // Where there is one connection, a second file waits to share it; elsewhere it must not wait for a host that is silent.
    if policy.connectionsPerHost == 1 { set(CURLOPT_PIPEWAIT, 1) }
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    set(CURLOPT_CAINFO, trust.file)
    set(CURLOPT_CAPATH, trust.directory)
    set(CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(policy.connectTimeout / .milliseconds(1))))
    set(CURLOPT_BUFFERSIZE, 64 << 10)
    set(CURLOPT_USERAGENT, String(policy.userAgent.unicodeScalars.filter { (" "..."~").contains($0) }))
    allowQuickExit()
  }

  /// The fields of one request to a feed. No decoder is set, so that what arrives is what is counted and hashed.
  mutating func configure(_ request: FetchRequest) {
    add(header: "Accept-Encoding: identity")
    for line in ConditionalHeaders.lines(for: request) { add(header: line) }
    if let offset = ConditionalHeaders.rangeOffset(of: request) { set(CURLOPT_RANGE, "\(offset)-") }
  }

  /// What is the same for all requests of a site. libcurl decodes what arrives, and what it decoded is what is counted.
  mutating func configure(_ policy: SitePolicy, cookies: CookieJar) {
    if policy.decodes { set(CURLOPT_ACCEPT_ENCODING, "") }
    if policy.wantsFacts { set(CURLOPT_CERTINFO, 1) }
    set(cookies: cookies)
    switch policy.addresses {
    case .all: break
    case .v4: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
    case .v6: set(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
    }
    if policy.allowsLocalNetworks { return }
    if SiteProxy.isSet {
      // Whoever set a proxy decides there what can be reached; nothing goes around it.
      set(CURLOPT_NOPROXY, "")
    } else {
      refuseLocalAddresses(exceptLoopback: policy.allowsLoopback)
    }
  }

  /// Method, fields and body of one request to a site; replaces those of the request before a redirect.
  mutating func configure(_ request: SiteRequest, asksIdentity: Bool = false) {
    switch request.method {
    case .get: set(CURLOPT_HTTPGET, 1)
    case .head: set(CURLOPT_NOBODY, 1)
    case .post: set(body: request.body)
    }
    removeHeaders()
    add(header: "Expect:")
    set(CURLOPT_COOKIE, request.cookieField)
    for line in request.headerLines { add(header: line) }
    if asksIdentity { add(header: "Accept-Encoding: identity") }
  }
}

extension AnswerStream {
  func configure(_ easy: inout EasyHandle) {
    easy.configure(request)
    if usesHTTP1 { easy.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)) }
  }

  /// A file is asked for in the same way wherever it is.
  func reconfigure(_ easy: inout EasyHandle) {}
}

extension SiteStream {
  func configure(_ easy: inout EasyHandle) {
    easy.configure(sitePolicy, cookies: cookies)
    easy.configure(request, asksIdentity: !sitePolicy.decodes)
  }

  func reconfigure(_ easy: inout EasyHandle) {
    easy.configure(request, asksIdentity: !sitePolicy.decodes)
  }
}

extension EasyHandle {
  /// Method, fields and body of a publisher's request.
  mutating func configure(_ request: HostRequest) {
    if let body = request.body { set(body: body) }
    if request.method == "HEAD" {
      set(CURLOPT_NOBODY, 1)
    } else {
      set(CURLOPT_CUSTOMREQUEST, request.method)
    }
    add(header: "Expect:")
    add(header: "Accept-Encoding: identity")
    if request.body != nil, !request.fields.contains(where: { $0.name.lowercased() == "content-type" }) {
      add(header: "Content-Type:")
    }
    // An empty value needs a semicolon: libcurl takes a bare colon as "do not send".
    for field in request.fields {
      add(header: field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
  }
}
