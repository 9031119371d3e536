"""Settings: TOML files read into frozen dataclasses, where an unknown key is an error that names the nearest one."""

import tomllib
from collections.abc import Iterable
from dataclasses import MISSING, fields, is_dataclass
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from tersely.errors import UsageError, unknown_name

T = TypeVar("T")

_KINDS = {str: "a string", int: "a whole number", float: "a number", bool: "true or false", list: "a list"}


def read_settings(path: Path, kind: type[T], changes: Iterable[str] = ()) -> T:
    """Read a TOML file into a dataclass whose dataclass fields are the file's tables; see `changed`."""
    try:
        return parse_settings(changed(read_toml(path), changes), kind)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file, or say in one line why it cannot be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}") from None
    except RecursionError:
        raise UsageError("not TOML: nested too deep") from None
    except ValueError as error:  # also for a number of thousands of digits
        raise UsageError(f"not TOML: {error}") from None


def changed(found: dict[str, Any], changes: Iterable[str]) -> dict[str, Any]:
    """Return settings with changes such as `training.rate=0.001`; a value that is not TOML is a string.

    >>> changed({"name": "a", "data": {"encoder": "use"}}, ["data.encoder=tfidf", "data.sentences=30"])
    {'name': 'a', 'data': {'encoder': 'tfidf', 'sentences': 30}}
    """
    result = {key: dict(value) if isinstance(value, dict) else value for key, value in found.items()}
    for change in changes:
        place, equals, value = change.partition("=")
        *tables, key = place.strip().split(".")
        if not equals or not key or len(tables) > 1:
            raise UsageError(f"--set takes SECTION.KEY=VALUE, such as training.rate=0.001, not '{change}'")
        table = result.setdefault(tables[0], {}) if tables else result
        if not isinstance(table, dict):
            raise UsageError(f"--set {change}: '{tables[0]}' is not a section")
        table[key] = _toml_value(value.strip())
    return result


def _toml_value(value: str) -> Any:
    try:
        [(_, found)] = tomllib.loads(f"value = {value}").items()
    except ValueError:
        return value
    return found


def parse_settings(found: dict[str, Any], kind: type[T], where: str = "key") -> T:
    """Make the dataclass from a table; each value must have its field's type, and every field without a default."""
    hints = get_type_hints(kind)
    known = {field.name: field for field in fields(cast(Any, kind)) if field.init}
    for key in found:
        if key not in known:
            raise unknown_name(where, key, known)
    for name, field in known.items():
        if name not in found and field.default is MISSING and field.default_factory is MISSING:
            raise UsageError(f"the {where} '{name}' is missing")
    return kind(**{key: _value(key, value, hints[key]) for key, value in found.items()})


def _value(key: str, value: Any, hint: Any) -> Any:
    if is_dataclass(hint):
        if not isinstance(value, dict):
            raise UsageError(f"'{key}' must be a table")
        return parse_settings(value, cast(type, hint), f"key of [{key}]")
    if get_origin(hint) is dict:
        inner = get_args(hint)[1]
        if not isinstance(value, dict):
            raise UsageError(f"'{key}' must be a table")
        return {name: _value(f"{key}.{name}", each, inner) for name, each in value.items()}
    if None in (choices := get_args(hint)) or type(None) in choices:
        hint = next(choice for choice in choices if choice is not type(None))
    if hint is float and type(value) is int:
        return float(value)
    if type(value) is not hint:
        raise UsageError(f"'{key}' must be {_KINDS[hint]}, not {value!r}")
    if isinstance(value, float) and not isfinite(value):
        raise UsageError(f"'{key}' must be a finite number")
    return value
