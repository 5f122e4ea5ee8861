"""Power cuts: on paper for every order that POSIX allows, and on a real file system that is shut down in the middle."""

import fcntl
import os
import random
import struct
import subprocess
import sys

from . import model
from .scenes import remove
from .sweep import Outcome, Violation, Worker, remarks, spread
from .tool import Answer, Fault

IMAGE_MEGABYTES = 24
#: At how many calls of an operation a kill comes before the command is done again and the power goes.
KILLS_BEFORE_A_CUT = 12
PRIVATE = "SWEEP_PRIVATE_MOUNTS"


# MARK: On paper

class ModelWorker(Worker):
    """Looks at the states that a power cut may leave by the rules of POSIX."""

    def run(self, name, share, shares, count):
        """Every `shares`-th state of an operation; `count` bounds how many states are looked at."""
        check, calls = self.check(name)
        check.restore()
        found = [(*state, False) for state in model.states(model.Disk(self.scenes.area), calls, self.settings.seed)]
        found += self._after_kills(check, calls)
        outcome = Outcome(name, len(calls))
        numbered = list(enumerate(found))
        if self.settings.point is not None:
            numbered = [numbered[self.settings.point]]
        for number, state in spread(numbered, count)[share::shares]:
            self._look(check, number, state, outcome)
        return outcome

    def _after_kills(self, check, calls):
        """Killed, done again, and then the power goes: what the first run left may not be safe only because it is there."""
        if not check.operation.is_repeatable:
            return
        seen = set()
        points = [call for call in calls if call.changes]
        for call in spread(points, KILLS_BEFORE_A_CUT):
            check.restore()
            disk = model.Disk(self.scenes.area)
            for fault in (Fault("kill", call.ordinal), Fault()):
                answer = check.scenes.tool.watched(self.scenes.area, fault, self.log, *check.command)
                for made in answer.calls:
                    disk.apply(made)
            for tree in disk.outcomes(random.Random(self.settings.seed)):
                if (key := model.fingerprint(tree)) not in seen:
                    seen.add(key)
                    yield tree, call, True, True

    def _look(self, check, number, state, outcome):
        tree, call, is_over, was_killed_before = state
        remove(self.scenes.area)
        self.scenes.area.mkdir(mode=0o700)
        model.materialise(tree, self.scenes.area)
        outcome.tried["model"] += 1
        where = "the first call" if call is None else f"call {call.ordinal}, {call.name} {call.place}"
        killed = Answer([], -9, "", "")
        # A launch that finds everything decided syncs nothing, so what a killed one decided may be decided once more.
        is_over = is_over and not (was_killed_before and check.operation.is_launch)
        for text in remarks(check, killed, Fault("kill"), call, is_over):
            # After a kill and a power cut, what was removed may be back until the next release.
            if not (was_killed_before and text.startswith("left behind")):
                outcome.violations.append(Violation(outcome.operation, Fault("model", number), f"after {where}", text))


# MARK: For real

def mounts_work():
    """Whether a file system in a file can be mounted here, in a namespace of its own."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    script = "mount -t tmpfs none /mnt && losetup -f > /dev/null"
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True)
    return done.returncode == 0


def enter_private_mounts():
    """Runs this command again where what it mounts is seen by nobody else, and goes with it."""
    if os.environ.get(PRIVATE):
        return
    os.environ[PRIVATE] = "1"
    os.execvp("unshare", ["unshare", "-m", "--propagation", "private", sys.executable, *sys.argv])


class DiskWorker(Worker):
    """Runs the operations on a small ext4 whose power goes at a call."""

    def __init__(self, folder, settings):
        super().__init__(folder, settings)
        self.disk = self.folder / "disk"
        self.image = self.folder / "image"
        self.disk.mkdir()
        with open(self.image, "wb") as file:
            file.truncate(IMAGE_MEGABYTES << 20)
        self._system("mkfs.ext4", "-q", "-F", self.image)
        self._mount()
        self.scenes.move_area(self.disk / "area")

    def _system(self, *words):
        subprocess.run([str(word) for word in words], check=True, capture_output=True)

    def _mount(self):
        # Without the long interval the journal would be written now and then on its own.
        self._system("mount", "-o", "loop,commit=300", self.image, self.disk)

    def _remount(self):
        self._system("umount", self.disk)
        self._mount()

    def run(self, name, share, shares, count):
        """A cut at every `shares`-th of the chosen calls, and one when the command has ended."""
        check, calls = self.check(name)
        points = [call for call in calls if call.changes]
        if self.settings.point is not None:
            points = [call for call in points if call.ordinal == self.settings.point]
        outcome = Outcome(name, len(calls))
        for call in spread(points, count)[share::shares]:
            self._cut(check, Fault("cut", call.ordinal), call, outcome)
        if share == 0:
            self._cut(check, Fault("none"), None, outcome)
        return outcome

    def _cut(self, check, fault, call, outcome):
        check.restore()
        self._system("sync", "-f", self.disk)
        answer = check.scenes.tool.watched(check.scenes.area, fault, self.log, *check.command, disk=self.disk)
        if fault.kind == "none":
            self._shut_down()
        elif not answer.was_killed:
            raise RuntimeError(f"the power could not be cut: {answer}")
        self._remount()
        outcome.tried["cut"] += 1
        where = "the end" if call is None else f"call {call.ordinal}, {call.name} {call.place}"
        for text in remarks(check, answer, fault, call, is_over=fault.kind == "none"):
            outcome.violations.append(Violation(outcome.operation, Fault("cut", fault.ordinal), where, text))

    def _shut_down(self):
        folder = os.open(self.disk, os.O_RDONLY)
        try:
            fcntl.ioctl(folder, 0x8004587D, struct.pack("I", 2))
        finally:
            os.close(folder)
