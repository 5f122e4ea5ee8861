"""Points at which the tool once left something wrong; they are tried in every run of the tests."""

from fnmatch import fnmatchcase

#: Operation, fault, call, place, and what was wrong.
FINDINGS = [
    ("pin", "kill", "write", "store/.tmp-*", "the unfinished state stayed until the next release came"),
    ("first-update", "kill", "write", "store/metadata/.tmp-*", "unfinished metadata stayed for ever"),
    ("launch-and-collect", "kill", "unlinkat", "store/releases/2-*/*", "half a release stayed until the next one came"),
    ("fail", "EIO", "readdir", "store/releases/3-*", "a release that was not collected stayed"),
    ("first-update", "kill", "fsync", "store/.tmp-*", "the store was called damaged"),
    ("first-update", "ENOSPC", "fsync", "store", "the release that the state named was removed"),
    ("update", "EIO", "read", "store/state.json", "a good state was thrown away, and its confirmation with it"),
    ("pin", "EIO", "openat", "store/state.json", "a good state was thrown away, and its confirmation with it"),
    ("confirm", "EACCES", "openat", "store/state.json", "a state that may not be read was rebuilt"),
    ("status-3", "EPERM", "openat", "store/state.json", "a state that may not be read was called damaged"),
    ("explain-3", "EACCES", "openat", "store/releases/3-*/sources.json", "the release was named all the same"),
    ("launch-on-trial", "EPERM", "openat", "store/state.json", "a good release was rejected two launches later"),
    ("init-over-data", "EIO", "openat", "store/lock", "a folder with other data became a store"),
    ("fail", "ENOSPC", "write", "store/.tmp-*", "a failure that was not written down was called done"),
    ("feed-rollback", "kill", "fsync", "feed/.tmp-*", "the same command again failed"),
    ("feed-rollback-plain", "EIO", "readdir", "feed/files/releases/3", "the mark of an unfinished release stayed"),
    ("publish", "EIO", "openat", "feed/metadata/2.root.json", "a failing disk was called a failing network"),
    ("publish", "kill", "fsync", "feed/.tmp-*", "verify called an interrupted publish an error"),
    ("publish-prune", "EIO", "unlinkat", "feed/files/releases/1", "an empty folder stayed for ever"),
    ("publish-prune", "kill", "unlinkat", "feed/files/releases/2/*.manifest.json", "verify called it an error"),
    ("rotate-release-key", "ENOSPC", "renameat", "* -> feed/metadata/timestamp.json", "devices could not update"),
    ("rotate-lost-key", "ENOSPC", "renameat", "* -> feed/metadata/timestamp.json", "the same command again failed"),
    ("rotate-root-key", "kill", "fsync", "feed/metadata", "the same command again failed"),
    ("sign-plain-feed", "kill", "fsync", "feed/metadata/.tmp-*", "verify called a feed that is whole an error"),
]


def operations():
    """The operations with findings, each once."""
    return list(dict.fromkeys(finding[0] for finding in FINDINGS))


def is_finding(operation, fault, call):
    """Whether something was found there."""
    return any(
        (operation, fault.kind, call.name) == finding[:3] and fnmatchcase(call.place, finding[3]) for finding in FINDINGS)
