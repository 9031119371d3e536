"""NeuSum: scoring and selecting in one (Zhou et al., 2018), on frozen sentence vectors.

The paper's word-level encoder is replaced by a frozen sentence encoder, and its bidirectional GRU over sentences by a
transformer. The rest is as printed: a GRU that remembers what was chosen, scores by attention, and a distribution over
the sentences that follows their gains as the target.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import onnx
import torch
from torch import Tensor, nn
from torch.nn.utils import rnn

from tersely.encode import DEFAULT_ENCODER, Cache, Encoder, load_encoder
from tersely.errors import UsageError
from tersely.learn.artifacts import onnx_graph
from tersely.learn.training import Report
from tersely.paper.baselines import BaselineData, BaselineLessons, Labeled, Packed, Trained, device_of, read_labeled
from tersely.paper.transformer import Transformer

_CARD = """NeuSum (Zhou et al., 2018) on frozen `{encoder}` vectors, trained with labels: the gains of a greedy oracle.

{documents} documents with summaries. The graph chooses {picks} sentences, one after the other, each given those before;
values are ranks. The other sentences get the probabilities of the last step."""


@dataclass(frozen=True)
class NeuSumData:
    """The frozen encoder, how many sentences are read, and how many the oracle chooses."""

    encoder: str = DEFAULT_ENCODER
    sentences: int = 40
    count: int = 3


@dataclass(frozen=True)
class NeuSumNetwork:
    """Widths, the sharpness of the target distribution, and how many sentences the exported graph chooses."""

    width: int = 128
    layers: int = 1
    heads: int = 4
    dropout: float = 0.3
    sharpness: float = 20.0
    picks: int = 12


@dataclass(frozen=True)
class NeuSumConfig(Trained):
    """A NeuSum model, and how it is trained."""

    data: NeuSumData = field(default_factory=NeuSumData)
    network: NeuSumNetwork = field(default_factory=NeuSumNetwork)

    def __post_init__(self) -> None:
        self.check(self.data, self.network)
        if self.network.width % self.network.heads or self.network.width % 2 or self.network.dropout >= 1:
            raise UsageError("'width' must be even and a multiple of 'heads', and 'dropout' less than 1")

    def make(self, data: BaselineData, out: Path, resume: bool, report: Report, device: str = "auto") -> None:
        """Read the data, train, and write the model folder `out`; see `make_baseline`."""
        labeled, validation = read_labeled(data, self.data.sentences, self.data.count)
        encoder = Cache(out / "training" / "vectors", load_encoder(self.data.encoder))
        lessons = replace(neusum_lessons(self, labeled, encoder), validation=validation)
        state = lessons.train(out, resume, report, device)
        card = _CARD.format(encoder=self.data.encoder, documents=f"{len(labeled):,}", picks=self.network.picks)

        def pack() -> Packed:
            graph = neusum_onnx(lessons.network, self, lessons.facts["columns"])
            return Packed({"model.onnx": graph}, "learned:folder={folder}", self.data.encoder, "greedy", card)

        lessons.write(state, out, pack)


class NeuSum(nn.Module):
    """From sentence vectors to scores, step by step."""

    def __init__(self, columns: int, config: NeuSumNetwork) -> None:
        super().__init__()
        width = config.width
        self.drop = nn.Dropout(config.dropout)
        self.read = Transformer(columns, width, config.layers, config.heads, 4 * width, width, positions="sinusoidal")
        self.begin = nn.Linear(width, width)
        self.remember = nn.GRUCell(width, width)
        self.of_state, self.of_sentence = nn.Linear(width, width, bias=False), nn.Linear(width, width)
        self.score = nn.Linear(width, 1, bias=False)

    def encode(self, vectors: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return sentences in their document [B, n, w], and the first state [B, w], for vectors [B, n, d]."""
        sentences = self.drop(self.read(self.drop(vectors), mask))
        mean = (sentences * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
        return sentences, torch.tanh(self.begin(mean))

    def step(self, sentences: Tensor, last: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return the scores [B, n] after the last chosen sentence [B, w], and the new state."""
        state = self.remember(last, state)
        mixed = torch.tanh(self.of_state(state)[:, None] + self.of_sentence(sentences))
        scores: Tensor = self.score(mixed).squeeze(-1)
        return scores, state


class Choosing(nn.Module):
    """The network on one document: it chooses sentence after sentence, and gives ranks as values."""

    def __init__(self, network: Any, picks: int) -> None:
        super().__init__()
        self.network, self.picks = network, picks

    def forward(self, vectors: Tensor) -> Tensor:
        """Return values [1, n] for vectors [1, n, d]: picks, picks - 1, ... for the chosen, below 1 for the rest."""
        sentences, state = self.network.encode(vectors, torch.ones_like(vectors[:, :, 0], dtype=torch.bool))
        last = torch.zeros_like(sentences[:, 0])
        values = torch.zeros_like(sentences[:, :, 0])
        scores = values
        for rank in range(self.picks, 0, -1):
            scores, state = self.network.step(sentences, last, state)
            free = values == 0
            best = torch.where(free, scores, -1e9).argmax(dim=1, keepdim=True)  # [1, 1]
            chosen = torch.zeros_like(values).scatter(1, best, 1.0)
            values = values + rank * chosen * free
            last = (chosen[:, :, None] * sentences).sum(1)
        return torch.where(values > 0, values, torch.softmax(scores, dim=1) * 0.999)


def neusum_onnx(network: nn.Module, config: NeuSumConfig, columns: int) -> bytes:
    """Return the graph, for one document of any number of sentences."""
    graph = onnx_graph(
        Choosing(network, config.network.picks), (torch.rand(1, 5, columns),), {1: "sentences"}, "values"
    )
    onnx.helper.set_model_props(graph, {"columns": str(columns), "features": ""})
    data: bytes = graph.SerializeToString()
    return data


def neusum_lessons(config: NeuSumConfig, labeled: Sequence[Labeled], encoder: Encoder) -> BaselineLessons:
    """Return the lessons: at each step of the oracle, a distribution that follows the gains of the sentences."""
    columns = encoder.encode(labeled[0].document.texts).shape[1]
    with torch.random.fork_rng():
        torch.manual_seed(config.training.seed)
        network = NeuSum(columns, config.network)

    def loss(numbers: Sequence[int], _: torch.Generator) -> Tensor:
        device = device_of(network)
        vectors = [torch.from_numpy(encoder.encode(labeled[i].document.texts)).float().to(device) for i in numbers]
        mask = rnn.pad_sequence([torch.ones_like(rows[:, 0], dtype=torch.bool) for rows in vectors], True)
        sentences, state = network.encode(rnn.pad_sequence(vectors, True), mask)
        losses = []
        last = torch.zeros_like(sentences[:, 0])
        steps = [labeled[i].steps for i in numbers]
        for at in range(max(map(len, steps))):
            scores, state = network.step(sentences, last, state)
            now = [(row, choices[at]) for row, choices in enumerate(steps) if at < len(choices)]
            losses += [divergence(scores[row], gains, config.network.sharpness) for row, (_, gains) in now]
            chosen = torch.tensor([choices[min(at, len(choices) - 1)][0] for choices in steps])
            last = sentences[torch.arange(len(steps)), chosen]
        return torch.stack(losses).mean()

    facts = {"encoder": encoder.fingerprint, "columns": columns}
    return BaselineLessons(config, network, loss, [example.document for example in labeled], facts)


def divergence(scores: Tensor, gains: dict[int, float], sharpness: float) -> Tensor:
    """Return the divergence KL(P || Q) of the scores' distribution from that of the gains, scaled to [0, 1]."""
    places = torch.tensor(sorted(gains))
    gained = torch.tensor([gains[int(i)] for i in places], dtype=scores.dtype, device=scores.device)
    scaled = (gained - gained.min()) / (gained.max() - gained.min()).clamp(min=1e-9)
    target = torch.log_softmax(sharpness * scaled, dim=0)
    log = torch.log_softmax(scores[places], dim=0)
    return (log.exp() * (log - target)).sum()
