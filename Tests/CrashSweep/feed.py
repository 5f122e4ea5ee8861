"""Everything that changes a feed in a folder, and what its readers have to see whatever happened meanwhile."""

import json
import re
from dataclasses import dataclass, field

from . import content, rules
from .scenes import copy, remove, tree
from .tool import SceneError

VERSIONED = re.compile(r"metadata/(\d+)\.(targets|snapshot)\.json")
# For people: after an interruption the page does not know what a release changed, and says so by leaving it out.
PAGES = {"index.html", ".parser-ota/page.json"}


@dataclass(frozen=True)
class FeedOperation:
    """One command on a feed: what it starts from, and the live release before and after it."""

    name: str
    trust: str
    #: The kept feed that it starts from; `None` when there is none yet.
    start: str | None
    before: int | None
    after: int | None
    #: The release that first had the bytes of the live one, before and after.
    content_before: int | None = None
    content_after: int | None = None
    #: Whether doing it again makes the same bytes, so that the whole tree can be compared.
    same_bytes: bool = True
    #: Whether the old key is lost, so that signed devices have to wait until the command was finished.
    waits: bool = False
    #: Whether kept releases are damaged at the start, so that a stranger finds faults until the command was finished.
    wounded: bool = False
    #: Statuses with which the command ends when it is given once more after it was done.
    repeated: frozenset = frozenset({0})
    side: str = field(default="feed", init=False)
    is_launch: bool = field(default=False, init=False)
    is_question: bool = field(default=False, init=False)

    @property
    def is_repeatable(self):
        """Whether doing it twice is the same as doing it once."""
        return self.same_bytes


def operations():
    """Every state-changing command of a publisher, signed and unsigned where that makes a difference."""
    again = frozenset({0, 1})
    listed = []
    for trust in ("signed", "plain"):
        mark = "" if trust == "signed" else "-plain"
        listed += [
            FeedOperation(f"init{mark}", trust, None, None, None),
            FeedOperation(f"publish-first{mark}", trust, f"{trust}-0", None, 1, None, 1),
            FeedOperation(f"publish{mark}", trust, f"{trust}-2", 2, 3, 2, 3),
            FeedOperation(f"feed-import{mark}", trust, f"{trust}-2", 2, 3, 2, 3),
            FeedOperation(f"publish-same-catalog{mark}", trust, f"{trust}-3", 3, 4, 3, 4),
            FeedOperation(f"publish-prune{mark}", trust, f"{trust}-kept", 4, 5, 4, 5),
            FeedOperation(f"feed-rollback{mark}", trust, f"{trust}-3", 3, 4, 3, 2, repeated=again),
            FeedOperation(f"adopt{mark}", trust, None, None, 2, None, 2),
            FeedOperation(f"adopt-in-place{mark}", trust, "old-2", 2, 2, 2, 2),
            FeedOperation(f"repair{mark}", trust, f"{trust}-wounded", 4, 4, 4, 4, wounded=True),
            FeedOperation(f"repair-drop{mark}", trust, f"{trust}-wounded", 4, 4, 4, 4, wounded=True),
        ]
    return listed + [
        FeedOperation("sign-plain-feed", "signed", "plain-3", 3, 3, 3, 3),
        FeedOperation("refresh", "signed", "signed-3", 3, 3, 3, 3, same_bytes=False),
        FeedOperation("rotate-release-key", "signed", "signed-3", 3, 3, 3, 3, same_bytes=False),
        FeedOperation(
            "rotate-lost-key", "signed", "signed-3", 3, 3, 3, 3, same_bytes=False, waits=True),
        FeedOperation("rotate-root-key", "signed", "signed-3", 3, 3, 3, 3, same_bytes=False),
        # The ceremony after a theft: a new epoch, and the content before the thief's release goes out again.
        FeedOperation("epoch-discard", "signed", "signed-3", 3, 4, 3, 2, same_bytes=False, waits=True, repeated=again),
    ]


class FeedCheck:
    """Looks at a feed after a command on it was disturbed, as its readers do."""

    def __init__(self, scenes, operation):
        self.scenes = scenes
        self.operation = operation
        self.command = self._command()

    def _command(self):
        scenes, operation = self.scenes, self.operation
        verb = operation.name.removesuffix("-plain")
        feed, key = ["--feed", str(scenes.feed)], scenes.key(operation.trust)
        signing = ["--release-key", key] if key else []
        if verb in ("init", "sign-plain-feed", "adopt-in-place"):
            return scenes.init_command(operation.trust)
        if verb == "adopt":
            return scenes.init_command(operation.trust, "--adopt", str(scenes.saved("old-2")))
        if verb.startswith("repair"):
            copy = ["--from", str(scenes.saved(f"{operation.trust}-4"))] if verb == "repair" else []
            return ["repair", *feed, *copy, *signing, "--json"]
        if verb.startswith("publish"):
            return content.publish_command(scenes.feed, scenes.root, operation.after, key)
        if verb == "feed-import":
            return ["import", scenes.archive(operation.trust), *feed, *signing, "--allow", "no-engine", "--json"]
        if verb == "feed-rollback":
            return ["rollback", *feed, "--to", "2", "--yes", *signing, "--json"]
        if verb == "refresh":
            return ["refresh", *feed, "--force", *signing, "--json"]
        if verb == "rotate-lost-key":
            signing = []
        role = "root" if verb == "rotate-root-key" else "release"
        keys = ["--root-key", scenes.path("root.pem"), *signing]
        keys += ["--root-key", scenes.path("next.pem")] if role == "root" else ["--release-key", scenes.path("next.pem")]
        return ["key", "rotate", *feed, "--role", role, "--from", scenes.key_ids[role], "--to-public",
                scenes.path("next.pem.pub"), *keys, *(["--discard", "3"] if verb == "epoch-discard" else []), "--json"]

    # MARK: The scene

    def prepare(self):
        """Plays the command once without a fault, and keeps what a feed looks like then."""
        self._play_kept()
        self._play_wounded()
        self._play_readers()
        self.restore()
        answer = self.scenes.tool(*self.command)
        if answer.status != 0:
            raise SceneError(f"{self.operation.name}: {answer}")
        if self.operation.before and self._live() != self.operation.after:
            raise SceneError(f"{self.operation.name}: release {self._live()} is live, not {self.operation.after}")
        self.wanted = tree(self.scenes.feed)

    def _play_wounded(self):
        """A feed on which two kept releases have lost a file each."""
        if not self.operation.wounded:
            return
        feed = self.scenes.feed
        copy(self.scenes.saved(f"{self.operation.trust}-4"), feed)
        next((feed / "files/releases/2").glob("*.parsers.bundle.js")).unlink()
        next((feed / "files/releases/1").glob("*.manifest.json")).write_bytes(b"{")
        self.scenes.save(feed, self.operation.start)

    def _play_kept(self):
        """A feed that keeps three releases, so that the next publish removes one."""
        if self.operation.start and self.operation.start.endswith("-kept"):
            copy(self.scenes.saved(f"{self.operation.trust}-4"), self.scenes.feed)
            self.scenes.tool.must("init", "--feed", str(self.scenes.feed), "--keep", "2", "--json")
            self.scenes.save(self.scenes.feed, self.operation.start)

    def _play_readers(self):
        """A device that never asked, and one that has all that was live before."""
        self.readers = [f"{self.operation.name}-reader-new"]
        is_plain = self.operation.name == "sign-plain-feed" or self.operation.name.startswith("adopt-in-place")
        trust = "plain" if is_plain else self.operation.trust
        self.scenes.serve(f"{trust}-1")
        self._play_reader(self.readers[0], trust, [])
        if self.operation.before and self.operation.before > 1:
            self.scenes.serve(f"{trust}-{self.operation.before}")
            self.readers.append(f"{self.operation.name}-reader-old")
            self._play_reader(self.readers[1], trust, ["update", "activate", "confirm"])

    def _play_reader(self, name, trust, verbs):
        store = self.scenes.saved(name)
        remove(store)
        self.scenes.init_store(trust, store)
        settings = store / "device.json"
        settings.write_text(settings.read_text().replace(str(self.scenes.server), str(self.scenes.feed)))
        remove(self.scenes.feed)
        copy(self.scenes.server, self.scenes.feed)
        for verb in verbs:
            if (answer := self.scenes.device(verb, store=store)).status != 0:
                raise SceneError(f"{self.operation.name}: {answer}")

    def restore(self):
        """Puts the feed back to where the command starts."""
        remove(self.scenes.area)
        self.scenes.area.mkdir(mode=0o700)
        if self.operation.start:
            copy(self.scenes.saved(self.operation.start), self.scenes.feed)

    # MARK: The look at what is left

    def violations(self, answer, fault, call, is_over=False):
        """What is wrong after a disturbed run; `is_over` when the run had ended well before the fault."""
        problems = []
        claims_success = is_over or (answer.status == 0 and not answer.was_killed)
        self._check_plain_reader(claims_success, problems)
        if self._live() is not None:
            self._check_verify(problems)
        if self.operation.before:
            for reader in self.readers:
                self._check_device(reader, claims_success, problems)
        self._check_repetition(claims_success, problems)
        return problems

    def _live(self):
        manifest = self.scenes.feed / content.MANIFEST
        return json.loads(manifest.read_bytes())["version"] if manifest.exists() else None

    def _check_plain_reader(self, is_done, problems):
        """A client that knows nothing but the manifest and its two files."""
        operation = self.operation
        try:
            live = self._live()
            # On a signed feed the timestamp is the commit point, and this pointer follows.
            allowed = {operation.after} if is_done else {operation.before, operation.after}
            if live not in allowed:
                problems.append(f"release {live} is live for old clients, not {allowed}")
            if live is None:
                return
            named = json.loads((self.scenes.feed / content.MANIFEST).read_bytes())
            pair = [(self.scenes.feed / named[part]["url"]).read_bytes() for part in ("bundle", "sources")]
        except (OSError, ValueError) as error:
            problems.append(f"old clients cannot read the feed: {error}")
            return
        number = operation.content_after if live == operation.after else operation.content_before
        if not content.is_pair(*pair, number):
            problems.append(f"old clients get files that are not the pair of release {number}")

    def _verify(self):
        """What a stranger finds, who has the root that ships in apps; nothing on a feed without a release."""
        if not any((self.scenes.feed / "files").rglob("*.manifest.json")):
            return 0, []
        is_signed = (self.scenes.feed / "metadata/timestamp.json").exists()
        root = ["--root", self.scenes.path("app-signed/root.json")] if is_signed else []
        answer = self.scenes.tool("verify", "--feed", str(self.scenes.feed), *root, "--json")
        return answer.status, answer.json.get("findings", [str(answer)])

    def _check_verify(self, problems):
        status, findings = self._verify()
        if status != 0 and not self.operation.waits and not self.operation.wounded:
            problems.append(f"a stranger finds faults: {findings}")

    def _check_device(self, reader, is_done, problems):
        operation = self.operation
        store = self.scenes.area / reader
        copy(self.scenes.saved(reader), store)
        answer = self.scenes.device("update", store=store)
        if answer.status == 3 and operation.waits and not is_done:
            # It says so, and what runs goes on.
            answer = self.scenes.device("activate", store=store)
        if answer.status != 0:
            problems.append(f"{reader} cannot update: {answer}")
            return
        launched = self.scenes.device("activate", store=store).json
        allowed = {operation.after} if is_done else {operation.before, operation.after}
        if operation.waits and not is_done:
            allowed.add(rules.EMBEDDED)
        if launched.get("version") not in allowed:
            problems.append(f"{reader} runs release {launched.get('version')}, not {allowed}")
            return
        pair = [open(launched[name], "rb").read() for name in ("bundle", "sources")]
        contents = {operation.before: operation.content_before, operation.after: operation.content_after}
        if not content.is_pair(*pair, contents.get(launched["version"], rules.EMBEDDED)):
            problems.append(f"{reader} runs files that are not the pair of release {launched['version']}")
        remove(store)

    def _check_repetition(self, was_done, problems):
        """The same command again finishes the job, and nothing is left behind."""
        is_finished = not (self.scenes.feed / ".parser-ota/pending.json").exists() and self._live() == self.operation.after
        answer = self.scenes.tool(*self.command)
        if answer.status not in (self.operation.repeated if was_done or is_finished else {0}):
            problems.append(f"the same command again fails: {answer}")
            return
        status, findings = self._verify()
        if status != 0 or findings:
            problems.append(f"after the same command again a stranger finds: {findings}")
        problems += self._differences(tree(self.scenes.feed))

    def _differences(self, found):
        wanted = self.wanted
        if not self.operation.same_bytes:
            # Each run signs once more, so versions and signatures move on.
            found, wanted = ({VERSIONED.sub(r"metadata/N.\2.json", name): None for name in files}
                             for files in (found, wanted))
        rest = sorted(set(found) - set(wanted))
        lost = sorted(set(wanted) - set(found))
        other = sorted(name for name in set(found) & set(wanted)
                       if found[name] != wanted[name] and name not in PAGES)
        texts = [("left behind after one more run", rest), ("missing after one more run", lost),
                 ("other bytes than in an undisturbed run", other)]
        return [f"{text}: {', '.join(names)}" for text, names in texts if names]
