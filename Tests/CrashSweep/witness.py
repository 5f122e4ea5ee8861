"""A second witness: strace sees every system call, so a call that goes past the shim shows."""

import re
import shutil
import subprocess
from collections import Counter

#: Calls that neither change anything nor can fail in a way of interest.
UNINTERESTING = {"close", "fcntl", "lseek", "getdents64", "readlinkat", "readlink", "ioctl", "mmap", "getcwd", "execve"}
FOLDER_AND_NAME = re.compile(r'<([^>]+)>, "([^"]*)"')
LINE = re.compile(r"^(?:\d+ +)?(\w+)\((.*)$")


def strace_works():
    """Whether this machine has strace and lets it trace."""
    path = shutil.which("strace")
    if not path:
        return False
    return subprocess.run([path, "-o", "/dev/null", "/bin/true"], capture_output=True).returncode == 0


def differences(check, calls, log):
    """What strace and the shim do not agree on, for one undisturbed run of an operation."""
    tool = check.scenes.tool
    subprocess.run(
        ["strace", "-f", "-y", "-qq", "-s", "4096", "-o", log, tool.path, *check.command], env=tool.environment,
        stdin=subprocess.DEVNULL, capture_output=True)
    seen = Counter()
    for line in log.read_text(errors="replace").splitlines():
        if (match := LINE.match(line)) and touches(match[1], match[2], str(check.scenes.area)):
            seen[own_name(match[1], match[2])] += 1
    for name in UNINTERESTING:
        del seen[name]
    ours = Counter(call.name for call in calls if call.name not in ("readdir", "fdopendir"))
    # A listing looks at the descriptor once inside the C library.
    seen["fstat"] -= sum(call.name == "fdopendir" for call in calls)
    seen, ours = +seen, +ours
    return [
        f"strace sees {seen[name]} calls of {name} and the shim {ours[name]}"
        for name in sorted(seen | ours) if seen[name] != ours[name]]


def touches(name, arguments, area):
    """Whether a call is about the folder that is watched, or something in it."""
    if name in ("write", "read"):
        # What is written may be a path, too.
        arguments = arguments.partition(",")[0]
    if any(f"{mark}{area}{end}" in arguments for mark in '<"' for end in '/>"'):
        return True
    # A folder and a name in it, when the call itself opens nothing.
    return any(f"{folder}/{name}" == area for folder, name in FOLDER_AND_NAME.findall(arguments))


def own_name(name, arguments):
    """The name by which the C library calls it."""
    if name in ("newfstatat", "statx"):
        return "fstat" if '""' in arguments else "fstatat"
    return {"fstatfs": "fstatvfs", "pread64": "read", "faccessat2": "faccessat"}.get(name, name)
