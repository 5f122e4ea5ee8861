import Foundation

/// A server on 127.0.0.1 that offers HTTP/2 and breaks it in one way, and serves the same body over HTTP/1.1.
///
/// Needs `python3`. The process ends with the value, or with the test process.
public final class BrokenHTTP2Server: Sendable {
  /// How HTTP/2 ends.
  public enum Fault: String, CaseIterable, Sendable {
    /// A reset stream in place of an answer.
    case reset
    /// A reset stream after a part of the body.
    case resetInBody
    /// GOAWAY in place of an answer.
    case goAway
    /// GOAWAY after a part of the body, and the connection closes.
    case goAwayInBody
  }

  /// The body of every path: 6000 bytes.
  public static let body = Array(String(repeating: "a body\n", count: 1000).utf8.prefix(6000))

  /// `https://127.0.0.1:PORT/`
  public let url: String
  private let process: ChildProcess
  private let log: TemporaryDirectory

  /// Starts with the good certificate of a TLS server.
  public init(_ fault: Fault, breaksHTTP1: Bool = false, certificatesOf tls: TLSServer) throws {
    log = try TemporaryDirectory()
    process = try ChildProcess(
      "/usr/bin/env",
      [
        "python3", "-c", Self.script, fault.rawValue, tls.certificateFile(.good), tls.keyFile(.good),
        log.path("seen"), breaksHTTP1 ? "broken" : "whole",
      ])
    guard let port = Int(try process.readLine() ?? "") else { throw SystemFailure("no HTTP/2 server") }
    url = "https://127.0.0.1:\(port)/"
  }

  deinit { process.signal(9) }

  /// The protocol of each request so far: `h2` or `http/1.1`.
  public var requests: [String] {
    let text = (try? String(contentsOfFile: log.path("seen"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  // Frames by hand: HPACK 0x88 is ":status: 200", which is all that the head of a part needs.
  private static let script = #"""
    import os, socket, ssl, struct, sys, threading
    fault, certificate, key, log, http1 = sys.argv[1:6]
    body = (b'a body\n' * 1000)[:6000]
    def note(text):
        with open(log, 'a') as file: file.write(text + '\n')
    def frame(kind, flags, stream, payload=b''):
        return struct.pack('>I', len(payload))[1:] + bytes([kind, flags]) + struct.pack('>I', stream) + payload
    def read(connection, count):
        data = b''
        while len(data) < count:
            piece = connection.recv(count - len(data))
            if not piece: raise EOFError
            data += piece
        return data
    def http2(connection):
        read(connection, 24)
        connection.sendall(frame(4, 0, 0))
        while True:
            head = read(connection, 9)
            size, kind = int.from_bytes(head[:3], 'big'), head[3]
            stream = int.from_bytes(head[5:], 'big')
            read(connection, size)
            if kind == 4 and not head[4] & 1: connection.sendall(frame(4, 1, 0))
            if kind != 1: continue
            note('h2')
            if fault.endswith('InBody'):
                connection.sendall(frame(1, 4, stream, b'\x88') + frame(0, 0, stream, body[:1000]))
            if fault.startswith('reset'):
                connection.sendall(frame(3, 0, stream, struct.pack('>I', 2)))
            else:
                connection.sendall(frame(7, 0, 0, struct.pack('>II', 0, 11)))
                # What the client sent meanwhile is read first: a close over it would reset the connection, GOAWAY and all.
                connection.settimeout(5)
                connection.shutdown(socket.SHUT_WR)
                while connection.recv(4096): pass
                connection.close()
                return
    def plain(connection):
        while True:
            head = b''
            while b'\r\n\r\n' not in head:
                piece = connection.recv(4096)
                if not piece: return
                head += piece
            note('http/1.1')
            sent = body if http1 == 'whole' else body[:10]
            connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n' % len(body) + sent)
            if http1 != 'whole': connection.close(); return
    def serve(raw):
        try:
            connection = context.wrap_socket(raw, server_side=True)
            (http2 if connection.selected_alpn_protocol() == 'h2' else plain)(connection)
        except (OSError, EOFError): pass
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(['h2', 'http/1.1'])
    listener = socket.create_server(('127.0.0.1', 0))
    def accept():
        while True: threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
    threading.Thread(target=accept, daemon=True).start()
    print(listener.getsockname()[1], flush=True)
    sys.stdin.read()
    os._exit(0)
    """#
}
