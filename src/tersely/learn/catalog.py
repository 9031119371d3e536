"""Configurations by name: the files in `configs`, and the kind that each of them names."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tersely.errors import UsageError, unknown_name
from tersely.learn.news import NewsConfig
from tersely.learn.scorer.config import ScorerConfig
from tersely.settings import changed, parse_settings, read_toml

_KINDS: dict[str, type[NewsConfig] | type[ScorerConfig]] = {
    "news": NewsConfig,
    "scorer": ScorerConfig,
}


def find_config(name: str) -> Path:
    """Find a configuration: a file, or a name in `configs` here, in the package or beside its sources."""
    if Path(name).is_file():
        return Path(name)
    package = Path(__file__).parents[1]
    folders = Path("configs"), package / "configs", package.parents[1] / "configs"
    known = {file.stem: file for folder in reversed(folders) for file in sorted(folder.glob("*.toml"))}
    if name not in known:
        raise unknown_name("configuration", name, (stem for stem in known if "knapsack" not in stem))
    return known[name]


def read_config(name: str, changes: Iterable[str] = ()) -> NewsConfig | ScorerConfig:
    """Read the configuration of a scorer, with or without a network, by its name or file, and change it."""
    path = find_config(name)
    try:
        return _parse(changed(read_toml(path), changes))
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def _parse(found: dict[str, Any]) -> NewsConfig | ScorerConfig:
    kind = found.get("kind", "scorer")
    if kind == "knapsack":
        raise UsageError("it describes a knapsack network: use 'tersely train knapsack'")
    if kind == "editor":
        raise UsageError("it describes the network of an editor, which learns from labels: use 'tersely train editor'")
    if kind not in _KINDS:
        raise unknown_name("kind of configuration", str(kind), _KINDS)
    return parse_settings(found, _KINDS[kind])


def read_network_config(name: str, changes: Iterable[str] = ()) -> ScorerConfig:
    """Read the configuration of a scorer with a network, and change it."""
    config = read_config(name, changes)
    if isinstance(config, NewsConfig):
        raise UsageError(f"configuration '{name}' has no network: choose another one, such as cpu-siamese-en")
    return config
