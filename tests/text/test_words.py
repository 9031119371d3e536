from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from strategies import texts
from tersely.text import Document
from tersely.text.sources import Collection
from tersely.text.words import Numbered, Terms, all_words, term_weights


@given(st.lists(texts, max_size=4), st.sampled_from(["en", "de", "zh", "tr", "ko", "other"]))
@example(["Rock'n'roll's \0 best, ‘ΣΟΣ’ don’t_stop.", "", "It's İ 'tis the boys' x's GDP好天 IT."], "en")
@example(["One two."] * 600, "en")
def test_texts_that_are_read_together_have_the_words_of_each(sentences: list[str], language: str) -> None:
    together = Numbered.read(sentences, language)  # type: ignore[arg-type]
    rows = [all_words(text, language) for text in sentences]  # type: ignore[arg-type]
    each = Numbered.of(rows)
    assert together.vocabulary == each.vocabulary
    assert together.words.tolist() == each.words.tolist()
    assert together.sentence.tolist() == each.sentence.tolist()
    assert together.rows(len(sentences)) == tuple(map(tuple, rows))


@given(st.lists(st.tuples(texts, st.sampled_from(["en", "de", "zh", "other"])), max_size=5))
@example([("The floods.", "en"), ("", "zh"), ("Die Flut the floods", "de"), ("GDP好天 floods", "en")])
def test_sources_in_several_languages_have_the_words_of_each(pairs: list[tuple[str, Any]]) -> None:
    parts = [Document.from_text(text, language) for text, language in pairs]
    collection = Collection.gather(parts)
    assert collection.words == tuple(row for part in parts for row in part.words)
    assert collection.stems == tuple(row for part in parts for row in part.stems)
    words, stems = Numbered.of(collection.words), Numbered.of(collection.stems)
    assert collection.numbered.vocabulary == words.vocabulary
    assert collection.numbered.words.tolist() == words.words.tolist()
    assert collection.numbered_stems.vocabulary == stems.vocabulary
    assert collection.numbered_stems.sentence.tolist() == stems.sentence.tolist()


@given(st.lists(st.lists(st.integers(0, 9), max_size=40), max_size=6), st.lists(st.floats(0, 1e9), min_size=10))
def test_weights_of_a_sentence_are_added_as_numpy_adds_them(rows: list[list[int]], weights: list[float]) -> None:
    sentence = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    terms = Terms(np.array([term for row in rows for term in row], np.intp), sentence, ("x",) * 10, len(rows))
    given = np.array(weights)
    assert terms.sums(given).tolist() == [float(np.add.reduce(given[row])) if row else 0.0 for row in rows]


def test_a_term_weighs_the_sum_of_decays_of_its_sentences() -> None:
    document = Document.from_sentences(["Rain rain fell.", "Snow.", "Rain and snow."], "en")
    assert document.terms.vocabulary == ("rain", "fell", "snow")
    assert term_weights(document.terms, decay=0.5).tolist() == pytest.approx([1.25, 0.1, 0.75])
    assert term_weights(document.terms, decay=1.0, single=1.0).tolist() == [2.0, 1.0, 2.0]
    assert term_weights(document.terms, decay=1.0, single=0.0).tolist() == [2.0, 0.0, 2.0]


def test_a_part_of_a_document_knows_its_words() -> None:
    document = Document.from_sentences(["Rain fell.", "Snow fell, too.", "It rains."], "en")
    part = document.part([1, 2])
    assert part.texts == document.texts[1:]
    assert part.words == document.words[1:]
    assert part.text == document.text


@pytest.mark.parametrize("sentences", [[], ["It is."], ["!", "?"]])
def test_a_document_without_terms_has_no_weights(sentences: list[str]) -> None:
    assert term_weights(Document.from_sentences(sentences, "en").terms).tolist() == []
