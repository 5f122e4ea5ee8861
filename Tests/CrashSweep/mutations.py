"""Deliberately broken builds: each must be caught, or the sweep proves nothing."""

import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

COPIED = ("Package.swift", "Sources", "Tests")
STORAGE = "Sources/OTAStorage"
UPDATER = "Sources/ParserUpdater"
PUBLISHER = "Sources/ParserPublisher"


@dataclass(frozen=True)
class Mutation:
    """A change of the sources as replacements in one file, and the operations that have to show it."""

    name: str
    file: str
    replacements: tuple
    operations: tuple

    def applied_to(self, text):
        """The broken text of its file."""
        for old, new in self.replacements:
            if text.count(old) != 1:
                raise RuntimeError(f"{self.name}: {self.file} has {text.count(old)} times: {old.strip()}")
            text = text.replace(old, new)
        return text


MUTATIONS = [
    Mutation(
        "file-not-synced", f"{STORAGE}/Directory+Writing.swift",
        (("      try file.sync(path: path)\n    } catch {", "    } catch {"),), ("launch-staged", "publish-plain")),
    Mutation(
        "folder-not-synced", f"{STORAGE}/Directory+Writing.swift",
        (("      throw failure\n    }\n    try sync()\n", "      throw failure\n    }\n"),), ("confirm", "publish-plain")),
    Mutation(
        "state-before-files", f"{UPDATER}/Work/UpdateRun.swift",
        (("        try moveIntoPlace(staging, in: store, beside: state)\n", ""),
         ("        state.endProblem()\n", "        state.endProblem()\n        try store.writeState(state)\n"
          "        try moveIntoPlace(staging, in: store, beside: state)\n")), ("first-update", "update-plain")),
    Mutation(
        "store-not-locked", f"{UPDATER}/Store/DeviceStore.swift",
        (("root.lock(Name.lock, .exclusive", "root.lock(Name.lock, .shared"),), ("confirm", "launch-staged")),
    Mutation(
        "feed-not-locked", f"{PUBLISHER}/Hosting/DirectoryHost.swift",
        (('folder.lock("lock", .exclusive)', 'folder.lock("lock", .shared)'),), ("publish-plain",)),
    Mutation(
        "manifest-before-files", f"{PUBLISHER}/Hosting/ReleaseCommit.swift",
        (("      try await commit.write(plan, &outcome.written)\n      try await commit.move(plan.pointers[0], &outcome.written)\n",
          "      try await commit.move(plan.pointers[plan.pointers.count - 1], &outcome.written)\n"
          "      try await commit.write(plan, &outcome.written)\n"
          "      if plan.pointers.count > 1 { try await commit.move(plan.pointers[0], &outcome.written) }\n"),
         ("for pointer in plan.pointers.dropFirst() {", "for pointer in plan.pointers.dropFirst(2) {")),
        ("publish-plain", "publish")),
    Mutation(
        "timestamp-before-metadata", f"{PUBLISHER}/Hosting/ReleaseCommit.swift",
        (("      try await commit.write(plan, &outcome.written)\n      try await commit.move(plan.pointers[0], &outcome.written)\n",
          "      try await commit.move(plan.pointers[0], &outcome.written)\n"
          "      try await commit.write(plan, &outcome.written)\n"),), ("publish",)),
    Mutation(
        "files-before-manifests", f"{PUBLISHER}/Hosting/Retention.swift",
        (("    try await host.remove(manifests)\n", ""),
         ('    let keptVersions =', "    try await host.remove(manifests)\n    let keptVersions =")),
        ("publish-prune-plain",)),
    Mutation(
        "removal-not-synced", f"{PUBLISHER}/Hosting/DirectoryHost.swift",
        (("          try open(folder).sync()\n", "          _ = try open(folder).entries()\n"),),
        ("publish-prune-plain",)),
    Mutation(
        "temporaries-kept", f"{STORAGE}/Directory+Moving.swift",
        (("entry.name.hasPrefix(Self.temporaryPrefix) {", 'entry.name == "none" {'),), ("confirm", "publish-plain")),
    Mutation(
        "root-before-timestamp", f"{PUBLISHER}/Signing/Root/RootCommit.swift",
        (("if signing.builder.former == nil {", "if signing.builder.former != nil || root.isEmpty {"),),
        ("rotate-release-key",)),
    Mutation(
        "unknown-is-damage", f"{UPDATER}/Store/DeviceStore.swift",
        (("    if error.leavesUnknown { return .unknown(Problem(error)) }\n", ""),), ("confirm", "launch-on-trial")),
    Mutation(
        "unknown-release-dropped", f"{UPDATER}/Work/CandidateSearch.swift",
        (("if error.unknown == nil { damaged.append(candidate) }", "damaged.append(candidate)"),), ("launch-staged",)),
    Mutation(
        "unknown-is-not-said", f"{UPDATER}/Work/StoreQuestion.swift",
        (("reading.obstacle = error.keeping(", "reading.damage = error.message; _ = error.keeping("),), ("explain-3",)),
    Mutation(
        "other-folder-taken", f"{UPDATER}/Store/DeviceStore.swift",
        (("guard case .foreign(let name) = finding else", "guard case .foreign(let name) = finding, name.isEmpty else"),),
        ("init-over-data",)),
    Mutation(
        "guests-collected", f"{UPDATER}/Store/GarbageCollection.swift",
        (("for entry in try directory.entries() where isNeedless(entry.name) {",
          "for entry in try directory.entries() where isNeedless(entry.name) || !entry.name.isEmpty {"),),
        ("update-with-guests",)),
    Mutation(
        "launch-not-recorded", f"{UPDATER}/Work/Activation.swift",
        (("isChanged = after != state ||", "isChanged = after.references != state.references ||"),),
        ("launch-on-trial",)),
    Mutation(
        "found-state-not-synced", f"{UPDATER}/Store/DeviceStore.swift",
        (("throws(StorageError) { try root.sync() }", "throws(StorageError) { try root.checkPrivate() }"),), ("confirm",)),
    Mutation(
        "found-pointers-not-synced", f"{PUBLISHER}/Hosting/DirectoryHost.swift",
        (("        if withPointers.contains(folders) { try folder.sync() }\n", ""),), ("init",)),
]
STAGES = {
    "kill": ["--full", "--fault", "kill"],
    "unknown": ["--full", "--fault", "EACCES"],
    "model": ["--model", "--sample", "160"],
    "power cut": ["--power-cut", "--sample", "40"],
}


class Workshop:
    """A copy of the package in which builds are broken."""

    def __init__(self, root, folder):
        self.root = Path(root)
        self.folder = Path(folder)
        for name in COPIED:
            source = self.root / name
            copy = shutil.copytree if source.is_dir() else shutil.copy2
            copy(source, self.folder / name)

    def build(self, product="parser-ota"):
        """Builds the tool, or another program; its path."""
        done = subprocess.run(
            ["swift", "build", "--product", product], cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError("\n".join(line for line in done.stdout.splitlines() if "error" in line)[:2000])
        return self.folder / ".build/debug" / product

    def apply(self, mutation):
        """Breaks the copy."""
        path = self.folder / mutation.file
        path.write_text(mutation.applied_to(path.read_text()))

    def restore(self, mutation):
        """Repairs the copy."""
        shutil.copy(self.root / mutation.file, self.folder / mutation.file)


def names(root):
    """The name of each broken build; an error for one that the sources no longer have the text of."""
    for mutation in MUTATIONS:
        mutation.applied_to((Path(root) / mutation.file).read_text())
    return [mutation.name for mutation in MUTATIONS]


def judge(root, tool, operations):
    """The first stage that finds violations in a build, how many, and the first of them; `None` when none does."""
    for stage, options in STAGES.items():
        words = [word for name in operations for word in ("--operation", name)]
        done = subprocess.run(
            [root / "ci/crash-sweep", *options, *words, "--tool", tool], capture_output=True, text=True)
        found = [line.removeprefix("violation: ") for line in done.stdout.splitlines() if line.startswith("violation: ")]
        if done.returncode not in (0, 1, 77) or (done.returncode == 1 and not found):
            raise RuntimeError(f"{stage}: {done.stdout[-500:]}{done.stderr[-500:]}")
        if found:
            return stage, len(found), found[0]
    return None


def report(name, verdict, seconds):
    """One line for a build, and its first violation."""
    if verdict:
        stage, count, first = verdict
        print(f"{name:28} caught by {stage}, {count} violations ({seconds:.0f} s)")
        print(f"    {re.sub(r'/[^ ]*/scenes/', '', first)[:300]}")
    else:
        print(f"{name:28} not caught ({seconds:.0f} s)")
    sys.stdout.flush()


def run(root, folder, only):
    """Builds and judges each mutation; 1 when one is not caught. That unbroken builds pass is what the tests show."""
    workshop = Workshop(root, folder)
    chosen = [mutation for mutation in MUTATIONS if not only or mutation.name in only]
    caught = 0
    for mutation in chosen:
        started = time.monotonic()
        workshop.apply(mutation)
        verdict = judge(root, workshop.build(), mutation.operations)
        workshop.restore(mutation)
        report(mutation.name, verdict, time.monotonic() - started)
        caught += verdict is not None
    print(f"crash-sweep: {len(chosen)} broken builds, {caught} caught")
    return 0 if caught == len(chosen) else 1
