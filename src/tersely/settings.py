"""Settings: TOML files read into frozen dataclasses, and parts such as scorers made from a name with settings.

An unknown key or name is an error that names the nearest one.
"""

import inspect
import tomllib
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from math import isfinite
from pathlib import Path
from typing import Any, Generic, TypeVar, cast, get_args, get_origin, get_type_hints

from tersely.errors import UsageError, unknown_name

T = TypeVar("T")

_KINDS = {str: "a string", int: "a whole number", float: "a number", bool: "true or false", list: "a list"}


def read_settings(path: Path, kind: type[T], changes: Iterable[str] = ()) -> T:
    """Read a TOML file into the dataclass `kind`, after `changes` such as `training.rate=0.001`; see `changed`."""
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


def changed(settings: dict[str, Any], changes: Iterable[str]) -> dict[str, Any]:
    """Return settings with changes such as `training.rate=0.001`; a value that is not TOML is a string.

    >>> changed({"name": "a", "data": {"encoder": "use"}}, ["data.encoder=tfidf", "data.sentences=30"])
    {'name': 'a', 'data': {'encoder': 'tfidf', 'sentences': 30}}
    """
    result = {key: dict(value) if isinstance(value, dict) else value for key, value in settings.items()}
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
        [(_, parsed)] = tomllib.loads(f"value = {value}").items()
    except ValueError:
        return value
    return parsed


def parse_settings(table: dict[str, Any], kind: type[T], place: str = "key") -> T:
    """Make the dataclass `kind` from a table of TOML.

    Each value must have the type of its field, and fields without a default must be there. `place` says in errors
    what the keys of the table are.
    """
    hints = get_type_hints(kind)
    parameters = {field.name: field for field in fields(cast(Any, kind)) if field.init}
    for key in table:
        if key not in parameters:
            raise unknown_name(place, key, parameters)
    for name, field in parameters.items():
        if name not in table and field.default is MISSING and field.default_factory is MISSING:
            raise UsageError(f"the {place} '{name}' is missing")
    return kind(**{key: _value(key, value, hints[key]) for key, value in table.items()})


def _value(key: str, value: Any, hint: Any) -> Any:
    if is_dataclass(hint):
        if not isinstance(value, dict):
            raise UsageError(f"'{key}' must be a table")
        return parse_settings(value, cast(type, hint), f"key of [{key}]")
    if get_origin(hint) is dict:
        inner = get_args(hint)[1]
        if not isinstance(value, dict):
            raise UsageError(f"'{key}' must be a table")
        return {name: _value(f"{key}.{name}", item, inner) for name, item in value.items()}
    if None in (choices := get_args(hint)) or type(None) in choices:
        hint = next(choice for choice in choices if choice is not type(None))
    if hint is float and type(value) is int:
        return float(value)
    if type(value) is not hint:
        raise UsageError(f"'{key}' must be {_KINDS[hint]}, not {value!r}")
    if isinstance(value, float) and not isfinite(value):
        raise UsageError(f"'{key}' must be a finite number")
    return value


class Registry(Generic[T]):
    """Parts by name, each in a module that is imported when the part is used: `{"lead": "tersely.score.classic:Lead"}`.

    A spec names a part, with optional settings after a colon: `pacsum:beta=0.2,lambda1=0.6`.
    If the first setting has no name, it goes to the first parameter: `onnx:path/to/folder`.
    """

    def __init__(self, kind: str, parts: Mapping[str, str]) -> None:
        self.kind, self._parts = kind, parts

    def names(self) -> list[str]:
        """List the names without importing the modules."""
        return sorted(self._parts)

    def describe(self, name: str) -> str:
        """Return the first line of the part's docstring."""
        return (inspect.getdoc(self._type(name)) or "").partition("\n")[0]

    def create(self, spec: str) -> T:
        """Build the part that `spec` names."""
        name, _, settings = spec.partition(":")
        part = self._type(name)
        return part(**_arguments(self.kind, name, part, settings))

    def spec(self, part: T) -> str:
        """Return the spec that recreates `part`: its name, with its public fields as settings."""
        place = f"{type(part).__module__}:{type(part).__qualname__}"
        name = next(name for name, part_place in self._parts.items() if part_place == place)
        settings = ",".join(f"{key}={value}" for key, value in vars(part).items() if not key.startswith("_"))
        return f"{name}:{settings}" if settings else name

    def _type(self, name: str) -> type[T]:
        if name not in self._parts:
            raise unknown_name(self.kind, name, self._parts)
        module, _, class_name = self._parts[name].partition(":")
        part: type[T] = getattr(import_module(module), class_name)
        return part


def _arguments(kind: str, name: str, part: type, settings: str) -> dict[str, Any]:
    parameters = list(inspect.signature(part).parameters)
    hints = get_type_hints(part.__init__)  # type: ignore[misc]
    arguments: dict[str, Any] = {}
    for position, setting in enumerate(filter(None, settings.split(","))):
        key, equals, value = setting.partition("=")
        if not equals and position == 0 and parameters:
            key, value = parameters[0], setting
        if key not in parameters:
            raise (
                unknown_name(f"setting of {kind} {name}", key, parameters)
                if parameters
                else UsageError(f"{kind} '{name}' has no settings, but was given '{setting}'")
            )
        try:
            arguments[key] = _parse(value, hints.get(key, str))
        except ValueError as error:
            raise UsageError(f"{kind} {name}: {key}={value}: {error}") from None
    missing = [
        p.name for p in inspect.signature(part).parameters.values() if p.default is p.empty and p.name not in arguments
    ]
    if missing:
        raise UsageError(f"{kind} '{name}' needs {missing[0]}: write {name}:{missing[0]}=...")
    return arguments


def _parse(value: str, hint: Any) -> Any:
    """Parse a setting into the type of its parameter."""
    origin = get_origin(hint)
    if origin is typing.Literal:
        if value not in get_args(hint):
            raise ValueError("choose from " + ", ".join(map(str, get_args(hint))))
        return value
    if origin in (typing.Union, types.UnionType):
        hint = next(arg for arg in get_args(hint) if arg is not type(None))
    if hint is bool:
        if value.lower() not in ("true", "false"):
            raise ValueError("write true or false")
        return value.lower() == "true"
    try:
        parsed = hint(value)
    except ValueError:
        raise ValueError(f"not a number ({hint.__name__})") from None
    if isinstance(parsed, float) and not isfinite(parsed):
        raise ValueError("not a finite number")
    return parsed
