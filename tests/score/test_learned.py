"""A learned scorer in its folder, and its error messages."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from onnx import TensorProto, helper

from strategies import texts
from tersely import Summarizer
from tersely.encode import load_encoder
from tersely.errors import MissingExtraError, ModelError, UsageError
from tersely.models import load_model, shipped_models
from tersely.score import SCORERS
from tersely.score.learned import COLUMNS, FEATURES, Learned, features, lengths
from tersely.text import Document

CONFIG = 'name = "mine"\nscorer = "learned:folder={folder}"\nencoder = "use"\n'


def graph(columns: int = 512, names: str = "", **metadata: str) -> bytes:
    """Build a one-layer network: the value is e to the mean of the vector, times the length."""
    inputs = [
        helper.make_tensor_value_info("vectors", TensorProto.FLOAT, [1, "n", columns]),
        helper.make_tensor_value_info("lengths", TensorProto.FLOAT, [1, "n"]),
    ]
    nodes = [
        helper.make_node("ReduceMean", ["vectors", "axes"], ["mean"], keepdims=0),
        helper.make_node("Exp", ["mean"], ["grown"]),
        helper.make_node("Mul", ["grown", "lengths"], ["values"]),
    ]
    output = helper.make_tensor_value_info("values", TensorProto.FLOAT, [1, "n"])
    axes = helper.make_tensor("axes", TensorProto.INT64, [1], [2])
    model = helper.make_model(
        helper.make_graph(nodes, "tiny", inputs, [output], [axes]),
        opset_imports=[helper.make_opsetid("", 18)],
        ir_version=10,
    )
    helper.set_model_props(model, {"columns": str(columns), "features": names} | metadata)
    onnx.checker.check_model(model)
    return model.SerializeToString()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.onnx").write_bytes(graph())
    (tmp_path / "config.toml").write_text(CONFIG)
    return tmp_path


def test_a_model_folder_scores_with_its_own_weights(folder: Path, english: str) -> None:
    document = Document.from_text(english)
    vectors = load_encoder("use").encode(document.texts)
    values = SCORERS.create(f"learned:{folder}").score(document, vectors)
    expected = np.exp(vectors.mean(axis=1)) * lengths(document)
    np.testing.assert_allclose(values, expected, rtol=1e-5)
    np.testing.assert_array_equal(values, Summarizer.load(folder).score(document))
    summary = Summarizer.load(folder).summarize(english, max_chars=300)
    assert summary.model == "mine"
    assert 0 < len(summary.text) <= 300


def test_the_fingerprint_depends_on_the_weights_not_on_the_path(folder: Path) -> None:
    other = folder / "copy"
    other.mkdir()
    (other / "model.onnx").write_bytes(graph())
    assert repr(Learned(str(folder))) == repr(Learned(str(other)))
    (other / "model.onnx").write_bytes(graph(note="another"))
    assert repr(Learned(str(folder))) != repr(Learned(str(other)))


def test_the_path_of_the_folder_goes_into_the_spec(folder: Path) -> None:
    assert load_model(folder).scorer == f"learned:folder={folder}"
    odd = folder / "a,b"
    odd.mkdir()
    (odd / "config.toml").write_text(CONFIG)
    with pytest.raises(ModelError, match="comma"):
        load_model(odd)


def test_every_shipped_model_can_be_loaded() -> None:
    assert "news" in shipped_models()
    assert all(load_model(name).scorer for name in shipped_models())


def test_errors_say_what_is_wrong(folder: Path) -> None:
    with pytest.raises(UsageError, match="needs folder"):
        SCORERS.create("learned")
    with pytest.raises(ModelError, match=r"no model\.onnx"):
        Learned(str(folder / "none"))
    document = Document.from_text("One fish. Two fish.")
    with pytest.raises(ModelError, match="vectors of 512 numbers, not 3"):
        Learned(str(folder)).score(document, np.ones((2, 3), np.float32))
    (folder / "model.onnx").write_bytes(graph(names="position zodiac"))
    with pytest.raises(ModelError, match="'zodiac', which this version"):
        Learned(str(folder))
    (folder / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(ModelError, match="not the graph of a learned scorer"):
        Learned(str(folder))


def test_a_missing_onnx_runtime_names_the_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match="learned"):
        Learned(str(folder))


@given(texts)
def test_features_are_finite_and_as_wide_as_declared(text: str) -> None:
    document = Document.from_text(text)
    if not len(document):
        return
    for name in FEATURES:
        found = features(document, (name,))
        assert found.shape == (len(document), COLUMNS[name])
        assert found.dtype == np.float32
        assert np.isfinite(found).all()
    assert features(document, ()).shape == (len(document), 0)
    assert (lengths(document) >= 1).all()
