"""The command `tersely`, also as `python -m tersely`: quiet when it is interrupted, even while it is being loaded."""

import signal


def main() -> None:
    """Load the command line and run it; Ctrl-C before it is loaded ends the process without a traceback."""
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
