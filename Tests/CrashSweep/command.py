"""The command line of the crash sweep."""

import argparse
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from . import sweep, witness
from .tool import build_shim, built_tool

ROOT = Path(__file__).resolve().parents[2]
DESCRIPTION = """\
Disturbs parser-ota at its system calls on a store or a feed, and checks from outside what is left: what is launched
or served is one whole release, the right one; the state can be read; nothing confirmed is lost; the same command
again does its work; and nothing is left behind. Ends with 1 when anything of that does not hold.
"""
EPILOGUE = """\
examples:
  ci/crash-sweep                          400 points, evenly spread over all operations
  ci/crash-sweep --full                   every system call, every kind of fault
  ci/crash-sweep --operation update --fault kill
  ci/crash-sweep --operation update --fault EIO --point 57
"""


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


def arguments_parser():
    """The options."""
    parser = argparse.ArgumentParser(
        prog="ci/crash-sweep", description=DESCRIPTION, epilog=EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--sample", type=int, metavar="N", help="about N points, evenly spread; 400 when left out")
    size.add_argument("--full", action="store_true", help="every point")
    parser.add_argument("--operation", action="append", metavar="NAME", help="only this operation; may be repeated")
    parser.add_argument("--fault", action="append", choices=sweep.KINDS, help="only this kind; may be repeated")
    parser.add_argument("--point", type=int, metavar="N", help="only the N-th call of one operation")
    parser.add_argument("--tool", metavar="FILE", help="the parser-ota to disturb; the newest below .build when left out")
    parser.add_argument("--work", metavar="DIR", help="where the folders are made; memory when left out")
    parser.add_argument("--list", action="store_true", help="list the operations and end")
    return parser


def work_folder(given):
    """A folder in memory where there is one: what is tested does not depend on the disk, and it is much faster."""
    if given:
        return given
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def print_table(outcomes):
    """One row for each operation."""
    kinds = sweep.KINDS
    print(f"{'operation':28} {'calls':>6} " + " ".join(f"{kind:>7}" for kind in kinds) + f" {'violations':>11}")
    for outcome in outcomes:
        counts = " ".join(f"{outcome.tried[kind]:>7}" for kind in kinds)
        print(f"{outcome.operation:28} {outcome.calls:>6} {counts} {len(outcome.violations):>11}")


def run_sweep(settings, names, options):
    """Runs the sweep and prints what came of it; the exit status."""
    total = None if options.full or options.point is not None else options.sample or 400

    def report(outcome):
        for violation in outcome.violations:
            print(f"violation: {violation}", flush=True)
    outcomes, seconds = sweep.sweep(settings, names, total, report)
    print_table(outcomes)
    points = sum(sum(outcome.tried.values()) for outcome in outcomes)
    violations = sum(len(outcome.violations) for outcome in outcomes)
    if drifted := sum(outcome.drifted for outcome in outcomes):
        print(f"crash-sweep: at {drifted} points another call came than in the undisturbed run")
    print(f"crash-sweep: {points} points, {violations} violations, {seconds:.0f} s")
    return 1 if violations or not points else 0


def main(words=None):
    """The whole command."""
    options = arguments_parser().parse_args(words)
    known = sweep.all_operations()
    if options.list:
        print("\n".join(known))
        return 0
    names = options.operation or list(known)
    if unknown := [name for name in names if name not in known]:
        print(f"crash-sweep: no such operation: {', '.join(unknown)}; --list names them", file=sys.stderr)
        return 2
    tool = Path(options.tool).resolve() if options.tool else built_tool(ROOT)
    folder = Path(tempfile.mkdtemp(prefix="crash-sweep-", dir=work_folder(options.work)))
    try:
        shim = build_shim(folder)
        if not shim:
            print("crash-sweep: skipped: there is no C compiler to make the shim with")
            return 77
        strace = witness.strace_works()
        if not strace:
            print("crash-sweep: strace does not work here, so nothing checks that the shim sees every call")
        kinds = tuple(options.fault) if options.fault else None
        settings = Settings(tool, int(time.time()), shim, folder, kinds, options.point, strace)
        return run_sweep(settings, names, options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
