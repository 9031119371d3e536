"""Files and settings of trainings."""

import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tersely.errors import ModelError, UsageError
from tersely.learn.checkpoint import read_tensors
from tersely.learn.files import replace_file
from tersely.learn.settings import read_settings


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "new" / "file"
    replace_file(file, b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, f"no space left for {descriptor}")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        replace_file(file, b"new")
    assert file.read_bytes() == b"old"
    assert list(file.parent.iterdir()) == [file]


def test_a_broken_checkpoint_is_an_error_that_names_it(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.safetensors"
    file.write_bytes(b"nothing of the kind")
    with pytest.raises(ModelError, match=r"checkpoint\.safetensors cannot be read"):
        read_tensors(file)


@dataclass(frozen=True)
class Inner:
    rate: float = 1.0


@dataclass(frozen=True)
class Outer:
    name: str
    inner: Inner = field(default_factory=Inner)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nam = 'x'", "unknown key 'nam': did you mean 'name'"),
        ("name = 'x'\n[inner]\nraet = 2", r"unknown key of \[inner\] 'raet': did you mean 'rate'"),
        ("[inner]\nrate = 2", "'name' is missing"),
        ("name = 3", "'name' must be of type str, not int"),
        ("name = 'x'\ninner = 3", "'inner' must be a table"),
        ("name = ", "not TOML"),
    ],
)
def test_a_wrong_setting_is_an_error_that_says_which(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        read_settings(file, Outer)


def test_settings_are_read_and_whole_numbers_are_numbers(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("name = 'x'\n[inner]\nrate = 2", encoding="utf-8")
    found = read_settings(file, Outer)
    assert found == Outer("x", Inner(2.0))
    assert isinstance(found.inner.rate, float)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_settings(tmp_path / "none.toml", Outer)
