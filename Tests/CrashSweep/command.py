"""The command line of the crash sweep."""

import argparse
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from . import findings, mutations, powercut, sweep, witness
from .tool import build_shim, built_tool

ROOT = Path(__file__).resolve().parents[2]
DESCRIPTION = """\
Disturbs parser-ota at its system calls on a store or a feed, and checks from outside what is left: what is launched
or served is one whole release, the right one; the state can be read; nothing confirmed is lost; the same command
again does its work; and nothing is left behind. Ends with 1 when anything of that does not hold, and with 77 when this
machine does not let it run.
"""
EPILOGUE = """\
faults:
  kill    SIGKILL before the call
  EIO, EACCES, EPERM, ENOSPC, EINTR
          the call fails once; what cannot be read is unknown: nothing is changed by it, and the command ends with 8
  short   half of a write or read goes through

examples:
  ci/crash-sweep                          a kill at every call that changes something, 400 of the other faults, and 400
                                          states and 100 cuts of the power, evenly spread: five minutes
  ci/crash-sweep --full                   every fault at every system call, every state that POSIX allows after a power
                                          cut, and an ext4 cut at every call that changes something: an hour
  ci/crash-sweep --model                  one of the three alone
  ci/crash-sweep --operation update --fault EIO --point 57
"""
MODES = {"sweep": sweep.Worker, "model": powercut.ModelWorker, "power-cut": powercut.DiskWorker}
COLUMNS = {"sweep": sweep.KINDS, "model": ("model",), "power-cut": ("cut",)}
UNITS = {"sweep": "points", "model": "states", "power-cut": "power cuts"}
#: How many points there are about when nothing else is asked for; kills of a sweep come on top.
SHORT = {"sweep": 400, "model": 400, "power-cut": 100}
SKIPPED = 77


@dataclass(frozen=True)
class Settings:
    """What is the same for all workers."""

    tool: Path
    epoch: int
    shim: str
    folder: Path
    kinds: tuple | None
    point: int | None
    strace: bool
    seed: int
    findings: bool
    every_kill: bool


def arguments_parser():
    """The options."""
    parser = argparse.ArgumentParser(
        prog="ci/crash-sweep", description=DESCRIPTION, epilog=EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--faults", dest="mode", action="store_const", const="sweep",
                      help="only faults at system calls")
    mode.add_argument("--model", dest="mode", action="store_const", const="model",
                      help="only power cuts on paper: no privileges needed")
    mode.add_argument("--power-cut", dest="mode", action="store_const", const="power-cut",
                      help="only power cuts of a mounted ext4: needs root")
    mode.add_argument("--mutations", dest="mode", action="store_const", const="mutations",
                      help="break builds on purpose and show what catches each; takes half an hour")
    parser.add_argument("--mutation", action="append", metavar="NAME", help="only this one; may be repeated")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--sample", type=int, metavar="N", help="about N points, evenly spread")
    size.add_argument("--full", action="store_true", help="every point")
    size.add_argument("--findings", action="store_true", help="only the points at which something was wrong once")
    parser.add_argument("--operation", action="append", metavar="NAME", help="only this operation; may be repeated")
    parser.add_argument("--fault", action="append", choices=sweep.KINDS, help="only this kind; may be repeated")
    parser.add_argument("--point", type=int, metavar="N", help="only the N-th call, or state, of one operation")
    parser.add_argument("--seed", type=int, default=1, help="for the random part of --model; 1 when left out")
    parser.add_argument("--tool", metavar="FILE", help="the parser-ota to disturb; built from these sources when left out")
    parser.add_argument("--work", metavar="DIR", help="where the folders are made; memory when left out")
    parser.add_argument("--list", action="store_true", help="list the operations, or the broken builds of --mutations, and end")
    return parser


def work_folder(given):
    """A folder in memory where there is one: what is tested does not depend on the disk, and it is much faster."""
    if given:
        return given
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def print_table(outcomes, kinds):
    """One row for each operation."""
    print(f"{'operation':28} {'calls':>6} " + " ".join(f"{kind:>7}" for kind in kinds) + f" {'violations':>11}")
    for outcome in outcomes:
        counts = " ".join(f"{outcome.tried[kind]:>7}" for kind in kinds)
        print(f"{outcome.operation:28} {outcome.calls:>6} {counts} {len(outcome.violations):>11}")


def chosen_modes(options):
    """All three ways, unless one is asked for; what singles out a fault is about the first."""
    if options.mode:
        return [options.mode]
    if options.findings or options.fault or options.point is not None:
        return ["sweep"]
    return list(MODES)


def run(mode, settings, names, options):
    """Runs one mode and prints what came of it; the exit status."""
    is_bounded = not (options.full or options.findings or options.point is not None)
    total = (options.sample or SHORT[mode]) if is_bounded else None

    def report(outcome):
        for violation in outcome.violations:
            print(f"violation: {violation}", flush=True)
    outcomes, seconds = sweep.sweep(MODES[mode], settings, names, total, report)
    print_table(outcomes, COLUMNS[mode])
    points = sum(sum(outcome.tried.values()) for outcome in outcomes)
    violations = sum(len(outcome.violations) for outcome in outcomes)
    if drifted := sum(outcome.drifted for outcome in outcomes):
        print(f"crash-sweep: at {drifted} points another call came than in the undisturbed run")
    seed = f", seed {options.seed}" if mode == "model" else ""
    print(f"crash-sweep: {points} {UNITS[mode]}, {violations} violations, {seconds:.0f} s{seed}", flush=True)
    return 1 if violations or not points else 0


def obstacle(mode):
    """Why this machine does not let the mode run; `None` when it does."""
    if mode == "power-cut" and not powercut.mounts_work():
        return "no power cuts, since this machine does not allow mounts of its own: that takes root and a loop device"
    return None


def run_in_folder(mode, tool, names, options):
    """Runs a mode with a folder that is there until it has ended."""
    folder = Path(tempfile.mkdtemp(prefix="crash-sweep-", dir=work_folder(options.work)))
    try:
        shim = build_shim(folder)
        if not shim:
            print("crash-sweep: skipped: there is no C compiler to make the shim with")
            return SKIPPED
        strace = witness.strace_works()
        if not strace:
            print("crash-sweep: strace does not work here, so nothing checks that the shim sees every call")
        kinds = tuple(options.fault) if options.fault else None
        every_kill = mode == "sweep" and not options.sample
        settings = Settings(tool, int(time.time()), shim, folder, kinds, options.point, strace, options.seed,
                            options.findings, every_kill)
        return run(mode, settings, names, options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run_all(modes, names, options):
    """Runs the modes one after the other; what this machine does not allow is said, and is no failure beside others."""
    reasons = {mode: obstacle(mode) for mode in modes}
    if "power-cut" in modes and not reasons["power-cut"]:
        powercut.enter_private_mounts()
    tool = Path(options.tool).resolve() if options.tool else built_tool(ROOT)
    statuses = []
    for mode in modes:
        if mode != "sweep":
            # What a command leaves alone is not lost by a power cut either.
            known = sweep.all_operations()
            names = [name for name in names if known[name].side != "foreign" and not known[name].is_question]
        if not names:
            statuses.append(SKIPPED)
        elif reason := reasons[mode]:
            print(f"crash-sweep: skipped: {reason}")
            statuses.append(SKIPPED)
        else:
            statuses.append(run_in_folder(mode, tool, names, options))
    return 1 if 1 in statuses else min(statuses)


def main(words=None):
    """The whole command."""
    # Who stops a long run gets the memory of its folders back.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    options = arguments_parser().parse_args(words)
    known = sweep.all_operations()
    if options.list:
        print("\n".join(mutations.names(ROOT) if options.mode == "mutations" else known))
        return 0
    names = options.operation or (findings.operations() if options.findings else list(known))
    if unknown := [name for name in names if name not in known]:
        print(f"crash-sweep: no such operation: {', '.join(unknown)}; --list names them", file=sys.stderr)
        return 2
    if options.mode == "mutations":
        with tempfile.TemporaryDirectory(prefix="crash-sweep-") as folder:
            return mutations.run(ROOT, folder, options.mutation)
    return run_all(chosen_modes(options), names, options)
