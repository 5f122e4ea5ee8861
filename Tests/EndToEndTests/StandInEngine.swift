import Foundation
import Glibc

/// A program that speaks as the engine does and runs nothing, for tests of command lines that take its word.
///
/// Every list has one title, every work one chapter, every chapter one page. What the real engine does is tested elsewhere.
enum StandInEngine {
  static let name = "engine"

  static let script = #"""
    #!/usr/bin/python3
    import json, re, struct, sys

    ANSWERS = {
        'list': [{'title': 'One', 'url': '/1'}],
        'search': [{'title': 'One', 'url': '/1'}],
        'details': {'title': 'One', 'chapters': [{'url': '/1/1'}]},
        'pages': [{'url': 'https://alpha.example/1.png'}],
    }

    def send(kind, value):
        payload = json.dumps(value).encode()
        sys.stdout.buffer.write(kind + struct.pack('>I', len(payload)) + payload)
        sys.stdout.buffer.flush()

    while head := sys.stdin.buffer.read(5):
        kind, payload = head[:1], sys.stdin.buffer.read(struct.unpack('>I', head[1:])[0])
        if kind == b'o':
            send(b'r', {
                'network': 'namespace', 'files': 'root', 'ownProcesses': True, 'ownIPC': True, 'notRoot': True,
                'noCapabilities': True, 'noNewPrivileges': True, 'callFilter': True,
            })
            continue
        script, _, text = payload.decode().split('\n', 2)
        if call := re.match(r'k\w+\.call\("(\w+)", "[^"]*", "(\w+)"', text):
            token, method = call.groups()
            send(b'm', {'kind': 'result', 'token': token, 'ok': True, 'json': json.dumps(ANSWERS[method])})
        else:
            send(b'd', {'id': script})

    """#

  /// A recording of ALPHA of which the answers above make exactly what was recorded.
  static let fixture = """
    {
      "format": 1, "source": "ALPHA", "domain": "alpha.example", "recorded": "2026-01-01T00:00:00Z",
      "bundle": "\(String(repeating: "0", count: 64))",
      "steps": [
        {
          "method": "list", "arguments": { "page": 1, "order": "UPDATED", "filter": {} },
          "answer": { "titles": [{ "title": "One", "url": "/1" }] }
        }
      ],
      "requests": []
    }
    """
}

extension Playground {
  /// A stand-in for the engine as `engine`, and a recording of ALPHA in `fixtures`.
  func makeRecording() throws {
    try write(StandInEngine.name, StandInEngine.script)
    chmod(path(StandInEngine.name), 0o755)
    try write("fixtures/ALPHA/fixture.json", StandInEngine.fixture)
  }
}
