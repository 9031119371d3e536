"""`python -m tersely` is the command `tersely`."""

from tersely.cli import main

main()
