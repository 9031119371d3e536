"""Print requirements with hashes for the base install: every file of each pinned release, for any platform.

The versions are those of constraints.txt. What is needed to build the package is among them, so that nothing else is
fetched. `make hashes` writes requirements.txt with it. PIP_INDEX_URL says which index to ask.
"""

import json
import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path
from urllib.parse import urldefrag
from urllib.request import urlopen

ROOT = Path(__file__).parents[1]
# What builds the package and installs it in place.
BUILDERS = ("hatchling", "editables", "pip")
HEAD = "# What 'make demo' installs, with the SHA-256 of every file that may be. Written by 'make hashes'.\n"


def resolved() -> dict[str, str]:
    """Return the version of each package that the base install needs, as pip resolves them for this machine."""
    call = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    call += ["--constraint", str(ROOT / "constraints.txt"), str(ROOT), *BUILDERS]
    report = json.loads(subprocess.run(call, stdout=subprocess.PIPE, check=True).stdout)
    found = [each["metadata"] for each in report["install"]]
    return {normal(each["name"]): each["version"] for each in found if each["name"] != "tersely"}


def normal(name: str) -> str:
    """Return a name as an index writes it.

    >>> normal("PyStemmer"), normal("tomli_w")
    ('pystemmer', 'tomli-w')
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def hashes(name: str, version: str, page: str) -> list[str]:
    """Return the hashes of all files of a release that the page of its project lists.

    >>> hashes("a-b", "1.0", '<a href="x#sha256=00">a_b-1.0.tar.gz</a><a href="y#sha256=11">a_b-1.0.1.zip</a>')
    ['00']
    """
    spelled = "[-_.]+".join(name.split("-"))
    release = re.compile(rf"{spelled}-{re.escape(version)}(-.*\.whl|\.tar\.gz|\.zip)", re.IGNORECASE)
    links = re.findall(r'<a\s[^>]*href="([^"]+)"[^>]*>([^<]+)</a>', page)
    return sorted(
        urldefrag(unescape(address)).fragment.removeprefix("sha256=")
        for address, file in links
        if release.fullmatch(file.strip())
    )


def main() -> None:
    """Print each package with its hashes."""
    index = os.environ.get("PIP_INDEX_URL", "").rstrip("/")
    if not index:
        sys.exit("set PIP_INDEX_URL to the address of the package index")
    print(HEAD, end="")
    for name, version in sorted(resolved().items()):
        with urlopen(f"{index}/{name}/") as answer:
            found = hashes(name, version, answer.read().decode())
        if not found:
            sys.exit(f"{index}/{name}/ lists no file of {name} {version}")
        print(f"{name}=={version} \\\n    " + " \\\n    ".join(f"--hash=sha256:{each}" for each in found))


if __name__ == "__main__":
    main()
