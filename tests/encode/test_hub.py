import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tersely.encode import load_encoder, pieces_of
from tersely.encode.transformers import Hub, safe_loading
from tersely.errors import MissingExtraError, ModelError, UsageError

Copy = Callable[[Path], Path]


def direct(bert: Any, folder: Path, sentence: str, pooling: str) -> Any:
    """One sentence, straight through transformers: no batch, no padding, none of our code."""
    import torch
    from transformers import AutoTokenizer

    inputs = AutoTokenizer.from_pretrained(folder)(sentence, return_tensors="pt")
    with torch.no_grad():
        output = bert(**inputs)
    row = {
        "cls": output.last_hidden_state[0, 0],
        "mean": output.last_hidden_state[0].mean(dim=0),
        "pooler": output.pooler_output[0],
    }[pooling]
    return row.numpy()


@pytest.mark.parametrize("pooling", ["cls", "mean", "pooler"])
def test_rows_are_what_transformers_gives_for_each_sentence_alone(
    small_bert: Any, hub_folder: Path, sentences: list[str], pooling: Any
) -> None:
    sentences.remove("")
    rows = Hub(str(hub_folder), pooling, max_tokens=64, normalize=False).encode(sentences)
    assert rows.dtype == np.float32
    for row, sentence in zip(rows, sentences, strict=True):
        np.testing.assert_allclose(row, direct(small_bert, hub_folder, sentence, pooling), atol=2e-6)


@pytest.mark.parametrize("pooling", ["cls", "mean", "pooler"])
def test_neither_padding_nor_batches_change_a_row(hub_folder: Path, sentences: list[str], pooling: Any) -> None:
    encoder = Hub(str(hub_folder), pooling, batch=3)
    alone = np.concatenate([encoder.encode([sentence]) for sentence in sentences])
    np.testing.assert_allclose(encoder.encode(sentences), alone, atol=1e-6)


def test_a_spec_reaches_the_settings_and_rows_have_length_one(hub_folder: Path, sentences: list[str]) -> None:
    rows = load_encoder(f"hub:{hub_folder},pooling=mean,max_tokens=16").encode(sentences)
    assert rows.shape == (5, 32)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert load_encoder(f"hub:{hub_folder}").encode([]).shape == (0, 32)


def test_tokens_are_word_pieces_without_special_ones(hub_folder: Path, onnx_folder: Path) -> None:
    for spec in (f"hub:{hub_folder}", f"onnx:{onnx_folder}"):
        count = pieces_of(load_encoder(spec))
        assert [count(text) for text in ("", "The dogs sat.", "The dogs sat. " * 100)] == [0, 5, 500]
        assert count("the \ud800 cat") == 2
    assert pieces_of(load_encoder("tfidf"))("The dogs sat.") == 3


def test_a_megabyte_and_lone_surrogates_are_encoded(hub_folder: Path) -> None:
    rows = Hub(str(hub_folder), max_tokens=64).encode(["cat " * 250_000, "cat " * 63, "a\ud800b", "\0"])
    assert np.isfinite(rows).all()
    np.testing.assert_allclose(rows[0], rows[1], atol=1e-6)


def test_threads_may_share_an_encoder(hub_folder: Path, sentences: list[str]) -> None:
    encoder = Hub(str(hub_folder))
    expected = encoder.encode(sentences)
    with ThreadPoolExecutor(4) as pool:
        for rows in pool.map(encoder.encode, [sentences] * 16):
            np.testing.assert_array_equal(rows, expected)


def test_the_fingerprint_follows_weights_and_settings(hub_folder: Path, copy_of: Copy) -> None:
    copy = copy_of(hub_folder)
    same = Hub(str(copy))
    assert same.fingerprint == Hub(str(hub_folder)).fingerprint
    assert same.fingerprint != Hub(str(hub_folder), pooling="mean").fingerprint
    with (copy / "model.safetensors").open("r+b") as stream:
        stream.seek(-4, 2)
        stream.write(b"\0\0\0\1")
    assert same.fingerprint != Hub(str(copy)).fingerprint


def test_loading_prints_nothing_and_leaves_the_log_level_alone(
    hub_folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from transformers.utils import logging

    before = logging.get_verbosity(), logging.is_progress_bar_enabled()
    Hub(str(hub_folder))
    assert capfd.readouterr() == ("", "")
    assert (logging.get_verbosity(), logging.is_progress_bar_enabled()) == before


def test_an_unknown_model_gives_a_one_line_error() -> None:
    for name in ("nobody/no-such-model", "./no/such/folder", "spaces are no name"):
        with pytest.raises(ModelError, match="check the name and the network") as caught:
            Hub(name)
        assert "\n" not in str(caught.value)


def test_pickled_weights_give_the_same_vectors(
    small_bert: Any, hub_folder: Path, copy_of: Copy, sentences: list[str]
) -> None:
    import torch

    copy = copy_of(hub_folder)
    expected = Hub(str(copy)).encode(sentences)
    (copy / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"no weights: it needs model\.safetensors or pytorch_model\.bin"):
        Hub(str(copy))
    torch.save(small_bert.state_dict(), copy / "pytorch_model.bin")
    encoder = Hub(str(copy))
    np.testing.assert_array_equal(encoder.encode(sentences), expected)
    before = encoder.fingerprint
    torch.save({name: 2 * tensor for name, tensor in small_bert.state_dict().items()}, copy / "pytorch_model.bin")
    assert Hub(str(copy)).fingerprint != before


class _Attack:
    """Unpickled by an ordinary loader, it makes a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.folder),)


def test_nothing_but_tensors_is_unpickled(hub_folder: Path, copy_of: Copy, tmp_path: Path) -> None:
    import torch

    copy = copy_of(hub_folder)
    (copy / "model.safetensors").unlink()
    torch.save({"weight": torch.zeros(1), "more": _Attack(tmp_path / "attacked")}, copy / "pytorch_model.bin")
    with pytest.raises(ModelError, match="cannot be loaded as an encoder") as caught:
        Hub(str(copy))
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "attacked").exists()
    with pytest.raises(ModelError, match=r"safe from PyTorch 2\.6 on: this is 2\.5\.1"):
        safe_loading(copy, "2.5.1")


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json"])
def test_a_broken_file_gives_a_one_line_error(hub_folder: Path, copy_of: Copy, name: str) -> None:
    copy = copy_of(hub_folder)
    (copy / name).write_bytes(b"{broken")
    with pytest.raises(ModelError, match="cannot be loaded as an encoder") as caught:
        Hub(str(copy))
    assert "\n" not in str(caught.value)


def rewrite(folder: Path, keep: Callable[[str], bool]) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "model.safetensors")
    kept = {name: tensor for name, tensor in weights.items() if keep(name)}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})


def test_a_pooler_that_was_never_trained_is_refused(hub_folder: Path, copy_of: Copy) -> None:
    copy = copy_of(hub_folder)
    rewrite(copy, lambda name: not name.startswith("pooler"))
    with pytest.raises(ModelError, match="no trained pooler: choose pooling=cls or mean"):
        Hub(str(copy), pooling="pooler")
    assert Hub(str(copy), pooling="cls").encode(["The cat."]).shape == (1, 32)


def test_incomplete_weights_are_refused(hub_folder: Path, copy_of: Copy) -> None:
    copy = copy_of(hub_folder)
    rewrite(copy, lambda name: "layer.1.output" not in name)
    with pytest.raises(ModelError, match=r"the weights lack encoder\.layer\.1\.output"):
        Hub(str(copy))


def test_a_model_without_a_pooler_says_so(hub_folder: Path, copy_of: Copy) -> None:
    from transformers import DistilBertConfig, DistilBertModel

    copy = copy_of(hub_folder)
    DistilBertModel(
        DistilBertConfig(vocab_size=40, dim=32, n_layers=1, n_heads=2, hidden_dim=64, max_position_embeddings=64)
    ).save_pretrained(copy)
    assert Hub(str(copy), max_tokens=64, pooling="mean").encode(["The cat."]).shape == (1, 32)
    with pytest.raises(ModelError, match="no trained pooler"):
        Hub(str(copy), max_tokens=64, pooling="pooler")


def test_the_tokenizer_of_another_model_gives_a_clear_error(hub_folder: Path, copy_of: Copy) -> None:
    copy = copy_of(hub_folder)
    tokenizer = json.loads((copy / "tokenizer.json").read_text(encoding="utf-8"))
    tokenizer["model"]["vocab"]["cat"] = 5_000
    (copy / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    with pytest.raises(ModelError, match="the model does not run"):
        Hub(str(copy)).encode(["The cat."])


def test_impossible_settings_are_refused(hub_folder: Path) -> None:
    with pytest.raises(ModelError, match="reads at most 128 tokens, but max_tokens=129"):
        Hub(str(hub_folder), max_tokens=129)
    with pytest.raises(UsageError, match="unknown pooling 'meen': did you mean 'mean'"):
        Hub(str(hub_folder), pooling="meen")  # type: ignore[arg-type]
    for wrong in ({"max_tokens": 2}, {"batch": 0}):
        with pytest.raises(UsageError, match="or more"):
            Hub(str(hub_folder), **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_a_missing_package_names_the_extra(hub_folder: Path, without: Callable[[str], None], package: str) -> None:
    without(package)
    with pytest.raises(MissingExtraError, match=r"pip install 'tersely\[hub\]'"):
        Hub(str(hub_folder))


def test_sentences_go_to_the_device_of_the_model_and_vectors_come_back(hub_folder: Path, monkeypatch: Any) -> None:
    import torch

    encoder = Hub(str(hub_folder), normalize=False)
    expected = encoder.encode(["The cat sat on the mat."])
    seen = set()

    def compute(**inputs: Any) -> Any:
        seen.update(tensor.device.type for tensor in inputs.values())
        return model(**tokens)

    tokens, model = encoder._tokenizer(["The cat sat on the mat."], return_tensors="pt"), encoder._model
    mask = {"attention_mask": tokens["attention_mask"]}
    # The device `meta` keeps no numbers, so the stand-in for the model computes on the CPU.
    monkeypatch.setattr(encoder, "_device", torch.device("meta"))
    monkeypatch.setattr(encoder, "_model", compute)
    monkeypatch.setattr(encoder, "_tokenizer", lambda *_, **__: _Inputs(mask))
    np.testing.assert_array_equal(encoder.encode(["The cat sat on the mat."]), expected)
    assert seen == {"meta"}


class _Inputs(dict):
    def to(self, device: Any) -> dict[str, Any]:
        return {name: tensor.to(device) for name, tensor in self.items()}


def test_the_fingerprint_does_not_depend_on_the_device_and_missing_ones_are_refused(hub_folder: Path) -> None:
    import torch

    assert Hub(str(hub_folder), device="auto").fingerprint == Hub(str(hub_folder)).fingerprint
    for device, there in (("cuda", torch.cuda.is_available()), ("mps", torch.backends.mps.is_available())):
        if not there:
            with pytest.raises(UsageError, match="choose --device cpu"):
                Hub(str(hub_folder), device=device)
    with pytest.raises(UsageError, match="device"):
        Hub(str(hub_folder), device="tpu")


def test_a_revision_is_asked_of_the_hub(hub_folder: Path, monkeypatch: Any) -> None:
    import huggingface_hub

    asked = []

    def snapshot(name: str, **options: Any) -> str:
        asked.append((name, options["revision"]))
        return str(hub_folder)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    load_encoder("hub:someone/small,revision=v1.2")
    Hub("someone/small")
    assert asked == [("someone/small", "v1.2"), ("someone/small", None)]
    with pytest.raises(UsageError, match="no revisions"):
        Hub(str(hub_folder), revision="v1.2")
