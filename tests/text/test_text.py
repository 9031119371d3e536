"""Languages, lengths, terms, documents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import texts
from tersely.text import Document, detect_language, measure
from tersely.text.length import count_words
from tersely.text.words import all_words


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The council voted on Tuesday to close the road.", "en"),
        ("市政府十二日宣布，古城将禁止私家车。", "zh"),
        ("OpenAI 和 Google 发布了新的 AI 模型，性能提升了 30%。", "zh"),
        ("The Chinese word 天气 means weather, and it is used often.", "en"),
        ("El consejo votó el martes cerrar la carretera del puerto.", "other"),
        ("Совет проголосовал за закрытие дороги.", "other"),
        ("市議会は道路を閉鎖することを決めました。", "other"),
        ("시의회는 도로를 폐쇄하기로 결정했다.", "other"),
        ("Council votes to close harbor road", "en"),
        ("12345 !!! ---", "other"),
        ("", "other"),
    ],
)
def test_language_is_detected_by_script_and_common_words(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("one two", 2),
        ("  one\n\ttwo - three ", 3),
        ("今天很好", 4),
        ("don't stop", 2),
        ("— … !", 0),
        ("用GPT写代码", 5),
    ],
)
def test_words_are_counted_as_a_reader_would(text: str, words: int) -> None:
    assert count_words(text) == words


@given(texts, texts)
def test_joining_never_adds_words(one: str, two: str) -> None:
    assert count_words(one + two) <= count_words(one) + count_words(two)
    assert count_words(one + " " + two) == count_words(one) + count_words(two)


@given(texts)
def test_characters_and_bytes_are_exact(text: str) -> None:
    assert measure(text, "chars") == len(text)
    assert measure(text, "bytes") == len(text.encode("utf-8", "surrogatepass"))


def test_a_word_in_two_scripts_is_split() -> None:
    assert all_words("iPhone手机 and 5G", "en") == ["iphone", "and", "5g", "手机"]


def test_terms_leave_out_words_without_content() -> None:
    terms = Document.from_sentences(["The mayor's plan is here.", "A plan of the mayor."], "en").terms
    assert terms.vocabulary == ("mayor", "plan")
    assert [len(ids) for ids in terms.sentences] == [2, 2]


@given(st.lists(texts.filter(lambda t: "\n" not in t), max_size=5))
def test_given_sentences_are_kept(sentences: list[str]) -> None:
    assert list(Document.from_sentences(sentences).texts) == sentences


@given(texts)
def test_sentences_are_ordered_spans_that_lose_nothing(text: str) -> None:
    document = Document.from_text(text)
    at = 0
    for start, end in document.sentences:
        assert at <= start < end
        assert not text[at:start].strip()
        assert document.text[start:end].strip() == document.text[start:end]
        at = end
    assert not text[at:].strip()
