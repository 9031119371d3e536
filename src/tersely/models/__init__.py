"""Model folders: those shipped with the package, next to this file, and a user's own."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from tersely.errors import ModelError, UsageError, unknown_name
from tersely.io.files import sha256
from tersely.settings import parse_settings, read_toml

DEFAULT = "editor"
_SHIPPED = Path(__file__).parent
_LARGEST, _LONGEST_NAME = 1_000_000, 200


@dataclass(frozen=True)
class Model:
    """The `config.toml` of a model folder; `languages` maps languages to scorers, `files` maps files to SHA-256."""

    name: str
    scorer: str
    description: str = ""
    encoder: str | None = None
    select: str | None = None
    coherence: str = "off"
    languages: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    folder: Path = field(default=Path(), init=False)

    @property
    def card(self) -> str:
        """The model card: data, settings and measurements."""
        card = self.folder / "README.md"
        if not card.is_file():
            return ""
        with card.open("rb") as stream:
            return stream.read(_LARGEST).decode("utf-8", "replace")


def shipped_models() -> list[str]:
    """List the models shipped with the package, without the knapsack networks, which cannot summarize.

    >>> shipped_models()[0]
    'editor'
    """
    return sorted(path.parent.name for path in _SHIPPED.glob("*/config.toml") if "scorer" in read_toml(path))


def model_folder(name_or_path: str | Path) -> Path:
    """Return the folder of the shipped model with this name; anything else, such as `./news`, is a path."""
    path = Path(name_or_path)
    shipped = _SHIPPED / path.name
    return shipped if str(name_or_path) == path.name and (shipped / "config.toml").is_file() else path


def load_model(name_or_path: str | Path) -> Model:
    """Read a shipped model by name, or a model folder by path, and check its files.

    >>> load_model("news").select
    'coverage'
    """
    try:
        return _load(name_or_path)
    except OSError as error:
        raise ModelError(f"{name_or_path} cannot be read: {error.strerror}") from None


def _load(name_or_path: str | Path) -> Model:
    folder = model_folder(name_or_path)
    if not folder.exists() and len(Path(name_or_path).parts) == 1:
        raise unknown_name("model", str(name_or_path), shipped_models())
    if not folder.exists():
        raise ModelError(f"there is no folder {folder}: give a model folder or the name of a shipped model")
    if not (folder / "config.toml").is_file():
        raise ModelError(f"{folder} is not a model folder: it has no config.toml")
    if (folder / "config.toml").stat().st_size > _LARGEST:
        raise ModelError(f"{folder / 'config.toml'} is larger than {_LARGEST // 1_000_000} MB")
    try:
        model = _read(folder)
    except UsageError as error:
        raise ModelError(f"{folder / 'config.toml'}: {error}") from None
    for file, digest in model.files.items():
        _check(folder, file, digest)
    return model


def _read(folder: Path) -> Model:
    config = read_toml(folder / "config.toml")
    if config.get("kind") == "knapsack":
        raise UsageError("this is a knapsack network for training length control, not a model that can summarize")
    model = parse_settings(config, Model)
    if not model.name.isprintable() or not 0 < len(model.name) <= _LONGEST_NAME:
        raise UsageError(f"'name' must be 1 to {_LONGEST_NAME} printable characters")
    if model.coherence not in ("strict", "soft", "off"):
        raise UsageError(f"'coherence' must be strict, soft or off, not '{model.coherence}'")
    if "{folder}" in model.scorer and "," in str(folder):
        raise UsageError("the path of the folder contains a comma, which would end a setting: rename the folder")
    # The weights of a learned scorer are next to its config.toml.
    model = replace(model, scorer=model.scorer.replace("{folder}", str(folder)), encoder=_offline(model.encoder))
    object.__setattr__(model, "folder", folder)
    return model


def _offline(encoder: str | None) -> str | None:
    """Forbid an encoder to download anything: who only names a folder has not asked for that."""
    return f"{encoder},download=false" if encoder is not None and encoder.startswith("hub:") else encoder


def _check(folder: Path, name: str, digest: str) -> None:
    file = folder / name
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise ModelError(f"{folder / 'config.toml'}: [files] names '{name}', which is not in the folder")
    if not file.is_file():
        raise ModelError(f"{file} cannot be read: it is missing, or not a regular file")
    actual = sha256(file)
    if actual != digest:
        raise ModelError(f"{file} does not match config.toml: its SHA-256 begins with {actual[:12]}, not {digest[:12]}")
