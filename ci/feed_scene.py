"""A signed feed, an app and a device in a temporary folder, for the scripts beside: every command line stands here."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PRODUCTS = ("parser-ota", "activate-probe")
# A bundle as small as one can be that an app would load; its marker stands in the catalog of the same release too.
BUNDLE = """// marker:{marker}
var NyoraParsers = (function () {{
  var sources = [{{ id: "ALPHA" }}];
  return {{
    getAllSources: function () {{ return sources; }},
    getParser: function (id, context) {{ return {{ list: function () {{ return []; }} }}; }}
  }};
}})();
"""


class Failure(Exception):
    """A command that did not do what it must."""


def built_products(folder=None):
    """The folder with the tool and the probe; builds them when none is given."""
    if folder:
        return Path(folder).resolve()
    for product in PRODUCTS:
        subprocess.run(["swift", "build", "--product", product], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    path = subprocess.run(["swift", "build", "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True)
    return Path(path.stdout.strip())


class Scene:
    """One folder with keys, a feed of one release, the copy of it inside an app, and stores that begin empty."""

    def __init__(self, products, keep_releases=20):
        self.folder = Path(tempfile.mkdtemp(prefix="parser-ota-"))
        self.tool = products / "parser-ota"
        self.probe = products / "activate-probe"
        self.feed, self.app = self.folder / "feed", self.folder / "app"
        for key in ("root", "release"):
            self.must(self.tool, "key", "generate", "--out", f"{key}.pem")
        self.must(self.tool, "init", "--feed", self.feed, "--keep", keep_releases,
                  "--root-key", "root.pem", "--release-key", "release.pem")
        self.published(self.publish("first"))
        self.must(self.tool, "embed", "--feed", self.feed, "--out", self.app)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def start(self, *command):
        """A process with pipes, started in the folder."""
        # The checks of a release are not what is looked at here: the tool is told of an engine that is nowhere.
        environment = dict(os.environ, PARSER_OTA_ENGINE="/nonexistent/parser-ota-engine")
        return subprocess.Popen([str(part) for part in command], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)

    def run(self, *command, seconds=120):
        """A process run to its end: status, standard output, standard error."""
        process = self.start(*command)
        output, errors = process.communicate(timeout=seconds)
        return process.returncode, output, errors

    def must(self, *command):
        """The standard output of a command that must succeed."""
        status, output, errors = self.run(*command)
        if status != 0:
            raise Failure(f"{' '.join(map(str, command))}: status {status}\n{output}{errors}")
        return output

    def publish(self, marker):
        """Publishes a release that nobody else has; status, standard output, standard error."""
        bundle, sources = self.folder / f"{marker}.js", self.folder / f"{marker}.json"
        bundle.write_text(BUNDLE.format(marker=marker))
        sources.write_text(json.dumps([{
            "id": "ALPHA", "className": "Alpha", "title": f"marker:{marker}", "locale": "en",
            "domain": "alpha.invalid", "family": "AlphaParser", "isNsfw": False, "overrides": {}}]))
        result = self.run(self.tool, "publish", "--feed", self.feed, "--bundle", bundle, "--sources", sources,
                          "--release-key", "release.pem", "--allow", "no-engine", "--json")
        bundle.unlink()
        sources.unlink()
        return result

    @staticmethod
    def published(result):
        """The number of the release that a publish made live; fails when it made none."""
        status, output, errors = result
        answer = json.loads(output) if output else {}
        if status != 0 or answer.get("code") != "published":
            raise Failure(f"publish: status {status}\n{output}{errors}")
        return answer["version"]

    def marker_of(self, version):
        """The marker of a kept release, read from the feed's own files."""
        folder = self.feed / "files/releases" / str(version)
        manifest = json.loads(next(folder.glob("*.manifest.json")).read_text())
        found = {re.search(r"marker:(\w+)", (self.feed / manifest[part]["url"]).read_text()).group(1)
                 for part in ("bundle", "sources")}
        if len(found) != 1:
            raise Failure(f"release {version} mixes {found}")
        return found.pop()

    def versions(self):
        """The numbers of the releases that the feed keeps, newest first."""
        return [release["version"] for release in
                json.loads(self.must(self.tool, "releases", "--feed", self.feed, "--json"))["releases"]]

    def device(self, verb, store, *rest):
        """The command line of a device; see activate-probe."""
        return [self.probe, verb, self.folder / store, self.app, self.feed, *rest]
