import TestSupport

extension SampleRelease.Content {
  /// Content whose two files carry the same marker, so that a process without the fixtures can tell a whole pair.
  package init(marked version: Int64) {
    let marker = "marker:r\(version)"
    let entry =
      #"[{"id":"A","className":"A","title":"\#(marker)","locale":"en","domain":"a.invalid","family":"#
    self.init(
      bundle: Array("// \(marker)\n".utf8) + Fixtures.bundle(marker: "b\(version)", bytes: 3000),
      sources: Array((entry + #""A","isNsfw":false,"overrides":{}}]"#).utf8))
  }
}
