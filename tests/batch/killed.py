"""Runs a job and is killed for good at the N-th moment at which a file is about to be on the disk, or a chunk is done.

python killed.py N INPUT OUTPUT PIDS: the numbers of the workers of that moment are left in the file PIDS.
"""

import os
import signal
import sys
from pathlib import Path

from batch.functions import Shout
from tersely.batch.job import Job
from tersely.batch.local import run_local


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
