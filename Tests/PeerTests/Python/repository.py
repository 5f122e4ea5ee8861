"""A TUF repository in a folder, written with python-tuf's metadata model."""

import hashlib
from datetime import datetime, timedelta, timezone

from tuf.api.metadata import (
    DelegatedRole, Delegations, Metadata, MetaFile, Root, Signature, Snapshot, TargetFile, Targets, Timestamp)
from tuf.api.serialization.json import JSONSerializer

EXPIRES = datetime.now(timezone.utc).replace(microsecond=0) + timedelta(days=30)


class Quorum:
    """The keys of a role and how many of them must sign; the first ones do."""

    def __init__(self, *keys, threshold=1):
        self.keys, self.threshold = keys, threshold

    @property
    def signers(self):
        return self.keys[:self.threshold]


class Forger:
    """Signs with a key of its own in the name of another key."""

    def __init__(self, own, victim):
        self.own, self.public_key = own, victim.public_key

    def sign(self, payload):
        return Signature(self.public_key.keyid, self.own.sign(payload).signature)


class Repository:
    """Roles, their targets and the files, published into `metadata` and `files` below a folder."""

    def __init__(self, folder, roles, consistent=True):
        self.folder, self.consistent, self.version, self.root_version = folder, consistent, 0, 0
        self.targets = {"targets": Targets(expires=EXPIRES)}
        self.signers = {}
        self.set_root(roles, roles["root"].signers)

    def set_root(self, roles, signers):
        """Writes the next root with these keys and signatures."""
        self.root_version += 1
        root = Root(version=self.root_version, expires=EXPIRES, consistent_snapshot=self.consistent)
        for name, quorum in roles.items():
            for key in quorum.keys:
                root.add_key(key.public_key, name)
            root.roles[name].threshold = quorum.threshold
            self.signers[name] = quorum.signers
        self._write(root, signers, f"{self.root_version}.root.json")

    def delegate(self, parent, name, quorum, terminating=False, **scope):
        """Lets a new role vouch for `paths` or `path_hash_prefixes`."""
        targets = self.targets[parent]
        if targets.delegations is None:
            targets.delegations = Delegations({}, {})
        targets.delegations.roles[name] = DelegatedRole(name, [], quorum.threshold, terminating, **scope)
        for key in quorum.keys:
            targets.add_key(key.public_key, name)
        self.targets[name] = Targets(expires=EXPIRES)
        self.signers[name] = quorum.signers

    def add(self, role, path, content):
        """Lists a target in a role and writes its file."""
        self.targets[role].targets[path] = TargetFile.from_data(path, content, ["sha256", "sha512"])
        file = self.file(path, content)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def file(self, path, content):
        """Where the file of a target is; with consistent snapshots its digest is part of the name."""
        place = self.folder / "files" / path
        return place.with_name(f"{hashlib.sha256(content).hexdigest()}.{place.name}") if self.consistent else place

    def publish(self):
        """Writes the next version of every role but the root."""
        self.version += 1
        meta = {}
        for name, targets in self.targets.items():
            targets.version = self.version
            data = self._write(targets, self.signers[name], self._name(name))
            # Length and digests are optional: with one kind of repository they are there, with the other not.
            meta[f"{name}.json"] = self._described(data) if self.consistent else MetaFile(self.version)
        snapshot = Snapshot(version=self.version, expires=EXPIRES, meta=meta)
        data = self._write(snapshot, self.signers["snapshot"], self._name("snapshot"))
        timestamp = Timestamp(version=self.version, expires=EXPIRES, snapshot_meta=self._described(data))
        self._write(timestamp, self.signers["timestamp"], "timestamp.json")

    def _described(self, data):
        return MetaFile.from_data(self.version, data, ["sha256"])

    def _name(self, role):
        return f"{self.version}.{role}.json" if self.consistent else f"{role}.json"

    def _write(self, payload, signers, name):
        metadata = Metadata(payload)
        for signer in signers:
            metadata.sign(signer, append=True)
        data = metadata.to_bytes(JSONSerializer())
        folder = self.folder / "metadata"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
        return data
