"""The command `tersely`, also as `python -m tersely`: quiet when it is interrupted, even while it is being loaded."""

import os
import signal


def main() -> None:
    """Load the command line and run it; Ctrl-C before it is loaded ends the process without a traceback."""
    # The matrices here are small: more threads of NumPy only take time to start.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # A background job ignores the signal, and goes on ignoring it.
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heard:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from tersely.cli import main as run

    if heard:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


if __name__ == "__main__":
    main()
