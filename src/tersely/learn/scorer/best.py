"""The best few checkpoints by validation loss."""

from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import save
from torch import Tensor

from tersely.learn.checkpoint import read_tensors
from tersely.learn.files import replace_file

Ranking = list[list[float]]  # [loss, step], the lowest loss first: as JSON keeps it


@dataclass(frozen=True)
class Best:
    """Weights in a folder, one file a checkpoint. Files are written before a ranking names them, and removed after."""

    folder: Path
    keep: int = 3

    def offer(self, ranking: Ranking, loss: float, step: int, weights: dict[str, Tensor]) -> Ranking:
        """Return the ranking with this checkpoint, if it is among the best; of equal ones the earlier is better."""
        ranked = sorted([*ranking, [loss, step]])[: self.keep]
        if [loss, step] in ranked:
            replace_file(self._file(step), save(weights))
        return ranked

    def tidy(self, ranking: Ranking) -> None:
        """Remove the files that are not ranked any more."""
        named = {self._file(int(step)) for _, step in ranking}
        for file in self.folder.glob("best-*.safetensors"):
            if file not in named:
                file.unlink()

    def load(self, ranking: Ranking) -> list[dict[str, Tensor]]:
        """Return the weights, the best first."""
        return [read_tensors(self._file(int(step)))[0] for _, step in ranking]

    def _file(self, step: int) -> Path:
        return self.folder / f"best-{step:08d}.safetensors"


def averaged(several: list[dict[str, Tensor]]) -> dict[str, Tensor]:
    """Return the mean of each weight."""
    return {name: torch.stack([weights[name] for weights in several]).mean(0) for name in several[0]}
