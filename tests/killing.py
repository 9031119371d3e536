"""Killing a script in the middle of its work."""

import signal
import subprocess
import sys


def kill_at(number: int, script: str, *arguments: object) -> None:
    """Run a script that prints numbers, and kill it, as kill -9 does, when it prints this one."""
    call = [sys.executable, "-c", script, *map(str, arguments)]
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) == number:
                process.kill()
                break
        assert process.wait() == -signal.SIGKILL
