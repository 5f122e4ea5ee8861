"""Releases that look like real ones, known by their bytes, so that what runs can be told without asking the tool."""

import hashlib
import json
from pathlib import Path

BUNDLE = "parsers.bundle.js"
SOURCES = "sources.json"
MANIFEST = "manifest.json"


def ballast(count):
    """Text that does not repeat itself, so that a release is large enough for patches and compressed files."""
    lines = [hashlib.sha256(str(line).encode()).hexdigest() for line in range(count)]
    return [f"// {line}" for line in lines]


def bundle(number):
    """A small bundle with the two functions that apps call."""
    lines = [
        f"// bundle number {number}",
        "var NyoraParsers=(function(){",
        '  var sources=[{id:"ALPHA"},{id:"BETA"}];',
        "  return {",
        "    getAllSources:function(){return sources;},",
        f"    getParser:function(id,context){{return {{release:{number},list:function(){{return [];}}}};}}",
        "  };",
        "})();",
        *ballast(80),
    ]
    return ("\n".join(lines) + "\n").encode()


def sources(number):
    """A catalog that belongs to one release, except that release 4 has the one of release 3."""
    number = 3 if number == 4 else number
    common = {"locale": "en", "family": "AlphaParser", "isNsfw": False, "overrides": {}}
    entries = [
        {"id": name, "className": name.title(), "title": f"{name.title()} {number}", "domain": f"{name.lower()}.invalid",
         **common} for name in ("ALPHA", "BETA")]
    return json.dumps(entries, indent=1).encode()


def sha256(data):
    """The digest as manifests write it."""
    return hashlib.sha256(data).hexdigest()


def write_inputs(folder, count):
    """Writes the inputs of releases 1 to `count`."""
    for number in range(1, count + 1):
        (Path(folder) / f"bundle-{number}.js").write_bytes(bundle(number))
        (Path(folder) / f"sources-{number}.json").write_bytes(sources(number))


def write_old_feed(folder, number):
    """A feed as it was before this tool: three fields, and the files beside them."""
    folder.mkdir(parents=True)
    parts = {}
    for part, name, data in (("bundle", BUNDLE, bundle(number)), ("sources", SOURCES, sources(number))):
        (folder / name).write_bytes(data)
        parts[part] = {"url": name, "sha256": sha256(data), "bytes": len(data)}
    (folder / MANIFEST).write_text(json.dumps({"version": number, **parts}))


def publish_command(feed, inputs, number, key):
    """The command line that publishes the inputs of a release: the one place that knows it.

    Without an engine, whose calls are no part of a feed; the tool is told of one that is nowhere.
    """
    signing = ["--release-key", str(key)] if key else []
    return [
        "publish", "--feed", str(feed), "--bundle", str(Path(inputs) / f"bundle-{number}.js"), "--sources",
        str(Path(inputs) / f"sources-{number}.json"), *signing, "--allow",
        "no-engine", "--json"]


def is_pair(bundle_bytes, sources_bytes, number):
    """Whether two files are the pair of one release."""
    return bundle_bytes == bundle(number) and sources_bytes == sources(number)


def whole_release(folder, content):
    """Why a release folder of a store is not the whole release with this content; `None` when it is."""
    folder = Path(folder)
    try:
        manifest = (folder / MANIFEST).read_bytes()
        pair = (folder / BUNDLE).read_bytes(), (folder / SOURCES).read_bytes()
    except OSError as error:
        return f"{folder.name}: {error.strerror}: {Path(error.filename).name}"
    if folder.name.split("-")[1] != sha256(manifest)[:16]:
        return f"{folder.name}: the manifest has another digest than the name of its folder"
    if not is_pair(*pair, content):
        return f"{folder.name}: the two files are not the pair of release {content}"
    named = json.loads(manifest)
    if (named["bundle"]["sha256"], named["sources"]["sha256"]) != tuple(map(sha256, pair)):
        return f"{folder.name}: the manifest names other files"
    return None
