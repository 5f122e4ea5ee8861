"""The rules of a device in a few lines, written from the documentation and not from the sources: the oracle."""

import json
from dataclasses import dataclass, replace

#: The release inside the app, and how many launches may end without confirmation.
EMBEDDED = 1
LAUNCH_LIMIT = 2


@dataclass(frozen=True)
class State:
    """What a device remembers, in numbers of releases."""

    current: int | None = None
    #: Unconfirmed launches of the current release; `None` when it is confirmed.
    trial: int | None = None
    previous: int | None = None
    staged: int | None = None
    pin: int | None = None
    rejected: frozenset = frozenset()
    floor: int | None = None

    @property
    def references(self):
        """The releases whose files have to be there; the copy inside the app is not one of them."""
        return {number for number in (self.current, self.previous, self.staged, self.pin) if number} - {EMBEDDED}

    @property
    def confirmed(self):
        """The releases that somebody said work: the current one unless on trial, and the one before."""
        return {number for number in (None if self.trial is not None else self.current, self.previous) if number}


def state_of(status):
    """The state as `device status --json` shows it."""
    def version(name):
        return (status[name] or {}).get("version")
    return State(
        version("current"), status["unconfirmedLaunches"], version("previous"), version("staged"), status["pinned"],
        frozenset(entry["version"] for entry in status["rejected"]), status["floor"])


def stored_state(store):
    """The same state read from the file itself; `None` when there is none."""
    try:
        stored = json.loads((store / "state.json").read_bytes())
    except (OSError, ValueError):
        return None

    def version(value):
        return value["version"] if isinstance(value, dict) else EMBEDDED if value == "embedded" else None
    slots = {name: version(stored.get(name)) for name in ("current", "previous", "staged", "pin")}
    trial = len(stored["trial"]) if "trial" in stored else None
    floors = [entry["version"] for entry in stored.get("seen", {}).values()]
    rejected = frozenset(entry["version"] for entry in stored.get("rejected", []))
    return State(**slots, trial=trial, rejected=rejected, floor=max(floors, default=None))


def drop_current(state):
    """The release before the current one takes its place, confirmed as it was."""
    return replace(state, current=state.previous, previous=None, trial=None)


def reject(state, number):
    """A release does not come back."""
    pin = None if state.pin == number else state.pin
    return replace(state, rejected=state.rejected | {number}, pin=pin)


def launch(state):
    """One launch: the release that runs, and the state after it."""
    if state.trial is not None and state.trial >= LAUNCH_LIMIT:
        state = drop_current(reject(state, state.current))
    for slot in ("staged", "previous"):
        if getattr(state, slot) in state.rejected:
            state = replace(state, **{slot: None})
    if state.pin:
        return state.pin, counted(state) if state.pin == state.current else state
    if state.staged:
        previous = state.current if state.current and state.trial is None else state.previous
        return state.staged, replace(state, current=state.staged, trial=1, previous=previous, staged=None)
    if state.current:
        return state.current, counted(state)
    return EMBEDDED, state


def counted(state):
    """A launch of a release on trial counts until somebody speaks for it."""
    return state if state.trial is None else replace(state, trial=state.trial + 1)


def update(newest):
    """A check of a feed whose newest release is this one."""
    def after(state):
        running = max(number for number in (state.current, state.previous, EMBEDDED) if number)
        if newest in state.rejected or state.pin or newest <= running or newest == state.staged:
            return state
        return replace(state, staged=newest, floor=newest)
    return after


def confirm(state):
    """The app says that the release on trial works."""
    return replace(state, trial=None) if state.trial else state


def close(state):
    """The app ends in good order: the newest launch does not count."""
    return replace(state, trial=state.trial - 1) if state.trial else state


def fail(number):
    """The app says that a release does not work."""
    def after(state):
        if number in state.rejected or state.current != number:
            return state
        return drop_current(reject(state, number))
    return after


def roll_back(state):
    """A person leaves the release that runs."""
    left = state.current or state.staged
    if not left or state.pin:
        return state
    state = replace(reject(state, left), staged=None)
    return drop_current(state) if state.current == left else state


def pin(number):
    """A person fixes a release."""
    return lambda state: replace(state, pin=number)


def unpin(state):
    """A person takes the pin away."""
    return replace(state, pin=None)


def forget(number):
    """A person forgets that a release failed."""
    return lambda state: replace(state, rejected=state.rejected - {number})


def activate(state):
    """The state after a launch."""
    return launch(state)[1]
