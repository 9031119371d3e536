"""BertSum: a hub encoder fine-tuned with labels, and a transformer over its sentence tokens (Liu and Lapata, 2019)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import onnx
import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812
from torch.nn.utils.rnn import pad_sequence

from tersely.encode import clean
from tersely.encode.transformers import Hub
from tersely.errors import ModelError, UsageError
from tersely.learn.artifacts import onnx_graph
from tersely.learn.training import Report
from tersely.paper.baselines import BaselineData, BaselineLessons, Labeled, Packed, Trained, device_of, read_labeled
from tersely.paper.scorers import lay_out
from tersely.paper.transformer import Transformer

_CARD = """BertSum (Liu and Lapata, 2019): `{encoder}`, fine-tuned with labels that a greedy oracle chose.

{documents} documents with summaries; the first {longest} tokens of each are read."""


@dataclass(frozen=True)
class BertSumData:
    """The encoder to fine-tune, a folder or a name of the Hub; the tokens read; the sentences the oracle chooses."""

    encoder: str = "bert-base-uncased"
    longest: int = 512
    sentences: int = 100
    count: int = 3


@dataclass(frozen=True)
class BertSumNetwork:
    """The transformer over sentences, which is as wide as the encoder."""

    layers: int = 2
    heads: int = 8
    inner: int = 2048


@dataclass(frozen=True)
class BertSumConfig(Trained):
    """A BertSum model, and how it is trained."""

    data: BertSumData = field(default_factory=BertSumData)
    network: BertSumNetwork = field(default_factory=BertSumNetwork)

    def __post_init__(self) -> None:
        self.check(self.data, self.network)

    def make(self, data: BaselineData, out: Path, resume: bool, report: Report, device: str = "auto") -> None:
        """Read the data, train, and write the model folder `out`; see `make_baseline`."""
        labeled, validation = read_labeled(data, self.data.sentences, self.data.count)
        hub = Hub(self.data.encoder, max_tokens=self.data.longest)
        reader = DocumentTokenizer.of(hub, self.data.longest)
        lessons = replace(bertsum_lessons(self, labeled, hub, reader), validation=validation)
        state = lessons.train(out, resume, report, device)
        card = _CARD.format(
            encoder=Path(self.data.encoder).name, documents=f"{len(labeled):,}", longest=self.data.longest
        )

        def pack() -> Packed:
            files = {"model.onnx": bertsum_onnx(lessons.network, reader), "tokenizer.json": reader.json()}
            return Packed(files, "bertsum:folder={folder}", None, "greedy", card)

        lessons.write(state, out, pack)


@dataclass(frozen=True)
class DocumentTokenizer:
    """Turns a document into one row of tokens, as at inference."""

    tokenizer: Any
    marks: tuple[int, int]  # [CLS] and [SEP]
    longest: int

    @classmethod
    def of(cls, hub: Hub, longest: int) -> "DocumentTokenizer":
        """Take the tokenizer of an encoder."""
        marks = hub._tokenizer.cls_token_id, hub._tokenizer.sep_token_id
        if None in marks or not hasattr(hub._tokenizer, "backend_tokenizer"):
            raise ModelError("BertSum needs an encoder with [CLS] and [SEP] and a tokenizer.json, such as a BERT")
        tokenizer = hub._tokenizer.backend_tokenizer
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return cls(tokenizer, marks, longest)

    def read(self, texts: Sequence[str]) -> tuple[list[int], list[int], list[int]]:
        """Return tokens, segments and the places of the sentences."""
        rows = self.tokenizer.encode_batch([clean(t, 16 * self.longest) for t in texts], add_special_tokens=False)
        return lay_out([row.ids for row in rows], self.marks, self.longest)

    def json(self) -> bytes:
        """Return the content of tokenizer.json."""
        text: str = self.tokenizer.to_str()
        return text.encode()


class BertSumNet(nn.Module):
    """The encoder, and the transformer over the vectors of its [CLS] tokens."""

    def __init__(self, encoder: Any, config: BertSumNetwork) -> None:
        super().__init__()
        width = int(encoder.config.hidden_size)
        if width % config.heads:
            raise UsageError(f"the encoder's width {width} is not a multiple of {config.heads} heads")
        self.encoder = encoder
        self.two_segments = getattr(encoder.config, "type_vocab_size", 0) > 1
        self.over = Transformer(width, width, config.layers, config.heads, config.inner, 1, positions="sinusoidal")

    def forward(self, ids: Tensor, segments: Tensor, places: Tensor, mask: Tensor, real: Tensor) -> Tensor:
        """Return scores [B, n] of sentences.

        `ids` and `segments` of tokens are [B, L], with `mask` [B, L]. `places` [B, n] are those of the sentences' [CLS]
        tokens, and `real` [B, n] says where there is a sentence.
        """
        more = {"token_type_ids": segments} if self.two_segments else {}
        tokens = self.encoder(input_ids=ids, attention_mask=mask.long(), **more).last_hidden_state  # [B, L, d]
        chosen = places[:, :, None].expand(-1, -1, tokens.shape[2])
        scores: Tensor = self.over(tokens.gather(1, chosen), real).squeeze(-1)
        return scores


class Probable(nn.Module):
    """The network on one whole document."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, ids: Tensor, segments: Tensor, places: Tensor) -> Tensor:
        """Return probabilities [1, n] for tokens and segments [1, L] and places [1, n]."""
        scores = self.network(ids, segments, places, torch.ones_like(ids), torch.ones_like(places, dtype=torch.bool))
        return torch.sigmoid(scores)


def bertsum_onnx(network: nn.Module, reader: DocumentTokenizer) -> bytes:
    """Return the graph, for one document of any number of tokens and sentences."""
    ids, segments, places = reader.read(["One.", "Two.", "Three."])
    example = tuple(torch.tensor([row]) for row in (ids, segments, places))
    row = {1: "tokens"}
    graph = onnx_graph(Probable(network), example, (row, row, {1: "sentences"}), "values")
    cls, sep = reader.marks
    onnx.helper.set_model_props(graph, {"cls": str(cls), "sep": str(sep), "longest": str(reader.longest)})
    data: bytes = graph.SerializeToString()
    return data


def bertsum_lessons(
    config: BertSumConfig, labeled: Sequence[Labeled], hub: Hub, reader: DocumentTokenizer
) -> BaselineLessons:
    """Return the lessons: for each sentence that `reader` reads, whether the oracle chose it.

    `labeled` has the documents with the choices of the oracle, and `hub` the encoder to fine-tune.
    """
    with torch.random.fork_rng():
        torch.manual_seed(config.training.seed)
        network = BertSumNet(hub._model, config.network)
    for weight in network.parameters():
        weight.requires_grad_(True)

    def loss(numbers: Sequence[int], _: torch.Generator) -> Tensor:
        device = device_of(network)
        rows = [reader.read(labeled[i].document.texts) for i in numbers]
        ids, segments, places = (pad_sequence([torch.tensor(row[k]) for row in rows], True) for k in range(3))
        mask, real = (pad_sequence([torch.ones(len(row[k]), dtype=torch.bool) for row in rows], True) for k in (0, 2))
        target = torch.zeros(places.shape)
        for row, number in enumerate(numbers):
            chosen = [i for i, _ in labeled[number].steps if i < len(rows[row][2])]
            target[row, chosen] = 1.0
        inputs = [tensor.to(device) for tensor in (ids, segments, places, mask, real)]
        scores = network(*inputs)
        return F.binary_cross_entropy_with_logits(scores[inputs[4]], target.to(device)[inputs[4]])

    documents = [example.document for example in labeled]
    return BaselineLessons(config, network, loss, documents, {"encoder": hub.fingerprint})
