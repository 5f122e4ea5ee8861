"""A release that is put into a file: the file is whole or not there, and the feed is only read."""

from dataclasses import dataclass, field

from .scenes import copy, remove, tree
from .tool import SceneError


@dataclass(frozen=True)
class ExportOperation:
    """One export; `is_over_older` when an older archive has the name already."""

    name: str
    trust: str
    is_over_older: bool = False
    side: str = field(default="archive", init=False)
    is_launch: bool = field(default=False, init=False)
    is_repeatable: bool = field(default=True, init=False)
    is_question: bool = field(default=False, init=False)


def operations():
    """A new archive, and one in the place of an older one."""
    return [
        ExportOperation("export", "signed"), ExportOperation("export-plain", "plain"),
        ExportOperation("export-again", "signed", is_over_older=True),
    ]


class ExportCheck:
    """Looks at the folder of an archive after the export was disturbed."""

    def __init__(self, scenes, operation):
        self.scenes = scenes
        self.operation = operation
        self.folder = scenes.area / "out"
        self.archive = self.folder / "release.tar.zst"
        self.command = ["export", "--feed", str(scenes.feed), "--out", str(self.archive), "--json"]

    def prepare(self):
        """Exports once without a fault, and keeps what an older archive and the new one look like."""
        self.older = None
        if self.operation.is_over_older:
            self._play("2")
            self.older = self.archive.read_bytes()
        self._play("4")
        self.wanted = self.archive.read_bytes()

    def _play(self, number):
        self.restore()
        copy(self.scenes.saved(f"{self.operation.trust}-{number}"), self.scenes.feed)
        answer = self.scenes.tool(*self.command)
        if answer.status != 0:
            raise SceneError(f"{self.operation.name}: {answer}")

    def restore(self):
        """Puts feed and folder back to where the command starts."""
        remove(self.scenes.area)
        self.scenes.area.mkdir(mode=0o700)
        self.folder.mkdir()
        copy(self.scenes.saved(f"{self.operation.trust}-4"), self.scenes.feed)
        if self.older is not None:
            self.archive.write_bytes(self.older)

    def violations(self, answer, fault, call, is_over=False):
        """What is wrong after a disturbed run; `is_over` when the run had ended well before the fault."""
        problems = []
        found = self.archive.read_bytes() if self.archive.exists() else None
        is_done = is_over or (answer.status == 0 and not answer.was_killed)
        if found not in ([self.wanted] if is_done else [self.older, self.wanted]):
            problems.append(f"the archive is neither the older one nor the new one: {answer}")
        if tree(self.scenes.feed) != tree(self.scenes.saved(f"{self.operation.trust}-4")):
            problems.append("the feed was changed")
        again = self.scenes.tool(*self.command)
        if again.status != 0 or self.archive.read_bytes() != self.wanted:
            problems.append(f"the same command again fails: {again}")
        verified = self.scenes.tool("verify", str(self.archive), "--json")
        if verified.status != 0:
            problems.append(f"what was exported is not whole: {verified}")
        return problems
