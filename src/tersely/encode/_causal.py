"""A causal language model from the Hugging Face Hub or from a local folder: how much one sentence foretells another."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tersely.encode._base import PickledBySettings, clean, fingerprint
from tersely.encode._base import one_line as reason
from tersely.encode.hub import _FILES, _download, _quiet
from tersely.errors import MissingExtraError, ModelError

# Pairs of sentences in one run of the model, and the most tokens of a sentence.
_BATCH, _LONGEST = 16, 128


class CausalModel(PickledBySettings):
    """A language model that reads from left to right, such as GPT-2, run by PyTorch on the CPU."""

    def __init__(self, path: str, download: bool = True) -> None:
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
        try:
            with _quiet(transformers):
                self._tokenizer = transformers.AutoTokenizer.from_pretrained(self._folder, **safely)
                model = transformers.AutoModelForCausalLM.from_pretrained(self._folder, use_safetensors=True, **safely)
        except Exception as error:
            raise ModelError(f"{self._folder} cannot be loaded as a causal language model: {reason(error)}") from error
        self._model = model.float().eval()
        starts = (self._tokenizer.bos_token_id, self._tokenizer.eos_token_id)
        self._start: int = next((token for token in starts if token is not None), 0)
        files = [file for pattern in _FILES for file in self._folder.glob(pattern)]
        self.fingerprint = fingerprint("causal", {}, files)

    def informations(self, sentences: Sequence[str], language: str) -> NDArray[np.float64]:  # noqa: ARG002
        """Return log p(j | i) - log p(j) for sentences i (rows) and j (columns)."""
        tokens = [self._tokens(sentence) for sentence in sentences]
        alone = self._likelihoods([([], after) for after in tokens])
        pairs = self._likelihoods([(before, after) for before in tokens for after in tokens])
        return pairs.reshape(len(tokens), len(tokens)) - alone[None, :]

    def _tokens(self, sentence: str) -> list[int]:
        text = clean(sentence, 16 * _LONGEST)
        # With the space, a word has the same token after another sentence as within one.
        found: list[int] = self._tokenizer(f" {text}", add_special_tokens=False)["input_ids"]
        return found[:_LONGEST]

    def _likelihoods(self, pairs: Sequence[tuple[list[int], list[int]]]) -> NDArray[np.float64]:
        """Return the log-likelihood of each second part after the first."""
        found = np.zeros(len(pairs))
        order = sorted(range(len(pairs)), key=lambda k: len(pairs[k][0]) + len(pairs[k][1]))
        for first in range(0, len(order), _BATCH):
            chosen = order[first : first + _BATCH]
            found[chosen] = self._run([pairs[k] for k in chosen])
        return found

    def _run(self, pairs: list[tuple[list[int], list[int]]]) -> NDArray[np.float64]:
        torch = self._torch
        rows = [[self._start, *before, *after] for before, after in pairs]
        width = max(map(len, rows))
        ids = torch.tensor([row + [self._start] * (width - len(row)) for row in rows])
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
        try:
            with torch.inference_mode():
                logits = self._model(input_ids=ids, attention_mask=mask).logits
        except Exception as error:
            raise ModelError(f"{self._folder}: the model does not run: {reason(error)}") from error
        logs = torch.log_softmax(logits[:, :-1].double(), dim=-1).gather(2, ids[:, 1:, None])[:, :, 0]  # [B, width - 1]
        spans = [(len(row) - 1 - len(after), len(row) - 1) for row, (_, after) in zip(rows, pairs, strict=True)]
        return np.array([float(log[start:end].sum()) for log, (start, end) in zip(logs, spans, strict=True)])
