"""What ci/page does in the browser; see there."""

import functools
import http.server
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import axe_playwright_python
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

TOOL = sys.argv[1]
PICTURES = pathlib.Path(sys.argv[3]) if sys.argv[2:3] == ["--pictures"] else None
AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
WIDTHS = {"phone": 390, "tablet": 820, "desktop": 1280}
HOSTILE = [
    "<script>window.hacked=1</script>", "\"><img src=x onerror=\"window.hacked=1\">", "</title></style></script><b>x",
    "<svg onload=window.hacked=1>", "' onmouseover='window.hacked=1", "&lt;b&gt; &amp;amp;", "\u202egnitpircs\u202c",
    "javascript:window.hacked=1", "<!-- ", "]]>", "{{7*7}} ${7*7}", "\u0000\u0007\u001b[31m", "عنوان طويل 漫画 🀄", "x" * 300,
]
failures = []


def check(fine, what):
    print(("ok      " if fine else "FAILED  ") + what)
    if not fine:
        failures.append(what)


def source(number, title=None, domain=None, family=None):
    return {
        "id": f"SOURCE_{number}", "className": f"Source{number}", "title": title or f"Source {number}",
        "locale": ["en", "fr", "pt-BR", "ja"][number % 4], "domain": domain or f"s{number}.example",
        "family": family or ["MadaraParser", "GuyaParser", "PizzaReaderParser"][number % 3],
        "isNsfw": number % 10 == 9, "overrides": {},
    }


def run(folder, *words):
    result = subprocess.run([TOOL, *words], cwd=folder, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"ci/page: parser-ota {' '.join(words)}: {result.stderr}")


def write(folder, sources, marker):
    (folder / "sources.json").write_text(json.dumps(sources), encoding="utf-8")
    (folder / "bundle.js").write_text(
        f"globalThis.NyoraParsers = {{ getParser() {{ return '{marker}' }}, getAllSources() {{ return [] }} }};\n")


def publish(folder, *more):
    run(folder, "publish", "--feed", "feed", "--bundle", "bundle.js", "--sources", "sources.json", "--allow", "no-engine", "--allow", "catalog-fields",
        "--release-key", "release.pem", *more)


def feed(parent, name, sources, hostile=False, single=False):
    """A signed feed with a few releases and a roll back between them, or with a single release."""
    folder = parent / name
    folder.mkdir()
    for key in ("root", "release"):
        run(folder, "key", "generate", "--out", f"{key}.pem")
    run(folder, "init", "--feed", "feed", "--root-key", "root.pem", "--release-key", "release.pem",
        "--base-url", "https://parsers.example/feed/")
    write(folder, sources if single else sources[:-1], "one")
    publish(folder, "--notes", "First release")
    if single:
        return folder / "feed"
    write(folder, sources, "two")
    publish(folder, "--notes", "\n".join(HOSTILE[:4]) if hostile else "Asura: dates\nBeta: pages", "--minimum-app-version", "2.1.0")
    write(folder, sources[:-1], "three")
    publish(folder, "--notes", "A slip", "--allow", "ids-removed")
    run(folder, "rollback", "--feed", "feed", "--to", "2", "--release-key", "release.pem", "--yes")
    write(folder, sources, "four")
    publish(folder, "--notes", "Asura: chapter titles and dates")
    return folder / "feed"


class Quiet(http.server.SimpleHTTPRequestHandler):
    asked = []

    def log_message(self, *_):
        self.asked.append(self.path)


def serve(folder):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_address[1]}/"


def browser(width, script=True, dark=False):
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--window-size={width},900"):
        options.add_argument(word)
    if dark:
        options.add_argument("--force-dark-mode")
    if not script:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
    if dark:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                               {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    return driver


def accessibility(driver, name):
    # The page's own policy holds for scripts of the page; the driver's runs beside it.
    driver.execute_script(AXE)
    report = driver.execute_async_script(
        "const done = arguments[arguments.length - 1]; axe.run(document, {resultTypes: ['violations']}).then(done)")
    found = [f"{v['id']} ({len(v['nodes'])}): {v['nodes'][0]['html'][:120]}" for v in report["violations"]]
    check(not found, f"accessibility, {name}: {'; '.join(found) or 'no violation'}")


def visible(driver):
    return driver.execute_script("return [...document.querySelectorAll('#table tbody tr')].filter(r => r.offsetParent).length")


def search(driver, text):
    """Milliseconds of script until the search has been answered."""
    return driver.execute_script(
        "const q = document.getElementById('q'); q.value = arguments[0]; const t = performance.now();"
        "q.dispatchEvent(new Event('input')); return performance.now() - t", text)


def people(folder):
    server, url = serve(folder)
    for name, width in WIDTHS.items():
        for dark in (False, True):
            driver = browser(width, dark=dark)
            driver.get(url)
            wide = driver.execute_script("return document.documentElement.scrollWidth")
            check(wide <= width, f"{name}: nothing but the table scrolls sideways ({wide} of {width})")
            accessibility(driver, f"{name}{', dark' if dark else ''}")
            if PICTURES and (not dark or name == "desktop"):
                PICTURES.mkdir(parents=True, exist_ok=True)
                driver.save_screenshot(str(PICTURES / f"page-{name}{'-dark' if dark else ''}.png"))
            driver.quit()
    driver = browser(1280)
    driver.get(url)
    rows = visible(driver)
    check(rows == 36, f"adult sources are hidden at first ({rows} rows)")
    driver.find_element(By.ID, "adult").send_keys(Keys.SPACE)
    check(visible(driver) == 40, "and shown by the keyboard alone")
    search(driver, "source 12")
    check(visible(driver) == 1, "the search finds one source")
    check(driver.find_element(By.ID, "count").text == "1 of 40 sources", "and says so to screen readers")
    search(driver, "")
    driver.execute_script("const s = document.querySelector('select[data-column=\"1\"]'); s.value = 'fr';"
                          "s.dispatchEvent(new Event('change'))")
    check(visible(driver) == 10, "the filter of languages counts")
    driver.get(url)
    driver.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    first = driver.execute_script("return document.activeElement.className")
    check(first == "skip", f"the first key leads to the content ({first})")
    driver.quit()
    driver = browser(1280, script=False)
    driver.get(url)
    body = driver.find_element(By.TAG_NAME, "body").text
    check("release 5" in body and "SOURCE_12" in body and "A slip" in body, "without script everything is there")
    check(not driver.find_element(By.ID, "filters").is_displayed(), "and no search that would do nothing")
    driver.find_element(By.ID, "adult").click()
    check(driver.find_element(By.CSS_SELECTOR, "tr[data-a]").is_displayed(), "and adult sources can be shown")
    driver.quit()
    server.shutdown()


def hostile(folder):
    Quiet.asked.clear()
    server, url = serve(folder)
    driver = browser(1280)
    driver.get(url)
    time.sleep(0.3)
    check(driver.execute_script("return window.hacked === undefined"), "no hostile text became script")
    allowed = driver.execute_script("return document.querySelectorAll('script').length === 1 && "
                                    "document.querySelectorAll('img,svg,iframe,b').length === 0")
    check(allowed, "no hostile text became an element")
    links = driver.execute_script("return [...document.links].map(a => a.href).filter(h => !/^https?:/.test(h))")
    check(not links, f"every link is one of the web {links}")
    check(set(Quiet.asked) <= {"/", "/favicon.ico"}, f"nothing else is asked for {sorted(set(Quiet.asked))}")
    blocked = driver.execute_script(
        "return new Promise(done => { const s = document.createElement('script'); s.textContent = 'window.late = 1';"
        "document.body.append(s); setTimeout(() => done(window.late === undefined), 50) })")
    check(blocked, "the policy of the page refuses a script that was added to it")
    problems = [entry["message"] for entry in driver.get_log("browser")
                if "favicon" not in entry["message"] and "Content Security Policy" not in entry["message"]]
    check(not problems, f"the browser complains of nothing {problems[:2]}")
    accessibility(driver, "hostile")
    driver.quit()
    server.shutdown()


def large(folder):
    size = (folder / "index.html").stat().st_size
    server, url = serve(folder)
    driver = browser(1280)
    driver.get(url)
    paint = driver.execute_script(
        "const p = performance.getEntriesByName('first-contentful-paint')[0]; return p ? p.startTime : -1")
    driver.execute_cdp_cmd("Profiler.enable", {})
    driver.execute_cdp_cmd("Profiler.start", {})
    driver.refresh()
    profile = driver.execute_cdp_cmd("Profiler.stop", {})["profile"]
    own = {node["id"] for node in profile["nodes"] if node["callFrame"]["url"].startswith(url)}
    spent = sum(delta for sample, delta in zip(profile["samples"], profile["timeDeltas"]) if sample in own) / 1000
    check(spent < 100, f"10 000 sources: {spent:.1f} ms of script until the page is there ({size / 1e6:.1f} MB, paint at {paint:.0f} ms)")
    times = [search(driver, text) for text in ("source 77", "s", "madara", "zzz", "")]
    check(max(times) < 100, "10 000 sources: a search takes " + ", ".join(f"{t:.0f}" for t in times) + " ms of script")
    search(driver, "source 777")
    check(visible(driver) == 10, f"and finds {visible(driver)}")
    driver.quit()
    server.shutdown()


def main():
    with tempfile.TemporaryDirectory() as name:
        parent = pathlib.Path(name)
        few = feed(parent, "few", [source(n) for n in range(40)])
        people(few)
        rest = (few / "index.html").stat().st_size
        check(rest < 60_000 + 40 * 400, f"40 sources: {rest} bytes")
        nasty = [source(n, title, title[:200] if n % 2 else None, title[:60]) for n, title in enumerate(HOSTILE)]
        for entry in nasty:
            entry["domain"] = entry["domain"].replace("\x00", "")
        hostile(feed(parent, "hostile", [source(99)] + nasty, hostile=True))
        large(feed(parent, "large", [source(n) for n in range(10_000)], single=True))
    if failures:
        sys.exit(f"ci/page: {len(failures)} failed")
    print("ci/page: all fine")


main()
