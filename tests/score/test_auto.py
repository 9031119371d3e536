"""What the default scorer takes a text for, and what follows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import texts
from tersely import Summarizer
from tersely.score._cues import Wording, _table, features, seen
from tersely.score.auto import Auto, early_content
from tersely.score.coverage import Coverage
from tersely.text import Document

NOUNS = "harbor bridge council river market school train island museum garden station factory".split()


def sentences(count: int, *, early: bool = False, late: bool = False) -> str:
    """A text in which sentences of what comes back stand early, late or anywhere."""
    rng = np.random.default_rng(1)
    lines = []
    for i in range(count):
        close = 1 - i / count if early else i / count if late else 0.5
        words = [f"{NOUNS[k]}" if rng.random() < close else f"word{i}x{k}" for k in range(len(NOUNS))]
        lines.append(f"It was the {' '.join(words)} that was there for them and for all of us.")
    return " ".join(lines)


def test_a_conversation_says_early_what_it_is_about() -> None:
    talk = "\n".join(f"{name}: We should look at the harbor plan again today." for name in ("Ann", "Bob") * 6)
    lean = Auto().lean(Document.from_text(talk))
    assert lean.bias == 1.0
    assert "conversation" in lean.why


def test_a_long_text_shows_where_it_says_what_matters() -> None:
    early, late = (Document.from_text(sentences(120, early=early, late=not early)) for early in (True, False))
    assert early_content(early) < 0 < early_content(late)
    assert Auto().lean(early).bias > 0
    assert Auto().lean(late).bias == 0


def test_a_judgment_argues_to_its_end() -> None:
    text = sentences(120, early=True).replace("that was there", "that the appellant saw", 40)
    lean = Auto().lean(Document.from_text(text))
    assert lean.bias == 0
    assert "judgment" in lean.why


def test_a_shorter_text_leans_more_to_its_beginning() -> None:
    biases = [Auto().lean(Document.from_text(sentences(count))).bias for count in (8, 20, 40)]
    assert biases == sorted(biases, reverse=True)
    assert biases[0] > biases[-1] > 0


def test_an_abstract_of_research_hardly_leans_to_its_beginning() -> None:
    text = (
        "Parsing is an old problem of linguistics. Many systems exist for English sentences. In this paper, we propose "
        "a parser for free word order. Our experiments show that it is fast and accurate. It needs no treebank."
    )
    document = Document.from_text(text)
    assert Auto().lean(document).bias == 0.2
    assert Summarizer.load().summarize(text, max_sentences=1).sentences[0].index == 2


@pytest.mark.parametrize(
    "text",
    [
        "Разбор предложений - старая задача. В статье предложен метод для свободного порядка слов. Он точный.",
        "L'analyse syntaxique est un vieux problème. Cet article propose une méthode rapide. Elle est précise.",
        "句法分析是一个老问题。本文提出一种新的分析方法。该方法快速而准确。",
    ],
)
def test_research_is_known_in_other_languages(text: str) -> None:
    assert "research" in Auto().lean(Document.from_text(text)).why


def test_a_message_asks_what_it_is_about() -> None:
    text = (
        "Can you send me the signed lease for the harbor office by Friday? I need it for the bank. We meet them on "
        "Monday, and they want to see the lease before that. You can leave a copy with my assistant, too."
    )
    document = Document.from_text(text)
    assert "message" in Auto().lean(document).why
    assert Summarizer.load().summarize(text, max_sentences=1).sentences[0].index == 0
    news = Document.from_text(
        text.replace("I ", "She ").replace("you", "they").replace("We", "They").replace("me", "it")
    )
    assert "message" not in Auto().lean(news).why


def test_a_chinese_judgment_is_read_from_its_end() -> None:
    text = (
        "原告李明诉称，被告王强于2015年3月借款十万元，至今未还。被告王强辩称，借款已经归还。"
        "经审理查明，双方于2015年3月签订借款合同。本院认为，被告未按合同约定归还借款，构成违约。"
        "依照《中华人民共和国合同法》第二百零六条的规定，判决如下：被告王强于本判决生效之日起十日内归还原告李明借款十万元。"
    )
    lean = Auto().lean(Document.from_text(text))
    assert lean.bias < 0
    assert "judgment" in str(lean)
    assert "判决如下" in Summarizer.load().summarize(text, max_chars=70).text


def test_the_more_a_summary_keeps_the_less_a_place_counts() -> None:
    document = Document.from_text(sentences(30))
    values = Auto(bias=1.0, cues=0.0).by_share(document)
    small, large = values(0.0), values(0.6)
    assert small[0] / small[-1] > large[0] / large[-1]
    assert np.allclose(large, Coverage(0.0).values(document))


def test_a_given_bias_is_used() -> None:
    assert Auto(bias=-0.5).lean(Document.from_text(sentences(30))).bias == -0.5


def test_scraps_count_less() -> None:
    document = Document.from_text(f"{sentences(10)} That is all. {sentences(10)}")
    scrap = document.texts.index("That is all.")
    values = Auto(bias=0.0).by_share(document)(0.0)
    assert values[scrap] == values.min()


@given(st.text(max_size=300), st.floats(0, 1))
def test_any_text_gets_positive_values(text: str, share: float) -> None:
    document = Document.from_text(text)
    if len(document):
        values = Auto().by_share(document)(share)
        assert values.shape == (len(document),)
        assert np.isfinite(values).all()
        assert (values >= 0).all()


def test_findings_decisions_and_figures_are_cues_and_formalities_are_not() -> None:
    document = Document.from_text(
        "The rest of this section gives details, see Figure 2 for example. We found that the drug works. "
        "The appeal is dismissed and the court held that the law applies. Revenue grew 12% to $4 million. "
        "Good morning and thank you for joining the call. The weather stayed mild in the valley."
    )
    example, found, held, grew, thanks, plain = Wording(document).cues
    assert min(found, held, grew) > plain > max(example, thanks)


@given(texts)
def test_only_the_features_that_count_are_looked_for(text: str) -> None:
    text += " In this paper, we propose 3 tests, for example: (see Figure 2)."
    document = Document.from_text(text, "en")
    names = _table("en").names
    _, sentence, feature = next(seen(document))
    for i, words in enumerate(document.words):
        found = sorted(names[number] for number in feature[sentence == i])
        assert found == sorted(features(words, document.texts[i], "en").intersection(names))


def test_a_question_says_less_than_its_answer() -> None:
    for text in ("Who won the match? Who won the match.", "谁赢得了比赛？谁赢得了比赛。"):
        question, answer = Wording(Document.from_text(text)).cues
        assert question < answer


def test_the_summary_says_what_the_text_was_taken_for() -> None:
    summary = Summarizer.load().summarize(sentences(120, late=True), max_chars=300)
    assert "120 sentences" in summary.lean
    assert summary.to_dict()["lean"] == summary.lean
    assert Summarizer.load("news").summarize("Rain fell. It fell.", max_words=2).lean == ""
