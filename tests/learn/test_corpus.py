"""What is read for training, what is left out, and what is refused."""

import gzip
import json
from pathlib import Path

import pyarrow.parquet
import pytest
import zstandard

from tersely.errors import InputError
from tersely.learn.corpus import Corpus, beginning, read_records, read_texts
from tersely.text import Document

from ..paper.conftest import make_text


def packed(name: str, data: bytes) -> bytes:
    if name.endswith(".zst"):
        return zstandard.ZstdCompressor().compress(data)
    return gzip.compress(data) if name.endswith(".gz") else data


def write_lines(file: Path, texts: list[str]) -> Path:
    data = "".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(texts)).encode()
    file.write_bytes(packed(file.name, data))
    return file


def write_table(file: Path, columns: dict[str, list]) -> Path:
    pyarrow.parquet.write_table(pyarrow.table(columns), file)
    return file


TEXTS = [make_text(number) for number in range(25)]


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.jsonl.gz", "a.jsonl.zst"])
def test_jsonl_is_read_plain_gzip_and_zstd(tmp_path: Path, name: str) -> None:
    assert list(read_texts(write_lines(tmp_path / name, TEXTS))) == TEXTS
    assert list(read_texts(tmp_path / name, {"id": ["3", "5"]})) == [TEXTS[3], TEXTS[5]]


def test_parquet_is_read(tmp_path: Path) -> None:
    file = write_table(tmp_path / "a.parquet", {"id": list(range(25)), "text": TEXTS})
    assert list(read_texts(file)) == TEXTS
    assert list(read_texts(file, {"id": ["3", "5"]})) == [TEXTS[3], TEXTS[5]]
    assert list(read_texts(file, {"source": ["news"]})) == []


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.txt.gz", "a.txt.zst"])
def test_a_text_file_is_one_text(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(packed(name, TEXTS[0].encode()))
    assert list(read_texts(tmp_path / name)) == TEXTS[:1]


def test_a_folder_is_read_in_sorted_order_with_everything_below_it(tmp_path: Path) -> None:
    (tmp_path / "deeper").mkdir()
    for number, text in enumerate(TEXTS[:20]):
        (tmp_path / ("deeper" if number < 10 else ".") / f"{number:02d}.txt").write_text(text)
    write_lines(tmp_path / "a.jsonl.zst", TEXTS[20:22])
    write_table(tmp_path / "b.parquet", {"text": TEXTS[22:]})
    (tmp_path / "notes.zip").write_bytes(b"not read")
    assert list(read_texts(tmp_path)) == [*TEXTS[10:], *TEXTS[:10]]


def test_what_can_be_evaluated_can_be_trained_on_and_given_sentences_are_kept(tmp_path: Path) -> None:
    given = ["One. And still one", "Two.", "Three.", "Four."]
    tokens = [sentence.split() for sentence in given]
    (tmp_path / "a.story").write_text("One. Two.\n\nThree. Four.\n\n@highlight\n\nFour")
    (tmp_path / "b.test.0.json").write_text(json.dumps([{"src": tokens, "tgt": [["Two", "."]]}]))
    (tmp_path / "c.jsonl").write_text(json.dumps({"article": ["一。", "二。"], "summary": "一。", "label": [0]}) + "\n")
    (tmp_path / "d.jsonl").write_text(json.dumps({"text": given}) + '\n{"text": " "}\n')
    write_table(tmp_path / "e.parquet", {"article": ["One. Two."], "highlights": ["Two"]})
    write_table(tmp_path / "f.parquet", {"text": [given], "summary": ["Two. Four."]})
    nyt = tmp_path / "nyt"
    for folder, text in (("train_corefner", "Snow fell. It melted."), ("train_abstracts", "Snow fell")):
        (nyt / folder).mkdir(parents=True)
        (nyt / folder / "17").write_text(text)
    found = [record for path in sorted(tmp_path.iterdir()) for record in read_records(path)]
    assert [len(record.document) for record in found] == [4, 4, 2, 4, 2, 4, 2]
    assert found[1].document.texts == found[3].document.texts == found[5].document.texts == tuple(given)
    assert [len(record.reference) for record in found] == [1, 1, 1, 0, 1, 2, 1]
    assert [record.id for record in read_records(tmp_path, {"id": ["a"]})] == ["a"]


@pytest.mark.parametrize(("tokens", "sentences"), [(0, 6), (1, 1), (12, 2), (13, 3), (10_000, 6)])
def test_only_the_first_words_are_read(tokens: int, sentences: int) -> None:
    document = beginning(Document.from_text("Rain fell on the town. " * 2 + "So it goes. " * 5), 6, tokens)
    assert len(document) == sentences
    assert document.text.rstrip().endswith(document.texts[-1])


def test_tokens_are_what_the_counter_counts() -> None:
    document = Document.from_sentences(["Rain fell.", "So it goes.", "Snow."], "en")
    assert [len(beginning(document, 3, 21, count)) for count in (len, lambda _: 11)] == [2, 1]


def test_given_documents_are_validated_on_and_never_trained_on(tmp_path: Path) -> None:
    corpus = Corpus.read([write_lines(tmp_path / "a.jsonl", TEXTS)], 40)
    other = Corpus.read([write_lines(tmp_path / "b.jsonl", [*TEXTS[:2], "Rain fell. " * 5])], 40, fewest=1)
    both = corpus.validated_on(other)
    learning, held_out = both.split(0.1)
    assert {both.documents[i].text for i in held_out} == {document.text for document in other.documents}
    assert {both.documents[i].text for i in learning} == {document.text for document in corpus.documents[2:]}
    assert both.repeated == 2
    with pytest.raises(InputError, match="every document to train on"):
        corpus.validated_on(corpus)


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
        ("a.jsonl", '{"text": "One sentence only"}\n' * 50, "each of a single sentence"),
        ("a.jsonl", '{"body": "x"}\n', "a.jsonl:1: no text: there is neither"),
        ("a.jsonl", "\n[1]\n", "a.jsonl:2: not a JSON object"),
        ("a.jsonl.gz", "not gzip", "a.jsonl.gz:1: not a JSON object"),
        ("a.jsonl", '{"text": ' + "[" * 100_000, "a.jsonl:1: broken JSON"),
        ("a.zip", "x", "is no file that 'tersely summarize' or"),
        ("a.pdf", "%PDF-", "a.pdf is no readable PDF"),
        ("a.parquet", "x", "a.parquet:1: not a readable Parquet file"),
    ],
)
def test_files_that_cannot_be_trained_on_are_refused_with_the_reason(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message):
        Corpus.read([tmp_path / name], 40)


def test_a_gzip_file_that_is_damaged_is_said(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "a.jsonl.gz", TEXTS)
    data = bytearray(file.read_bytes())
    data[100:120] = bytes(20)
    file.write_bytes(data)
    with pytest.raises(InputError, match=r"a\.jsonl\.gz:\d+: the gzip file is broken"):
        list(read_texts(file))


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_a_byte_order_mark_is_not_part_of_a_text(tmp_path: Path, name: str) -> None:
    data = '{"text": "One."}\n'.encode("utf-8-sig")
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    (tmp_path / "b.txt").write_text("One.", encoding="utf-8-sig")
    assert list(read_texts(tmp_path)) == ["One.", "One."]


def test_an_empty_folder_and_a_missing_file_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no files that"):
        list(read_texts(tmp_path))
    with pytest.raises(InputError, match="does not exist"):
        list(read_texts(tmp_path / "none.jsonl"))


def test_a_table_without_texts_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.parquet:1: the column 'article' is missing"):
        list(read_texts(write_table(tmp_path / "a.parquet", {"body": TEXTS})))
    with pytest.raises(InputError, match=r"b\.parquet:2: text is neither a string nor a list"):
        list(read_texts(write_table(tmp_path / "b.parquet", {"text": ["One.", None]})))


def test_letters_and_each_message_of_a_mailbox_are_documents(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mail = "From a@b Mon Jan  1 00:00:00 2026\nSubject: Hi {0}\nMIME-Version: 1.0\n\nIt rains on day {0}.\n\n"
    (tmp_path / "a.mbox").write_text(mail.format(1) + mail.format(2))
    (tmp_path / "b.eml").write_text("MIME-Version: 1.0\n\nIt snows.")
    (tmp_path / "c.pdf").write_bytes(b"%PDF-")
    (tmp_path / "d.zip").write_bytes(b"PK")
    records = list(read_records(tmp_path))
    assert [(record.id, record.document.texts) for record in records] == [
        ("a.mbox:1", ("Hi 1", "It rains on day 1.")),
        ("a.mbox:2", ("Hi 2", "It rains on day 2.")),
        ("b.eml", ("It snows.",)),
    ]
    assert capsys.readouterr().err.startswith(f"tersely: left out: {tmp_path / 'c.pdf'} is no readable PDF")
