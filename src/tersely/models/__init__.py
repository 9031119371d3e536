"""Model folders: those shipped with the package, each in a folder beside this file, and a user's own."""

import tomllib
from dataclasses import dataclass, field, fields
from hashlib import file_digest
from pathlib import Path
from typing import Any

from tersely.errors import ModelError, UsageError, unknown_name

DEFAULT = "news"
_SHIPPED = Path(__file__).parent


@dataclass(frozen=True)
class Model:
    """What a model folder's `config.toml` says; `languages` have scorers of their own."""

    folder: Path
    name: str
    scorer: str
    description: str = ""
    encoder: str | None = None
    select: str | None = None
    languages: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    @property
    def card(self) -> str:
        """The model's card: its data, its settings and what was measured."""
        card = self.folder / "README.md"
        return card.read_text(encoding="utf-8", errors="replace") if card.is_file() else ""


def shipped_models() -> list[str]:
    """List the names of the models that come with the package; the networks of length control are no models to choose.

    >>> shipped_models()[0]
    'news'
    """
    configs = {path.parent.name: tomllib.loads(path.read_text("utf-8")) for path in _SHIPPED.glob("*/config.toml")}
    return sorted(name for name, config in configs.items() if "scorer" in config)


def model_folder(name_or_path: str | Path) -> Path:
    """Return the folder of what is shipped by that name, or else the path itself, such as `./news`."""
    path = Path(name_or_path)
    shipped = _SHIPPED / path.name
    return shipped if str(name_or_path) == path.name and (shipped / "config.toml").is_file() else path


def load_model(name_or_path: str | Path) -> Model:
    """Read a shipped model by name, or a model folder by path, and check its files.

    >>> load_model("news").select
    'consensus'
    """
    folder = model_folder(name_or_path)
    config = folder / "config.toml"
    if not folder.exists() and len(Path(name_or_path).parts) == 1:
        raise unknown_name("model", str(name_or_path), shipped_models())
    if not folder.exists():
        raise ModelError(f"there is no folder {folder}: a model is such a folder, or the name of a shipped one")
    if not config.is_file():
        raise ModelError(f"{folder} is not a model folder: it has no config.toml")
    try:
        model = _read(folder, tomllib.loads(config.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ModelError(f"{config} cannot be read: {error}") from None
    except UsageError as error:
        raise ModelError(f"{folder}: {error}") from None
    for file, digest in model.files.items():
        _check(folder / file, digest)
    return model


def _read(folder: Path, config: dict[str, Any]) -> Model:
    if config.get("kind") == "knapsack":
        raise UsageError("it holds a knapsack network, which length control is trained through, not a scorer")
    known = {f.name: f for f in fields(Model) if f.name != "folder"}
    for key, value in config.items():
        if key not in known:
            raise unknown_name("key", key, known)
        expected = dict if key in ("files", "languages") else str
        if not isinstance(value, expected):
            raise UsageError(f"{key} must be a {'table' if expected is dict else 'string'}")
        if isinstance(value, dict) and not all(isinstance(each, str) for each in value.values()):
            raise UsageError(f"what [{key}] holds must be strings")
    for key in ("name", "scorer"):
        if key not in config:
            raise UsageError(f"the key {key} is missing")
    return Model(folder=folder, **config | {"scorer": _placed(folder, config["scorer"])})


def _placed(folder: Path, scorer: str) -> str:
    """Say where `{folder}` is: the weights of a learned scorer lie beside its config.toml."""
    if "{folder}" in scorer and "," in str(folder):
        raise UsageError("a comma ends a setting: rename the folder")
    return scorer.replace("{folder}", str(folder))


def _check(file: Path, digest: str) -> None:
    try:
        with file.open("rb") as stream:
            actual = file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise ModelError(f"{file} cannot be read: {error.strerror}") from None
    if actual != digest:
        raise ModelError(
            f"{file} is not the file its config.toml names: its SHA-256 begins {actual[:12]}, not {digest[:12]}"
        )
