internal import OTAFeed
internal import OTAManifest
internal import OTAStorage

/// What is remembered of the host between runs, so that a crash loop is one request per pause.
extension UpdateRun {
  /// Why the feed is not asked now; `nil` when it may be.
  func pause() -> Problem? { memory()?.pause(at: now())?.problem.keeping(Self.kept) }

  /// When the feed wants to be asked again; `nil` for now.
  func dueDate() -> Timestamp? { memory()?.dueDate(at: now()) }

  /// What is remembered of this feed's host; `nil` when nothing is, or when it cannot be read.
  private func memory() -> HostMemory? {
    do {
      guard let store = try DeviceStore.openPrivate(configuration.directory),
        case .state(let state) = store.readState(), let memory = state.host,
        memory.feed == configuration.feed.text
      else { return nil }
      return memory
    } catch {
      // The run itself says what is wrong with the store.
      return nil
    }
  }

  /// Remembers that the feed's own host gave nothing, and how long it is left alone.
  func noteFailure(_ problem: Problem, chance: Double) {
    guard reader.location == configuration.feed else { return }
    do {
      guard let store = try DeviceStore.openPrivate(configuration.directory) else { return }
      try remember(in: store) { $0.note(problem, now: now(), chance: chance) }
    } catch {
      // The caller gets the problem itself; without the note the next run only asks too soon.
    }
  }

  /// Remembers when the feed wants to be asked again, once there is nothing left to take from it.
  func noteNextCheck(_ offer: FeedAnswer, in store: DeviceStore?) {
    guard let store else { return }
    let interval = offer.evidence?.checkInterval
    do {
      try remember(in: store) { $0.nextCheck = interval.map { now().advanced(bySeconds: $0) } }
    } catch {
      // The next run only asks sooner than the feed wants.
    }
  }

  /// Remembers that the host of the feed answers, and what is odd about it.
  func noteAnswer(_ notice: Problem?, in store: DeviceStore?) {
    guard let store, reader.location == configuration.feed else { return }
    do {
      try remember(in: store) { memory in
        memory.noteSuccess()
        memory.oddity = notice.map { "\($0.code.rawValue): \($0.message)" }
      }
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
