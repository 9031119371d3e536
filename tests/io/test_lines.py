"""JSON Lines: compressed or not, whole or broken."""

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tersely.errors import InputError, MissingExtraError
from tersely.io import lines as module
from tersely.io.lines import Fault, decode, first_object, parse_object, read_objects, read_text, to_json

PACK: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "zstd": zstandard.compress,
    "zstd by several threads": lambda data: b"\x50\x2a\x4d\x18\x01\x00\x00\x00a" + zstandard.compress(data),
    "two gzip members": lambda data: gzip.compress(data[:9]) + gzip.compress(data[9:]),
    "two zstd frames": lambda data: zstandard.compress(data[:9]) + zstandard.compress(data[9:]),
}


def read(path: Path) -> list[Any]:
    """Return objects with their lines, and faults as strings."""
    return [f"{item.line}: {item.reason}" if isinstance(item, Fault) else item for item in read_objects(path)]


def write(folder: Path, data: bytes) -> Path:
    path = folder / "a.jsonl"  # the content decides, not the name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("pack", PACK.values(), ids=PACK)
def test_compression_is_told_by_the_content(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    data = '{"text": "雨"}\n\n  \r\n{"text": "rain"}'.encode()
    path = write(tmp_path, pack(data))
    assert read(path) == [(1, {"text": "雨"}), (4, {"text": "rain"})]
    assert first_object(path) == {"text": "雨"}
    assert read_text(path) == data.decode()


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstd"])
def test_a_truncated_file_is_read_as_far_as_it_goes(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    objects = [(line, {"a": line * 7919}) for line in range(1, 50_001)]
    packed = pack("".join(to_json(each) + "\n" for _, each in objects).encode())
    path = write(tmp_path, packed[: len(packed) // 2])
    *found, fault = read(path)
    assert len(found) > 100
    assert found == objects[: len(found)]
    assert fault == f"{len(found) + 1}: the compressed file ends too early: it is truncated"
    with pytest.raises(InputError, match="truncated"):
        read_text(path)


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_a_broken_compressed_file_is_one_fault(tmp_path: Path, name: str) -> None:
    packed = bytearray(PACK[name](b"".join(b'{"a": %d}\n' % i for i in range(99))))
    packed[12:40] = bytes(28)
    path = write(tmp_path, bytes(packed))
    assert read(path)[-1].endswith(f"the {name} file is broken")
    with pytest.raises(InputError, match=f"the {name} file is broken"):
        read_text(path)


def test_a_byte_order_mark_is_not_part_of_the_text(tmp_path: Path) -> None:
    path = write(tmp_path, b'\xef\xbb\xbf{"a": 1}\n')
    assert read(path) == [(1, {"a": 1})]
    assert first_object(path) == {"a": 1}
    assert read_text(path) == '{"a": 1}\n'
    assert decode(b"\xef\xbb\xbf") == ""


def test_a_long_line_is_a_fault_and_the_next_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 1_000)
    path = write(tmp_path, b'{"a": 1}\n{"a": "' + b"x" * 5_500 + b'"}\n{"a": 3}\n')
    assert read(path) == [(1, {"a": 1}), "2: longer than 0 MB", (3, {"a": 3})]
    with pytest.raises(InputError, match="longer than"):
        read_text(path)
    # A line of exactly the bound is not too long.
    path.write_bytes(b'{"a": "' + b"x" * (1_000 - 10) + b'"}\n{"a": 2}\n')
    assert [line for line, _ in read(path)] == [1, 2]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"[1]", "not a JSON object"),
        (b"text", "not a JSON object"),
        (b'{"a": 1', "broken JSON at column 8: Expecting ',' delimiter"),
        (b'{"a": 1} {"a": 2}', "broken JSON at column 10: Extra data"),
        (b'{"a": "\xff"}', "not UTF-8 at byte 7"),
        (b'{"a": ' + b"9" * 5_000 + b"}", "broken JSON: a number too long"),
        (b'{"a": ' * 100_000, "broken JSON: a number too long, or nested too deep"),
    ],
)
def test_a_bad_line_is_a_fault_and_the_others_are_read(tmp_path: Path, line: bytes, reason: str) -> None:
    path = write(tmp_path, b'{"a": 1}\n' + line + b'\n{"a": 3}\n')
    first, fault, last = read(path)
    assert (first, last) == ((1, {"a": 1}), (3, {"a": 3}))
    assert fault.startswith(f"2: {reason}")
    path.write_bytes(line + b'\n{"a": 2}\n')
    assert first_object(path) == {"a": 2}


def test_a_file_that_cannot_be_read_is_one_fault(tmp_path: Path) -> None:
    assert read(tmp_path / "missing") == ["1: cannot be read: No such file or directory"]
    assert read(tmp_path) == ["1: cannot be read: Is a directory"]
    assert first_object(tmp_path / "missing") is None
    assert str(Fault(Path("a.jsonl"), 3, "no text")) == "a.jsonl:3: no text"


def test_zstd_needs_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, zstandard.compress(b"{}"))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(MissingExtraError, match=r"tersely\[batch\]"):
        list(read_objects(path))


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=9) | st.integers(-9, 9) | st.none(), max_size=3))
def test_json_is_read_as_it_was_written(value: dict[str, Any]) -> None:
    for indent in (None, 2):
        written = to_json(value, indent)
        assert json.loads(written.encode()) == value  # which UTF-8 can hold, lone surrogates and all
    assert parse_object(to_json(value).encode()) == value


def test_a_value_that_json_cannot_hold_is_written_as_the_caller_says() -> None:
    assert to_json({"a": b"x", "b": "\ud800"}, default=repr) == '{"a": "b\'x\'", "b": "\\ud800"}'


def test_a_key_that_is_there_twice_is_refused() -> None:
    for line in (b'{"text": "a", "text": "b"}', b'{"a": [{"text": 1, "text": 1}]}'):
        with pytest.raises(InputError, match=r"^the key 'text' is there twice$"):
            parse_object(line)


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
KEYS = st.text() | st.integers() | st.booleans() | st.none() | st.floats()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(KEYS, inner))


@given(VALUES, st.integers(0, 4))
def test_json_with_an_indent_is_that_of_the_standard_library(value: Any, indent: int) -> None:
    assert to_json(value, indent) == json.dumps(value, ensure_ascii=False, indent=indent)


def test_a_lone_surrogate_is_escaped_with_an_indent_too() -> None:
    value = {"text": ["\ud800", {"雨": {}}], "pairs": [{"a": 1}, {"b": ()}]}
    assert to_json(value, 2) == json.dumps(value, indent=2)
