"""Whether a summary is in the words of its sources."""

import json
from itertools import cycle, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import assert_linear
from strategies import prose, texts
from tersely import Source, UsageError, summarize, verify
from tersely.text import quotations

SOURCE = (
    "The council met on Monday. It decided to close the old harbor to all cars from the\nfirst of March. "
    "“We had no other choice,” the mayor said. Build-\ning works begin in spring and will take two years."
)


@pytest.mark.parametrize(
    ("summary", "source"),
    [
        ("The river rose.", "It rained. The river\n   rose. It fell."),
        ("The reorganization began.", "The re-\n  organization began."),
        ("The re- organization began.", "The re-\norganization began."),
        ("The re\u00adorganization began.", "The reorganization began."),
        ("A well-known town.", "A well-\nknown town."),
        ('"No," she said.', "“No,” she said."),
        ("«Non», it isn't.", '"Non", it isn’t.'),
        ("``No,'' she said.", '"No," she said.'),
        ("今天下雨。", "昨天晴。今天\n下雨。"),
        ("他说：“好”。", "他说：「好」。"),
        ("2024年下雨。", "2024 年下雨。"),
        ("A cafe\u0301 opened.", "A café opened."),
        ("The first fish swam.", "The ﬁrst ﬁsh swam."),
        ("It rained - all day.", "It rained—all day."),
        ("Wait... It rained.", "Wait… It rained."),
        ("One line and the next.", "> One line\n> and the next."),
    ],
)
def test_what_only_looks_different_is_in_the_source(summary: str, source: str) -> None:
    result = verify(summary, source)
    assert result.ok
    assert {claim.verdict for claim in result.claims} == {"verbatim"}


@pytest.mark.parametrize(
    ("summary", "source"),
    [
        ("The river fell.", "It rained. The river rose."),
        ("The river Rose.", "The river rose."),
        ("It is 102.", "It is 10²."),
        ("We get her.", "We together."),
        ("A nice day.", "An ice day."),
        ("It costs 5-6.", "It costs 56."),
        ("It did not rain.", "It did rain."),
        ("Rain.", ""),
    ],
)
def test_what_differs_is_missing(summary: str, source: str) -> None:
    assert [claim.verdict for claim in verify(summary, source).claims] == ["missing"]


def test_offsets_lead_to_the_words_in_the_right_source() -> None:
    sources = [Source("rain", "It rained all day."), Source("river", "Well.\n\nThe river\nrose. It fell.")]
    [first, second] = verify("The river rose. It rained all day.", sources).claims
    assert (first.quoted[0].source, first.quoted[0].source_start, first.quoted[0].source_end) == ("river", 7, 22)
    assert (second.start, second.end, second.quoted[0].source) == (16, 34, "rain")


def test_a_sentence_from_parts_of_two_is_stitched_and_its_parts_are_told() -> None:
    summary = "It decided to close the old harbor and will take two years."
    result = verify(summary, SOURCE)
    [claim] = result.claims
    assert (result.ok, claim.verdict) == (False, "stitched")
    assert [summary[part.start : part.end] for part in claim.quoted] == [
        "It decided to close the old harbor",
        "and will take two years.",
    ]
    assert [SOURCE[part.source_start : part.source_end] for part in claim.quoted] == [
        "It decided to close the old harbor",
        "and will take two years.",
    ]


def test_a_negation_cut_out_of_a_sentence_is_stitched() -> None:
    source = "The board of the company did not agree to the plan of the new owner last week."
    [claim] = verify("The board of the company did agree to the plan of the new owner last week.", source).claims
    assert claim.verdict == "stitched"


def test_whole_sentences_without_end_marks_may_be_joined() -> None:
    source = "Known pitfalls\n\nRain falls.\n\nCosts\n\nThe river rose."
    result = verify("Known pitfalls The river rose.", source)
    assert [claim.verdict for claim in result.claims] == ["joined"]
    assert result.ok
    assert [source[part.source_start : part.source_end] for part in result.claims[0].quoted][1] == "The river rose."


def test_marks_of_omission_are_no_part_of_the_text() -> None:
    summary = summarize(SOURCE, max_chars=110, include=[0, 2], exclude=[1, 3], omission="[...]").text
    assert "[...]" in summary
    assert verify(summary, SOURCE).ok
    assert verify("The council met [...] to close the old harbor", SOURCE).ok


def test_only_quotations_are_checked_if_wanted() -> None:
    answer = 'The mayor regrets it: "We had no other choice." She was „glad to\nclose“ it. « Building works » begin.'
    result = verify(answer, SOURCE, quotations=True)
    assert [(claim.text.strip(), claim.verdict) for claim in result.claims] == [
        ("We had no other choice.", "verbatim"),
        ("glad to\nclose", "missing"),
        ("Building works", "verbatim"),
    ]
    assert verify("Nothing is quoted.", SOURCE, quotations=True).claims == ()


def test_the_result_is_json_and_one_line() -> None:
    result = verify("The council met on Monday. It is over.", SOURCE)
    data = json.loads(result.to_json())
    assert data == result.to_dict() | {"claims": data["claims"]}
    assert data["claims"][0]["quoted"] == [{"start": 0, "end": 26, "source": None, "source_start": 0, "source_end": 26}]
    assert result.explain() == "1 of 2 in the sources, 1 missing"


def test_a_summary_that_is_no_text_is_one_clear_line() -> None:
    with pytest.raises(UsageError, match="the summary must be a string, not bytes"):
        verify(b"Rain.", SOURCE)  # type: ignore[arg-type]


@given(prose, st.integers(1, 200))
def test_every_summary_is_in_its_source(text: str, limit: int) -> None:
    result = verify(summarize(text, max_chars=limit, separator="\n").text, text)
    assert result.ok, result


@given(texts, st.lists(texts, max_size=3))
def test_offsets_are_within_the_texts_and_hold_the_same_words(summary: str, sources: list[str]) -> None:
    result = verify(summary, sources)
    assert result == verify(summary, sources)
    for claim in result.claims:
        assert summary[claim.start : claim.end] == claim.text
        for part in claim.quoted:
            source = sources[int(part.source or 0) - 1]
            assert claim.start <= part.start < part.end <= claim.end
            assert 0 <= part.source_start < part.source_end <= len(source)
            if claim.verdict == "verbatim":
                assert verify(source[part.source_start : part.source_end], summary[part.start : part.end]).ok


@given(texts)
def test_a_text_is_in_itself(text: str) -> None:
    assert verify(text, text).ok


@pytest.mark.soak
@pytest.mark.parametrize("words", ["a", "a b", "“", "a-", "a. b. ", "\n>", "天", '"a'])
def test_the_time_grows_with_the_texts_and_not_with_their_product(words: str) -> None:
    def make(size: int) -> tuple[str, str]:
        return " ".join(islice(cycle(words.split(" ")), size)), " ".join(islice(cycle((words, "c")), size))

    assert_linear(lambda pair: verify(*pair), make, 5_000)
    assert_linear(lambda pair: verify(*pair, quotations=True), make, 5_000)


def test_a_summary_of_a_conversation_is_in_its_words() -> None:
    turns = [
        ("Ann", "So, um, we buy the electric kiln [laughter] in May, and ask every member for fifteen pounds."),
        ("Ben", "Uh, fine. Who writes to the members?"),
        ("Ann", "I will, {vocalsound} on Friday, before the meeting of the board."),
    ]
    text = "\n".join(f"[00:0{i}:10] {name}: {speech}" for i, (name, speech) in enumerate(turns * 2))
    for budget in (60, 120, 200):
        for options in ({}, {"times": True}, {"speakers": False}):
            summary = summarize(text, max_chars=budget, **options)
            assert "um" not in summary.text.split(), summary.text
            assert verify(summary.text, text).ok, summary.text
    assert not verify("Ann: So we sell the electric kiln in May.", text).ok


def test_endless_words_are_compared_but_not_remembered() -> None:
    before = quotations._folded.cache_info().misses
    assert verify("ﬁ" * 5000, "fi" * 5000).ok
    assert quotations._folded.cache_info().misses == before
