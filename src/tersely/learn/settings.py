"""Configurations: TOML read into frozen dataclasses, where an unknown key is an error that names the nearest one."""

import json
import tomllib
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, cast, get_type_hints

from tersely.errors import UsageError, unknown_name

T = TypeVar("T")


def read_settings(path: Path, kind: type[T]) -> T:
    """Read a TOML file into a dataclass whose dataclass fields are the file's tables."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}") from None
    try:
        return parse_settings(found, kind)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def parse_settings(found: dict[str, Any], kind: type[T], where: str = "key") -> T:
    """Make the dataclass from a table."""
    hints = get_type_hints(kind)
    known = {field.name: field for field in fields(cast(Any, kind))}
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
    if hint is float and type(value) is int:
        return float(value)
    if type(value) is not hint:
        raise UsageError(f"'{key}' must be of type {hint.__name__}, not {type(value).__name__}")
    return value


def toml(settings: dict[str, Any]) -> str:
    """Write settings as TOML: plain keys first, then tables."""
    plain = [f"{key} = {_written(value)}" for key, value in settings.items() if not isinstance(value, dict)]
    tables = [f"\n[{key}]\n{toml(value)}".rstrip() for key, value in settings.items() if isinstance(value, dict)]
    return "\n".join([*plain, *tables]) + "\n"


def _written(value: Any) -> str:
    # JSON's strings, numbers and booleans are TOML's.
    return json.dumps(value, ensure_ascii=False)
