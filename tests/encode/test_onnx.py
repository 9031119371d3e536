from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tersely.encode import load_encoder
from tersely.encode.transformers import Hub, Onnx
from tersely.errors import MissingExtraError, ModelError

Copy = Callable[[Path], Path]


def write_graph(
    folder: Path, inputs: list[str], rank: int, kind: str = "INT64", fill: float = 1.0, width: int = 2
) -> None:
    """Write a graph that gives `fill` times the ids, [batch, token, width], or their sums [batch, width]."""
    from onnx import TensorProto, helper, numpy_helper, save

    code = getattr(TensorProto, kind)
    nodes = [
        helper.make_node("Cast", [inputs[0]], ["ids"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["ids", "last"], ["column"]),
        helper.make_node("Mul", ["column", "fill"], ["tokens"]),
    ]
    if rank == 2:
        nodes.append(helper.make_node("ReduceSum", ["tokens", "middle"], ["sentence"], keepdims=0))
    name = {2: "sentence", 3: "tokens", 1: "ids"}[rank]
    constants = {
        "last": np.array([2]),
        "middle": np.array([1]),
        "fill": np.full((1, 1, width), fill, dtype=np.float32),
    }
    graph = helper.make_graph(
        nodes,
        "small",
        [helper.make_tensor_value_info(i, code, ["batch", "token"]) for i in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)],
        [numpy_helper.from_array(value, key) for key, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    save(model, folder / "model.onnx")


@pytest.mark.parametrize("pooling", ["cls", "mean", "pooler"])
def test_rows_are_the_same_as_before_export(
    hub_folder: Path, onnx_folder: Path, sentences: list[str], pooling: Any
) -> None:
    exported = Onnx(str(onnx_folder), pooling, max_tokens=64, normalize=False).encode(sentences)
    original = Hub(str(hub_folder), pooling, max_tokens=64, normalize=False).encode(sentences)
    assert exported.dtype == np.float32
    np.testing.assert_allclose(exported, original, atol=1e-5)


@pytest.mark.parametrize("pooling", ["cls", "mean", "pooler"])
def test_neither_padding_nor_batches_change_a_row(onnx_folder: Path, sentences: list[str], pooling: Any) -> None:
    encoder = Onnx(str(onnx_folder), pooling, max_tokens=64, batch=3)
    alone = np.concatenate([encoder.encode([sentence]) for sentence in sentences])
    np.testing.assert_allclose(encoder.encode(sentences), alone, atol=1e-6)


def test_a_spec_reaches_the_settings_and_rows_have_length_one(onnx_folder: Path, sentences: list[str]) -> None:
    encoder = load_encoder(f"onnx:{onnx_folder},pooling=mean,max_tokens=64")
    np.testing.assert_allclose(np.linalg.norm(encoder.encode(sentences), axis=1), 1, atol=1e-6)
    assert encoder.encode([]).shape == (0, 32)
    np.testing.assert_allclose(
        encoder.encode(["cat " * 250_000, "\ud800"]), encoder.encode(["cat " * 62, "\ufffd"]), atol=1e-6
    )


@pytest.mark.parametrize("kind", ["INT64", "INT32"])
def test_a_graph_gets_only_its_own_inputs_in_its_own_type(onnx_folder: Path, copy_of: Copy, kind: str) -> None:
    copy = copy_of(onnx_folder)
    write_graph(copy, ["input_ids"], rank=3, kind=kind)
    rows = Onnx(str(copy), pooling="mean", normalize=False).encode(["the", "the cat the"])
    np.testing.assert_allclose(rows[:, 0], [(2 + 4 + 3) / 3, (2 + 4 + 6 + 4 + 3) / 5], rtol=1e-6)


def test_sentence_vectors_are_taken_unchanged(onnx_folder: Path, copy_of: Copy) -> None:
    copy = copy_of(onnx_folder)
    write_graph(copy, ["input_ids", "attention_mask"], rank=2)
    for pooling in ("cls", "mean", "pooler"):
        rows = Onnx(str(copy), pooling, normalize=False).encode(["the", "the cat"])  # type: ignore[arg-type]
        assert rows.tolist() == [[9, 9], [15, 15]]


def test_a_graph_without_a_pooler_says_so(onnx_folder: Path, copy_of: Copy) -> None:
    copy = copy_of(onnx_folder)
    write_graph(copy, ["input_ids"], rank=3)
    with pytest.raises(ModelError, match="no pooler output: choose pooling=cls or mean"):
        Onnx(str(copy), pooling="pooler")


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        ({"inputs": ["pixels"], "rank": 3}, "inputs of the graph are pixels"),
        ({"inputs": ["input_ids", "pixels"], "rank": 3}, "inputs of the graph are input_ids, pixels"),
        ({"inputs": ["input_ids"], "rank": 3, "kind": "FLOAT"}, "a text encoder takes input_ids"),
        ({"inputs": ["input_ids"], "rank": 3, "fill": float("nan")}, "not finite"),
    ],
)
def test_a_graph_that_is_not_an_encoder_is_refused(
    onnx_folder: Path, copy_of: Copy, graph: dict[str, Any], message: str
) -> None:
    copy = copy_of(onnx_folder)
    write_graph(copy, **graph)
    with pytest.raises(ModelError, match=message):
        Onnx(str(copy)).encode(["The cat."])


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_missing_and_broken_files_give_one_line_errors(
    onnx_folder: Path, copy_of: Copy, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    copy = copy_of(onnx_folder)
    whole = (copy / name).read_bytes()
    for content in (b"", b"\x08\x09broken", whole[: len(whole) // 2]):
        (copy / name).write_bytes(content)
        with pytest.raises(ModelError, match=name) as caught:
            Onnx(str(copy))
        assert "\n" not in str(caught.value)
    (copy / name).unlink()
    with pytest.raises(ModelError, match=f"has no {name}"):
        Onnx(str(copy))
    assert capfd.readouterr() == ("", "")


def test_a_missing_folder_gives_a_one_line_error() -> None:
    with pytest.raises(ModelError, match=r"no/such/folder has no model\.onnx"):
        Onnx("no/such/folder")


def test_the_fingerprint_follows_weights_and_settings(onnx_folder: Path, copy_of: Copy) -> None:
    copy = copy_of(onnx_folder)
    prints = [Onnx(str(onnx_folder)).fingerprint, Onnx(str(onnx_folder), max_tokens=64).fingerprint]
    assert Onnx(str(copy)).fingerprint == prints[0]
    for width in (2, 3):
        write_graph(copy, ["input_ids"], rank=3, width=width)
        prints.append(Onnx(str(copy)).fingerprint)
    assert len(set(prints)) == 4


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_a_missing_package_names_the_extra(onnx_folder: Path, without: Callable[[str], None], package: str) -> None:
    without(package)
    with pytest.raises(MissingExtraError, match=r"pip install 'tersely\[hub\]'"):
        Onnx(str(onnx_folder))
