"""Compiles the searches of selectors. Without a compiler, the package is pure Python: slower, and the same otherwise.

TERSELY_PURE=1 leaves them out, for a wheel that installs everywhere.
"""

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import sys_tags
from setuptools import Distribution, Extension
from setuptools.command.build_ext import build_ext

SOURCE = "src/tersely/select/_compiled.c"
# The same operations on floats wherever it runs: no compiler may fuse a product with a sum.
FLAGS = {"msvc": ["/O2", "/fp:precise"], "unix": ["-O2", "-g0", "-ffp-contract=off"]}


class _Build(build_ext):
    """Builds an extension with the flags of the compiler that is found."""

    def build_extension(self, ext: Extension) -> None:
        ext.extra_compile_args = FLAGS["msvc" if self.compiler.compiler_type == "msvc" else "unix"]
        super().build_extension(ext)


class Compiled(BuildHookInterface):
    """Adds the compiled module to the wheel, or puts it beside its source for an editable install."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, or say that there is no compiler."""
        if os.environ.get("TERSELY_PURE") or sys.maxsize < 2**32:
            return
        try:
            built = compiled(Path(self.root))
        except Exception as error:  # whatever a compiler's absence looks like on this machine
            self.app.display_warning(f"no compiled searches, so that selecting takes longer: {error}")
            return
        if version == "editable":
            return
        # Only a check of its symbols could tell that it runs on other Linuxes (manylinux), which a release does.
        platform = next(tag.platform for tag in sys_tags() if "manylinux" not in tag.platform)
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{platform}"
        build_data["force_include"][str(built)] = str(built.relative_to(Path(self.root) / "src"))


def compiled(root: Path) -> Path:
    """Compile beside the source and return the file."""
    extension = Extension("tersely.select._compiled", [str(root / SOURCE)], py_limited_api=True)
    build = _Build(Distribution({"ext_modules": [extension], "package_dir": {"": str(root / "src")}}))
    build.inplace = True
    with tempfile.TemporaryDirectory() as folder:
        build.build_lib = build.build_temp = folder
        build.ensure_finalized()
        build.run()
    return Path(build.get_ext_fullpath("tersely.select._compiled"))
