"""Which part of a document a system gets to see."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import texts
from tersely.datasets import Record, SourceLimits
from tersely.errors import UsageError
from tersely.text import Document
from tersely.text.length import count_words

SENTENCES = ["One two three four.", "Five six.", "Seven!", "Eight nine ten eleven twelve."]


def record(*sentences: str, labels: tuple[int, ...] = ()) -> Record:
    return Record("1", Document.from_sentences(sentences, "en"), ("One.",), labels)


def kept(limits: SourceLimits, *sentences: str) -> tuple[str, ...]:
    return limits.apply(record(*sentences)).document.texts


def test_without_limits_nothing_changes() -> None:
    whole = record(*SENTENCES, labels=(3, 0))
    assert SourceLimits().apply(whole) == whole


def test_the_sentences_within_the_first_tokens_are_kept() -> None:
    assert kept(SourceLimits(max_tokens=7), *SENTENCES) == tuple(SENTENCES[:3])
    assert kept(SourceLimits(max_tokens=6), *SENTENCES) == tuple(SENTENCES[:2])
    # A shorter sentence after the limit does not slip in.
    assert kept(SourceLimits(max_tokens=5), *SENTENCES) == tuple(SENTENCES[:1])


def test_tokens_can_be_counted_differently() -> None:
    assert kept(SourceLimits(max_tokens=28, count_tokens=len), *SENTENCES) == tuple(SENTENCES[:2])


def test_short_sentences_are_dropped_before_the_others_are_counted() -> None:
    assert kept(SourceLimits(min_words=2, max_sentences=3), *SENTENCES) == (SENTENCES[0], SENTENCES[1], SENTENCES[3])
    assert kept(SourceLimits(min_words=4, max_tokens=9), *SENTENCES) == (SENTENCES[0], SENTENCES[3])


def test_a_long_sentence_is_cut_after_its_last_allowed_word() -> None:
    limits = SourceLimits(max_words=3)
    assert kept(limits, '"One" (two) 3.5-fold, then on.') == ('"One" (two) 3.5-fold,',)
    assert kept(limits, "One two -- three.") == ("One two --",)
    assert kept(limits, "今天天气很好。", "有3只cat在。") == ("今天天", "有3只")
    assert kept(SourceLimits(max_words=4), "有3只cat在。") == ("有3只cat",)


def test_a_cut_sentence_counts_only_its_remaining_words() -> None:
    assert kept(SourceLimits(max_words=2, max_tokens=4), *SENTENCES) == ("One two", "Five six.")


def test_labels_follow_their_sentences_and_are_dropped_with_them() -> None:
    applied = SourceLimits(min_words=2).apply(record(*SENTENCES, labels=(3, 2, 0)))
    assert applied.labels == (2, 0)
    assert (applied.id, applied.reference) == ("1", ("One.",))


def test_a_document_never_becomes_empty() -> None:
    assert kept(SourceLimits(min_words=20), *SENTENCES) == tuple(SENTENCES)
    assert kept(SourceLimits(max_tokens=1), *SENTENCES) == (SENTENCES[0],)


@pytest.mark.parametrize(
    "limits",
    [
        {"max_tokens": 0},
        {"max_sentences": -1},
        {"max_words": 0},
        {"min_words": -1},
        {"min_words": 5, "max_words": 4},
    ],
)
def test_impossible_limits_are_refused(limits: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="must be"):
        SourceLimits(**limits)


limit = st.none() | st.integers(1, 30)


@given(texts, limit, limit, st.integers(0, 4), st.none() | st.integers(4, 8), st.data())
def test_the_remaining_sentences_are_verbatim_in_order_and_within_the_limits(
    text: str, tokens: int | None, sentences: int | None, shortest: int, longest: int | None, data: st.DataObject
) -> None:
    document = Document.from_text(text)
    labels = data.draw(st.lists(st.integers(0, len(document) - 1), unique=True)) if len(document) else []
    limits = SourceLimits(tokens, sentences, shortest, longest)
    applied = limits.apply(Record("1", document, (), tuple(labels)))
    spans = applied.document.sentences
    assert applied.document.text == text
    assert bool(spans) == bool(document.sentences)
    ends = dict(document.sentences)
    assert all(start in ends and start < end <= ends[start] for start, end in spans)
    assert list(spans) == sorted(spans)
    assert len(spans) <= (sentences or len(spans))
    counts = [count_words(each) for each in applied.document.texts]
    for (start, end), count in zip(spans, counts, strict=True):
        whole = count_words(text[start : ends[start]])
        assert count == (whole if longest is None else min(whole, longest))
        assert end == ends[start] or count == longest
    if tokens is not None and len(spans) > 1:
        assert sum(counts) <= tokens
    labeled = {document.sentences[label].start for label in labels}
    assert {spans[label].start for label in applied.labels} == labeled & {start for start, _ in spans}
