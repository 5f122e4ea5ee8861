import Foundation
import Glibc

/// A real nginx on 127.0.0.1 that serves a directory, for what a scripted server cannot show.
public final class NginxServer: Sendable {
  /// Where the program is on this machine; `nil` without it, so that a test can say that it is skipped.
  public static var program: String? {
    ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/bin/nginx"].first { access($0, X_OK) == 0 }
  }

  /// `https://127.0.0.1:PORT/`, or `http` without certificates.
  public let url: String

  private let process: ChildProcess
  private let folder: String

  /// Serves `root` over HTTP/2 with the good certificate of a TLS server, or over plain HTTP/1.1 without one.
  ///
  /// The port was free a moment ago.
  /// - Parameter directives: what else stands in the server block, such as `gzip on;`.
  public init(root: String, certificatesOf tls: TLSServer? = nil, directives: String = "") throws {
    guard let program = Self.program else { throw SystemFailure("nginx is not installed") }
    let port = try Self.freePort()
    folder =
      FileManager.default.temporaryDirectory.appendingPathComponent("ota-nginx-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let listener =
      tls.map {
        "ssl http2; ssl_certificate \($0.certificateFile(.good)); ssl_certificate_key \($0.keyFile(.good));"
      } ?? ";"
    let configuration = """
      daemon off; master_process off; pid \(folder)/pid; error_log \(folder)/error.log;
      events {}
      http {
        log_format seen '$server_protocol $connection $request_method $uri $status'; access_log \(folder)/seen.log seen;
        client_body_temp_path \(folder)/t; proxy_temp_path \(folder)/t; fastcgi_temp_path \(folder)/t;
        uwsgi_temp_path \(folder)/t; scgi_temp_path \(folder)/t;
        server {
          listen 127.0.0.1:\(port) \(listener)
          root \(root);
          \(directives)
        }
      }
      """
    try configuration.write(toFile: folder + "/nginx.conf", atomically: true, encoding: .utf8)
    // The shell ends nginx when its input ends, which also happens when the test process is killed.
    let script = "\"$@\" & read nothing; kill -9 $!"
    let arguments = [
      "-c", script, "sh", program, "-p", folder, "-e", folder + "/error.log", "-c", folder + "/nginx.conf",
    ]
    process = try ChildProcess("/bin/sh", arguments)
    url = "\(tls == nil ? "http" : "https")://127.0.0.1:\(port)/"
  }

  deinit {
    process.signal(SIGKILL)
    // What is left of the folder is in the temporary directory and harms nobody.
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// One line for each request: protocol, number of the connection, method, path, status.
  public var log: [String] {
    let text = (try? String(contentsOfFile: folder + "/seen.log", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  private static func freePort() throws -> Int {
    let server = try LoopbackServer { _ in .notFound }
    server.stop()
    return server.port
  }
}
