"""The built tool, run the way users run it, with a fault at one of its system calls when that is asked for."""

import json
import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

SHIM_SOURCE = Path(__file__).with_name("shim.c")
TIMEOUT_SECONDS = 30
#: Every error of a fault by the name that the command line uses.
ERRORS = {"EIO": 5, "EACCES": 13, "EPERM": 1, "ENOSPC": 28, "EINTR": 4}
RANDOM_NAME = re.compile(r"(\.tmp-(?:probe-)?|replaced-|incoming/\d+-)[0-9a-f]+")


@dataclass(frozen=True)
class Call:
    """One system call of the tool on the folder that is watched."""

    ordinal: int
    name: str
    path: str
    other: str
    number: int
    result: int
    data: bytes = b""

    @property
    def place(self):
        """The path or paths, without what is random in them."""
        paths = [self.path] if self.other == "-" else [self.path, self.other]
        return " -> ".join(RANDOM_NAME.sub(r"\1*", path) for path in paths)

    @property
    def creates(self):
        """Whether it makes a file."""
        return self.name in ("openat", "open") and bool(self.number & os.O_CREAT)

    @property
    def changes(self):
        """Whether it may change what is on the disk, or what is safe there."""
        changing = ("write", "fsync", "fdatasync", "ftruncate", "fchmod", "mkdirat", "unlinkat", "renameat", "renameat2")
        return self.creates or self.name in changing


@dataclass(frozen=True)
class Fault:
    """What happens at which call: kill, cut, short, or an error; `none` only watches."""

    kind: str = "none"
    ordinal: int = 0

    @property
    def variable(self):
        """The form that the shim reads."""
        return f"{self.ordinal}:{ERRORS.get(self.kind, self.kind)}"


@dataclass
class Answer:
    """What a run of the tool left: its status, which is negative for a signal, and what it said."""

    arguments: list
    status: int
    output: str
    errors: str
    calls: list = field(default_factory=list)

    @property
    def was_killed(self):
        """Whether the fault ended it."""
        return self.status == -signal.SIGKILL

    @property
    def json(self):
        """The object that `--json` prints; an empty one when there is none."""
        try:
            return json.loads(self.output)
        except ValueError:
            return {}

    def __str__(self):
        return f"parser-ota {' '.join(self.arguments)} -> {self.status}: {(self.errors or self.output).strip()[:400]}"


class SceneError(Exception):
    """An undisturbed run that did not do what it should."""


class Tool:
    """The executable, an environment that is the same in every run, and the shim."""

    def __init__(self, path, epoch, shim=None):
        self.path = str(path)
        self.shim = shim
        self.environment = {
            "PARSER_OTA_ENGINE": "/nonexistent/parser-ota-engine",
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C",
            # The same input gives the same bytes, and a set is walked in the same order each time.
            "SOURCE_DATE_EPOCH": str(epoch), "SWIFT_DETERMINISTIC_HASHING": "1", "SWIFT_BACKTRACE": "enable=no",
        }
        self._exits = {}

    def __call__(self, *arguments):
        """Runs a command line."""
        return self._run(list(arguments), self.environment)

    def must(self, *arguments):
        """Runs a command line of a scene, which has to succeed."""
        answer = self(*arguments)
        if answer.status != 0:
            raise SceneError(f"a scene cannot be played: {answer}")
        return answer

    def watched(self, root, fault, log, *arguments, disk=None):
        """Runs a command line under the shim; the answer has the calls on what is below `root`."""
        log = Path(log)
        log.unlink(missing_ok=True)
        environment = dict(self.environment, LD_PRELOAD=self.shim, SWEEP_ROOT=str(root), SWEEP_LOG=str(log))
        if fault.kind != "none":
            environment["SWEEP_FAULT"] = fault.variable
        if disk:
            environment["SWEEP_DISK"] = str(disk)
        answer = self._run(list(arguments), environment)
        answer.calls = read_log(log)
        return answer

    def _run(self, arguments, environment):
        try:
            done = subprocess.run(
                [self.path, *arguments], env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                timeout=TIMEOUT_SECONDS, close_fds=False)
        except subprocess.TimeoutExpired:
            return Answer(arguments, 124, "", f"no end after {TIMEOUT_SECONDS} s")
        return Answer(
            arguments, done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

    def documented_exits(self, arguments):
        """The exit statuses that the help of the verb lists."""
        words = []
        for word in arguments:
            if word.startswith("-"):
                break
            words.append(word)
        key = tuple(words)
        if key not in self._exits:
            text = self(*words, "--help").output.partition("exit status:")[2]
            self._exits[key] = {int(number) for number in re.findall(r"^\s+(\d+)\s", text, re.MULTILINE)}
        return self._exits[key]


def read_log(log):
    """The calls that the shim wrote down."""
    if not log.exists():
        return []
    calls = []
    for line in log.read_text().splitlines():
        ordinal, name, path, other, number, result, data = line.split("\t")
        calls.append(Call(int(ordinal), name, path, other, int(number), int(result), bytes.fromhex(data)))
    return calls


def build_shim(folder):
    """Compiles the shim into a folder; `None` when there is no compiler for C."""
    compiler = next((found for name in ("cc", "clang", "gcc") if (found := shutil.which(name))), None)
    if not compiler:
        return None
    target = Path(folder) / "shim.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", target, SHIM_SOURCE, "-ldl"], check=True)
    return str(target)


def built_tool(root):
    """The tool of these very sources, which is built when they have changed."""
    build = ["swift", "build", "--product", "parser-ota"]
    subprocess.run(build, cwd=root, check=True, stdout=subprocess.DEVNULL)
    path = subprocess.run([*build, "--show-bin-path"], cwd=root, check=True, capture_output=True, text=True)
    return Path(path.stdout.strip()) / "parser-ota"
