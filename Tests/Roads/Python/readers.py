"""Readers of feeds that share no code with the product: an old client, and python-tuf where it is installed.

Reads one JSON object a line and answers each with one line. What a reader keeps between two questions is kept here.
"""

import hashlib
import http.client
import json
import sys
import urllib.parse
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace

try:
    from tuf.ngclient import Updater
    from tuf.ngclient._internal import trusted_metadata_set
    from tuf.ngclient.fetcher import FetcherInterface
    from tuf.api.exceptions import DownloadHTTPError
except ImportError:
    Updater = None

CONNECTIONS = {}


class Refused(Exception):
    """What a reader finds wrong."""


def get(url):
    """Status and body, over a connection that stays open."""
    parts = urllib.parse.urlsplit(url)
    for attempt in range(2):
        connection = CONNECTIONS.get(parts.netloc)
        if connection is None:
            connection = CONNECTIONS[parts.netloc] = http.client.HTTPConnection(parts.netloc, timeout=20)
        try:
            connection.request("GET", parts.path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (http.client.HTTPException, OSError):
            CONNECTIONS.pop(parts.netloc).close()
            if attempt:
                raise


def fetch(url):
    status, body = get(url)
    if status != 200:
        raise Refused(f"{url} answers {status}")
    return body


def part_of(manifest, name, base, must_be_absolute):
    """One file of a release, as clients from before this tool take it."""
    part = manifest[name]
    url = part["url"]
    if not url.startswith(("http://", "https://")):
        if must_be_absolute:
            raise Refused(f"{name} has no absolute address: {url}")
        url = urllib.parse.urljoin(base, url)
    return url, part["sha256"], part["bytes"]


def take(url, digest, size):
    body = fetch(url)
    if len(body) != size or hashlib.sha256(body).hexdigest() != digest:
        raise Refused(f"{url} has other bytes than its manifest says")
    return digest


class OldClient:
    """Knows version, bundle and sources, and keeps the newest release that it had whole."""

    def __init__(self):
        self.version = 0
        self.digests = None
        self.first_addresses = None

    def poll(self, url, must_be_absolute):
        manifest = json.loads(fetch(url + "manifest.json"))
        version = manifest["version"]
        if type(version) is not int:
            raise Refused(f"the version {version!r} is no integer")
        if version < self.version:
            raise Refused(f"the number went back from {self.version} to {version}")
        parts = [part_of(manifest, name, url, must_be_absolute) for name in ("bundle", "sources")]
        self.first_addresses = self.first_addresses or parts
        if version > self.version or self.digests is None:
            self.digests = [take(*part) for part in parts]
            self.version = version
        elif self.digests != [part[1] for part in parts]:
            raise Refused(f"release {version} has other bytes than before")
        return {"version": version, "bundle": self.digests[0], "sources": self.digests[1]}

    def old_addresses(self):
        """What a client asks for that read the manifest from before the feed was taken over, and is late."""
        for part in self.first_addresses or []:
            take(*part)
        return {}


OLD_CLIENTS = {}


def old(question):
    client = OLD_CLIENTS.setdefault(question["client"], OldClient())
    if question.get("addresses"):
        return client.old_addresses()
    return client.poll(question["url"], question["absolute"])


def forget(question):
    OLD_CLIENTS.pop(question["client"], None)
    return {}


# MARK: python-tuf

if Updater:
    class Fetcher(FetcherInterface):
        """The reader's own connection, so that thousands of updates need no thousands of sessions."""

        def _fetch(self, url):
            status, body = get(url)
            if status != 200:
                raise DownloadHTTPError(f"{url} answers {status}", status)
            yield body

    class Clock(datetime):
        """The clock of the device, which stands where the question says."""

        moment = None

        @classmethod
        def now(cls, tz=None):
            return cls.moment

    trusted_metadata_set.datetime = SimpleNamespace(datetime=Clock, timezone=timezone)


def read_target(updater, name):
    info = updater.get_targetinfo(name)
    if info is None:
        return None
    content = Path(updater.download_target(info)).read_bytes()
    if name.split("/")[-1] == "manifest.json":
        manifest = json.loads(content)
        for part in ("bundle", "sources"):
            require_signed(updater, manifest, part)
        return {"version": manifest["version"], "bundle": manifest["bundle"]["sha256"],
                "sources": manifest["sources"]["sha256"]}
    return {}


def require_signed(updater, manifest, part):
    """A file of a manifest must be a signed target with the same length and digest."""
    file = manifest[part]
    where = file["url"].split("/files/")[-1].removeprefix("files/")
    folder, _, last = where.rpartition("/")
    info = updater.get_targetinfo(f"{folder}/{last.removeprefix(file['sha256'] + '.')}")
    if info is None or (info.length, info.hashes["sha256"]) != (file["bytes"], file["sha256"]):
        raise Refused(f"release {manifest['version']}: its {part} at {file['url']} is not signed as its manifest says")


def tuf(question):
    Clock.moment = Clock.fromtimestamp(question["now"], timezone.utc)
    metadata, targets = (Path(question["folder"]) / name for name in ("metadata", "targets"))
    for folder in (metadata, targets):
        folder.mkdir(parents=True, exist_ok=True)
    url = question["url"]
    updater = Updater(str(metadata), url + "metadata/", str(targets), url + "files/", fetcher=Fetcher(),
                      bootstrap=Path(question["root"]).read_bytes())
    updater.refresh()
    listed = json.loads((metadata / "targets.json").read_text())["signed"]["targets"]
    names = question["names"] or list(listed)
    return {"targets": {name: read_target(updater, name) for name in names}}


QUESTIONS = {"old": old, "forget": forget, "tuf": tuf}


def main():
    print(json.dumps({"tuf": Updater is not None}), flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answer = QUESTIONS[question["reader"]](question)
        except Exception as error:  # pylint: disable=broad-except
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
