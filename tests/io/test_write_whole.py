"""A file is written whole or not at all."""

import os
from pathlib import Path

import pytest

from tersely.errors import InputError
from tersely.io.files import write_whole


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    write_whole(file, b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, f"no space left for {descriptor}")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="no space"):
        write_whole(file, b"new")
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]
