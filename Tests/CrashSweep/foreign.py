"""Folders in which somebody has other data, where a store or a feed was expected: nothing of it may be touched."""

from dataclasses import dataclass, field

from .scenes import copy, remove, tree
from .tool import SceneError

#: What a person may have: the very names of a store and of a feed, with contents that are none of ours.
GUESTS = {
    "partial/film.mkv": b"film", "incoming/2024-12/photo.jpg": b"photo", "releases/notes.txt": b"notes",
    "releases/2026-summer/song.ogg": b"song", "files/report.pdf": b"report", "channels/list.txt": b"list",
    "note.txt": b"note",
}


@dataclass(frozen=True)
class ForeignOperation:
    """One command on a folder with other data; `refusal` is how it ends, and `None` where it has its own files beside them."""

    name: str
    command: tuple
    refusal: int | None
    #: Whether the folder is reached through a symbolic link.
    is_link: bool = False
    side: str = field(default="foreign", init=False)
    is_launch: bool = field(default=False, init=False)
    is_repeatable: bool = field(default=True, init=False)
    is_question: bool = field(default=False, init=False)


def operations():
    """Every command that makes a folder its own, and those that tidy up in a store with guests."""
    device = ("device", "init", "--store", "{place}", "--feed", "{server}", "--embedded", "{app}")
    return [
        ForeignOperation("init-over-data", device, 2),
        ForeignOperation("init-over-data-by-link", device, 2, is_link=True),
        ForeignOperation("feed-over-data", ("init", "--feed", "{place}", "--checksums-only"), 2),
        ForeignOperation("update-with-guests", ("device", "update", "--store", "{place}"), None),
        ForeignOperation("launch-with-guests", ("device", "activate", "--store", "{place}"), None),
    ]


class ForeignCheck:
    """Compares what a person had with what is left of it after a command was disturbed."""

    def __init__(self, scenes, operation):
        self.scenes = scenes
        self.operation = operation
        words = {
            "{place}": str(scenes.area / "link" if operation.is_link else scenes.store),
            "{server}": str(scenes.server), "{app}": scenes.path("app-signed")}
        self.command = [words.get(word, word) for word in operation.command] + ["--json"]

    def prepare(self):
        """Plays the command once without a fault; it has to end as the table says."""
        if self.operation.refusal is None:
            # Something is staged and something is to be collected.
            self.scenes.play_device("signed", (2, "activate", "confirm", 3, "activate", "confirm", 4))
            self.scenes.save(self.scenes.store, self.operation.name)
        self.restore()
        answer = self.scenes.tool(*self.command)
        if answer.status != (self.operation.refusal or 0):
            raise SceneError(f"{self.operation.name}: {answer}")
        if problems := self._lost():
            raise SceneError(f"{self.operation.name}: {problems}")

    def restore(self):
        """Puts the folder back as the person had it."""
        remove(self.scenes.area)
        self.scenes.area.mkdir(mode=0o700)
        if self.operation.refusal is None:
            copy(self.scenes.saved(self.operation.name), self.scenes.store)
        else:
            self.scenes.store.mkdir(mode=0o700)
        for name, content in GUESTS.items():
            path = self.scenes.store / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if self.operation.is_link:
            (self.scenes.area / "link").symlink_to(self.scenes.store.name)
        self.scenes.serve("signed-5")
        self.before = tree(self.scenes.store)

    def _lost(self):
        found = tree(self.scenes.store)
        problems = [f"{name} of somebody else is gone or changed" for name, content in GUESTS.items()
                    if found.get(name) != content]
        if self.operation.refusal is not None and found != self.before:
            problems.append(f"a refused command changed {sorted(set(found.items()) ^ set(self.before.items()))[0][0]}")
        return problems

    def violations(self, answer, fault, call, is_over=False):
        """What is wrong after a disturbed run."""
        problems = self._lost()
        if self.operation.refusal is not None and answer.status == 0:
            problems.append(f"a folder with other data was taken: {answer}")
        again = self.scenes.tool(*self.command)
        if again.status not in (self.operation.refusal or 0, 1 if self.operation.refusal is None else 2):
            problems.append(f"the same command again ends otherwise: {again}")
        return problems + self._lost()
