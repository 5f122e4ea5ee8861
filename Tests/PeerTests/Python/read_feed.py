"""Reads a repository with python-tuf's client, as a program that trusts nothing but the root it was shipped with.

    read_feed.py METADATA_URL TARGETS_URL ROOT METADATA_DIR TARGETS_DIR nothing|everything|NAME...

Refreshes, then downloads nothing, every target of the top-level role, or the targets of these names. Prints one JSON
object: the versions of the four roles, and path, length and digest of every target, null for one nobody vouches for.
"""

import hashlib
import json
import sys
from pathlib import Path

from tuf.ngclient import Updater

ROLES = ("root", "timestamp", "snapshot", "targets")


def trusted(metadata, role):
    """What the client trusts and keeps for a role."""
    return json.loads((Path(metadata) / f"{role}.json").read_text())["signed"]


def download(updater, name):
    info = updater.get_targetinfo(name)
    if info is None:
        return None
    content = Path(updater.download_target(info)).read_bytes()
    if name.split("/")[-1] == "manifest.json":
        check_manifest(updater, json.loads(content))
    return {"length": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def check_manifest(updater, manifest):
    """Both files of a manifest must be signed targets with the same length and digest."""
    for name in ("bundle", "sources"):
        file = manifest[name]
        folder, _, last = file["url"].removeprefix("files/").rpartition("/")
        info = updater.get_targetinfo(f"{folder}/{last.removeprefix(file['sha256'] + '.')}")
        if info is None or (info.length, info.hashes["sha256"]) != (file["bytes"], file["sha256"]):
            sys.exit(f"release {manifest['version']}: its {name} is not signed as its manifest says")


def main(metadata_url, targets_url, root, metadata, targets, *names):
    for folder in (metadata, targets):
        Path(folder).mkdir(parents=True, exist_ok=True)
    updater = Updater(metadata, metadata_url, targets, targets_url, bootstrap=Path(root).read_bytes())
    updater.refresh()
    if names == ("nothing",):
        names = ()
    elif names == ("everything",):
        names = trusted(metadata, "targets")["targets"]
    print(json.dumps({
        "versions": {role: trusted(metadata, role)["version"] for role in ROLES},
        "targets": {name: download(updater, name) for name in names},
    }))


if __name__ == "__main__":
    main(*sys.argv[1:])
