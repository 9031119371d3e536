"""Files that are whole or not there at all."""

import errno
import os
import stat
from pathlib import Path
from typing import IO, Any

import pytest

from tersely.errors import InputError
from tersely.io.files import is_unfinished, sha256, unfinished_name, write_whole


def test_the_file_is_synced_before_the_rename_and_the_folder_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, steps = tmp_path / "a", []
    fsync, replace = os.fsync, os.replace

    def note_sync(handle: int) -> None:
        state = os.fstat(handle)
        if stat.S_ISDIR(state.st_mode):
            assert os.path.samestat(state, tmp_path.stat())
            steps.append(f"sync the folder, which holds {sorted(each.name for each in tmp_path.iterdir())}")
        else:
            assert is_unfinished(Path(f"/proc/self/fd/{handle}").readlink().name)
            steps.append(f"sync {state.st_size} bytes")
        fsync(handle)

    def note_replace(source: Any, target: Any) -> None:
        steps.append(f"replace {Path(target).name}")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", note_sync)
    monkeypatch.setattr(os, "replace", note_replace)
    write_whole(path, b"whole")
    assert steps == ["sync 5 bytes", "replace a", "sync the folder, which holds ['a']"]
    assert path.read_bytes() == b"whole"


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_whole(path, b"before")

    def fail(stream: IO[bytes]) -> None:
        stream.write(b"after")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(path, fail)
    assert [each.name for each in tmp_path.iterdir()] == ["a"]
    assert path.read_bytes() == b"before"


def test_a_file_that_does_not_reach_the_disk_does_not_get_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    write_whole(path, b"before")

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match=r"a cannot be written: No space left on device$"):
        write_whole(path, b"after")
    assert [each.name for each in tmp_path.iterdir()] == ["a"]
    assert path.read_bytes() == b"before"


def test_nobody_sees_half_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_whole(path, b"before")

    def fill(stream: IO[bytes]) -> None:
        stream.write(b"after")
        stream.flush()
        assert path.read_bytes() == b"before"

    write_whole(path, fill)
    assert path.read_bytes() == b"after"


def test_a_link_stays_a_link_and_a_pipe_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere" / "a")
    write_whole(tmp_path / "link", b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "elsewhere" / "a").read_bytes() == b"x"
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_whole(tmp_path / "pipe", b"y")
        assert os.read(reader, 9) == b"y"
    finally:
        os.close(reader)
    assert (tmp_path / "pipe").is_fifo()


def test_the_longest_name_works(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    write_whole(path, b"x")
    assert path.read_bytes() == b"x"


@pytest.mark.parametrize("name", ["missing/a", "folder", "file/a"])
def test_a_file_that_cannot_be_written_is_named_in_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    with pytest.raises(InputError) as raised:
        write_whole(tmp_path / name, b"x")
    assert str(raised.value).startswith(f"{tmp_path / name} cannot be written: ")
    assert "\n" not in str(raised.value)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "folder"]


def test_unfinished_names_differ_and_are_known() -> None:
    names = {unfinished_name() for _ in range(9)}
    assert len(names) == 9
    assert all(map(is_unfinished, names))
    assert not any(map(is_unfinished, ("a.tmp", ".a", "part-1.jsonl")))


def test_a_hash_is_that_of_the_content(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"abc")
    assert sha256(tmp_path / "a") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_file_with_two_names_has_its_old_content_after_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, second = tmp_path / "a", tmp_path / "b"
    path.write_bytes(b"before")
    second.hardlink_to(path)
    fsync, calls = os.fsync, []

    def fail_once(handle: int) -> None:
        calls.append(handle)
        if len(calls) == 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", fail_once)
    with pytest.raises(InputError, match="No space left on device"):
        write_whole(path, b"after, and longer")
    assert path.read_bytes() == second.read_bytes() == b"before"
    assert sorted(child.name for child in tmp_path.iterdir()) == ["a", "b"]
