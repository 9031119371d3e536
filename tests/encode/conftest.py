"""A BERT small enough to build in a test, in the folder formats of a user's SimCSE."""

import shutil
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

WORDS = "the a cat dog sat ran on under mat table rain fell all night and it was cold . , ##s ##ly".split()
SENTENCES = [
    "The cat sat on the mat.",
    "It rained.",
    "",
    "The dogs ran under the table, and it was cold all night, and the rain fell on the cats and the dogs.",
    "猫",
]


def small_tokenizer() -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    vocabulary = {token: number for number, token in enumerate([*special.values(), *WORDS])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special)


@pytest.fixture(scope="session")
def small_bert() -> Any:
    import torch
    from transformers import BertConfig, BertModel
    from transformers.utils import logging

    logging.disable_progress_bar()
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=4 + len(WORDS),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
        initializer_range=0.3,
    )
    return BertModel(config).eval()


@pytest.fixture(scope="session")
def hub_folder(small_bert: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hub")
    small_bert.save_pretrained(folder)
    small_tokenizer().save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def onnx_folder(small_bert: Any, hub_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch

    class TwoOutputs(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.bert = small_bert

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            output = self.bert(input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)
            return output.last_hidden_state, output.pooler_output

    folder = tmp_path_factory.mktemp("onnx")
    names = ["input_ids", "attention_mask", "token_type_ids"]
    open_shape = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    # Three separate tensors: the exporter would treat one that is passed twice as a single input.
    example = tuple(torch.full((2, 5), value) for value in (4, 1, 0))
    with warnings.catch_warnings():
        # PyTorch's exporter uses functions that PyTorch itself has deprecated.
        warnings.filterwarnings("ignore", message=r".*LeafSpec", category=FutureWarning)
        torch.onnx.export(
            TwoOutputs().eval(),
            example,
            str(folder / "model.onnx"),
            input_names=names,
            output_names=["last_hidden_state", "pooler_output"],
            dynamic_shapes=dict.fromkeys(names, open_shape),
            dynamo=True,
            external_data=False,
            optimize=False,
            verbose=False,
        )
    shutil.copy(hub_folder / "tokenizer.json", folder)
    return folder


@pytest.fixture
def sentences() -> list[str]:
    return list(SENTENCES)


@pytest.fixture
def copy_of(tmp_path: Path) -> Any:
    """Copy a model folder, so that a test can break it."""

    def copy(folder: Path) -> Path:
        return Path(shutil.copytree(folder, tmp_path / "copy"))

    return copy


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make a package fail to import, as if it were not installed."""
    return lambda package: monkeypatch.setitem(sys.modules, package, None)
