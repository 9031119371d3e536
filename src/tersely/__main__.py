"""`python -m tersely` is the command `tersely`."""

from tersely.cli import main

if __name__ == "__main__":
    main()
