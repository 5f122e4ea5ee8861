import Foundation

/// HTTPS servers on 127.0.0.1 with good and bad certificates from an authority of their own.
///
/// Needs `openssl` and `python3`. The server process ends with the test process, and removes the certificates.
public final class TLSServer: Sendable {
  /// What is wrong with the certificate of a server.
  public enum Certificate: String, CaseIterable, Sendable {
    case good
    /// Issued for another name.
    case otherHost
    /// Ended yesterday.
    case expired
    /// Signed by itself.
    case selfSigned
  }

  /// The one server of the test process, or the reason why there is none.
  public static let shared = Result { try TLSServer() }

  /// The body of `/`.
  public static let body = Array("a body over TLS\n".utf8)

  /// The PEM file with the authority that issued all but the self-signed certificate.
  public let authorityFile: String
  /// The same authority as a hashed directory.
  public let authorityDirectory: String

  private let ports: [Certificate: Int]
  private let process: ChildProcess
  private let folder: String

  private init() throws {
    folder =
      FileManager.default.temporaryDirectory.appendingPathComponent("ota-tls-\(UUID().uuidString)")
      .path
    try FileManager.default.createDirectory(
      atPath: folder + "/authorities", withIntermediateDirectories: true)
    try Self.makeCertificates(in: folder)
    let names = Certificate.allCases.map(\.rawValue)
    process = try ChildProcess("/usr/bin/env", ["python3", "-c", Self.script, folder] + names)
    let line = try process.readLine() ?? ""
    let numbers = line.split(separator: " ").compactMap { Int($0) }
    guard numbers.count == names.count else {
      throw SystemFailure("the TLS server printed \"\(line)\"")
    }
    ports = Dictionary(uniqueKeysWithValues: zip(Certificate.allCases, numbers))
    authorityFile = folder + "/ca.pem"
    authorityDirectory = folder + "/authorities"
  }

  /// `https://127.0.0.1:PORT/`; `/to?URL` redirects.
  public func url(_ certificate: Certificate) -> String { "https://127.0.0.1:\(ports[certificate] ?? 0)/" }

  /// The PEM file of a certificate, for another server.
  public func certificateFile(_ certificate: Certificate) -> String {
    folder + "/\(certificate.rawValue).pem"
  }

  /// The PEM file of its private key.
  public func keyFile(_ certificate: Certificate) -> String { folder + "/\(certificate.rawValue).key" }

  private static func makeCertificates(in folder: String) throws {
    func openssl(_ arguments: String) throws {
      let words = arguments.split(separator: " ").map { $0.replacingOccurrences(of: "@", with: folder + "/") }
      let result = try run("/usr/bin/env", ["openssl"] + words)
      guard result.status == .exited(0) else { throw SystemFailure("openssl: \(result.errors)") }
    }
    let key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    let here = "subjectAltName=DNS:localhost,IP:127.0.0.1"
    try openssl("req -x509 \(key) -keyout @ca.key -out @ca.pem -subj /CN=authority -days 30")
    try openssl(
      "req -x509 \(key) -keyout @selfSigned.key -out @selfSigned.pem -subj /CN=self -days 30 -addext \(here)")
    let leaves = [
      (Certificate.good, here, 30), (.otherHost, "subjectAltName=DNS:other.example", 30),
      (.expired, here, -1),
    ]
    for (certificate, names, days) in leaves {
      let name = certificate.rawValue
      try openssl("req \(key) -keyout @\(name).key -out @\(name).csr -subj /CN=\(name) -addext \(names)")
      try openssl(
        "x509 -req -in @\(name).csr -CA @ca.pem -CAkey @ca.key -CAcreateserial -days \(days) -copy_extensions copy -out @\(name).pem"
      )
    }
    try FileManager.default.copyItem(atPath: folder + "/ca.pem", toPath: folder + "/authorities/ca.pem")
    try openssl("rehash @authorities")
  }

  private static let script = """
    import http.server, os, shutil, ssl, sys, threading
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'
        def do_GET(self):
            to = self.path.startswith('/to?')
            body = b'' if to else b'a body over TLS\\n'
            self.send_response(302 if to else 200)
            if to: self.send_header('Location', self.path[4:])
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        def log_message(self, *words): pass
    folder, ports = sys.argv[1], []
    for name in sys.argv[2:]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f'{folder}/{name}.pem', f'{folder}/{name}.key')
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        ports.append(str(server.server_port))
    print(*ports, flush=True)
    sys.stdin.read()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)
    """
}
