"""Runs the pipelines under ci/ step by step as their hosts do, on repositories of this machine.

    pipelines.py github WORLD WORKFLOW [NAME=VALUE…]    a workflow with its inputs
    pipelines.py gitlab WORLD JOB[,JOB…] [NAME=VALUE…]  jobs in this order, with variables

WORLD has: root (the package), origin.git (branches main and feed), dist (archives), bin (stand-ins for npm, gh, apt-get, sudo),
key (the release key). Left there: site (what is served), artifacts, log (the calls of stand-ins), spread (every place that a
secret reached: job, step). Ends with 1 when a step fails, and says which.
"""

import functools
import hashlib
import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import yaml

VERSION = "0.1.0"
# What a job may take of this machine's environment.
BASE = {"PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8"}


class Failed(Exception):
    """A step that failed, by its job and name."""


class World:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.root = Path(os.readlink(self.folder / "root"))
        self.key = (self.folder / "key").read_text()
        archive = next((self.folder / "dist").glob("*.tar.gz"))
        self.version = re.match(r"parser-ota-([0-9.]+)-linux", archive.name)[1]
        self.sha256 = hashlib.sha256(archive.read_bytes()).hexdigest()
        self.path = f"{self.folder / 'bin'}:{BASE['PATH']}"
        self.seconds = {}

    def environment(self, home, **more):
        return {**BASE, "PATH": self.path, "HOME": str(home), "WORLD": str(self.folder), "CI": "true", **more}

    def serve(self):
        """Serves what was deployed, at an address of its own."""
        site = self.folder / "site"
        site.mkdir(exist_ok=True)

        class Quiet(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}/"

    def note_secrets(self, where, environment):
        """Writes down where a secret is in the environment of a step."""
        if any(self.key.strip()[:40] in value for value in environment.values()):
            with open(self.folder / "spread", "a", encoding="utf-8") as file:
                file.write(where + "\n")

    def shell(self, script, environment, cwd, where, shell=("/bin/bash", "--noprofile", "--norc", "-eo", "pipefail")):
        self.note_secrets(where, environment)
        with tempfile.NamedTemporaryFile("w", suffix=".sh", delete=False) as file:
            file.write(script)
        result = subprocess.run([*shell, file.name], env=environment, cwd=cwd, capture_output=True, text=True, timeout=600,
                                stdin=subprocess.DEVNULL, check=False)
        os.unlink(file.name)
        print(f"--- {where}\n{result.stdout}{result.stderr}", end="")
        if self.key.strip()[:40] in result.stdout + result.stderr:
            raise Failed(f"{where} printed the key")
        if result.returncode:
            raise Failed(f"{where} ended with {result.returncode}")


def copy(source, target):
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True, symlinks=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


class GitHub:
    def __init__(self, world, inputs):
        self.world, self.inputs = world, inputs
        self.url = world.serve()

    def run(self, name):
        workflow = yaml.safe_load((self.world.root / "ci/github" / name).read_text(encoding="utf-8"))
        needs = {}
        for job_name, job in workflow["jobs"].items():
            wanted = [job.get("needs", [])] if isinstance(job.get("needs"), str) else job.get("needs", [])
            condition = job.get("if", "")
            if "failure()" in condition:
                continue
            if any(need not in needs for need in wanted) and "always()" not in condition:
                continue
            context = {"needs": needs, "env": workflow.get("env", {}), "steps": {}}
            if condition and not self.evaluate(condition, context, None):
                continue
            if "uses" in job:
                self.run(job["uses"].rsplit("/", 1)[1])
                needs[job_name] = {}
                continue
            assert job["permissions"] is not None and "timeout-minutes" in job, job_name
            needs[job_name] = Job(self, name, job_name, job, context).run()

    def evaluate(self, text, context, workspace):
        """The value of one expression."""
        def value(path):
            if path == "inputs" or path.startswith("inputs."):
                return self.inputs.get(path[7:], "")
            if path.startswith("secrets."):
                return self.world.key
            if path.startswith("github."):
                known = {"sha": "1" * 40, "actor": "maintainer", "token": "the-token", "repository": "owner/repository",
                         "server_url": "https://github.com", "run_id": "7", "run_attempt": "1", "ref": "refs/heads/main",
                         "action_repository": "owner/parser-ota", "event.pull_request.number": "5",
                         "event.pull_request.head.repo.full_name": "owner/repository"}
                return known[path[7:]]
            node = context
            for part in path.split("."):
                node = node.get(part, "") if isinstance(node, dict) else ""
            return node

        def file_hash(pattern):
            return "x" if (workspace / pattern).exists() else ""

        tokens = re.sub(r"'[^']*'|&&|\|\||\b[a-z_]+(?:\.[A-Za-z_][\w-]*)+|\b(?:always|failure)\(\)",
                        lambda match: {"&&": " and ", "||": " or ", "always()": "True", "failure()": "False"}.get(
                            match[0], match[0] if match[0].startswith("'") else f"value({match[0]!r})"), text)
        return eval(tokens, {"value": value, "hashFiles": file_hash, "__builtins__": {}})  # pylint: disable=eval-used

    def filled(self, text, context, workspace):
        return re.sub(r"\$\{\{\s*(.*?)\s*\}\}", lambda match: str(self.evaluate(match[1], context, workspace)), str(text))


class Job:
    def __init__(self, host, workflow, name, job, context):
        self.host, self.world, self.job, self.context = host, host.world, job, context
        self.name = f"{workflow}/{name}"
        self.workspace = Path(tempfile.mkdtemp(dir=self.world.folder))
        self.temporary = Path(tempfile.mkdtemp(dir=self.world.folder))
        self.paths = []

    def run(self):
        changed = {"TOOL_VERSION": self.world.version, "TOOL_SHA256": self.world.sha256, "FEED_URL": self.host.url}
        self.context["env"] = {key: changed.get(key, value) for key, value in self.context["env"].items()}
        failed = None
        for number, step in enumerate(self.job["steps"]):
            where = f"{self.name}: {step.get('name', step.get('uses', number))}"
            condition = step.get("if", "")
            if failed and "always()" not in condition:
                continue
            if condition and not self.host.evaluate(condition, self.context, self.workspace):
                continue
            try:
                self.step(step, where)
            except Failed as error:
                failed = failed or error
        shutil.rmtree(self.workspace)
        shutil.rmtree(self.temporary)
        if failed:
            raise failed
        outputs = self.job.get("outputs", {})
        return {"outputs": {key: self.host.filled(value, self.context, None) for key, value in outputs.items()}}

    def step(self, step, where):
        fill = lambda text: self.host.filled(text, self.context, self.workspace)
        extra = {key: fill(value) for key, value in step.get("env", {}).items()}
        if "run" in step:
            assert "${{" not in step["run"], f"{where}: an input inside a script"
            self.shell(step["run"], step.get("id"), extra, self.workspace / step.get("working-directory", "."), where)
            return
        inputs = {key: fill(value) for key, value in step.get("with", {}).items()}
        action, _, commit = step["uses"].partition("@")
        assert re.fullmatch(r"[0-9a-f]{40}", commit), f"{where}: {step['uses']} is not pinned by commit"
        if action == "OWNER/parser-ota/ci/github/action":
            self.composite(inputs, step.get("id"), extra, where)
        else:
            getattr(self, action.replace("actions/", "").replace("-", "_").replace("/", "_"))(inputs)

    def shell(self, script, step_id, extra, cwd, where):
        outputs = self.temporary / "outputs"
        for name in ("outputs", "path", "summary"):
            (self.temporary / name).write_text("")
        home = self.world.folder / "home"
        home.mkdir(exist_ok=True)
        environment = self.world.environment(
            home, GITHUB_OUTPUT=str(outputs), GITHUB_PATH=str(self.temporary / "path"), GITHUB_ACTIONS="true",
            GITHUB_STEP_SUMMARY=str(self.temporary / "summary"), RUNNER_TEMP=str(self.temporary), GITHUB_RUN_ID="7",
            GITHUB_SERVER_URL="https://github.com", WAIT_SECONDS="0.1",
            **{key: str(value) for key, value in self.context["env"].items()}, **extra)
        environment["PATH"] = ":".join([*self.paths, environment["PATH"]])
        environment["PARSER_OTA_ENGINE"] = environment.get("PARSER_OTA_ENGINE", os.environ.get("STAND_IN", ""))
        self.world.shell(script, environment, cwd, where)
        self.paths += (self.temporary / "path").read_text().split()
        if step_id:
            lines = [line.split("=", 1) for line in outputs.read_text().splitlines() if "=" in line]
            self.context["steps"].setdefault(step_id, {}).setdefault("outputs", {}).update(dict(lines))

    def composite(self, inputs, step_id, extra, where):
        folder = self.world.root / "ci/github/action"
        action = yaml.safe_load((folder / "action.yml").read_text(encoding="utf-8"))
        values = {key: spec.get("default", "") for key, spec in action["inputs"].items()}
        assert set(inputs) <= set(values), inputs
        values |= inputs | {"from": str(self.world.folder / "dist")}
        outer, outer_inputs = self.context, self.host.inputs
        inner = {"env": outer["env"], "steps": {}, "needs": {}}
        self.context, self.host.inputs = inner, values
        try:
            for part in action["runs"]["steps"]:
                if "if" in part and not self.host.evaluate(part["if"], inner, self.workspace):
                    continue
                environment = {key: self.host.filled(value, inner, self.workspace) for key, value in part["env"].items()}
                environment |= extra | {"GITHUB_ACTION_PATH": str(folder)}
                self.shell(part["run"], part.get("id"), environment, self.workspace, f"{where} ({part['name']})")
            results = {key: self.host.filled(spec["value"], inner, None) for key, spec in action["outputs"].items()}
        finally:
            self.context, self.host.inputs = outer, outer_inputs
        if step_id:
            self.context["steps"][step_id] = {"outputs": results}

    # What the actions of the host do.

    def checkout(self, inputs):
        assert inputs["persist-credentials"] == "False", "credentials stay on disk"
        target = self.workspace / inputs.get("path", ".")
        subprocess.run(["/usr/bin/git", "clone", "--quiet", "--branch", inputs.get("ref", "main"),
                        str(self.world.folder / "origin.git"), str(target)], check=True, env=BASE | {"HOME": "/nonexistent"})

    def setup_node(self, inputs):
        assert inputs["node-version"]

    def upload_artifact(self, inputs):
        for path in inputs["path"].split():
            source = self.workspace / path
            target = self.world.folder / "artifacts" / inputs["name"]
            copy(source, target if source.is_dir() else target / source.name)

    def download_artifact(self, inputs):
        copy(self.world.folder / "artifacts" / inputs["name"], self.workspace)

    def cache_restore(self, inputs):
        if (self.world.folder / "cache").exists():
            copy(self.world.folder / "cache", self.workspace / inputs["path"])

    def cache_save(self, inputs):
        shutil.rmtree(self.world.folder / "cache", ignore_errors=True)
        copy(self.workspace / inputs["path"], self.world.folder / "cache")

    def upload_pages_artifact(self, inputs):
        shutil.rmtree(self.world.folder / "pages", ignore_errors=True)
        copy(self.workspace / inputs["path"], self.world.folder / "pages")

    def deploy_pages(self, _):
        shutil.rmtree(self.world.folder / "site", ignore_errors=True)
        copy(self.world.folder / "pages", self.world.folder / "site")


class Loader(yaml.SafeLoader):
    """Keeps the references of GitLab, which are resolved once everything is read."""


class Reference(list):
    pass


Loader.add_constructor("!reference", lambda loader, node: Reference(loader.construct_sequence(node)))


class GitLab:
    def __init__(self, world, variables):
        self.world, self.variables = world, variables
        component = (world.root / "ci/gitlab/component.yml").read_text(encoding="utf-8")
        head, _, body = component.partition("\n---\n")
        inputs = {key: spec.get("default", "") for key, spec in yaml.safe_load(head)["spec"]["inputs"].items()}
        releases = world.folder / "releases" / f"v{world.version}"
        if not releases.exists():
            copy(world.folder / "dist", releases)
        inputs |= {"version": world.version, "sha256": world.sha256, "from": str(world.folder / "releases")}
        self.config = yaml.load(re.sub(r"\$\[\[ inputs\.(\w+) \]\]", lambda m: inputs[m[1]], body), Loader)
        for name in ("publish", "refresh", "check", "survey"):
            self.config |= yaml.load((world.root / f"ci/gitlab/{name}.yml").read_text(encoding="utf-8"), Loader)

    def resolve(self, value):
        if isinstance(value, Reference):
            node = self.config
            for part in value:
                node = node[part]
            return self.resolve(node)
        if isinstance(value, list):
            return [self.resolve(item) for item in value]
        return value

    def job(self, name):
        job = self.config[name]
        if "extends" not in job:
            return dict(job)
        base = self.job(job["extends"])
        variables = base.get("variables", {}) | job.get("variables", {})
        return base | job | {"variables": variables}

    def run(self, name):
        job = self.job(name)
        assert not job.get("resource_group") or job.get("resource_group") in ("parser-feed", "parser-pages"), name
        workspace, home = (Path(tempfile.mkdtemp(dir=self.world.folder)) for _ in range(2))
        origin = self.world.folder / "origin.git"
        if job["variables"].get("GIT_STRATEGY") != "none" if "variables" in job else True:
            subprocess.run(["/usr/bin/git", "clone", "--quiet", "--branch", "main", str(origin), str(workspace)], check=True,
                           env=BASE | {"HOME": "/nonexistent"})
        artifacts = self.world.folder / "artifacts"
        if artifacts.exists():
            copy(artifacts, workspace)
        for path in job.get("cache", {}).get("paths", []):
            if (self.world.folder / "cache").exists():
                copy(self.world.folder / "cache", workspace / path)
        # The variables of an environment are seen by its jobs alone.
        secrets = {"PARSER_OTA_RELEASE_KEY": self.world.key, "FEED_TOKEN": "the-token"} \
            if job.get("environment") == "parser-feed" else {}
        secrets |= {"ISSUE_TOKEN": "the-token"} if job.get("environment") == "parser-survey" else {}
        variables = self.config["variables"] | {key: str(value) for key, value in job.get("variables", {}).items()}
        if os.environ.get("STAND_IN") and not variables.get("PARSER_OTA_ENGINE"):
            variables["PARSER_OTA_ENGINE"] = os.environ["STAND_IN"]
        environment = self.world.environment(
            home, CI_SERVER_URL=str(self.world.folder), CI_PROJECT_PATH="origin", CI_SERVER_HOST="gitlab.example",
            CI_COMMIT_SHA="1" * 40, GITLAB_USER_LOGIN="maintainer", CI_REPOSITORY_URL=str(origin),
            CI_API_V4_URL=os.environ.get("API", ""), CI_PROJECT_ID="3", TMPDIR=str(home), **variables, **self.variables, **secrets)
        for key, value in list(environment.items()):
            environment[key] = re.sub(r"^\$(\w+)$", lambda m: environment.get(m[1], ""), value)
        lines = [*self.resolve(job.get("before_script", [])), *self.resolve(job["script"])]
        script = "\n".join(line for part in lines for line in (part if isinstance(part, list) else [part]))
        try:
            self.world.shell(script, environment, workspace, name)
        finally:
            for path in job.get("cache", {}).get("paths", []):
                shutil.rmtree(self.world.folder / "cache", ignore_errors=True)
                copy(workspace / path, self.world.folder / "cache")
        for path in job.get("artifacts", {}).get("paths", []):
            if not (workspace / path).exists():
                continue
            if path == "public":
                shutil.rmtree(self.world.folder / "site", ignore_errors=True)
                copy(workspace / path, self.world.folder / "site")
            else:
                copy(workspace / path, artifacts / path)


def main():
    host, folder, what, *pairs = sys.argv[1:]
    world = World(folder)
    values = dict(pair.split("=", 1) for pair in pairs)
    try:
        if host == "github":
            GitHub(world, values).run(what)
        else:
            jobs = GitLab(world, values)
            shutil.rmtree(world.folder / "artifacts", ignore_errors=True)
            for job in what.split(","):
                jobs.run(job)
    except Failed as error:
        print(f"FAILED {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
