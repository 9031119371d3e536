"""How much a sentence looks as if it needs what comes before it."""

import json
from functools import partial
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import assert_linear
from tersely.read._openings import CONTEXT, features, load_openings, openings
from tersely.text import LANGUAGES, Document, Language, Sentence

ENGLISH = [
    "The mayor of Ghent, Anna Peeters, resigned on Monday after a dispute over the new harbor.",
    "The Belgian government announced 300 million euros for railways in Flanders on Tuesday.",
]
CHINESE = ["国家统计局今天发布数据，上海市上半年经济增长百分之五。", "新华社北京电，中国科学院昨日宣布新卫星发射成功。"]


def needs(first: str, second: str, language: Language) -> float:
    return openings(Document.from_sentences([first, second], language))[1]


@pytest.mark.parametrize(
    "dangling",
    [
        "But he did not say why.",
        "She said that it was too early for that.",
        "They also want to change this.",
        '"It was the right thing to do," he said.',
        "However, it failed.",
    ],
)
def test_english_sentences_that_lean_on_others_get_more_than_openings(dangling: str) -> None:
    first, other = ENGLISH
    assert needs(first, dangling, "en") > 0.5
    assert needs(first, dangling, "en") > needs(first, other, "en")


@pytest.mark.parametrize("dangling", ["但他没有说明原因。", "他表示，这一问题还需要研究。", "因此，这些措施十分必要。"])
def test_chinese_sentences_that_lean_on_others_get_more_than_openings(dangling: str) -> None:
    first, other = CHINESE
    assert needs(first, dangling, "zh") > needs(first, other, "zh")


def test_other_languages_have_a_model_without_words() -> None:
    model = load_openings("other")
    assert not model.words
    first = "Der Bürgermeister von Gent, Jan Peeters, trat am Montag nach 12 Jahren im Amt zurück."
    other = "Die Deutsche Bahn kündigte am Dienstag 300 Millionen Euro für Strecken in Bayern an."
    assert needs(first, "Das war alles.", "other") > needs(first, other, "other")


def test_a_sentence_inside_an_open_quotation_has_that_feature() -> None:
    texts = ['Ms. Lee said: "We will stay.', "We like it.", 'The town is small."', "It rained."]
    spans = Document.from_sentences(texts, "en").sentences
    one_paragraph = Document(" ".join(texts), "en", spans)
    assert ["in quote" in row for row in features(one_paragraph, ())] == [False, True, True, False]
    # A new paragraph that begins without a mark ends a quotation.
    paragraphs = Document("\n".join(texts), "en", spans)
    assert not any("in quote" in row for row in features(paragraphs, ()))


def test_a_quotation_that_is_never_closed_ends() -> None:
    text = '"We stay. ' + "The town is small. " * 30
    inside = ["in quote" in row for row in features(Document.from_text(text, "en"), ())]
    assert inside[1]
    assert not inside[-1]


def test_the_first_sentence_has_no_features_of_context() -> None:
    for language, texts in (("en", ENGLISH), ("zh", CHINESE)):
        first, second = features(Document.from_sentences(texts, language), ())  # type: ignore[arg-type]
        assert not any(name.startswith(CONTEXT) for name in first)
        assert any(name.startswith(CONTEXT) for name in second)


@given(st.text(alphabet="aA he. \n\"'“”‘’他，。1-", max_size=200), st.sampled_from(LANGUAGES))
def test_any_text_gets_a_probability_per_sentence(text: str, language: Language) -> None:
    document = Document.from_text(text, language)
    found = openings(document)
    assert len(found) == len(document)
    assert all(0 <= one <= 1 for one in found)
    assert found[:1] in ([], [0.0])


@pytest.mark.parametrize("unit", ['"', "'a ", "“", "a'", "A. ", "他，", "。"])
def test_hostile_texts_take_time_in_proportion_to_their_length(unit: str) -> None:
    def make(language: Language, size: int) -> Document:
        text = unit * (size // len(unit))
        return Document(text, language, tuple(Sentence(i, i + 20) for i in range(0, len(text) - 20, 20)))

    for language in ("en", "zh", "other"):
        assert_linear(openings, partial(make, language), 50_000)


def test_the_file_is_small_and_says_how_it_was_made() -> None:
    raw = files("tersely.read").joinpath("openings.json").read_bytes()
    assert len(raw) <= 60_000
    stored = json.loads(raw)
    assert "tersely train openings" in stored["made"]
    assert stored["languages"].keys() == {"en", "zh", "other"}
    assert all(0 < load_openings(language).threshold < 1 for language in LANGUAGES)


def test_empty_sentences_are_sentences_too() -> None:
    for language in LANGUAGES:
        assert len(openings(Document.from_sentences(["", "It rains.", ""], language))) == 3


def test_the_file_is_read_once() -> None:
    assert load_openings("en") is load_openings("en")
