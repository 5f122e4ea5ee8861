"""Everything that changes a store, and what has to be true of the store whatever happened meanwhile."""

from dataclasses import dataclass, field
from typing import Callable

from . import content, rules
from .rules import State
from .scenes import copy, remove, tree
from .tool import ERRORS, SceneError


@dataclass(frozen=True)
class DeviceOperation:
    """One command on a store, the states before and after it, and what it does to any other state."""

    name: str
    command: str
    #: What the device lived through: numbers are updates to that release, words are verbs.
    story: tuple
    before: State
    after: State
    then: Callable[[State], State]
    #: The newest release of the feed that is asked.
    newest: int
    trust: str = "signed"
    #: Statuses with which the command ends when it is given once more after it was done.
    repeated: frozenset = frozenset({0})
    side: str = field(default="device", init=False)

    @property
    def is_repeatable(self):
        """Whether doing it twice is the same as doing it once."""
        return self.then(self.after) == self.after

    @property
    def is_question(self):
        """Whether it changes nothing."""
        return self.command in ("status", "explain", "check", "history")

    @property
    def is_launch(self):
        """Whether it is what an app does at each start."""
        return self.command == "activate"


def operations():
    """Every state-changing command of a device, each with a state in which it has something to do."""
    held = (2, "activate", "confirm")
    staged, trial = (*held, 3), (*held, 3, "activate")
    none = frozenset()
    on_trial = State(3, 1, 2, None, None, none, 3)
    confirmed = State(3, None, 2, None, None, none, 3)
    used_up = State(3, 2, 2, None, None, none, 3)
    left = State(2, None, None, None, None, frozenset({3}), 3)
    two = State(2, None, None, None, None, none, 2)
    waiting = State(2, None, None, 3, None, none, 3)
    again = frozenset({0, 1})

    def operation(name, command, story, before, after, then, newest=3, **more):
        return DeviceOperation(name, command, story, before, after, then, newest, **more)

    def question(command, story, state, newest=3):
        return operation(f"{command}-{newest}", command, story, state, state, lambda state: state, newest)

    return [
        question("status", trial, on_trial), question("explain", staged, waiting), question("check", staged, waiting),
        question("history", staged, waiting),
        operation("first-update", "update", (), State(), State(staged=2, floor=2), rules.update(2), 2),
        operation(
            "first-update-plain", "update", (), State(), State(staged=2, floor=2), rules.update(2), 2, trust="plain"),
        operation("update", "update", held, two, waiting, rules.update(3)),
        operation("update-plain", "update", held, two, waiting, rules.update(3), trust="plain"),
        operation(
            "update-shared-catalog", "update", (*held, 3, "activate", "confirm"), confirmed,
            State(3, None, 2, 4, None, none, 4), rules.update(4), 4),
        operation(
            "update-over-staged", "update", staged, waiting, State(2, None, None, 4, None, none, 4), rules.update(4), 4),
        operation("import", "import {archive}", held, two, waiting, rules.update(3)),
        operation("import-plain", "import {archive}", held, two, waiting, rules.update(3), trust="plain"),
        operation("first-launch", "activate", (2,), State(staged=2, floor=2), State(2, 1, floor=2), rules.activate, 2),
        operation("launch-staged", "activate", staged, waiting, on_trial, rules.activate),
        operation("launch-on-trial", "activate", trial, on_trial, used_up, rules.activate),
        operation("launch-used-up", "activate", (*trial, "activate"), used_up, left, rules.activate),
        operation(
            "launch-and-collect", "activate", (*trial, "confirm", 4), State(3, None, 2, 4, None, none, 4),
            State(4, 1, 3, None, None, none, 4), rules.activate, 4),
        operation("confirm", "confirm", trial, on_trial, confirmed, rules.confirm),
        operation(
            "close", "close", trial, on_trial, State(3, 0, 2, None, None, none, 3), rules.close, repeated=again),
        operation(
            "fail", "fail --release 3 --reason blank", trial, on_trial, left, rules.fail(3), repeated=again),
        operation("rollback", "rollback", (*trial, "confirm"), confirmed, left, rules.roll_back),
        operation(
            "rollback-over-staged", "rollback", staged, waiting, State(None, None, None, None, None, frozenset({2}), 3),
            rules.roll_back, repeated=again),
        operation(
            "pin", "pin 2", (*trial, "confirm"), confirmed, State(3, None, 2, None, 2, none, 3), rules.pin(2)),
        operation("unpin", "unpin", (*trial, "confirm", "pin 2"), State(3, None, 2, None, 2, none, 3), confirmed,
                  rules.unpin),
        operation("forget", "forget 3", (*trial, "fail"), left, State(2, None, None, None, None, none, 3),
                  rules.forget(3), repeated=again),
    ]


class DeviceCheck:
    """Looks at a store after a command on it was disturbed."""

    def __init__(self, scenes, operation):
        self.scenes = scenes
        self.operation = operation
        words = operation.command.replace("{archive}", scenes.archive(operation.trust)).split()
        self.command = ["device", *words, "--store", str(scenes.store), "--json"]

    # MARK: The scene

    def prepare(self):
        """Plays the story once and keeps the store; the scene has to be what the oracle says."""
        operation = self.operation
        self.scenes.play_device(operation.trust, operation.story)
        self.scenes.save(self.scenes.store, operation.name)
        self.restore()
        self._require(operation.before, "before")
        answer = self.scenes.tool(*self.command)
        if answer.status != 0:
            raise SceneError(f"{operation.name}: {answer}")
        self._require(operation.after, "after")

    def _require(self, wanted, moment):
        found = self._status(self.scenes.store, [])
        if found != wanted:
            raise SceneError(f"{self.operation.name}: {moment} it the state is {found}, not {wanted}")

    def restore(self):
        """Puts store and feed back to where the command starts."""
        remove(self.scenes.area)
        self.scenes.area.mkdir(mode=0o700)
        copy(self.scenes.saved(self.operation.name), self.scenes.store)
        self.scenes.serve(f"{self.operation.trust}-{self.operation.newest}")

    # MARK: The look at what is left

    def violations(self, answer, fault, call, is_over=False):
        """What is wrong after a disturbed run; `is_over` when the run had ended well before the fault."""
        problems = []
        store = self.scenes.store
        found = self._status(store, problems)
        if found is None:
            return problems
        allowed = self._allowed(answer, fault, call, is_over)
        if found not in allowed:
            problems.append(f"the state is {found}, not {' or '.join(map(str, allowed))}")
            return problems
        if lost := self.operation.before.confirmed - found.confirmed - found.rejected - {None}:
            # A release that is given up by the operation itself is given up after it too.
            if lost - (self.operation.before.confirmed - self.operation.after.confirmed):
                problems.append(f"the confirmed releases {sorted(lost)} are lost")
        self._check_question(answer, found, problems)
        self._check_files(store, found, problems)
        self._check_launch(found, problems)
        self._check_repetition(found, problems)
        return problems

    def _status(self, store, problems):
        answer = self.scenes.device("status", store=store)
        status = answer.json
        if answer.status != 0 or "current" not in status:
            problems.append(f"the state cannot be read: {answer}")
            return None
        if status["damage"]:
            problems.append(f"the state is damaged: {status['damage']}")
        state = rules.state_of(status)
        if (stored := rules.stored_state(store)) not in (None, state):
            problems.append(f"the status says {state}, the file {stored}")
        return state

    def _allowed(self, answer, fault, call, is_over):
        operation = self.operation
        if is_over:
            return [operation.after]
        claims_success = answer.status == 0 and not answer.was_killed
        # A launch falls back to a lesser candidate instead of failing, and then changes nothing.
        if claims_success and operation.command != "activate":
            return [operation.after]
        if claims_success and must_succeed(fault, call):
            return [operation.after]
        return [operation.before, operation.after]

    def _check_question(self, answer, state, problems):
        """A question changes nothing, and says what the next launch does, or that it does not know."""
        if not self.operation.is_question:
            return
        if tree(self.scenes.store) != tree(self.scenes.saved(self.operation.name)):
            problems.append(f"a question changed the store: {answer}")
        candidates = answer.json.get("candidates")
        if answer.status != 0 or candidates is None:
            return
        wanted, _ = rules.launch(state)
        passed = {entry["code"] for entry in answer.json["passedOver"]}
        if "cannot-record-launch" not in passed and [entry["version"] for entry in candidates][:1] != [wanted]:
            problems.append(f"release {wanted} is launched next, and this is said: {answer.output[:400]}")

    def _check_files(self, store, state, problems):
        folders = {int(path.name.split("-")[0]): path for path in (store / "releases").glob("*-*")}
        for number in sorted(state.references):
            if number not in folders:
                problems.append(f"release {number} is named by the state and not on the disk")
            elif damage := content.whole_release(folders[number], number):
                problems.append(damage)

    def _check_launch(self, state, problems):
        """On a copy, since a launch changes the state."""
        elsewhere = self.scenes.area / "launched"
        copy(self.scenes.store, elsewhere)
        answer = self.scenes.device("activate", store=elsewhere)
        wanted, after = rules.launch(state)
        launched = answer.json
        if answer.status != 0 or launched.get("version") != wanted:
            problems.append(f"release {wanted} should be launched from {state}: {answer}")
            return
        try:
            pair = [open(launched[name], "rb").read() for name in ("bundle", "sources")]
        except OSError as error:
            problems.append(f"the launched files cannot be read: {error}")
            return
        if not content.is_pair(*pair, wanted):
            problems.append(f"the launched files are not the pair of release {wanted}")
        if (found := rules.stored_state(elsewhere) or State()) != after:
            problems.append(f"after the launch the state is {found}, not {after}")
        remove(elsewhere)

    def _check_repetition(self, state, problems):
        """The same command again, then one update: both work, and nothing is left behind."""
        tool = self.scenes.tool
        answer = tool(*self.command)
        allowed = {0} if state == self.operation.before else self.operation.repeated
        if answer.status not in allowed:
            problems.append(f"the same command again fails: {answer}")
        state = self.operation.then(state)
        if (found := rules.stored_state(self.scenes.store) or State()) != state:
            problems.append(f"after the same command again the state is {found}, not {state}")
        answer = self.scenes.device("update")
        if answer.status not in (0, 1):
            problems.append(f"the next update fails: {answer}")
        state = rules.update(self.operation.newest)(state)
        if (found := rules.stored_state(self.scenes.store) or State()) != state:
            problems.append(f"after the next update the state is {found}, not {state}")
        if rest := leftovers(tree(self.scenes.store), state):
            problems.append(f"left behind after one more run: {', '.join(rest)}")


def leftovers(files, state):
    """What is in a store and belongs to nothing."""
    fixed = {"device.json", "root.json", "state.json", "history.jsonl", "lock", "launches", "releases", "incoming",
             "partial", "metadata", "metadata/known-roots", "metadata/roots", "metadata/targets"}
    rest = []
    for path in sorted(files):
        parts = path.split("/")
        if path in fixed:
            continue
        if parts[0] == "metadata" and path.endswith(".json") and ".tmp-" not in path:
            continue
        if parts[0] == "releases" and parts[1].split("-")[0].isdecimal():
            named = int(parts[1].split("-")[0]) in state.references
            if named and (len(parts) == 2 or parts[2] in (content.MANIFEST, content.BUNDLE, content.SOURCES)):
                continue
        rest.append(path)
    return rest


def must_succeed(fault, call):
    """Whether a fault is one that no command may fail of: a call that a signal ended, or half a write."""
    if fault.kind == "short":
        return True
    interruptible = ("openat", "open", "read", "write", "fsync", "flock", "ftruncate", "fchmod")
    return fault.kind == "EINTR" and call is not None and call.name in interruptible


def leaves_unknown(fault, call):
    """Whether a fault keeps the command from looking, or from touching, without anything being wrong with the disk."""
    if call is None:
        return False
    looking = ("read", "fstat", "fstatat", "fdopendir", "readdir", "open", "openat")
    return fault.kind in ("EACCES", "EPERM") or (fault.kind == "EIO" and call.name in looking and not call.creates)


def tool_violations(tool, answer, fault, call, usual=0):
    """What is wrong with how the command itself ended; `usual` is the status without a fault."""
    if answer.was_killed and fault.kind in ("kill", "cut"):
        return []
    if answer.status < 0 or answer.status >= 124:
        return [f"the tool crashed: {answer}"]
    problems = []
    if answer.status != usual and must_succeed(fault, call):
        problems.append(f"the tool fails although a repeated call would do: {answer}")
    if answer.status not in tool.documented_exits(answer.arguments):
        problems.append(f"the status {answer.status} is not in the help of the verb: {answer}")
    if answer.status not in (0, 8, usual) and leaves_unknown(fault, call):
        problems.append(f"what cannot be known ends with {answer.status}, not with 8: {answer}")
    if fault.kind in ERRORS and answer.status != 0 and not answer.json.get("message"):
        problems.append(f"the failure has no message: {answer}")
    return problems
