"""A learned scorer in its folder, and its error messages."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from strategies import texts
from tersely import Summarizer
from tersely.encode import _base, load_encoder
from tersely.errors import MissingExtraError, ModelError, TerselyError, UsageError
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


def _one_line(folder: Path) -> str:
    with pytest.raises(TerselyError) as raised:
        Summarizer.load(folder).summarize("Rain fell. The river rose by a meter. It rained.", max_chars=20)
    assert len(str(raised.value).splitlines()) == 1
    return str(raised.value)


def loop() -> bytes:
    """A graph that counts for ever, or nearly."""
    count = helper.make_tensor("count", TensorProto.INT64, [], [2**62])
    true = helper.make_tensor("true", TensorProto.BOOL, [], [True])
    body = helper.make_graph(
        [helper.make_node("Identity", ["go"], ["on"]), helper.make_node("Abs", ["held"], ["kept"])],
        "body",
        [
            helper.make_tensor_value_info("i", TensorProto.INT64, []),
            helper.make_tensor_value_info("go", TensorProto.BOOL, []),
            helper.make_tensor_value_info("held", TensorProto.FLOAT, [1, "n"]),
        ],
        [
            helper.make_tensor_value_info("on", TensorProto.BOOL, []),
            helper.make_tensor_value_info("kept", TensorProto.FLOAT, [1, "n"]),
        ],
    )
    return _model([helper.make_node("Loop", ["count", "true", "lengths"], ["values"], body=body)], [count, true])


def _model(nodes: list[onnx.NodeProto], constants: list[onnx.TensorProto]) -> bytes:
    inputs = [helper.make_tensor_value_info("lengths", TensorProto.FLOAT, [1, "n"])]
    output = helper.make_tensor_value_info("values", TensorProto.FLOAT, None)
    model = helper.make_model(
        helper.make_graph(nodes, "odd", inputs, [output], constants),
        opset_imports=[helper.make_opsetid("", 18)],
        ir_version=10,
    )
    helper.set_model_props(model, {"columns": "512", "features": ""})
    return model.SerializeToString()


def _named(name: str, shape: list[int]) -> bytes:
    model = onnx.load_from_string(graph())
    model.graph.input[1].name = name
    model.graph.node[2].input[1] = name
    for size, dim in zip(shape, model.graph.input[1].type.tensor_type.shape.dim, strict=True):
        dim.dim_value = size
    return model.SerializeToString()


STRANGE = {
    "nothing": b"",
    "half": graph()[:200],
    "no columns": graph(columns="many"),  # type: ignore[arg-type]
    "the input of an earlier release": _named("coverage", [1, 3]),
    "an unknown input": _named("widths", [1, 3]),
    "a fixed number of sentences": _named("lengths", [1, 77]),
    "one value": _model([helper.make_node("ReduceSum", ["lengths"], ["values"], keepdims=0)], []),
    "an empty tensor": _model(
        [helper.make_node("Identity", ["none"], ["values"])],
        [helper.make_tensor("none", TensorProto.FLOAT, [0, 3], [])],
    ),
    "not a number": _model(
        [helper.make_node("Log", ["minus"], ["values"])],
        [helper.make_tensor("minus", TensorProto.FLOAT, [1, 3], [-1, -1, -1])],
    ),
    "weights that are not there": _model(
        [helper.make_node("Identity", ["none"], ["values"])],
        [
            TensorProto(
                name="none",
                data_type=TensorProto.FLOAT,
                dims=[1, 3],
                data_location=TensorProto.EXTERNAL,
                external_data=[onnx.StringStringEntryProto(key="location", value="../weights")],
            )
        ],
    ),
}


@pytest.mark.parametrize("what", STRANGE)
def test_a_strange_graph_is_one_line(folder: Path, what: str) -> None:
    (folder.parent / "weights").write_bytes(bytes(12))
    (folder / "model.onnx").write_bytes(STRANGE[what])
    assert _one_line(folder)


def test_a_graph_that_never_ends_is_stopped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_base, "GRAPH_SECONDS", 0.3)
    (folder / "model.onnx").write_bytes(loop())
    assert "does not run: it took more than 0.3 s" in _one_line(folder)


def test_the_fingerprint_covers_weights_in_other_files(folder: Path) -> None:
    tensor = TensorProto(
        name="held",
        data_type=TensorProto.FLOAT,
        dims=[1, 1],
        data_location=TensorProto.EXTERNAL,
        external_data=[onnx.StringStringEntryProto(key="location", value="held.bin")],
    )
    (folder / "held.bin").write_bytes(np.ones(1, np.float32).tobytes())
    (folder / "model.onnx").write_bytes(_model([helper.make_node("Mul", ["lengths", "held"], ["values"])], [tensor]))
    first = Summarizer.load(folder).fingerprint
    (folder / "held.bin").write_bytes(np.full(1, 2, np.float32).tobytes())
    assert Summarizer.load(folder).fingerprint != first


@pytest.mark.parametrize(
    "config",
    [
        "a = " + "[" * 5000,
        f"a = {'9' * 5000}",
        'name = "a\\nb"\nscorer = "lead"',
        'name = ""\nscorer = "lead"',
        'name = "x"\nscorer = "lead"\n[files]\n"../config.toml" = "00"',
        'name = "x"\nscorer = "lead"\n[files]\n"/dev/zero" = "00"',
        'name = "x"\nscorer = "lead"\n[files]\n"pipe" = "00"',
        'name = "x"\nscorer = "lead"\n[files]\n"zero" = "00"',
        'name = "x"\nscorer = "lead"\n[files]\n"a\\u0000b" = "00"',
        f'name = "x"\nscorer = "lead"\n[files]\n"{"a" * 300}" = "00"',
        'name = "x"\nscorer = "lead"\n[files]\n"." = "00"',
        'name = "x"\nscorer = "learned:folder=/dev"',
        'name = "x"\nscorer = "lead:decay=1e999"',
        'name = "x"\nscorer = "textrank"\nencoder = "hub"',
        'name = "x"\nscorer = "textrank"\nencoder = "hub:nobody/nothing"',
        'name = "x"\nscorer = "textrank"\nencoder = "hub:nobody/nothing,download=true"',
        'name = "x"\nscorer = "textrank"\nencoder = "onnx:/dev"',
    ],
)
def test_a_strange_configuration_is_one_line_and_takes_no_time(
    folder: Path, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_network(*_: object, **__: object) -> None:
        raise AssertionError("a model folder used the network")

    monkeypatch.setattr("socket.getaddrinfo", no_network)
    os.mkfifo(folder / "pipe")
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "config.toml").write_text(config)
    assert _one_line(folder)


VALUES = st.one_of(st.text(max_size=20), st.integers(), st.floats(), st.booleans(), st.lists(st.text(max_size=3)))
SPECS = st.from_regex(
    r"(lead|coverage|textrank|far|random|density|greedy|hub|onnx)(:[a-z]{1,6}(=[-0-9.e]{1,9})?)?", fullmatch=True
)


@given(st.dictionaries(st.sampled_from(["name", "scorer", "encoder", "select", "languages", "files"]), VALUES | SPECS))
def test_any_configuration_works_or_is_one_line(
    tmp_path_factory: pytest.TempPathFactory, config: dict[str, Any]
) -> None:
    place, said = tmp_path_factory.getbasetemp() / "generated", "fine"
    place.mkdir(exist_ok=True)
    (place / "config.toml").write_bytes(tomli_w.dumps(config).encode("utf-8", "surrogatepass"))
    try:
        Summarizer.load(place).summarize("Rain fell. The river rose.", max_chars=12)
    except TerselyError as error:
        said = str(error)
    assert len(said.splitlines()) == 1
