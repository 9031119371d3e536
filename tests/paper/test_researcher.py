"""Every command of docs/researcher.md runs, on tiny files in the published formats and with a tiny BERT."""

import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tomli_w
import torch
from click.testing import CliRunner

from tersely.batch.inputs import Chunk, ChunkResult
from tersely.batch.vectors import EncodeWork
from tersely.cli import cli
from tersely.settings import read_toml

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "researcher.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
ENCODERS = (
    "princeton-nlp/unsup-simcse-bert-base-uncased",
    "cyclone/simcse-chinese-roberta-wwm-ext",
    "bert-base-uncased",
    "bert-base-chinese",
)
# Sizes that make a network tiny; everything else in the configurations is as they are.
SMALL = {"width": 8, "layers": 1, "heads": 2, "inner": 8, "pairs": 4, "steps": 3, "batch": 4, "parts": 1, "longest": 64}
SMALL |= {"validate_every": 1, "validation": 20, "warmup": 1, "threads": 1}
THINGS = "harbor bridge school market museum station".split()


def sentences(number: int) -> list[str]:
    thing = THINGS[number % len(THINGS)]
    return [
        f"The {thing} of town {number} was closed on Monday.",
        f"The mayor said that the {thing} would open again.",
        "Some people were angry about it.",
        f"A new {thing} will be built in the north.",
        "Nobody knows yet what it will cost.",
        "It rained all day.",
    ]


def chinese(number: int) -> list[str]:
    return [
        f"第 {number} 座 {what} 。"
        for what in ("大桥 今天 开放", "学校 明天 关门", "市场 没有 人", "城市 下雨 了", "工厂 开工")
    ]


def write_parquet(file: Path, numbers: range) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    file.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        {"article": " ".join(sentences(n)), "highlights": "\n".join(sentences(n)[:2]), "id": str(n)} for n in numbers
    ]
    parquet.write_table(pa.Table.from_pylist(rows), file)


def write_data(folder: Path) -> None:
    """Write the three datasets in their published formats: 24 documents to train on, some to test."""
    hub = folder / "cnn_dailymail" / "3.0.0"
    for part in range(2):
        write_parquet(hub / f"train-0000{part}-of-00002.parquet", range(12 * part, 12 * part + 12))
    write_parquet(hub / "validation-00000-of-00001.parquet", range(24, 27))
    write_parquet(hub / "test-00000-of-00001.parquet", range(27, 30))
    for split, numbers in (("train", range(24)), ("eval", range(27, 30))):
        for kind, count in (("corefner", 6), ("abstracts", 2)):
            place = folder / "nyt" / f"{split}_{kind}"
            place.mkdir(parents=True)
            for n in numbers:
                (place / str(1_000_000 + n)).write_text("\n".join(sentences(n)[:count]))
    place = folder / "CNewSum_v2" / "final"
    place.mkdir(parents=True)
    for split, numbers in (("train", range(24)), ("dev", range(24, 27)), ("test", range(27, 30))):
        lines = [{"id": n, "article": chinese(n), "summary": chinese(n)[0], "label": [0]} for n in numbers]
        text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
        (place / f"{split}.simple.label.jsonl").write_text(text, encoding="utf-8")


def write_encoder(folder: Path) -> None:
    """Write a tiny BERT as SimCSE is published: its weights are in pytorch_model.bin."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    pieces = [*special.values(), ".", "the", "of", "##s", *THINGS, *letters, *(f"##{letter}" for letter in letters)]
    tokenizer = Tokenizer(models.WordPiece({piece: k for k, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    torch.manual_seed(7)
    size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    model = BertModel(BertConfig(vocab_size=len(pieces), max_position_embeddings=512, **size))
    model.config.save_pretrained(folder)
    torch.save(model.state_dict(), folder / "pytorch_model.bin")


def write_configs(folder: Path) -> None:
    """Write the configurations with tiny sizes: a folder `configs` comes before the shipped one."""
    folder.mkdir()
    for file in [*(ROOT / "configs").glob("paper-*.toml"), *(ROOT / "configs").glob("cpu-knapsack-*.toml")]:
        settings = read_toml(file)
        for name, table in settings.items():
            if isinstance(table, dict):
                settings[name] = {key: SMALL.get(key, value) for key, value in table.items()}
        if "selection" in settings:
            settings["selection"] |= {"shortest": 60, "longest": 120}
        (folder / file.name).write_text(tomli_w.dumps(settings))


def commands(folder: Path) -> Iterator[list[str]]:
    """Let bash expand loops, variables and patterns of the page, and return the arguments of every `tersely`."""
    record = 'pip() { :; }; hf() { :; }; tersely() { printf "%s\\x1f" "$@"; printf "\\n"; }; set -euo pipefail\n'
    run = subprocess.run(
        ["bash", "-c", record + "\n".join(BLOCKS)], cwd=folder, capture_output=True, text=True, check=True
    )
    return (line.split("\x1f")[:-1] for line in run.stdout.splitlines())


def graph(values: Any, inputs: dict[str, tuple[int, list[Any]]], notes: dict[str, str]) -> bytes:
    """Make a graph of one node: exporting a network takes seconds, and is tested elsewhere."""
    from onnx import TensorProto, helper

    places = [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()]
    result = helper.make_tensor_value_info("values", TensorProto.FLOAT, [1, "sentences"])
    body = helper.make_graph([values], "tiny", places, [result])
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    helper.set_model_props(model, notes)
    data: bytes = model.SerializeToString()
    return data


def scorer_graph(*_: object) -> bytes:
    from onnx import TensorProto, helper

    values = helper.make_node("ReduceL2", ["vectors"], ["values"], axes=[2], keepdims=0)
    return graph(values, {"vectors": (TensorProto.FLOAT, [1, "n", 8])}, {"columns": "8", "features": ""})


def bertsum_graph(_: object, reader: Any) -> bytes:
    from onnx import TensorProto, helper

    values = helper.make_node("Cast", ["places"], ["values"], to=TensorProto.FLOAT)
    inputs = {name: (TensorProto.INT64, [1, name]) for name in ("ids", "segments", "places")}
    notes = {"cls": str(reader.marks[0]), "sep": str(reader.marks[1]), "longest": str(reader.longest)}
    return graph(values, inputs, notes)


def in_this_process(work: EncodeWork, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, list[ChunkResult]]]:
    """Encode without starting processes, which would load everything again."""
    encode = work.load()
    return ((chunk, [encode(chunk)]) for chunk in chunks)


def answer(key_file: Path) -> None:
    key = json.loads(key_file.read_text())
    points = {"relevance": 4, "coherence": 3, "consistency": 5}
    for rater in (1, 2, 3):
        answers = {"form": key["form"], "rater": rater, "answers": dict.fromkeys(key["summaries"], points)}
        key_file.with_name(f"answers-{rater}.json").write_text(json.dumps(answers))


def test_the_road_from_data_to_report_is_walked_command_by_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tersely.batch import vectors
    from tersely.paper import export, knapsack_measure, table1, train_bertsum

    write_data(tmp_path / "data")
    for name in ENCODERS:
        write_encoder(tmp_path / name)
    write_configs(tmp_path / "configs")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(export, "onnx_bytes", scorer_graph)
    monkeypatch.setattr(train_bertsum, "bertsum_onnx", bertsum_graph)
    monkeypatch.setattr(knapsack_measure, "onnx_bytes", lambda _: b"graph")
    monkeypatch.setattr(vectors, "local", lambda _: in_this_process)
    measure, greedy = knapsack_measure.measure_network, table1.greedy_figures
    monkeypatch.setattr(knapsack_measure, "measure_network", lambda network, config, *_: measure(network, config, 50))
    monkeypatch.setattr(table1, "greedy_figures", lambda distribution: greedy(distribution, 50))
    outputs = {}
    for arguments in commands(tmp_path):
        # A pattern whose files are made on the way is expanded when they are there.
        words = [str(file) for word in arguments for file in (sorted(Path().glob(word)) if "*" in word else [word])]
        if words[0] == "train" and "models/cnndm-both" in words:
            encoded = {file: file.stat().st_size for file in (tmp_path / "vectors").rglob("vectors")}
        if words[:2] == ["human", "prepare"]:  # it draws 20 documents; the tables were measured on fewer, to be quick
            write_parquet(tmp_path / "data/cnn_dailymail/3.0.0/test-00000-of-00001.parquet", range(27, 47))
        run = CliRunner().invoke(cli, words, catch_exceptions=False)
        assert run.exit_code == 0, f"{' '.join(words)}: {run.output}"
        outputs[" ".join(words[:2])] = run.output
        if words[:2] == ["human", "prepare"]:
            answer(tmp_path / "form.key.json")
    # Training found every vector in the cache that `encode` had filled.
    assert encoded == {file: file.stat().st_size for file in (tmp_path / "vectors").rglob("vectors")}
    report = (tmp_path / "reproduction" / "report.md").read_text(encoding="utf-8")
    for row in re.findall(r"^\S+ Ours.*\n.*|^\S+ w/o.*\n.*|^cnndm \d+ BertSum.*", report, re.MULTILINE):
        assert re.search(r"measured +\d", row), row
    assert report.count("mean of the 3 best checkpoints") >= 3 * 6
    assert len(re.findall(r"KT \(D.*\n +measured +\d.*the paper's network, width 8", report)) == 4
    assert "tokens are word pieces of hub:cyclone/" in report
    assert "the first 512 tokens" in report
    assert "learning-curves.png" in report
    assert re.search(r"models/cnndm-ktdp\+knapsack +measured +4\.00 +3\.00 +5\.00", outputs["reproduce table6"])


def test_a_command_that_was_stopped_is_told_to_resume_on_the_page() -> None:
    for command in re.findall(r"tersely train .*", PAGE.partition("* **Mixed")[0]):
        assert "--resume" in command, command
