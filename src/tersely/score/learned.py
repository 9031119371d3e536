"""Trained scorers: the network of the default model, and one in a model folder, run by ONNX Runtime."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from tersely.encode import DEFAULT_ENCODER, graph_files, one_line, run_graph
from tersely.errors import MissingExtraError, ModelError
from tersely.io.files import sha256
from tersely.read import Network, read, shipped
from tersely.score import Matrix, Values
from tersely.text.document import Document
from tersely.text.words import term_weights

__all__ = ["Editor", "Learned"]

_INPUTS = ("vectors", "features", "lengths")
# All sentences from this place on count as equally late.
_FAR = 15


class Editor:
    """The share of a text's worth that each sentence has, by the network that also reads needs and noise.

    `folder` is a model folder of `tersely train editor`; without it, the network is the one that is shipped.
    """

    encoder: ClassVar[str | None] = None
    select: ClassVar[str] = "knapsack"

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder
        self._network = shipped() if folder is None else Network.load(Path(folder).expanduser() / "weights.npz")

    def __repr__(self) -> str:
        # The weights, not their path, so that a summary's fingerprint is the same on every machine.
        return f"Editor({self._network.fingerprint})"

    def __reduce__(self) -> tuple[type, tuple[str | None]]:
        return Editor, (self._folder,)

    @property
    def network(self) -> Network:
        """What reads; it also says which sentences are noise, and what they need."""
        return self._network

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return values that sum to 1."""
        return read(document, self._network).worth


class Learned:
    """A network trained by `tersely train scorer`; choose its model folder with `--model FOLDER`.

    The graph takes the vectors of one document's sentences and, if it has such inputs, their lengths and the features
    named in its metadata (see `FEATURES`). It gives one positive value per sentence.
    """

    encoder: ClassVar[str | None] = DEFAULT_ENCODER
    select: ClassVar[str] = "knapsack"

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._session, notes, self._digest = open_graph(folder, "a learned scorer")
        try:
            self._columns, self._features = int(notes["columns"]), tuple(notes["features"].split())
        except Exception as error:
            raise ModelError(f"{folder}/model.onnx is not the graph of a learned scorer: {one_line(error)}") from error
        inputs = [node.name for node in self._session.get_inputs() if node.name not in _INPUTS]
        if strange := [*inputs, *(name for name in self._features if name not in FEATURES)]:
            raise ModelError(
                f"{folder}/model.onnx needs '{strange[0]}', which this version lacks: train it again, or use another"
            )

    def __repr__(self) -> str:
        # The weights, not their path, so that a summary's fingerprint is the same on every machine.
        return f"Learned({self._digest})"

    def __reduce__(self) -> tuple[type, tuple[str]]:
        return Learned, (self._folder,)

    def score(self, document: Document, vectors: Matrix) -> Values:
        """Return positive values."""
        if vectors.shape[1] != self._columns:
            raise ModelError(
                f"the learned scorer was trained on vectors of {self._columns} numbers, not {vectors.shape[1]}: "
                "use it with the encoder that its config.toml names"
            )
        feed = {
            "vectors": np.ascontiguousarray(vectors[None], dtype=np.float32),
            "features": features(document, self._features)[None],
            "lengths": lengths(document)[None],
        }
        inputs = {node.name for node in self._session.get_inputs()}
        try:
            outputs = run_graph(self._session, ["values"], {name: feed[name] for name in feed.keys() & inputs})
            values: Values = np.asarray(outputs[0], dtype=np.float64)[0]
        except Exception as error:
            raise ModelError(f"the graph of {self._folder} does not run: {one_line(error)}") from error
        return values


def open_graph(folder: str, description: str) -> tuple[Any, dict[str, str], str]:
    """Return the graph of a model folder, ready to run, what it says about itself, and a hash of its files."""
    try:
        import onnxruntime
    except ImportError:
        raise MissingExtraError(description, "learned") from None
    file = Path(folder).expanduser() / "model.onnx"
    if not file.is_file():
        raise ModelError(f"{folder} is not the model folder of {description}: it has no model.onnx")
    options = onnxruntime.SessionOptions()
    # One thread sums in the same order on every machine, and documents can still be scored in parallel.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.use_deterministic_compute = True
    options.log_severity_level = 4  # Real problems raise an exception.
    try:
        session: Any = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        notes = dict(session.get_modelmeta().custom_metadata_map)
    except Exception as error:
        raise ModelError(f"{file} is not the graph of {description}: {one_line(error)}") from error
    return session, notes, "-".join(sha256(part) for part in graph_files(file))


def features(document: Document, names: tuple[str, ...]) -> Matrix:
    """Return the named features of each sentence side by side, float32 [n, columns]."""
    parts = [np.empty((len(document), 0)), *(FEATURES[name](document) for name in names)]
    return np.concatenate(parts, axis=1).astype(np.float32)


def lengths(document: Document) -> Matrix:
    """Return the length of each sentence in characters, at least 1."""
    return np.array([max(len(text), 1) for text in document.texts], dtype=np.float32)


def _position(document: Document) -> Values:
    """The place of a sentence on smooth curves: with free weights per place, self-training would run away."""
    place = np.minimum(np.arange(len(document)), _FAR)
    return np.stack([place / _FAR, np.exp(-place / 2), np.exp(-place / 6)], axis=1)


def _length(document: Document) -> Values:
    """The length of a sentence, absolute and relative to the mean."""
    chars = lengths(document).astype(np.float64)
    return np.stack([np.log(chars) / 5, np.log(chars / chars.mean())], axis=1)


def _words(document: Document) -> Values:
    """The weight of the document's repeated words in a sentence: in total, per character, and of those new in it."""
    weights = term_weights(document.terms, decay=1.0, single=0.0)
    rows = document.terms.sentences
    content = np.array([weights[row].sum() for row in rows])
    density = content / lengths(document)
    covered = np.zeros(len(weights), dtype=bool)
    new = np.empty(len(rows))
    for i, row in enumerate(rows):
        new[i] = weights[row[~covered[row]]].sum()
        covered[row] = True
    return np.stack([_scaled(content), _scaled(density), _scaled(new)], axis=1)


def _scaled(values: Values) -> Values:
    """Divide by the mean, and compress values far above it."""
    scaled: Values = np.log1p(values / (values.mean() or 1.0))
    return scaled


# The features of a sentence that a network may take besides its vector, by name, and their numbers of columns.
FEATURES: dict[str, Callable[[Document], Values]] = {"position": _position, "length": _length, "words": _words}
COLUMNS = {"position": 3, "length": 2, "words": 3}
