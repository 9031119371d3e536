"""Killing a script in the middle of its work."""

import signal
import subprocess
import sys

_REACHED = """
import os, signal

def reached(number):
    if number == {number}:
        os.kill(os.getpid(), signal.SIGKILL)
"""


def kill_at(number: int, script: str, *arguments: object) -> None:
    """Run a script that calls `reached` with numbers: at this one it ends as by kill -9, on however busy a machine."""
    call = [sys.executable, "-c", _REACHED.format(number=number) + script, *map(str, arguments)]
    assert subprocess.run(call, check=False).returncode == -signal.SIGKILL
