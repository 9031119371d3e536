"""What an editor learns from: labels, and texts without labels."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from learn.editors import row, write
from tersely.errors import InputError, UsageError
from tersely.learn.editor_labels import (
    UNKNOWN,
    Lesson,
    WordChoice,
    lesson_of,
    read_lessons,
    unlabeled_lesson,
    unlabeled_lessons,
)
from tersely.learn.editor_run import EditorData, read_editor_config
from tersely.read.reader import CAUSES, NOISES, ROLES
from tersely.text import Document


def test_labels_become_lessons(lessons: list[Lesson]) -> None:
    lesson = lessons[0]
    assert [ROLES[role] for role in lesson.roles] == ["noise", "main", "background", "support", "noise"]
    assert lesson.needs.tolist() == [-1, 0, 1, 0, -1]  # a need that only a purist notices is none
    assert lesson.cures == [[], [], [(1, CAUSES.index("pronoun"))], [], []]
    assert [NOISES[kind] for kind in lesson.noises if kind >= 0] == ["heading", "link"]
    assert lesson.choice.tolist() == [0, 6, 0, 5, 0]
    assert lesson_of({**row(1), "text": "Alone.", "sentences": [[0, 6]], "roles": "M", "top": [0]}) is None


def test_a_document_may_be_named_instead(tmp_path: Path) -> None:
    whole = row(0)
    text = whole.pop("text")
    write(tmp_path / "texts.jsonl", [{"text": "Other."}, {"text": text + " And what nobody labeled."}])
    write(tmp_path / "several.jsonl", [{"documents": [{"text": "Not this."}, {"text": text}]}])
    where = [
        {"file": "texts.jsonl", "line": 1, "end": len(text)},
        {"file": "several.jsonl", "line": 0, "end": len(text), "documents": [1]},
    ]
    named = write(tmp_path / "labels.jsonl", [{**whole, **place} for place in where])
    found = list(read_lessons([named], tmp_path, foreign=True))
    assert [lesson.document.text for lesson in found] == [text, text]
    assert all(lesson.foreign for lesson in found)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"roles": "NMB"}, "'roles' must have one letter per sentence"),
        ({"roles": "NMBSX"}, "substring not found"),
        ({"sentences": None}, "has no len"),
        ({"needs": []}, "has no attribute 'get'"),
        ({"needs": {"2": [[77, "pronoun", 2]]}}, "list index out of range"),
        ({"top": [99]}, "list index out of range"),
        ({"top": None}, "not iterable"),
        ({"text": None}, "labels.jsonl:1"),
    ],
)
def test_wrong_labels_give_one_line(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    file = write(tmp_path / "labels.jsonl", [{**row(0), **changes}])
    with pytest.raises(InputError, match=said) as caught:
        list(read_lessons([file], tmp_path))
    assert str(caught.value).startswith(f"{file}:1: not a labeled document: ")
    assert "\n" not in str(caught.value)


def test_missing_keys_and_files_are_named(tmp_path: Path) -> None:
    bare = {key: value for key, value in row(0).items() if key != "top"}
    with pytest.raises(InputError, match="it has no 'top'"):
        list(read_lessons([write(tmp_path / "bare.jsonl", [bare])], tmp_path))
    elsewhere = {**row(0), "file": "gone.jsonl.gz", "line": 0, "end": 10}
    del elsewhere["text"]
    with pytest.raises(InputError, match=r"gone\.jsonl\.gz: cannot be read: No such file"):
        list(read_lessons([write(tmp_path / "named.jsonl", [elsewhere])], tmp_path))
    (tmp_path / "broken.jsonl").write_text("{")
    with pytest.raises(InputError, match="broken JSON"):
        list(read_lessons([tmp_path / "broken.jsonl"], tmp_path))
    alone = {**row(0), "text": "Alone.", "sentences": [[0, 6]], "roles": "M", "top": [0]}
    with pytest.raises(InputError, match="no document of two or more sentences"):
        EditorData(tmp_path, [write(tmp_path / "alone.jsonl", [alone])]).lessons()


def test_a_text_without_labels_teaches_which_sentences_say_what_it_keeps_saying() -> None:
    text = "Rain fell on the river. The river rose with the rain. Somebody sneezed. Rain and river met the town."
    lesson = unlabeled_lesson(text)
    assert lesson is not None
    assert (lesson.roles == UNKNOWN).all()
    assert lesson.worth.argmin() == 2
    assert unlabeled_lesson("One sentence.") is None


RIVER = "Rain fell on the river. The river rose with the rain. Somebody sneezed. Rain and river met the town. He left."


def test_a_choice_of_words_takes_what_says_most_together() -> None:
    document = Document.from_text(RIVER)
    assert WordChoice(sentences=2)(document).sum() == 2
    assert WordChoice(sentences=3)(document)[[2, 4]].tolist() == [0, 0]


def test_a_choice_of_words_keeps_within_characters_in_a_dense_script() -> None:
    document = Document.from_text("大雨落在河上。河水因大雨上涨，大雨又落在城里。有人打喷嚏。大雨和河水都到了城里。")
    chosen = WordChoice(dense_characters=20)(document)
    lengths = np.array([len(text) for text in document.texts])
    assert 0 < lengths[chosen > 0].sum() <= 20
    assert WordChoice(dense_characters=1)(document).sum() <= 1


def test_a_choice_of_words_takes_the_bias_of_each_language_that_has_enough_texts() -> None:
    start, ends = (
        "Rain fell on the river. The river and the rain rose. A cat slept. A dog ran.",
        ("Rain fell.", "Snow."),
    )
    texts = [f"{start} {ends[i % 2]} Number {i}." for i in range(30)]
    documents = [Document.from_text(text) for text in texts]
    tuned = WordChoice.tuned([*documents, Document.from_text("大雨落在河上。有人打喷嚏。")], sentences=1)
    assert tuned.biases.keys() == {documents[0].language}
    assert tuned.biases[documents[0].language] > 0
    assert tuned.sentences == 1


def test_a_shuffled_lesson_has_the_worth_of_the_text_as_it_is() -> None:
    plain, mixed = unlabeled_lesson(RIVER), unlabeled_lesson(RIVER, order=[4, 2, 0, 1, 3])
    assert plain is not None
    assert mixed is not None
    assert mixed.document.texts == tuple(plain.document.texts[i] for i in [4, 2, 0, 1, 3])
    assert mixed.worth.tolist() == plain.worth[[4, 2, 0, 1, 3]].tolist()


def test_all_some_and_no_texts_without_labels_are_shuffled_and_the_same_seed_shuffles_the_same() -> None:
    texts = [f"{RIVER} Number {i}." for i in range(40)]

    def orders(shuffled: float, seed: int = 1) -> list[tuple[str, ...]]:
        return [lesson.document.texts for lesson in unlabeled_lessons(texts, WordChoice(), shuffled, seed)]

    as_is = [Document.from_text(text).texts for text in texts]
    assert orders(0.0) == as_is
    assert 5 < sum(order == text for order, text in zip(orders(0.5), as_is, strict=True)) < 35
    assert sum(order == text for order, text in zip(orders(1.0), as_is, strict=True)) < 5
    assert orders(0.5) == orders(0.5) != orders(0.5, seed=2)


@pytest.mark.parametrize(("change", "fault"), [("target=lead", "target"), ("shuffled=1.5", "shuffled")])
def test_pretraining_that_does_not_exist_is_refused(change: str, fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        read_editor_config("editor", [f"pretraining.{change}"])
