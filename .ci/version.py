"""Check that the version may be released: the changelog names it, and a git tag agrees with it or is yet to be made."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Print the version, or say what does not agree with it."""
    [version] = re.findall(r'^__version__ = "(.+)"$', (ROOT / "src/tersely/__init__.py").read_text("utf-8"), re.M)
    changed = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    if changed is None or changed[1] != version:
        sys.exit(f"version {version} is not the first heading of CHANGELOG.md: add '## {version}'")
    here = tags("--points-at", "HEAD")
    if here and f"v{version}" not in here:
        sys.exit(f"this commit is tagged {', '.join(here)}, but the version is {version}: make them agree")
    if not here and f"v{version}" in tags("--list"):
        sys.exit(f"v{version} is the tag of another commit: raise __version__ in src/tersely/__init__.py")
    print(f"tersely {version}" if here else f"tersely {version}, not tagged: run 'git tag v{version}' to release it")


def tags(*which: str) -> list[str]:
    """Return the version tags that git names; none where there is no git, as in an unpacked sdist."""
    if not (ROOT / ".git").exists():
        return []
    try:
        run = subprocess.run(["git", "tag", *which], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return [tag for tag in run.stdout.split() if re.match(r"v\d", tag)]


if __name__ == "__main__":
    main()
