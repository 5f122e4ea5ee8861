/// A file that is about to be written to a feed.
struct FeedWrite: Equatable, Sendable {
  let path: String
  let bytes: [UInt8]
}
