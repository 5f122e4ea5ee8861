internal import OTAManifest

/// The address through which another program sets faults and looks at requests.
struct FaultControl {
  /// The path below the server; no file of a feed has it, since hidden names are not served.
  static let path = ".faults"

  let server: FaultServer

  /// The answer to a request of the control address; `nil` for one of the feed.
  func answer(_ request: FaultRequest) -> FaultAnswer? {
    guard request.path == Self.path || request.path.hasPrefix(Self.path + "/") else { return nil }
    // A page in a browser of this machine must not be able to do this.
    guard request.fields["origin"] == nil else {
      return failure(403, "forbidden", "browsers may not set faults")
    }
    switch (request.method, request.path.dropFirst(Self.path.count)) {
    case ("GET", ""), ("HEAD", ""): return state
    case ("PUT", ""), ("POST", ""): return set(request.body)
    case ("DELETE", ""): return set([])
    case ("POST", "/next"):
      server.next()
      return state
    case ("POST", "/remember"):
      server.remember()
      return state
    case ("POST", "/stop"):
      server.requestStop()
      return state
    case ("DELETE", "/requests"):
      server.forgetRecords()
      return state
    case ("GET", "/requests"): return requests
    default:
      return failure(
        404, "not-found",
        "GET, PUT or DELETE /.faults; POST /.faults/next, remember or stop; GET or DELETE /.faults/requests")
    }
  }

  private func set(_ body: [UInt8]) -> FaultAnswer {
    do {
      try server.set(try FaultScript(decoding: body))
      return state
    } catch let problem as Problem {
      return failure(400, problem.code.rawValue, problem.message)
    } catch let error as InputError {
      return failure(400, "invalid-value", error.message)
    } catch {
      return failure(400, "invalid-value", "the faults cannot be read")
    }
  }

  private var state: FaultAnswer {
    let (rules, step) = server.current
    return json(
      200,
      [
        JSONMember("ok", .bool(true)), JSONMember("feed", .string(server.url)),
        JSONMember("step", .integer(Int64(step))),
        JSONMember("faults", .array(rules.map { .string("\($0)") })),
        JSONMember("requests", .integer(Int64(server.records.count))),
      ])
  }

  private var requests: FaultAnswer {
    json(
      200,
      [
        JSONMember("ok", .bool(true)),
        JSONMember("requests", .array(server.records.map(Self.json))),
      ])
  }

  private static func json(_ record: FaultServer.Record) -> JSONValue {
    .object([
      JSONMember("method", .string(record.method)), JSONMember("path", .string(record.path)),
      JSONMember("firstByte", record.firstByte.map { .integer(Int64($0)) } ?? .null),
      JSONMember("fault", record.fault.map { .string("\($0)") } ?? .null),
      JSONMember("status", .integer(Int64(record.status))),
      JSONMember("connection", .integer(Int64(record.connection))),
      JSONMember("milliseconds", .integer(Int64(record.milliseconds))),
    ])
  }

  private func failure(_ status: Int, _ code: String, _ message: String) -> FaultAnswer {
    json(
      status,
      [
        JSONMember("ok", .bool(false)), JSONMember("code", .string(code)),
        JSONMember("message", .string(message)),
      ])
  }

  private func json(_ status: Int, _ members: [JSONMember]) -> FaultAnswer {
    .whole(
      status, JSONValue.object(members).encoded(indented: false) + [0x0A],
      [("Content-Type", "application/json")])
  }
}
