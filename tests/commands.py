"""Runs `tersely` as a process, with its own streams and exit code, but without loading Python and NumPy each time.

A server that has loaded the modules and the default model forks a process for each call. It has no threads that a fork
would lose.
"""

import atexit
import json
import os
import socket
import subprocess
import sys
import threading
import traceback
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any


def tersely(
    *args: str | Path, stdin: str | bytes = b"", cwd: Path | None = None, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run a command; with variables, in a new Python, which may read them when it starts."""
    data = stdin if isinstance(stdin, bytes) else stdin.encode()
    command = [sys.executable, "-m", "tersely", *map(str, args)]
    if env:
        run = subprocess.run(command, input=data, capture_output=True, cwd=cwd, env={**os.environ, **env}, check=False)
        code, out, err = run.returncode, run.stdout, run.stderr
    else:
        code, out, err = _forked(command[3:], data, cwd or Path.cwd())
    assert b"Traceback" not in err, err.decode()
    return subprocess.CompletedProcess(command, code, out.decode(), err.decode())


def _forked(args: list[str], data: bytes, cwd: Path) -> tuple[int, bytes, bytes]:
    with TemporaryDirectory() as folder:
        given, out, err = (Path(folder, name) for name in ("in", "out", "err"))
        given.write_bytes(data)
        call = {
            "args": args,
            "streams": [str(given), str(out), str(err)],
            "env": {**os.environ},
            "cwd": str(cwd),
        }
        server = _server()
        server.sendall(json.dumps(call).encode() + b"\n")
        return int(server.makefile().readline()), out.read_bytes(), err.read_bytes()


@cache
def _server() -> socket.socket:
    """Start the server; it ends when this process does."""
    here, there = socket.socketpair()
    with there:
        command = [sys.executable, __file__, str(there.fileno())]
        none = subprocess.DEVNULL
        process = subprocess.Popen(command, stdin=none, stdout=none, stderr=none, pass_fds=[there.fileno()])
    atexit.register(process.wait)
    atexit.register(here.close)
    return here


def main() -> None:
    """Answer calls until there are no more."""
    import tersely.cli.batch
    import tersely.cli.summarize
    import tersely.summarizer

    # What is computed once, expressions and the model among it, is there for every call.
    tersely.summarizer.Summarizer.load().summarize("One. Two.", max_chars=5)
    with suppress(ImportError):
        import pyarrow.parquet  # noqa: F401
    with socket.socket(fileno=int(sys.argv[1])) as calls:
        for line in calls.makefile():
            if process := os.fork():
                code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
                calls.sendall(b"%d\n" % code)
            else:
                _run(json.loads(line), calls)


def _run(call: dict[str, Any], calls: socket.socket) -> None:
    """Be the command, and end like a Python that ends."""
    code: Any = 1
    try:
        calls.close()
        for number, path in enumerate(call["streams"]):
            os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
        os.environ.clear()
        os.environ.update(call["env"])
        os.chdir(call["cwd"])
        sys.argv = ["tersely", *call["args"]]
        from tersely.__main__ import main as command

        command()
        code = 0
    except SystemExit as error:
        code = error.code
    except BaseException:
        traceback.print_exc()
    finally:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or 0)


if __name__ == "__main__":
    main()
