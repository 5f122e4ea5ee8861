/// The page that people see who open the address of a feed; static, so that it never has to change with a release.
enum FeedPage {
  static func html(isSigned: Bool) -> String { isSigned ? head + signatures + script : head + script }

  private static let signatures = """
    <p>Everything here is signed: <a href="metadata/timestamp.json">metadata/</a> is a repository of The Update Framework
      with its targets in files/, and apps accept nothing that its keys did not sign.</p>

    """

  private static let head = """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Parser feed</title>
    <style>
      body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem; }
    </style>
    <h1>Parser feed</h1>
    <p>This is a feed of parser releases. Apps read it by themselves; there is nothing to install from here.</p>
    <p>Newest release: <strong id="version">see manifest.json</strong> <span id="released"></span></p>
    <p id="notes"></p>
    <p><a href="manifest.json">manifest.json</a> describes the newest release: its number, its parser bundle and its
      source catalog, each with size and SHA-256 digest.</p>

    """

  private static let script = """
    <script>
      fetch("manifest.json", { cache: "no-store" })
        .then(function (answer) { return answer.json(); })
        .then(function (manifest) {
          document.getElementById("version").textContent = String(manifest.version);
          document.getElementById("released").textContent = manifest.released ? "of " + manifest.released : "";
          document.getElementById("notes").textContent = manifest.notes || "";
        })
        .catch(function () {});
    </script>
    </html>

    """
}
