"""A text's blocks are what a reader would call them, and no block loses a character."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import assert_linear
from strategies import texts
from tersely import summarize
from tersely.errors import UsageError
from tersely.text import KINDS, LANGUAGES, Document, Language, Part, measure
from tersely.text.blocks import role_of


def kinds(text: str, language: Language | None = None) -> list[tuple[str, str]]:
    document = Document.from_text(text, language)
    return list(zip(document.kinds, document.display_texts, strict=True))


# Each line of the left is one sentence as it is shown, after its kind.
FORMS = {
    "Markdown": (
        "# Fish\n\nA *small* fish swims in the river. It is red.\n\n## Food\n\n- worms\n- flies that\n  fly low\n",
        "heading # Fish|prose A *small* fish swims in the river.|prose It is red.|heading ## Food|item - worms"
        "|item - flies that fly low",
    ),
    "underlined": (
        "Fish\n====\n\nOne fish swims in the river.\n\nFood\n----\nWorms are good for it.",
        "heading Fish|rule ====|prose One fish swims in the river.|heading Food|rule ----|prose Worms are good for it.",
    ),
    "paper": (
        "ABSTRACT\nwe learn to swim on dry land. it works.\n\n1. Introduction\n\nSwimming is hard, as all know.\n\n"
        "2.1 The Data\n\nWe asked 300 swimmers from five countries.\n\n"
        "Figure 1: A swimmer who lies on a wooden bench\nand moves both arms.",
        "heading ABSTRACT|prose we learn to swim on dry land. it works.|heading 1. Introduction"
        "|prose Swimming is hard, as all know.|heading 2.1 The Data|prose We asked 300 swimmers from five countries."
        "|caption Figure 1: A swimmer who lies on a wooden bench and moves both arms.",
    ),
    "chapters": (
        "第一章 总则\n\n为了规范本市的供水，制定本办法，并且在全市的范围内实施。\n\n"
        "一、供水的范围\n\n本市的所有街道都在供水的范围以内。",
        "heading 第一章 总则|prose 为了规范本市的供水，制定本办法，并且在全市的范围内实施。|heading 一、供水的范围"
        "|prose 本市的所有街道都在供水的范围以内。",
    ),
    "table": (
        "The results are good.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nGroup\tTime\nOurs\t12\n\n"
        "Sales   12   13\n1 2 3 4\n\nThe end.",
        "prose The results are good.|row | a | b ||rule |---|---||row | 1 | 2 ||row Group\tTime|row Ours\t12"
        "|row Sales   12   13|row 1 2 3 4|prose The end.",
    ),
    "code": (
        "Call it so.\n\n```\nx = 1. Next\n\nprint(x)\n```\n\n    if (x) {\n      f(x);\n    }\n\nThat is all of it.",
        "prose Call it so.|code ```|code x = 1. Next|code print(x)|code ```|code if (x) {|code f(x);|code }"
        "|prose That is all of it.",
    ),
    "dialogue": (
        "#Person1#: Is it far? I am tired.\n#Person2#: It is not ,\n#Person1#: Good.",
        "turn Is it far?|turn I am tired.|turn It is not ,|turn Good.",
    ),
    "labels above": (
        "SPEAKER 1:\nHello, everyone.\n\nSPEAKER 2:\nHello. It is cold.\n\nSPEAKER 1:\nIt is.",
        "turn Hello, everyone.|turn Hello.|turn It is cold.|turn It is.",
    ),
    "interview": (
        "Q: Why did it close?\nA: It was unsafe.\n\nWe had no money for it.\n\nQ: And now?\nA: It opens in May.",
        "turn Why did it close?|turn It was unsafe.|turn We had no money for it.|turn And now?|turn It opens in May.",
    ),
    "Chinese interview": (
        "问：什么时候开始？\n答：明年一月。大家都要参加。",
        "turn 什么时候开始？|turn 明年一月。|turn 大家都要参加。",
    ),
    "form": ("Name: Ann\nAge: 40\nCity: Paris", "prose Name: Ann|prose Age: 40|prose City: Paris"),
    "mail": (
        "From: Ann <a@b.example>\nSubject: Rack\n\nThe rack moves on Friday.\n\n> When does it\n> move?\n\n"
        "Best regards,\nAnn\n\n"
        "On Mon, Mar 3, 2025, Bob <b@b.example> wrote:\n> It is too warm.\n>\n> Bob",
        "header From: Ann <a@b.example>|header Subject: Rack|prose The rack moves on Friday.|reply > When does it move?"
        "|signature Best regards,|signature Ann|reply On Mon, Mar 3, 2025, Bob <b@b.example> wrote:"
        "|reply > It is too warm.|reply > Bob",
    ),
    "older mail below": (
        "We accept the offer.\n--\nTom\n\n-----Original Message-----\n"
        "From: Jane\nSent: Tuesday\n\nHere it is. Please read it.",
        "prose We accept the offer.|signature --|signature Tom|reply -----Original Message-----|reply From: Jane"
        "|reply Sent: Tuesday|reply Here it is.|reply Please read it.",
    ),
    "Chinese mail below": (
        "同意这个方案。\n\n发件人：张三\n发送时间：2020年1月1日\n主题：方案\n\n请看附件。",
        "prose 同意这个方案。|reply 发件人：张三|reply 发送时间：2020年1月1日|reply 主题：方案|reply 请看附件。",
    ),
    "quotation": (
        "He wrote this.\n\n> It was a dark\n> night. It rained.\n\nNobody knows why.",
        "prose He wrote this.|quote > It was a dark night.|quote It rained.|prose Nobody knows why.",
    ),
    "pages": (
        "The first page ends with this sentence.\n\n- 3 -\n\nThe second page begins with this one.\n\nPage 4 of 9",
        "prose The first page ends with this sentence.|page - 3 -|prose The second page begins with this one."
        "|page Page 4 of 9",
    ),
    "running headers": (
        "Fish Weekly\n\nOne fish swims.\n\nFish Weekly\n\nTwo fish swim.\n\nFish Weekly\n\nNo fish swims.",
        "header Fish Weekly|prose One fish swims.|header Fish Weekly|prose Two fish swim.|header Fish Weekly"
        "|prose No fish swims.",
    ),
    "wrapped Chinese": (
        f"{'春天来了' * 6}\n{'花都开了' * 6}\n{'鸟在唱歌' * 6}\n我们很高兴。再见。",
        f"prose {'春天来了' * 6}{'花都开了' * 6}{'鸟在唱歌' * 6}我们很高兴。|prose 再见。",
    ),
}


@pytest.mark.parametrize(("text", "expected"), FORMS.values(), ids=FORMS)
def test_blocks_are_found_by_their_form(text: str, expected: str) -> None:
    assert "|".join(" ".join(pair) for pair in kinds(text)) == expected


# Prose in which nothing must be taken for something else.
PROSE = {
    "speech": 'He said: "I am here."\nShe said: "So am I."\nHe said: "Good."\nShe said: "Yes."',
    "law": "The court held:\n(a) the Act applies;\n(b) the claim fails.",
    "figures": "The firm sold 12 ships in 1990, 14 in 1991 and 15 in 1992.\nIt had 1,000 men in 1993.",
    "double spaces": "We went home  early on that day.\nNobody  saw us on the way.",
    "semicolons": "They came;\nthey saw;\nthey left.",
    "shouting": "THE RIVER ROSE.\nTHE TOWN WAS FLOODED.\nNOBODY WAS HURT",
    "a note": "Note: the shop is closed.\nIt opens on Monday. Source: the owner.",
    "letters": "Am 3. Mai 1790 schrieb er:\nDas ist alles.\nIn 1790 she wrote:\nThat is all of it.",
    "mark-up": "The plant grew\n<b> tall and\n<i> green and\n<b> old and\n<i> wide.\nIt died.\nIt was cut.\nIt left.",
    "a mail's words": "From: what I know, he left.\nThanks to her, he came back and stayed for years.",
}


@pytest.mark.parametrize("text", PROSE.values(), ids=PROSE)
def test_prose_is_left_alone(text: str) -> None:
    assert {kind for kind, _ in kinds(text)} <= {"prose", "item"}


def test_two_headers_within_a_text_begin_no_older_mail() -> None:
    text = "The train is late.\nFrom: Boston\nTo: New York\nIt leaves at noon. It is full."
    assert [kind for kind, _ in kinds(text)] == ["prose", "header", "header", "prose", "prose"]


def test_speakers_and_levels_are_known() -> None:
    document = Document.from_text("Ann Lee (chair): Let us begin.\nBob: Good. I am ready.\nAnn Lee (chair): Fine.")
    assert document.speakers == ("Ann Lee", "Bob", "Bob", "Ann Lee")
    document = Document.from_text("## Fish\n\nOne swims.\n\n1.2 Red Fish\n\nTwo of them swim in the river.")
    assert [block.level for block in document.blocks] == [2, 0, 2, 0]


def test_sections_count_from_their_headings() -> None:
    document = Document.from_text("A fish swims.\n\n# One\n\n## Two\n\nIt is red. It is old.\n\n# Three\n\nIt left.")
    assert [tuple(place) for place in document.sections] == [(0, 0), (1, 0), (1, 0), (1, 0), (1, 1), (2, 0), (2, 0)]


@pytest.mark.parametrize(
    ("heading", "role"),
    [
        ("Abstract", "abstract"),
        ("3 EXPERIMENTAL RESULTS", "result"),
        ("IV. Conclusions", "conclusion"),
        ("## Materials and methods:", "method"),
        ("三、参考文献", "references"),
        ("Einleitung", "introduction"),
        ("判决如下：", "order"),
        ("The road to Rome", ""),
        ("", ""),
    ],
)
def test_headings_say_what_their_section_is_for(heading: str, role: str) -> None:
    assert role_of(heading) == role


def test_parts_of_a_judgment_are_known_without_headings() -> None:
    text = "原告张三诉称，被告没有还款。被告李四辩称，已经还清。本院认为，证据不足。判决如下：\n驳回请求。"
    assert Document.from_text(text).roles == ("claim", "defense", "holding", "holding", "order")
    assert Document.from_text("公司指控对手。对手辩称没有。").roles == ("", "")


PAPER = (
    "# Abstract\n\nWe learn to swim on dry land, and it works.\n\n# References\n\n"
    "A. Smith wrote on water. B. Doe wrote too.\n\n"
    "# Acknowledgments\n\nWe thank all swimmers."
)


def test_headings_and_references_are_left_out() -> None:
    summary = summarize(PAPER, max_chars=60, coherence="strict")
    assert summary.sentences
    assert {s.rejected for s in summary.ranking if s.text.startswith(("#", "References", "Abstract"))} == {"noise"}


def test_noise_is_taken_where_nothing_else_is() -> None:
    assert summarize("| a | b |\n| 1 | 2 |\n| 3 | 4 |", max_chars=9, coherence="strict").sentences
    # A bibliography alone is the text.
    assert set(Document.from_text("References\n\nA. Smith wrote on water. B. Doe wrote too.").roles) == {""}


LINES = """# A|One fish. Two|fish swim.|A: hi|B: yes.|A:|> q|>|&a&b&|&---&|---|```|x = 1;|From: a|Subject: b|Thanks,|--
1. One|- two|References|Page 3|天气|很好。|A  1  2|| """.replace("\n", "|").split("|")
STRUCTURED = st.lists(st.sampled_from(LINES), max_size=14).map("\n".join).map(lambda t: t.replace("&", "|")) | texts


@given(STRUCTURED, st.sampled_from(LANGUAGES))
def test_every_character_is_in_one_block_and_one_sentence(text: str, language: Language) -> None:
    document = Document.from_text(text, language)
    for spans in ([block[1:3] for block in document.blocks], document.sentences):
        assert all(start < end and text[start:end] == text[start:end].strip() for start, end in spans)
        edges = [0, *(edge for span in spans for edge in span), len(text)]
        assert edges == sorted(edges)
        assert not "".join(text[a:b] for a, b in list(pairwise(edges))[::2]).strip()
    assert (
        len(document.kinds) == len(document.speakers) == len(document.roles) == len(document.sections) == len(document)
    )
    for (start, end), kind in zip(document.sentences, document.kinds, strict=True):
        assert [block.kind for block in document.blocks if block.start <= start and end <= block.end] == [kind]


@given(STRUCTURED, st.integers(1, 60), st.sampled_from(["chars", "words", "bytes"]), st.sampled_from(["off", "strict"]))
def test_what_is_shown_fits_and_has_no_line_break(text: str, limit: int, unit: str, coherence: str) -> None:
    summary = summarize(text, **{f"max_{unit}": limit}, coherence=coherence)  # type: ignore[call-overload]
    assert measure(summary.text, unit) == summary.length <= limit  # type: ignore[arg-type]
    assert all(text[s.start : s.end] == s.text for s in summary.ranking)
    assert summary.reason == "whole-text-fits" or len(summary.text.splitlines()) < 2


def test_a_wrapped_sentence_is_shown_on_one_line() -> None:
    text = "A storm came from the west\n   and hit the coast on Monday, as all had feared. It left."
    summary = summarize(text, max_chars=80, include=0)
    assert summary.text == "A storm came from the west and hit the coast on Monday, as all had feared."
    assert summary.sentences[0].text == text[:77]
    assert "west and hit" in summary.to_markdown()


def test_a_blank_line_in_the_middle_of_a_sentence_does_not_end_it() -> None:
    text = "We came.\n\nIt was a long silvery serpent-like\n \n  something\n \n that crawled on the sand.\n\nWe ran."
    shown = Document.from_text(text).display_texts
    assert shown[1] == "It was a long silvery serpent-like something that crawled on the sand."


@pytest.mark.parametrize(
    "text",
    [
        "Milk\n\nten eggs\n\na loaf of bread",  # a list of short lines
        "our results on the new corpus\n\nthe parser is fast, and it is small.",  # paragraphs begin in lowercase
        "What we know about the storm\n\nThe storm hit the coast on Monday.",
        "It has these parts,\n\n=== Methods\n\nThe method is simple, and it is old.",
    ],
)
def test_a_blank_line_between_paragraphs_ends_a_sentence(text: str) -> None:
    assert len(Document.from_text(text)) == len(text.split("\n\n"))


PARTS = st.lists(
    st.builds(Part, st.sampled_from(KINDS), texts, st.sampled_from(["", "Ann"]), st.integers(0, 6)), max_size=8
)


@given(PARTS)
def test_given_blocks_come_back(parts: list[Part]) -> None:
    document = Document.from_blocks(parts)
    kept = [part._replace(text=part.text.strip()) for part in parts if part.text.strip()]
    assert [Part(b.kind, document.text[b.start : b.end], b.speaker, b.level, b.time) for b in document.blocks] == kept
    covered = "".join("".join(text.split()) for text in document.texts)
    assert covered == "".join("".join(part.text.split()) for part in kept)


def test_a_line_break_in_a_given_block_ends_no_sentence() -> None:
    document = Document.from_blocks([("prose", "It\nRained on\nMonday. Then"), ("prose", "not."), ("code", "a\nb")])  # type: ignore[list-item]
    assert document.display_texts == ("It Rained on Monday.", "Then", "not.", "a", "b")


def test_an_unknown_kind_is_one_clear_line() -> None:
    with pytest.raises(UsageError, match=r"the kind of a block must be one of prose, .*, not 'verse'"):
        Document.from_blocks([Part("verse", "Rose is a rose.")])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "piece",
    [
        "a: b.\n",
        "> ",
        ">\n",
        "|",
        "| a\n",
        "```\n",
        "- \n",
        "---",
        "x = (\n",
        "\t1",
        "  a",
        "A\n\n",
        "On wrote:\n",
        "--\n",
        "1.",
        " \n",
    ],
)
@pytest.mark.soak
def test_blocks_are_found_in_linear_time(piece: str) -> None:
    assert_linear(lambda text: Document.from_text(text, "en").display_texts, lambda size: piece * size, 2000)
