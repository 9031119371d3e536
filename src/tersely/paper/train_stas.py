"""STAS: a hierarchical transformer that predicts masked sentences and their order, without labels (Xu et al., 2020).

Differences from the paper: it starts from random weights instead of RoBERTa's; it reads words instead of word pieces;
the decoder gets the document's view of a sentence as an input instead of attending to it; and the network names the
place of every shuffled sentence at once instead of one after the other.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import onnx
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from tersely.errors import UsageError
from tersely.learn.artifacts import onnx_graph
from tersely.learn.training import Report
from tersely.paper.baselines import BaselineData, BaselineLessons, Packed, Trained, device_of
from tersely.paper.scorers import BEGIN, MASK, PAD, UNKNOWN, tokens
from tersely.paper.transformer import AttentionBlock, hidden, sinusoids
from tersely.text import Document

_CARD = """STAS (Xu et al., 2020): a hierarchical transformer trained without labels on masked and shuffled sentences.

{documents} documents, the first {sentences} sentences of each, {words} words; width {width}."""


@dataclass(frozen=True)
class StasData:
    """How many sentences of a document are read, how many words of a sentence, and how many words are known."""

    sentences: int = 24
    longest: int = 24
    vocabulary: int = 8000


@dataclass(frozen=True)
class StasNetwork:
    """One width for all; layers that read sentences, layers over them, and layers that predict words."""

    width: int = 64
    heads: int = 4
    inner: int = 256
    sentence: int = 2
    document: int = 2
    decoder: int = 1
    masked: float = 0.15  # the share of sentences
    shuffle: float = 0.5  # the weight of the loss of the order; the loss of masked sentences has the rest


@dataclass(frozen=True)
class StasConfig(Trained):
    """A STAS model, and how it is trained."""

    data: StasData = field(default_factory=StasData)
    network: StasNetwork = field(default_factory=StasNetwork)

    def __post_init__(self) -> None:
        self.check(self.data, self.network)
        if self.network.width % self.network.heads or self.network.width % 2:
            raise UsageError(f"the width {self.network.width} is not even or not a multiple of the heads")
        if not max(self.network.masked, self.network.shuffle) < 1:
            raise UsageError("'masked' and 'shuffle' must be less than 1")

    def make(self, data: BaselineData, out: Path, resume: bool, report: Report, device: str = "auto") -> None:
        """Read the data, train, and write the model folder `out`; see `make_baseline`."""
        corpus = data.corpus(self.data.sentences)
        documents = corpus.documents
        words = vocabulary(documents, self.data.vocabulary)
        lessons = replace(stas_lessons(self, documents, words), validation=corpus.validation)
        state = lessons.train(out, resume, report, device)
        card = _CARD.format(
            documents=f"{len(documents):,}",
            sentences=self.data.sentences,
            words=f"{len(words):,}",
            width=self.network.width,
        )

        def pack() -> Packed:
            files = {"model.onnx": stas_onnx(lessons.network, self), "vocabulary.txt": "\n".join(words).encode()}
            return Packed(files, "stas:folder={folder}", None, "greedy", card)

        lessons.write(state, out, pack)


def vocabulary(documents: Sequence[Document], most: int) -> list[str]:
    """Return the most frequent words, the most frequent first."""
    counts = Counter(word for document in documents for sentence in document.words for word in sentence)
    return [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most]]


class Seeing(AttentionBlock):
    """A block that also returns its attention."""

    def look(self, x: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
        """Return the transformed x [B, n, d], and the attention [B, n, n], the mean over heads."""
        split = self.attend(self.norm(x)).unflatten(2, (3, self.heads, -1))
        query, key, value = split.permute(2, 0, 3, 1, 4)  # each [B, heads, n, d / heads]
        weights = torch.softmax(query @ key.transpose(2, 3) / query.shape[-1] ** 0.5 + bias, dim=-1)
        x = x + self.merge((weights @ value).transpose(1, 2).flatten(2))
        return x + self.think(x), weights.mean(1)


class StasNet(nn.Module):
    """Reads words into sentence vectors, sentence vectors into their document, and foretells a sentence's words."""

    def __init__(self, words: int, config: StasNetwork) -> None:
        super().__init__()
        size = config.width, config.heads, config.inner
        self.scale = config.width**0.5
        self.embed = nn.Embedding(words, config.width, padding_idx=PAD)
        nn.init.normal_(self.embed.weight, std=1 / self.scale)
        self.sentence = nn.ModuleList(AttentionBlock(*size, nn.GELU()) for _ in range(config.sentence))
        self.document = nn.ModuleList(Seeing(*size, nn.GELU()) for _ in range(config.document))
        self.decoder = nn.ModuleList(AttentionBlock(*size, nn.GELU()) for _ in range(config.decoder))
        self.norms = nn.ModuleList(nn.LayerNorm(config.width) for _ in range(3))
        self.place = nn.Linear(config.width, config.width)

    def read(self, rows: Tensor) -> Tensor:
        """Return the vectors [m, d] of sentences [m, T], each taken at the beginning of its sentence."""
        x = self.embed(rows) * self.scale
        x, bias = x + sinusoids(x), hidden(rows != PAD)
        for block in self.sentence:
            x = block(x, bias)
        y: Tensor = self.norms[0](x[:, 0])
        return y

    def relate(self, vectors: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
        """Return sentences in their document [B, n, d], and their attention [B, n, n], the mean over layers."""
        x, bias, attentions = vectors * self.scale, hidden(real), []
        x = x + sinusoids(x)
        for block in self.document:
            assert isinstance(block, Seeing)
            x, weights = block.look(x, bias)
            attentions.append(weights)
        return self.norms[1](x), torch.stack(attentions).mean(0)

    def foretell(self, rows: Tensor, views: Tensor) -> Tensor:
        """Return log p [m, T - 1] of each word of sentences [m, T], given the words before it and the views [m, d]."""
        before, words = rows[:, :-1], rows[:, 1:]
        x = self.embed(before) * self.scale + views[:, None]
        x = x + sinusoids(x)
        later = torch.ones(x.shape[1], x.shape[1], device=x.device).triu(1) * -1e4
        for block in self.decoder:
            x = block(x, later)
        logits = self.norms[2](x) @ self.embed.weight.T  # [m, T - 1, V]
        return torch.log_softmax(logits, dim=-1).gather(2, words[:, :, None])[:, :, 0]

    def points(self, related: Tensor, real: Tensor) -> Tensor:
        """Return scores [B, n, n]: how well the sentence j suits the place i."""
        places = self.place(sinusoids(related))  # [n, d]
        scores: Tensor = places[None] @ related.transpose(1, 2) / self.scale
        return scores + hidden(real)[:, 0]


def masked(rows: Tensor) -> Tensor:
    """Return sentences [m, T] with every word masked."""
    return torch.where((rows != PAD) & (rows != BEGIN), MASK, rows)


class StasRanking(nn.Module):
    """The network on one document, with each sentence masked in turn."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, tokens: Tensor) -> Tensor:
        """Return [n, 1 + n] for words [n, T]: the mean probability of a sentence's words, and its attention."""
        net = self.network
        assert isinstance(net, StasNet)
        vectors, unseen = net.read(tokens), net.read(masked(tokens))  # [n, d] each
        diagonal = torch.eye(tokens.shape[0]).bool()[:, :, None]  # True at (i, i): run i masks sentence i
        runs = torch.where(diagonal, unseen[None], vectors[None])  # [n, n, d]
        related, attentions = net.relate(runs, torch.ones_like(runs[:, :, 0], dtype=torch.bool))
        views, attention = (related * diagonal).sum(1), (attentions * diagonal).sum(1)  # [n, d], [n, n]
        real = tokens[:, 1:] != PAD
        probable = net.foretell(tokens, views).exp() * real
        return torch.cat([probable.sum(1, keepdim=True) / real.sum(1, keepdim=True).clamp(min=1), attention], dim=1)


def stas_onnx(network: nn.Module, config: StasConfig) -> bytes:
    """Return the graph, for one document of any number of sentences."""
    example = torch.randint(UNKNOWN, BEGIN + 1, (5, 1 + config.data.longest))
    graph = onnx_graph(StasRanking(network), (example,), {0: "sentences"}, "values")
    properties = {"sentences": str(config.data.sentences), "longest": str(config.data.longest)}
    onnx.helper.set_model_props(graph, properties)
    data: bytes = graph.SerializeToString()
    return data


def stas_lessons(config: StasConfig, documents: Sequence[Document], words: Sequence[str]) -> BaselineLessons:
    """Return the lessons: the words of masked sentences, and the places of shuffled ones."""
    numbers_of = {word: BEGIN + 1 + k for k, word in enumerate(words)}
    with torch.random.fork_rng():
        torch.manual_seed(config.training.seed)
        network = StasNet(BEGIN + 1 + len(words), config.network)

    def loss(numbers: Sequence[int], sampling: torch.Generator) -> Tensor:
        device = device_of(network)
        read = [tokens(documents[i].words, numbers_of, config.data.longest) for i in numbers]
        rows = nn.utils.rnn.pad_sequence([torch.from_numpy(document) for document in read], True)  # [B, n, T]
        counts = torch.tensor([len(document) for document in read])
        rows, real = rows.to(device), (torch.arange(rows.shape[1]) < counts[:, None]).to(device)
        vectors = torch.zeros(*real.shape, config.network.width, device=device)
        vectors[real] = network.read(rows[real])
        draws = torch.rand(real.shape, generator=sampling).to(device).masked_fill(~real, 2.0)
        chosen = (draws < config.network.masked) | (draws == draws.min(1, keepdim=True).values)
        hiding = vectors.clone()
        hiding[chosen] = network.read(masked(rows[chosen]))
        views = network.relate(hiding, real)[0][chosen]
        words_real = rows[chosen][:, 1:] != PAD
        word_loss = -network.foretell(rows[chosen], views)[words_real].mean()
        # A random order of the real sentences; the padding stays at the end.
        order = (torch.rand(real.shape, generator=sampling).to(device) + 2.0 * ~real).argsort(1)
        mixed = vectors.gather(1, order[:, :, None].expand_as(vectors))
        points = network.points(network.relate(mixed, real)[0], real)
        placed = F.cross_entropy(points[real], order.argsort(1)[real])
        return (1 - config.network.shuffle) * word_loss + config.network.shuffle * placed

    return BaselineLessons(config, network, loss, documents, {"words": len(words)})
