"""PMI (Padmakumar and He, 2021): pointwise mutual information between sentences, by a language model."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from tersely.encode import one_line, torch_device
from tersely.encode._base import PickledBySettings, clean, fingerprint
from tersely.encode.transformers import _download, _quiet, model_files, safe_loading
from tersely.errors import MissingExtraError, ModelError, UsageError
from tersely.score import Matrix, Values
from tersely.text.document import Document
from tersely.text.language import Language
from tersely.text.words import all_words

__all__ = ["Pmi", "WordModel", "by_rank"]


class Pmi:
    """What a sentence tells about the others, less what the chosen ones tell (Padmakumar and He, 2021).

    Greedy: the next sentence is the one of the highest `relevance` x (sum over the others of its information) -
    `redundancy` x (sum over the chosen ones of its information). Information is log p(other | sentence) - log p(other),
    or 0 if that is negative. `model` is a file of word counts made by `tersely train baseline`, or a causal language
    model: a folder or a name of the Hugging Face Hub, which computes on `device` (cpu, cuda, mps or auto). Without a
    model, words are counted in the document itself. Only the first `sentences` are compared; the rest come last. Values
    are ranks: the first choice has the highest.
    """

    encoder: ClassVar[str | None] = None
    select: ClassVar[str] = "greedy"

    def __init__(
        self,
        model: str = "",
        relevance: float = 1.0,
        redundancy: float = 1.0,
        sentences: int = 100,
        device: str = "cpu",
    ) -> None:
        if sentences < 1:
            raise UsageError(f"sentences={sentences}: write 1 or more")
        self.model, self.relevance, self.redundancy, self.sentences = model, relevance, redundancy, sentences
        self.device = device
        self._model = _load(model, device) if model else None

    def __repr__(self) -> str:
        print_of = self._model.fingerprint if self._model else ""
        return f"Pmi({print_of!r}, {self.relevance!r}, {self.redundancy!r}, {self.sentences!r})"

    def __reduce__(self) -> tuple[type, tuple[str, float, float, int, str]]:
        return Pmi, (self.model, self.relevance, self.redundancy, self.sentences, self.device)

    def score(self, document: Document, vectors: Matrix) -> Values:  # noqa: ARG002
        """Return n for the first choice, n - 1 for the second, and so on."""
        texts = document.texts[: self.sentences]
        model = self._model or WordModel(Counter(word for words in document.words for word in words))
        information = model.informations(texts, document.language)
        return by_rank(self._order(information), len(document))

    def _order(self, information: Values) -> list[int]:
        """Return all sentences in the order of greedy choice; ties keep document order."""
        np.fill_diagonal(information, 0)
        information = np.maximum(information, 0)  # as in its authors' code, in both sums
        relevance = information.sum(axis=1)
        penalty, order = np.zeros(len(relevance)), []
        remaining = np.ones(len(relevance), dtype=bool)
        while remaining.any():
            gain = self.relevance * relevance - self.redundancy * penalty
            chosen = int(np.argmax(np.where(remaining, np.round(gain, 9), -np.inf)))
            order.append(chosen)
            remaining[chosen] = False
            penalty += information[:, chosen]
        return order


def by_rank(order: Sequence[int], count: int) -> Values:
    """Return `count` for the first in the order, and so on; sentences that are not in it follow in document order.

    >>> by_rank([2, 0], 4).tolist()
    [3.0, 2.0, 4.0, 1.0]
    """
    ranked = [*order, *sorted(set(range(count)) - set(order))]
    values: Values = np.empty(count)
    values[ranked] = np.arange(count, 0, -1, dtype=np.float64)
    return values


class _LanguageModel(Protocol):
    @property
    def fingerprint(self) -> str: ...

    def informations(self, sentences: Sequence[str], language: Language) -> Values: ...


@dataclass(frozen=True)
class WordModel:
    """A bigram model with a cache: a word may also come from the sentence before (Kuhn and De Mori, 1990).

    p(w | before, sentence) = (1 - cache) x p(w | before) + cache x (share of w in the sentence); p(w | before)
    interpolates bigrams, words and the uniform distribution by `weights`.
    """

    words: Mapping[str, int]
    bigrams: Mapping[str, int] = field(default_factory=dict)  # "first second"
    weights: tuple[float, float, float] = (0.0, 0.9, 0.1)
    cache: float = 0.2
    fingerprint: str = ""

    @classmethod
    def read(cls, path: Path) -> "WordModel":
        """Read a file of word counts that `tersely train baseline` wrote."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            bigram, unigram, uniform = map(float, content["weights"])
            hashed = fingerprint("words", {}, [path])
            weights, cache = (bigram, unigram, uniform), float(content["cache"])
            model = cls(dict(content["words"]), dict(content["bigrams"]), weights, cache, hashed)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ModelError(f"{path} is no file of word counts: make one with 'tersely train baseline'") from error
        if not 0 <= model.cache < 1 or min(model.weights) < 0 or uniform <= 0:
            raise ModelError(f"{path} is damaged: its weights are no probabilities")
        return model

    @cached_property
    def _total(self) -> int:
        return max(sum(self.words.values()) - self.words.get("", 0), 1)

    def parts(self, words: Sequence[str]) -> Values:
        """Return for each word its share after the word before, its share of all words, and the uniform one, [3, m]."""
        shares = []
        for first, word in pairwise(["", *words]):
            follows = self.bigrams.get(f"{first} {word}", 0) / max(self.words.get(first, 0), 1)
            shares.append((follows, self.words.get(word, 0) / self._total, 1 / (len(self.words) + 1)))
        return np.array(shares, dtype=np.float64).reshape(-1, 3).T

    def informations(self, sentences: Sequence[str], language: Language) -> Values:
        """Return log p(j | i) - log p(j) for sentences i (rows) and j (columns)."""
        words = [all_words(sentence, language) for sentence in sentences]
        number = {word: k for k, word in enumerate(dict.fromkeys(word for row in words for word in row))}
        shares = np.zeros((len(words), len(number)))
        for row, sentence_words in zip(shares, words, strict=True):
            np.add.at(row, [number[word] for word in sentence_words], 1 / max(len(sentence_words), 1))
        information = np.zeros((len(words), len(words)))
        for j, sentence_words in enumerate(words):
            plain = np.array(self.weights) @ self.parts(sentence_words)  # [m]
            cached = shares[:, [number[word] for word in sentence_words]]  # [n, m]
            information[:, j] = np.log(1 - self.cache + self.cache * cached / plain).sum(axis=1)
        return information


@lru_cache(maxsize=4)
def _load(model: str, device: str) -> _LanguageModel:
    file = Path(model).expanduser()
    return WordModel.read(file) if file.is_file() else CausalModel(model, device=device)


# Pairs of sentences in one run of the model, and the most tokens of a sentence.
_BATCH, _LONGEST = 16, 128


class CausalModel(PickledBySettings):
    """A language model that reads from left to right, such as GPT-2, run by PyTorch."""

    def __init__(self, path: str, download: bool = True, device: str = "cpu") -> None:
        try:
            import torch
            import transformers
        except ImportError:
            raise MissingExtraError("a causal language model", "hub") from None
        self._folder = Path(path).expanduser()
        if not self._folder.is_dir():
            self._folder = _download(path, download, None)
        self._torch: Any = torch
        safely = {"trust_remote_code": False, "local_files_only": True}
        weights = safe_loading(self._folder, torch.__version__)
        try:
            with _quiet(transformers):
                self._tokenizer = transformers.AutoTokenizer.from_pretrained(self._folder, **safely)
                model = transformers.AutoModelForCausalLM.from_pretrained(self._folder, **safely, **weights)
        except Exception as error:
            raise ModelError(
                f"{self._folder} cannot be loaded as a causal language model: {one_line(error)}"
            ) from error
        self._device = torch_device(device)
        self._model = model.float().eval().to(self._device)
        starts = (self._tokenizer.bos_token_id, self._tokenizer.eos_token_id)
        self._start: int = next((token for token in starts if token is not None), 0)
        self.fingerprint = fingerprint("causal", {}, model_files(self._folder))

    def informations(self, sentences: Sequence[str], language: str) -> NDArray[np.float64]:  # noqa: ARG002
        """Return log p(j | i) - log p(j) for sentences i (rows) and j (columns)."""
        tokens = [self._tokens(sentence) for sentence in sentences]
        alone = self._likelihoods([([], after) for after in tokens])
        pairs = self._likelihoods([(before, after) for before in tokens for after in tokens])
        return pairs.reshape(len(tokens), len(tokens)) - alone[None, :]

    def _tokens(self, sentence: str) -> list[int]:
        text = clean(sentence, 16 * _LONGEST)
        # With the space, a word has the same token after another sentence as within one.
        ids: list[int] = self._tokenizer(f" {text}", add_special_tokens=False)["input_ids"]
        return ids[:_LONGEST]

    def _likelihoods(self, pairs: Sequence[tuple[list[int], list[int]]]) -> NDArray[np.float64]:
        """Return the log-likelihood of each second part after the first."""
        likelihoods = np.zeros(len(pairs))
        order = sorted(range(len(pairs)), key=lambda k: len(pairs[k][0]) + len(pairs[k][1]))
        for first in range(0, len(order), _BATCH):
            chosen = order[first : first + _BATCH]
            likelihoods[chosen] = self._run([pairs[k] for k in chosen])
        return likelihoods

    def _run(self, pairs: list[tuple[list[int], list[int]]]) -> NDArray[np.float64]:
        torch = self._torch
        rows = [[self._start, *before, *after] for before, after in pairs]
        width = max(map(len, rows))
        ids = torch.tensor([row + [self._start] * (width - len(row)) for row in rows])
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
        try:
            with torch.inference_mode():
                logits = self._model(input_ids=ids.to(self._device), attention_mask=mask.to(self._device)).logits.cpu()
        except Exception as error:
            raise ModelError(f"{self._folder}: the model does not run: {one_line(error)}") from error
        logs = torch.log_softmax(logits[:, :-1].double(), dim=-1).gather(2, ids[:, 1:, None])[:, :, 0]  # [B, width - 1]
        spans = [(len(row) - 1 - len(after), len(row) - 1) for row, (_, after) in zip(rows, pairs, strict=True)]
        return np.array([float(log[start:end].sum()) for log, (start, end) in zip(logs, spans, strict=True)])
