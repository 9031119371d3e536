"""What is read to train on, what is left out, and what is refused."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from tersely.errors import InputError
from tersely.learn.scorer.config import Config
from tersely.learn.scorer.corpus import Corpus
from tersely.learn.scorer.data import Documents, Order
from tersely.learn.scorer.teacher import Teacher
from tersely.learn.texts import read_texts

from .conftest import Hashing, make_text


def write_lines(file: Path, texts: list[str]) -> Path:
    data = "".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(texts)).encode()
    file.write_bytes(gzip.compress(data) if file.suffix == ".gz" else data)
    return file


TEXTS = [make_text(number) for number in range(25)]


def test_jsonl_gzip_and_a_folder_of_texts_read_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "texts"
    (folder / "deeper").mkdir(parents=True)
    for number, text in enumerate(TEXTS):
        (folder / ("deeper" if number > 9 else ".") / f"{number:02d}.txt").write_text(text)
    plain = list(read_texts(write_lines(tmp_path / "a.jsonl", TEXTS), {}))
    assert plain == TEXTS
    assert list(read_texts(write_lines(tmp_path / "a.jsonl.gz", TEXTS), {})) == TEXTS
    assert sorted(read_texts(folder, {})) == sorted(TEXTS)


def test_short_and_repeated_documents_are_left_out_and_counted(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "a.jsonl", ["One. Two. Three.", "One.", *TEXTS, TEXTS[3]])
    corpus = Corpus.read([file], longest=5)
    assert (len(corpus.documents), corpus.short, corpus.repeated) == (25, 2, 1)
    assert max(map(len, corpus.documents)) == 5
    assert all(len(document.texts) == len(document) for document in corpus.documents)
    assert len(Corpus.read([file], 5, limit=21).documents) == 21


def test_documents_held_out_are_not_trained_on(tmp_path: Path) -> None:
    corpus = Corpus.read([write_lines(tmp_path / "a.jsonl", TEXTS)], 40)
    learning, held_out = corpus.split(0.2)
    assert len(held_out) == 5
    assert sorted([*learning, *held_out]) == list(range(25))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", '{"text": "One. Two. Three. Four."}\n', "1 documents of 4 or more sentences are too few"),
        ("a.jsonl", '{"text": "One sentence only"}\n' * 50, "each of one sentence only"),
        ("a.jsonl", '{"body": "x"}\n', "line 1: not a JSON object with a text in the field 'text'"),
        ("a.jsonl", "\n[1]\n", "line 2"),
        ("a.jsonl.gz", "not gzip", "cannot be read"),
        ("a.jsonl", "[" * 100_000, "line 1"),
        ("a.pdf", "x", "neither JSONL"),
    ],
)
def test_what_cannot_be_trained_on_is_said(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message):
        Corpus.read([tmp_path / name], 40)


def test_a_gzip_file_that_is_damaged_is_said(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "a.jsonl.gz", TEXTS)
    data = bytearray(file.read_bytes())
    data[100:120] = bytes(20)
    file.write_bytes(data)
    with pytest.raises(InputError, match=r"a\.jsonl\.gz cannot be read"):
        list(read_texts(file, {}))


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_a_byte_order_mark_is_not_part_of_a_text(tmp_path: Path, name: str) -> None:
    data = '{"text": "One."}\n'.encode("utf-8-sig")
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    (tmp_path / "b.txt").write_text("One.", encoding="utf-8-sig")
    assert list(read_texts(tmp_path, {})) == ["One.", "One."]


def test_an_empty_folder_and_a_missing_file_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no text files"):
        list(read_texts(tmp_path, {}))
    with pytest.raises(InputError, match="No such file"):
        list(read_texts(tmp_path / "none.jsonl", {}))


def test_every_document_comes_once_a_round_and_the_step_alone_decides(config: Config) -> None:
    order = Order.of(range(24), config)
    rounds = [[number for step in range(3 * r, 3 * r + 3) for number in order.at(step)[0]] for r in range(2)]
    assert sorted(rounds[0]) == sorted(rounds[1]) == list(range(24))
    assert rounds[0] != rounds[1]
    assert order.at(5) == Order.of(range(24), config).at(5)
    assert all(60 <= budget <= 120 for budget in order.at(1)[1])
    assert [number for numbers, _ in order.fixed() for number in numbers] == list(range(24))


def test_a_batch_is_padded_and_its_target_fits(corpus: Corpus) -> None:
    documents = Documents(corpus.documents, Hashing(), ("position", "length"), Teacher.load("coverage", "coverage"))
    batch = documents.batch([0, 1, 2], [60, 90, 120])
    for row in range(3):
        count = len(corpus.documents[row])
        assert batch.mask[row].tolist() == [i < count for i in range(batch.mask.shape[1])]
        np.testing.assert_array_equal(batch.vectors[row, :count], Hashing().encode(corpus.documents[row].texts))
        assert not batch.vectors[row, count:].any()
        assert batch.target[row].any()
        assert (batch.lengths[row] * batch.target[row]).sum() <= batch.capacities[row]
    assert batch.features.shape[2] == 5
