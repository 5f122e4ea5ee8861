"""The sweep: each operation once for each of its system calls and each kind of fault, in two processes at a time."""

import multiprocessing
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from . import archive, device, feed, findings, foreign, order, witness
from .scenes import Scenes
from .tool import Fault, SceneError, Tool

KINDS = ("kill", "EIO", "EACCES", "EPERM", "ENOSPC", "EINTR", "short")
WORKERS = 2
#: How many points one job of a worker has at most, so that both are busy to the end.
SHARE = 120
GROWING = ("write", "fsync", "fdatasync", "mkdirat", "renameat", "renameat2", "ftruncate")


@dataclass
class Violation:
    """Something that is wrong after one fault, and how to see it again."""

    operation: str
    fault: Fault
    call: str
    text: str

    def __str__(self):
        kind = {"model": "--model", "cut": "--power-cut"}.get(self.fault.kind, f"--fault {self.fault.kind}")
        again = f"ci/crash-sweep --operation {self.operation} {kind} --point {self.fault.ordinal}"
        return f"{self.operation}: {self.fault.kind} at {self.call}: {self.text}\n    again: {again}"


@dataclass
class Outcome:
    """What came of the points of one operation."""

    operation: str
    calls: int = 0
    tried: Counter = field(default_factory=Counter)
    violations: list = field(default_factory=list)
    #: Points whose call was another one than in the undisturbed run, or did not come.
    drifted: int = 0

    def add(self, other):
        """Takes in the outcome of another share."""
        self.calls = max(self.calls, other.calls)
        self.tried += other.tried
        self.violations += other.violations
        self.drifted += other.drifted


def all_operations():
    """Every operation by its name, in the order of the table."""
    listed = device.operations() + feed.operations() + foreign.operations() + archive.operations()
    return {operation.name: operation for operation in listed}


def make_check(scenes, operation):
    """The look at what an operation leaves."""
    checks = {"device": device.DeviceCheck, "feed": feed.FeedCheck, "foreign": foreign.ForeignCheck,
              "archive": archive.ExportCheck}
    return checks[operation.side](scenes, operation)


def faults_at(call):
    """The kinds of faults that this call can meet."""
    if call.changes or call.name == "flock":
        yield "kill"
    yield "EIO"
    yield "EACCES"
    yield "EPERM"
    if call.creates or call.name in GROWING:
        yield "ENOSPC"
    if device.must_succeed(Fault("EINTR", call.ordinal), call):
        yield "EINTR"
    if call.name in ("write", "read") and call.result > 1:
        yield "short"


def remarks(check, *moment, **more):
    """What is wrong with what an operation left; what cannot even be read is wrong too."""
    try:
        return list(check.violations(*moment, **more))
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [f"what is left cannot be read: {error!r}"]


def points_of(calls):
    """Every fault at every call, in the order of the calls."""
    return [(Fault(kind, call.ordinal), call) for call in calls for kind in faults_at(call)]


def spread(points, count):
    """`count` of the points, evenly spread."""
    if count is None or count >= len(points):
        return points
    return [points[index * len(points) // count] for index in range(count)]


class Worker:
    """One process of the sweep with a folder of its own."""

    def __init__(self, folder, settings):
        self.settings = settings
        self.folder = Path(folder)
        self.log = self.folder / "calls.log"
        self.scenes = Scenes(self.folder / "scenes", Tool(settings.tool, settings.epoch, settings.shim))
        self.scenes.play()
        self._checks = {}

    def check(self, name):
        """The prepared check of an operation, and the calls of its undisturbed run."""
        if name not in self._checks:
            check = make_check(self.scenes, all_operations()[name])
            check.prepare()
            self._checks[name] = check, self._watch(check, Fault()).calls
        return self._checks[name]

    def _watch(self, check, fault):
        check.restore()
        return check.scenes.tool.watched(check.scenes.area, fault, self.log, *check.command)

    def run(self, name, share, shares, count):
        """Every `shares`-th of the chosen points of an operation."""
        check, calls = self.check(name)
        points = [
            (fault, call) for fault, call in points_of(calls)
            if self.settings.kinds is None or fault.kind in self.settings.kinds]
        if self.settings.point is not None:
            points = [(fault, call) for fault, call in points if fault.ordinal == self.settings.point]
        if self.settings.findings:
            points = [(fault, call) for fault, call in points if findings.is_finding(name, fault, call)]
        outcome = Outcome(name, len(calls))
        if share == 0 and not self.settings.findings:
            outcome.violations += self._undisturbed(check, calls)
        kept = [point for point in points if self.settings.every_kill and point[0].kind == "kill"]
        rest = [point for point in points if not kept or point[0].kind != "kill"]
        for fault, call in (kept + spread(rest, count))[share::shares]:
            self._try(check, fault, call, outcome)
        return outcome

    def _undisturbed(self, check, calls):
        """What is wrong with the run without a fault: a change without its lock, or calls that the shim misses."""
        texts = order.unlocked(check.operation.side, calls)
        if self.settings.strace:
            check.restore()
            texts += witness.differences(check, calls, self.log)
        return [Violation(check.operation.name, Fault(), "no call", text) for text in texts]

    def _try(self, check, fault, call, outcome):
        answer = self._watch(check, fault)
        hit = next((found for found in answer.calls if found.ordinal == fault.ordinal), None)
        if hit is None or (hit.name, hit.place) != (call.name, call.place):
            outcome.drifted += 1
        usual = getattr(check.operation, "refusal", None) or 0
        problems = device.tool_violations(check.scenes.tool, answer, fault, call, usual)
        problems += remarks(check, answer, fault, call)
        outcome.tried[fault.kind] += 1
        where = f"call {call.ordinal}, {call.name} {call.place}"
        outcome.violations += [Violation(outcome.operation, fault, where, text) for text in problems]


_worker = None


class IdleWorker:
    """Stands in for a worker whose scenes cannot be played, since a pool replaces a process that ends."""

    def __init__(self, error):
        self.error = error

    def run(self, *_):
        """Says what is wrong."""
        raise self.error


def _start_worker(kind, settings):
    global _worker
    # The command turns the signal into an orderly end of its own; a worker just ends.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        _worker = kind(settings.folder / multiprocessing.current_process().name, settings)
    except SceneError as error:
        _worker = IdleWorker(error)


def _run_job(job):
    name, share, *rest = job
    try:
        return _worker.run(name, share, *rest)
    except SceneError as error:
        outcome = Outcome(name)
        if share == 0:
            outcome.tried["scene"] += 1
            outcome.violations.append(Violation(name, Fault(), "no call", str(error)))
        return outcome


def shares_of(operation, count):
    """Into how many jobs an operation is cut: feeds are read a lot, so they have many more calls."""
    expected = count or (400 if operation.side == "device" else 1200)
    return max(1, expected // SHARE)


def sweep(kind, settings, names, total, report):
    """Runs the points of the named operations in workers of a kind; `total` bounds their number, `None` means all."""
    started = time.monotonic()
    operations = all_operations()
    count = None if total is None else max(1, total // len(names))
    jobs = []
    for name in names:
        shares = shares_of(operations[name], count)
        jobs += [(name, share, shares, count) for share in range(shares)]
    outcomes = {name: Outcome(name) for name in names}
    workers = min(WORKERS, len(jobs))
    with multiprocessing.get_context("fork").Pool(workers, _start_worker, (kind, settings)) as pool:
        for done, outcome in enumerate(pool.imap_unordered(_run_job, jobs), 1):
            outcomes[outcome.operation].add(outcome)
            report(outcome)
            if sys.stderr.isatty():
                points = sum(sum(found.tried.values()) for found in outcomes.values())
                print(f"  {done} of {len(jobs)} jobs, {points} so far, {outcome.operation}", file=sys.stderr)
    return list(outcomes.values()), time.monotonic() - started
