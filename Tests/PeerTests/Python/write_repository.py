"""Writes repositories with python-tuf for our client to read.

    write_repository.py trees|forgeries|feed FOLDER

trees      `consistent` and `plain`: delegations, three kinds of keys, four roots; `expected.json` beside `metadata`
           gives the digest of each target, null for names that nobody may vouch for
forgeries  one folder for each, in which nobody may believe the target `a.txt`; and `honest`, made the same way
feed       `app`, the copy inside an app, and a feed of our layout as it changes: `31`, `32`, `33-forged`
"""

import hashlib
import json
import shutil
import sys
from pathlib import Path

from repository import Forger, Quorum, Repository
from securesystemslib.signer import CryptoSigner

ED, ED2, ED3 = (CryptoSigner.generate_ed25519() for _ in range(3))
EC, EC2 = (CryptoSigner.generate_ecdsa() for _ in range(2))
RSA, RSA2 = (CryptoSigner.generate_rsa(size=2048) for _ in range(2))


def roles(**changes):
    usual = {"root": Quorum(ED, EC, RSA, threshold=2), "targets": Quorum(RSA, EC, threshold=2),
             "snapshot": Quorum(EC), "timestamp": Quorum(ED)}
    return usual | changes


def rotate(repository):
    """Three more roots: each kind of root key goes once, then the keys of the roles change."""
    second = roles(root=Quorum(ED, EC, RSA2, threshold=2))
    repository.set_root(second, [RSA, EC, RSA2])
    third = roles(root=Quorum(ED2, EC, RSA2, threshold=2))
    repository.set_root(third, [ED, RSA2, ED2])
    fourth = {"root": Quorum(ED2, EC2, RSA2, threshold=3), "targets": Quorum(ED3, RSA2, threshold=2),
              "snapshot": Quorum(RSA), "timestamp": Quorum(EC2)}
    repository.set_root(fourth, [EC, ED2, RSA2, EC2])


def bins(digits):
    """A path in the folder `pool` for each of these first digits of the digest of its name."""
    found = {}
    for number in range(1000):
        path = f"pool/{number}"
        found.setdefault(hashlib.sha256(path.encode()).hexdigest()[0], path)
    return [found[digit] for digit in digits]


def write_tree(folder, consistent):
    repository = Repository(folder, roles(), consistent)
    three = Quorum(RSA, EC, ED, threshold=2)
    repository.delegate("targets", "docs", three, terminating=True, paths=["docs/*"])
    repository.delegate("docs", "docs de+fr", Quorum(EC), paths=["docs/de-?.txt", "docs/fr-[a-c].txt"])
    repository.delegate("targets", "lang", Quorum(RSA), paths=["lang/*/*.js"])
    repository.delegate("lang", "lang-x", Quorum(ED2, RSA2, threshold=2), paths=["lang/x/*.js", "other/*"])
    repository.delegate("targets", "low", Quorum(ED3), path_hash_prefixes=list("01234567"))
    repository.delegate("targets", "high", Quorum(EC2), path_hash_prefixes=list("89abcde") + ["f"])

    expected = {}

    def add(role, path, found=True):
        content = f"{role} vouches for {path}\n".encode()
        repository.add(role, path, content)
        expected[path] = hashlib.sha256(content).hexdigest() if found else None

    add("targets", "top.txt")
    add("targets", "a name with blanks.txt")
    add("docs", "docs/en.txt")
    add("docs de+fr", "docs/de-1.txt")
    add("docs de+fr", "docs/fr-b.txt")
    add("docs de+fr", "docs/fr-d.txt", found=False)  # Outside of the set.
    add("docs de+fr", "docs/de-12.txt", found=False)  # One character too many.
    add("lang", "lang/en/a.js")
    add("lang-x", "lang/x/b.js")
    add("lang", "lang/c.js", found=False)  # A star stays between slashes.
    add("lang-x", "other/stolen.txt", found=False)  # A role cannot pass on what it may not vouch for.
    for path in bins("07"):
        add("low", path)
    for path in bins("8f"):
        add("high", path)
    add("low", bins("9")[0], found=False)
    for role in ("low", "high"):  # Only roles before this one ended the search, or did not.
        add(role, "docs/late.txt", found=False)
    late = "lang/zz/late.js"
    add("low" if hashlib.sha256(late.encode()).hexdigest()[0] < "8" else "high", late)
    expected["nothing.txt"] = None
    repository.publish()
    rotate(repository)
    repository.publish()
    (folder / "expected.json").write_text(json.dumps(expected))


def write_forgery(folder, change):
    repository = Repository(folder, roles())
    pair = Quorum(EC2, RSA2, threshold=2)
    repository.delegate("targets", "pair", pair, paths=["a.txt"])
    repository.add("pair", "a.txt", b"the right bytes\n")
    change(repository)
    repository.publish()


def signers(role, *keys):
    def change(repository):
        repository.signers[role] = keys
    return change


def next_root(*keys):
    return lambda repository: repository.set_root(roles(root=Quorum(ED, EC, ED3, threshold=2)), keys)


def change_bytes(repository):
    repository.file("a.txt", b"the right bytes\n").write_bytes(b"the wrong bytes\n")


FORGERIES = {
    "honest": lambda repository: None,
    "root signed by one of two": next_root(EC, ED3),
    "root signed by strangers": next_root(ED2, EC2, ED3),
    "root signed in the name of RSA": next_root(EC, Forger(RSA2, RSA), ED3),
    "root that its own keys did not sign": next_root(EC, RSA),
    "targets signed by one of two": signers("targets", RSA),
    "targets signed in the name of RSA": signers("targets", EC, Forger(RSA2, RSA)),
    "targets signed in the name of ECDSA": signers("targets", RSA, Forger(EC2, EC)),
    "snapshot signed in the name of ECDSA": signers("snapshot", Forger(EC2, EC)),
    "snapshot signed by the key of the timestamp": signers("snapshot", ED),
    "timestamp signed in the name of Ed25519": signers("timestamp", Forger(ED2, ED)),
    "delegated role signed by one of two": signers("pair", RSA2),
    "delegated role signed in the name of ECDSA": signers("pair", RSA2, Forger(EC, EC2)),
    "other bytes of the same length": change_bytes,
}


def add_release(repository, number):
    """A release as the manifest of our feeds describes it; returns its files by name."""
    word = f"Source{number}"
    files = {
        "parsers.bundle.js": f'"use strict";\nvar NyoraParsers = {{ marker: "{number}" }};\n'.encode(),
        "sources.json": json.dumps([{
            "id": f"S{number}", "className": f"{word}Parser", "title": word, "locale": "en",
            "domain": f"s{number}.example", "family": "MadaraParser", "isNsfw": False, "overrides": {}}]).encode(),
    }
    manifest = {"version": number}
    for field, name in (("bundle", "parsers.bundle.js"), ("sources", "sources.json")):
        digest = hashlib.sha256(files[name]).hexdigest()
        manifest[field] = {"url": f"files/releases/{number}/{digest}.{name}", "sha256": digest,
                           "bytes": len(files[name])}
        repository.add("releases", f"releases/{number}/{name}", files[name])
    files["manifest.json"] = json.dumps(manifest).encode()
    repository.add("targets", "manifest.json", files["manifest.json"])
    repository.publish()
    return files


def write_feed(folder):
    """The feed after each change, as a folder of its own; the files of a release come from a delegated role."""
    repository = Repository(folder / "live", roles())
    repository.delegate("targets", "releases", Quorum(EC2, RSA2, ED2, threshold=2), paths=["releases/*/*"])
    app = folder / "app"
    app.mkdir()
    for name, content in add_release(repository, 30).items():
        (app / name).write_bytes(content)
    shutil.copy(folder / "live/metadata/1.root.json", app / "root.json")

    def keep(number, name):
        add_release(repository, number)
        shutil.copytree(folder / "live", folder / name)

    keep(31, "31")
    rotate(repository)
    keep(32, "32")
    repository.signers["targets"] = [ED3, Forger(RSA, RSA2)]
    keep(33, "33-forged")


def main(kind, folder):
    folder = Path(folder)
    if kind == "trees":
        write_tree(folder / "consistent", True)
        write_tree(folder / "plain", False)
    elif kind == "forgeries":
        for name, change in FORGERIES.items():
            write_forgery(folder / name, change)
    elif kind == "feed":
        write_feed(folder)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
