"""Stores: the same folder, on a disk or behind an address."""

from pathlib import Path
from types import SimpleNamespace
from typing import IO

import pytest

from tersely.errors import InputError
from tersely.io import files as module
from tersely.io.files import Store, absolute, filesystem, is_remote, open_file


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_store_writes_whole_files_and_lists_only_those(tmp_path: Path, scheme: str) -> None:
    folder = tmp_path / "out"
    store = Store(f"{scheme}{folder}")
    assert (store.names(), store.names("notes"), store.read("a")) == ([], [], None)
    store.write("b", b"two")
    store.write("notes/a", lambda stream: stream.write(b"one") and stream.close())
    (folder / ".c.tmp").touch()
    assert store.read("notes/a") == (folder / "notes" / "a").read_bytes() == b"one"
    assert (store.names(), store.names("notes")) == (["b", "notes"], ["a"])
    with open_file(f"{scheme}{folder}/b") as stream:
        assert stream.read() == b"two"
    store.tidy("notes")
    assert [path.name for path in folder.iterdir()] == ["b"]
    store.tidy("notes")  # nothing to remove is fine


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_write_that_fails_leaves_the_file_that_was_there(tmp_path: Path, scheme: str) -> None:
    store = Store(f"{scheme}{tmp_path}")
    store.write("a", b"before")

    def fail(stream: IO[bytes]) -> None:
        stream.write(b"after")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.write("a", fail)
    assert (store.names(), store.read("a")) == (["a"], b"before")


def test_an_address_is_told_from_a_path_and_stays_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert (is_remote("s3://bucket/a"), is_remote("a/b")) == (True, False)
    assert (absolute("s3://bucket/a"), absolute("b/../a")) == ("s3://bucket/a", str(tmp_path / "a"))


def test_a_store_that_cannot_be_reached_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def from_uri(_: str) -> None:
        raise OSError("no such host")

    found = SimpleNamespace(fs=SimpleNamespace(FileSystem=SimpleNamespace(from_uri=from_uri)), ArrowException=KeyError)
    monkeypatch.setattr(module, "pyarrow", lambda: found)
    with pytest.raises(InputError, match="s3://bucket/news cannot be opened: no such host"):
        filesystem("s3://bucket/news")
