internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// What is remembered of the host between runs, so that a crash loop is one request per pause.
extension UpdateRun {
  /// Why the feed is not asked now; `nil` when it may be.
  func pause() -> Problem? {
    do {
      guard let store = try DeviceStore.openPrivate(configuration.directory),
        case .state(let state) = store.readState(), let memory = state.host,
        memory.feed == configuration.feed.text
      else { return nil }
      return memory.pause(at: now())?.problem.keeping(Self.kept)
    } catch {
      // The run itself says what is wrong with the store.
      return nil
    }
  }

  /// Remembers a pause that the feed's own host asked for.
  func notePause(_ problem: Problem) {
    guard reader.location == configuration.feed, let pause = HostMemory.Pause(problem, now: now()) else {
      return
    }
    do {
      guard let store = try DeviceStore.openPrivate(configuration.directory) else { return }
      try remember(in: store) { $0.pause = pause }
    } catch {
      // The caller gets the problem itself; without the note the next run only asks too soon.
    }
  }

  /// Remembers what is odd about the host of the feed, or that nothing is any more.
  func noteOddity(_ notice: Problem?, in store: DeviceStore?) {
    guard let store, reader.location == configuration.feed else { return }
    do {
      try remember(in: store) { $0.oddity = notice.map { "\($0.code.rawValue): \($0.message)" } }
    } catch {
      // It is for `status` alone; the next run tries again.
    }
  }

  private func remember(
    in store: DeviceStore, _ body: (inout HostMemory) -> Void
  ) throws(Problem) {
    // The next change of the store repairs it first; a remark on the host is not worth that.
    switch store.readState() {
    case .state, .fresh: break
    case .damaged, .unknown: return
    }
    let feed = configuration.feed.text
    try change(store) { state in
      var memory = state.host.flatMap { $0.feed == feed ? $0 : nil } ?? HostMemory(feed: feed)
      body(&memory)
      state.host = memory == HostMemory(feed: feed) ? nil : memory
      return []
    }
  }
}
