"""What an editor would take, as a small network has learned it."""

from pathlib import Path
from typing import ClassVar

from tersely.read import Network, read, shipped
from tersely.score import Matrix, Values
from tersely.text.document import Document

__all__ = ["Editor"]


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
