import pytest

from tersely.text import Document
from tersely.text.words import term_weights


def test_a_term_weighs_the_sum_of_decays_of_its_sentences() -> None:
    document = Document.from_sentences(["Rain rain fell.", "Snow.", "Rain and snow."], "en")
    assert document.terms.vocabulary == ("rain", "fell", "snow")
    assert term_weights(document.terms, decay=0.5).tolist() == pytest.approx([1.25, 0.1, 0.75])
    assert term_weights(document.terms, decay=1.0, once=1.0).tolist() == [2.0, 1.0, 2.0]
    assert term_weights(document.terms, decay=1.0, once=0.0).tolist() == [2.0, 0.0, 2.0]


@pytest.mark.parametrize("sentences", [[], ["It is."], ["!", "?"]])
def test_a_document_without_terms_has_no_weights(sentences: list[str]) -> None:
    assert term_weights(Document.from_sentences(sentences, "en").terms).tolist() == []
