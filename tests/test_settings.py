"""Settings: TOML files read into dataclasses."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tersely.errors import UsageError
from tersely.settings import read_settings


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
        ("name = 3", "'name' must be a string, not 3"),
        ("name = 'x'\n[inner]\nrate = true", "'rate' must be a number, not True"),
        ("name = 'x'\n[inner]\nrate = nan", "'rate' must be a finite number"),
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
