"""The spaCy pipe, with spaCy itself."""

from functools import cache
from typing import Any

import pytest

pytest.importorskip("spacy", reason="the extra spacy is not installed")

import spacy
from hypothesis import assume, given
from hypothesis import strategies as st
from spacy.tokens import Doc

from strategies import texts
from tersely import Budget, UsageError, summarize
from tersely.text.document import Document


def pipeline(*before: str, language: str = "en", **config: Any) -> Any:
    nlp = spacy.blank(language)
    for name in before:
        nlp.add_pipe(name)
    nlp.add_pipe("tersely", config=config)
    return nlp


def test_a_doc_has_the_summary_and_its_sentences(english: str) -> None:
    doc = pipeline(max_chars=300)(english)
    expected = summarize(english, max_chars=300)
    assert doc._.summary == expected.text
    assert [span.text for span in doc.spans["summary"]] == [sentence.text for sentence in expected.sentences]


def test_chinese(chinese: str) -> None:
    doc = pipeline(language="zh", max_chars=80)(chinese)
    assert doc._.summary == summarize(chinese, max_chars=80).text


def test_sentences_that_the_doc_has_are_used() -> None:
    nlp = spacy.blank("en")
    words = ["Rain", "fell", "The", "river", "rose", "The", "town", "slept"]
    starts = [True, False, True, False, False, True, False, False]
    doc = Doc(nlp.vocab, words, sent_starts=starts)
    nlp.add_pipe("tersely", config={"max_sentences": 2, "coherence": "off"})
    nlp(doc)
    sentences = [span.text for span in doc.sents]
    chosen = [span.text for span in doc.spans["summary"]]
    assert len(chosen) == 2
    assert set(chosen) <= set(sentences)
    assert doc._.summary == " ".join(chosen)


@given(texts, st.integers(1, 60), st.sampled_from(["tersely", "spacy"]))
def test_the_budget_holds_and_the_spans_have_the_sentences(text: str, limit: int, whose: str) -> None:
    nlp, component = made(whose)
    component.budget = Budget(limit, "chars")
    # spaCy itself takes no lone surrogate.
    assume(not any("\ud800" <= char <= "\udfff" for char in text))
    doc = nlp(text)
    assert len(doc._.summary) <= limit
    # A sentence of tersely's own may begin or end within a token, which the span then has whole.
    shown = "".join("".join(span.text for span in doc.spans["summary"]).split())
    assert "".join(doc._.summary.split()) == shown or whose == "tersely"


@cache
def made(whose: str) -> tuple[Any, Any]:
    nlp = pipeline(*(["sentencizer"] if whose == "spacy" else []), max_chars=60)
    return nlp, nlp.get_pipe("tersely")


def test_a_doc_can_be_stored(english: str) -> None:
    nlp = pipeline("sentencizer", max_words=40)
    doc = nlp(english)
    again = Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert again._.summary == doc._.summary
    assert [span.text for span in again.spans["summary"]] == [span.text for span in doc.spans["summary"]]


def test_a_pipeline_can_be_stored(english: str, tmp_path: Any) -> None:
    nlp = pipeline(max_words=40, coherence="strict", spans_key="short")
    nlp.to_disk(tmp_path / "model")
    again = spacy.load(tmp_path / "model")
    assert again(english)._.summary == nlp(english)._.summary
    assert "short" in again(english).spans


@pytest.mark.parametrize("text", ["", "  \n "])
def test_a_doc_without_a_sentence_has_an_empty_summary(text: str) -> None:
    for nlp in (pipeline(max_chars=10), pipeline("sentencizer", max_chars=10)):
        assert nlp(text)._.summary == ""


def test_many_docs_at_once(english: str, chinese: str) -> None:
    nlp = pipeline(max_chars=100)
    assert [doc._.summary for doc in nlp.pipe([english, chinese])] == [nlp(english)._.summary, nlp(chinese)._.summary]


@pytest.mark.parametrize("config", [{}, {"max_chars": 0}, {"max_chars": 5, "max_words": 5}, {"max_tokens": 5}])
def test_a_wrong_setting_is_one_clear_line(config: Any) -> None:
    with pytest.raises(UsageError) as caught:
        pipeline(**config)("Rain fell.")
    assert "\n" not in str(caught.value)


def test_the_document_has_the_language_of_the_pipeline() -> None:
    from tersely.adapters.spacy import as_document

    assert as_document(spacy.blank("zh")("rain")).language == "zh"
    assert as_document(spacy.blank("xx")("The rain and the river.")) == Document.from_text("The rain and the river.")
