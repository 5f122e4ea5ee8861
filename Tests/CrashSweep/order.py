"""What one undisturbed run must do under which lock: a lock that is skipped shows in no single process otherwise."""

import fcntl

EXCLUSIVE, UNLOCK = fcntl.LOCK_EX, fcntl.LOCK_UN
#: What a lock protects: the lock, and the paths that change only while it is held.
DEVICE = [
    ("store/lock", lambda call: "store/state.json" in (call.path, call.other)),
    ("store/incoming", lambda call: call.path.startswith(("store/incoming/", "store/partial/", "store/metadata/"))),
]
FEED = [("feed/.parser-ota/lock", lambda call: call.path.startswith("feed/") and not call.path.startswith("feed/.parser-ota"))]


def unlocked(side, calls):
    """The changes that were made without their lock."""
    faults = []
    for lock, protects in FEED if side == "feed" else DEVICE:
        is_held = False
        for call in calls:
            if call.name == "flock" and call.path == lock and call.result == 0:
                is_held = not call.number & UNLOCK and bool(call.number & EXCLUSIVE)
            elif call.changes and call.result >= 0 and protects(call) and not is_held:
                faults.append(f"call {call.ordinal}, {call.name} {call.place}, is made without the lock {lock}")
    return faults
