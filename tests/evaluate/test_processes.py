"""Processes that evaluate side by side, and what ends them."""

import os
import signal
import subprocess
import sys
from itertools import repeat
from multiprocessing import active_children

import pytest

from tersely import Document
from tersely.budget import Budget
from tersely.errors import InputError
from tersely.evaluate.record import Record
from tersely.evaluate.run import evaluate

# A parent that ignores SIGINT, as in a background job, passes that on: hence the handler.
ENDLESS = """
import signal
from itertools import repeat
from tersely import Document
from tersely.budget import Budget
from tersely.evaluate.record import Record
from tersely.evaluate.run import evaluate
record = Record("x", Document.from_text("Rain fell. The river rose. The town slept."), ("Rain fell.",))
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    evaluate(repeat(record), ["lead"], [Budget(1, "sentences")], workers=2, progress=lambda n: print(n, flush=True))
except KeyboardInterrupt:
    print("stopped")
"""


def test_ctrl_c_stops_all_processes_without_a_word_of_theirs() -> None:
    call = [sys.executable, "-c", ENDLESS]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(call, text=True, start_new_session=True, **pipes) as process:
        assert process.stdout is not None
        process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does, to all of them
        try:
            said, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (said.splitlines()[-1], errors) == ("stopped", "")


def test_a_process_that_is_killed_is_said() -> None:
    record = Record("x", Document.from_text("Rain fell. The river rose. The town slept."), ("Rain fell.",))

    def kill_one(_: int) -> None:
        active_children()[0].kill()

    with pytest.raises(InputError, match="a process was killed"):
        evaluate(repeat(record), ["lead"], [Budget(1, "sentences")], workers=2, progress=kill_one)
