"""A disk on paper: which states a power cut may leave, by what POSIX promises and by nothing more.

The data of a file is safe after fsync of the file; a name is safe after fsync of its folder. Whatever was done since may
be lost or kept, each by itself and in any order: a file then has its old content, a part of the new, or zeros; a rename
between two folders may have reached one of them only.
"""

import hashlib
import itertools
import os
import random
from pathlib import Path

#: How many combinations of one moment are tried completely; beyond it the plain ones and a random choice.
COMPLETE = 256
RANDOM_CHOICES = 64
AT_REMOVEDIR = 0x200


class File:
    """The bytes of a file: those that are safe, and those that a reader sees now."""

    def __init__(self, content=b""):
        self.safe = content
        self.now = content

    @property
    def variants(self):
        """What may be found after a power cut."""
        if self.safe == self.now:
            return [self.now]
        grown = len(self.safe) + (len(self.now) - len(self.safe)) // 2
        return list(dict.fromkeys([self.now, self.safe, self.now[:max(grown, 0)], bytes(len(self.now))]))


class Folder:
    """The names of a folder: those that are safe, those that a process sees, and the changes between the two."""

    def __init__(self):
        self.safe = {}
        self.now = {}
        #: Each change is a few names that get a node, or none, at once.
        self.pending = []

    def put(self, names):
        """Makes a change that is not safe yet."""
        self.pending.append(names)
        for name, node in names.items():
            if node is None:
                self.now.pop(name, None)
            else:
                self.now[name] = node

    def sync(self):
        """Makes all names safe."""
        self.safe = dict(self.now)
        self.pending = []


class Disk:
    """A tree of files and folders that system calls are applied to."""

    def __init__(self, path):
        self.root = self._load(Path(path))

    def _load(self, path):
        if path.is_file():
            return File(path.read_bytes())
        folder = Folder()
        folder.safe = {entry.name: self._load(entry) for entry in path.iterdir()}
        folder.now = dict(folder.safe)
        return folder

    def _find(self, path):
        node = self.root
        for part in [] if path == "." else path.removesuffix(" (deleted)").split("/"):
            node = node.now.get(part) if isinstance(node, Folder) else None
        return node

    def _split(self, path):
        parent, _, name = path.rpartition("/")
        return self._find(parent or "."), name

    # MARK: Calls

    def apply(self, call):
        """The effect of one successful call; whether it changed what a power cut may leave."""
        if call.result < 0 or not call.changes:
            return False
        node = self._find(call.path)
        parent, name = self._split(call.path)
        if call.name in ("openat", "open"):
            return self._open(call, node, parent, name)
        if call.name == "write":
            node.now += call.data
        elif call.name == "ftruncate":
            node.now = node.now[:call.number].ljust(call.number, b"\0")
        elif call.name in ("fsync", "fdatasync"):
            self._sync(node)
        elif call.name == "mkdirat":
            parent.put({name: Folder()})
        elif call.name == "unlinkat":
            parent.put({name: None})
        elif call.name.startswith("rename"):
            self._rename(node, parent, name, *self._split(call.other))
        return call.name != "fchmod"

    def _open(self, call, node, parent, name):
        if node is None:
            parent.put({name: File()})
        elif call.number & os.O_TRUNC:
            node.now = b""
        return True

    def _sync(self, node):
        if isinstance(node, Folder):
            node.sync()
        elif node is not None:
            node.safe = node.now

    def _rename(self, node, parent, name, other, new_name):
        if parent is other:
            parent.put({new_name: node, name: None})
        else:
            other.put({new_name: node})
            parent.put({name: None})

    # MARK: What may be left

    def _pending(self):
        """Everything that is not safe: changes of names, and files with more than one variant."""
        changes, files, seen, todo = [], [], set(), [self.root]
        while todo:
            node = todo.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if isinstance(node, File):
                if len(node.variants) > 1:
                    files.append(node)
                continue
            changes += [(node, names) for names in node.pending]
            todo += list(node.safe.values()) + [new for names in node.pending for new in names.values() if new]
        return changes, files

    def outcomes(self, chance):
        """The trees that a power cut may leave at this moment, each as paths with bytes or `None` for a folder."""
        changes, files = self._pending()
        sizes = [2] * len(changes) + [len(file.variants) for file in files]
        for choice in choices(sizes, chance):
            kept = {id(names) for (_, names), chosen in zip(changes, choice) if chosen == 0}
            content = {id(file): file.variants[chosen] for file, chosen in zip(files, choice[len(changes):])}
            tree = {}
            self._write(self.root, "", kept, content, tree)
            yield tree

    def _write(self, node, path, kept, content, tree):
        if isinstance(node, File):
            tree[path] = content.get(id(node), node.now)
            return
        if path:
            tree[path] = None
        names = dict(node.safe)
        for change in node.pending:
            if id(change) in kept:
                names.update(change)
        for name, child in names.items():
            if child is not None:
                self._write(child, f"{path}/{name}" if path else name, kept, content, tree)


def choices(sizes, chance):
    """Choices of one number below each size: all of them when they are few; 0 stands for kept."""
    total = 1
    for size in sizes:
        total *= size
    if total <= COMPLETE:
        yield from itertools.product(*map(range, sizes))
        return
    last = [size - 1 for size in sizes]
    lost = [1] * len(sizes)
    yield tuple(0 for _ in sizes)
    yield tuple(lost)
    yield tuple(last)
    for index in range(len(sizes)):
        for base, other in ((0, 1), (1, 0)):
            yield tuple(other if place == index else base for place in range(len(sizes)))
        yield tuple(0 if place <= index else 1 for place in range(len(sizes)))
    for _ in range(RANDOM_CHOICES):
        yield tuple(chance.randrange(size) for size in sizes)


def materialise(tree, area):
    """Makes a tree real."""
    for path in sorted(tree):
        target = Path(area) / path
        if tree[path] is None:
            target.mkdir(mode=0o700, exist_ok=True)
        else:
            target.write_bytes(tree[path])


def fingerprint(tree):
    """What tells two trees apart."""
    digest = hashlib.sha256()
    for path in sorted(tree):
        digest.update(f"{path}\0{'-' if tree[path] is None else len(tree[path])}\0".encode())
        digest.update(tree[path] or b"")
    return digest.hexdigest()


def states(disk, calls, seed):
    """Every different tree that a power cut during these calls may leave.

    Yields the tree, the call before the cut, and whether the command had ended by then.
    """
    chance = random.Random(seed)
    seen = set()
    moments = [(None, False)] + [(call, False) for call in calls] + [(calls[-1], True)]
    for call, is_over in moments:
        if call is not None and not is_over and not disk.apply(call):
            continue
        for tree in disk.outcomes(chance):
            key = fingerprint(tree), is_over
            if key not in seen:
                seen.add(key)
                yield tree, call, is_over
