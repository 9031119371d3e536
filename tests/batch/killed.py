"""Run a job, and kill it at its N-th moment: a moment is before or after a file is synced, or when a chunk is done.

python killed.py N INPUT OUTPUT PIDS: the process ids of the workers at that moment are left in the file PIDS.
"""

import os
import signal
import sys
from pathlib import Path

from batch.functions import Shout
from tersely.batch.engine_local import run_local
from tersely.batch.job import Job


def main() -> None:
    moment, source, output, pids = int(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4])
    moments = 0

    def pass_moment(_: object = None) -> None:
        nonlocal moments
        moments += 1
        if moments == moment:
            pids.write_text(Path(f"/proc/self/task/{os.getpid()}/children").read_text())
            os.kill(os.getpid(), signal.SIGKILL)

    sync = os.fsync

    def fsync(handle: int) -> None:
        pass_moment()
        sync(handle)
        pass_moment()

    os.fsync = fsync
    run_local(Job((source,), output, Shout(), part_size=10, resume=True), 2, pass_moment)


if __name__ == "__main__":
    main()
