"""Feeds, copies inside apps, and stores, played once by the tool itself and then copied."""

import shutil
from pathlib import Path

from . import content
from .tool import SceneError

RELEASES = 5


class Scenes:
    """A folder with keys, inputs, and one copy of each feed after each release.

    server/feed   the feed that devices ask            app, app-plain   copies of release 1
    area/         the store or feed that is disturbed  saved/           states to begin with
    """

    def __init__(self, root, tool):
        self.root = Path(root)
        self.tool = tool
        self.move_area(self.root / "area")
        self.server = self.root / "server/feed"
        self.served = None
        self.key_ids = {}

    def move_area(self, area):
        """Has the store and the feed that are disturbed somewhere else from now on."""
        self.area = area
        self.store = area / "store"
        self.feed = area / "feed"

    def path(self, name):
        """The path of something in the folder, as an argument."""
        return str(self.root / name)

    def key(self, trust):
        """The release key of a feed with this trust; `None` for one that is not signed."""
        return self.path("release.pem") if trust == "signed" else None

    def saved(self, name):
        """Where a state is kept."""
        return self.root / "saved" / name

    def archive(self, trust):
        """The archive of release 3, as an argument."""
        return self.path(f"{trust}-3.tar.zst")

    # MARK: Playing

    def play(self):
        """Makes the keys, the inputs, and the feeds with 0 to 5 releases, signed and not."""
        for folder in (self.root, self.area, self.server.parent, self.root / "saved"):
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(0o700)
        content.write_inputs(self.root, RELEASES)
        for key in ("root", "release", "next"):
            answer = self.tool.must("key", "generate", "--out", self.path(f"{key}.pem"), "--json")
            self.key_ids[key] = answer.json["keyID"]
        content.write_old_feed(self.saved("old-2"), 2)
        for trust in ("signed", "plain"):
            self._play_feed(trust)

    def init_command(self, trust, *options):
        """The command line that makes the feed in the area."""
        keys = ["--root-key", self.path("root.pem"), "--release-key", self.path("release.pem"), "--name", "sweep"]
        chosen = keys if trust == "signed" else ["--checksums-only"]
        return ["init", "--feed", str(self.feed), *chosen, *options, "--json"]

    def publish(self, trust, number):
        """Publishes a release on the feed in the area."""
        self.tool.must(*content.publish_command(self.feed, self.root, number, self.key(trust)))

    def _play_feed(self, trust):
        self.tool.must(*self.init_command(trust))
        self.save(self.feed, f"{trust}-0")
        for number in range(1, RELEASES + 1):
            self.publish(trust, number)
            self.save(self.feed, f"{trust}-{number}")
            if number == 3:
                self.tool.must("export", "--feed", str(self.feed), "--out", self.archive(trust), "--json")
            if number == 1:
                self.tool.must("embed", "--feed", str(self.feed), "--out", self.path(f"app-{trust}"), "--json")
        remove(self.feed)

    def save(self, folder, name):
        """Keeps a copy of a folder."""
        copy(folder, self.saved(name))

    def serve(self, feed):
        """Puts a kept feed where devices ask; they only read it, so one copy is enough for many runs."""
        if self.served != feed:
            copy(self.saved(feed), self.server)
            self.served = feed

    # MARK: Devices

    def init_store(self, trust, store=None):
        """Makes a store that follows the served feed; the feed has to be there."""
        options = [] if trust == "signed" else ["--checksums-only"]
        self.tool.must(
            "device", "init", "--store", str(store or self.store), "--feed", str(self.server), "--embedded",
            self.path(f"app-{trust}"), *options, "--json")

    def device(self, verb, *options, store=None):
        """Runs a verb of the device on the store in the area, or on another one."""
        return self.tool("device", verb, *options, "--store", str(store or self.store), "--json")

    def play_device(self, trust, steps):
        """Plays what a device lived through: a number is an update to that release, a word is a verb."""
        remove(self.store)
        self.serve(f"{trust}-1")
        self.init_store(trust)
        for step in steps:
            if isinstance(step, int):
                self.serve(f"{trust}-{step}")
                step = "update"
            answer = self.device(*step.split())
            if answer.status != 0:
                raise SceneError(f"a scene cannot be played: {answer}")


def remove(path):
    """Removes a folder with all that is in it; missing is fine."""
    if Path(path).is_symlink() or Path(path).is_file():
        Path(path).unlink()
    else:
        shutil.rmtree(path, ignore_errors=True)


def copy(folder, target):
    """Puts a fresh copy of a folder in the place of whatever is there."""
    remove(target)
    shutil.copytree(folder, target, symlinks=True)


def tree(folder):
    """The files below a folder with their bytes; folders have `None`."""
    folder = Path(folder)
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}
