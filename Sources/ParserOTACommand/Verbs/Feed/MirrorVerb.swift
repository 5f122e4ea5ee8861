internal import OTAFeed
internal import OTAManifest
internal import ParserPublisher

extension Verb {
  static let mirror = Verb(
    VerbSpec(
      ["mirror"],
      summary: "copy a feed to another host as a device reads it, verified and in the right order",
      options: [
        .option("from", "DIR|URL", "the feed to copy: its public address, or a folder").completing(.directory)
          .required(),
        .option("to", "DIR|URL", "the host to copy to: a folder, or a URL such as s3://bucket/feed")
          .completing(.directory).required(),
        .option(
          "root", "FILE", "the root of trust that ships in apps; the feed's own first root when left out"
        )
        .completing(.file),
        .flag("allow-http-loopback", "allow plain http to this machine's own loopback address, for tests"),
      ] + FeedVerb.hosting,
      manual: VerbManual(
        details: [
          "Everything is verified before the first byte is written; manifests and the timestamp come last. Run it again to copy"
            + " what is new. An older state than the copy has is refused."
        ],
        examples: [
          "parser-ota mirror --from https://parsers.example/feed/ --to s3://bucket/feed --root root.json",
          "parser-ota mirror --from feed --to copy",
        ],
        exits: [
          .done, .notAchieved, .untrustedContent, .tryLater, .localDisk, .conflict, .busy, .notPermitted,
        ])),
    run: { arguments, context throws(CommandFailure) in
      let source: FeedLocation = try arguments.required("from", as: Readings.feed)
      let from = try InputFolder.require(source, option: "--from", context)
      var root: [UInt8]?
      if case .root(let bytes)? = try TrustChoice.given(arguments, context) { root = bytes }
      let (trusted, allowsHTTP) = (root, arguments.flag("allow-http-loopback"))
      let publisher = try FeedVerb.publisher(of: "to", arguments, context)
      let report = try await DeviceVerb.run { () async throws(Problem) in
        try await publisher.mirror(from: from, root: trusted, allowsPlainHTTPOnLoopback: allowsHTTP)
      }
      return result(report).warning(of: publisher)
    })

  private static func result(_ report: MirrorReport) -> CommandResult {
    let written = report.writtenFiles
    return .outcome(
      written.isEmpty ? "nothing-to-do" : "mirrored",
      written.isEmpty
        ? "nothing is new: the copy has release \(report.version)"
        : "the copy has release \(report.version): \(written.count) of \(report.files) files were new",
      lines: written,
      payload: [
        JSONMember("version", .integer(report.version.number)),
        JSONMember("written", .array(written.map { .string($0) })),
      ])
  }
}
