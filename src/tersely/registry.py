"""Scorers, encoders and selectors by name: each is one file in a package."""

import inspect
import types
import typing
from importlib import import_module
from math import isfinite
from pkgutil import iter_modules
from typing import Any, Generic, TypeVar, get_args, get_origin, get_type_hints

from tersely.errors import UsageError, unknown_name

T = TypeVar("T")


class Registry(Generic[T]):
    """The parts in one or more packages: one class per public module; helper modules start with an underscore.

    A spec names a part, with optional settings after a colon: `pacsum:beta=0.2,lambda1=0.6`.
    If the first setting has no name, it goes to the first parameter: `onnx:path/to/folder`.
    """

    def __init__(self, kind: str, *packages: str) -> None:
        self.kind, self._packages = kind, packages

    def names(self) -> list[str]:
        """List the names without importing the modules."""
        return sorted(self._modules())

    def _modules(self) -> dict[str, str]:
        return {
            module.name: f"{package}.{module.name}"
            for package in self._packages
            for module in iter_modules(import_module(package).__path__)
            if not module.name.startswith("_")
        }

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
        name = type(part).__module__.rpartition(".")[2]
        settings = ",".join(f"{key}={value}" for key, value in vars(part).items() if not key.startswith("_"))
        return f"{name}:{settings}" if settings else name

    def _type(self, name: str) -> type[T]:
        if name not in self.names():
            raise unknown_name(self.kind, name, self.names())
        module = import_module(self._modules()[name])
        part: type[T] = getattr(module, module.__all__[0])
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
