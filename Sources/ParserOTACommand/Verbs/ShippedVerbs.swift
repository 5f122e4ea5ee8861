extension CommandTable {
  /// The tool as it is shipped: a new verb is one file in this folder and one line here.
  static let shipped = CommandTable(
    tool: "parser-ota",
    summary: "publish parser releases from CI, and take, explain and undo them on devices",
    groups: [
      "channel": "end a channel of a feed",
      "rollout": "let some devices have a release first, and stop in time",
      "device": "update, launch, confirm and undo releases on a device",
      "key": "make signing keys, and choose which of them a signed feed asks for",
      "root": "change the keys of a feed in a ceremony of several people",
      "source": "list the sources of a catalog, and look them up by the references that libraries carry",
    ],
    verbs: [
      .initialise, .check, .publish, .promote, .rollback, .rolloutStatus, .rolloutAdvance, .rolloutSet,
      .rolloutHalt, .rolloutResume, .rolloutComplete, .channels, .channelRetire, .advise, .refresh, .releases,
      .status, .diff, .verify, .doctor, .repair, .prune, .mirror, .embed, .export, .importRelease, .faults,
      .run, .record, .bisect, .survey, .config, .configInit,
      .deviceInit, .deviceCheck, .deviceUpdate, .deviceImport, .deviceActivate, .deviceConfirm, .deviceClose,
      .deviceFail,
      .deviceRollback, .devicePin, .deviceUnpin, .deviceForget, .deviceChannel, .deviceAdvisories,
      .deviceStatus, .deviceHistory, .deviceExplain,
      .keyGenerate, .keyPublic, .keyList, .keyStatus, .keyAdd, .keyRemove, .keyRotate, .keyThreshold,
      .rootPrepare, .rootSign, .rootCommit,
      .sourceList, .sourceResolve, .simulate, .contract, .help, .version, .completions,
    ])
}
