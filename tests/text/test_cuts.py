"""No abbreviation, number, bracket or line end cuts a sentence, and what is glued to one is parted from it."""

import pytest

from growth import assert_linear
from tersely.text import Document, Language

WHOLE = {
    "rupees": "The tenant paid Rs. 500 a month. ¦The owner wanted Rs. 1,250 for it.",
    "Roman number": "It was decided in Case No. VIII of 1960. ¦No. ¦I was not there.",
    "clause": "The rule is in Cl. (3) of the Act. ¦It is old.",
    "company": "She bought shares of Northern Traders Pvt. Ltd. at noon. ¦The price fell.",
    "court": "He appealed in Crl. Appeal No. 12 and in Misc. Petition No. 9. ¦Both failed.",
    "initial I": "The case was argued by I. N. Rao for the owner. ¦So did I. ¦Police came.",
    "name like an hour": "She studied at the A.M. Rossi College. ¦She left at 9 a.m. ¦Rain fell.",
    "date with a space": "He was paid from 6.4. 1977 until 8.5. 1978 by the state. ¦Then he left.",
    "number with a space": "It grew to 107. 56 million euros, by 31. 97%, in May. ¦It fell by 31. ¦97 people left.",
    "year of a source": "The method is that of Stone et al. (1990), who tried it. ¦Smith et al. 1991 did not.",
    "cultivar": "We grew wheat, cv. Northern Gold, for a year. ¦It was tall.",
    "tokenized figure": "The nerve is thick ( fig . 2 ) . ¦It is shown in fig . 3 here .",
    "lost quotes": "?We won,? Brown said. ¦They call him the ?King of Tea? at home. ¦He said: ?It is late.? ¦She left.",
    "rare verbs of speech": '"Who is it?" Ann queried. ¦"Why now? " Ben Stone questioned. ¦She left.',
    "inline code": "Call `load(). Then` before `run? Now` or not. ¦It works.",
    "sounds": "It was odd. [laughter] ¦We went on. ¦It ended [applause] late. ¦Good . {vocalsound} ¦Now the plan .",
    "footnote marks": "The fact is known.[^1] ¦Others differ.[^long] ¦It is so[^2] here. ¦Yes.[a] ¦End.",
    "datelines": "(CNN) -- Rain fell on Monday. ¦It grew. ¦OSLO (Wire) - Snow fell. ¦(CNN)Hail fell.",
    "numbered sections": "12. The owner left. ¦13. He came back. ¦(1) He paid. ¦(2) He won.",
    "lone periods": (
        "The storm hit . the coast on Monday near . Boston and its . port. ¦It then moved to . the north and . left. "
        "¦A picture that a man who lives in the old harbor took from his window high above the . sea ."
    ),
    "after a bracket": "It was tried (1990).¦The others came later.¦They failed (all of them).¦But f(x).Next is code.",
    "items without lines": "It rained for days.¦- Nobody came.¦- The band played. ¦The U.S.- Chinese talks end.",
}


@pytest.mark.parametrize("marked", WHOLE.values(), ids=WHOLE)
def test_marks_within_a_sentence_do_not_end_it(marked: str) -> None:
    check(marked, "en")


def check(marked: str, language: Language) -> None:
    """`¦` marks where one sentence ends and the next begins."""
    pieces = marked.split("¦")
    assert list(Document.from_text("".join(pieces), language).texts) == [piece.strip() for piece in pieces]


LINES = {
    "number": "We were the No.\n1 maker of tea.\n¦The others were not.",
    "et al.": "It was used for grading (Stone et al.\n1998), and for more.\n¦It worked.",
    "year": "The method is by Stone et at.\n(1992), or by others.\n¦It worked.",
    "title": "It was said by Gov.\nGray Stone on Monday.\n¦The end.",
    "title before a new sentence": "He wrote to the Gov.\n¦The answer came late.",
    "clause": "It is in Cl.\n(15) of the Act.\n¦So it is.",
    "date": "It was paid on 16.6.\n1975 by the owner.\n¦It was late.",
    "bracket": "He served as a soldier (in the Res. Rgt.\n207) in the east.\n¦He came home.",
    "pause": "after a long review of all the papers\n, we found that it works .\n¦it is cheap .",
    "number of a paragraph": "They saw the loss of money. ¦4.\nIn order to stop this, a law was made.\n¦It was late.",
    "who": "It is hard for all of us in the town, said\nAnn Stone, who lives here.\n¦She left.",
    "list": "We need these (see below):\n¦1) milk\n¦2) eggs",
    "section without capitals": "RESULTS\n¦we asked all of the swimmers in town what they eat.",
}


@pytest.mark.parametrize("marked", LINES.values(), ids=LINES)
def test_a_line_end_within_a_sentence_does_not_end_it(marked: str) -> None:
    check(marked, "en")


GLUED: list[tuple[Language, str]] = [
    ("en", "It rained. ¦SALES ROSE IN MAY¦The shop sold more. ¦IN THE USAs case it did not."),
    ("en", "Read: Who will win the cup next year¦The coach was calm. ¦LinkedIn The firm grew."),
    ("en", "Ann Stone (@stone) July 13, 2017¦Within hours it was gone. ¦Model 2017X The car."),
    ("en", "We won. pic.twitter.com/abcdefghij ¦The cup is ours."),
    ("fr", "Il pleut.¦- Les vainqueurs -¦Anna a gagné la course. ¦Elle est contente."),
    ("fr", "Pourquoi ?¦Les autres sont partis. ¦Que faire ? ¦Rien."),
    ("de", "Sie kamen in die K.-o.-Runde des Pokals. ¦Das war neu."),
    ("zh", "大会开始了。¦(图1:大会的现场照片)¦主席讲话。¦（记者 李四）¦今天放晴。"),
    ("zh", "村民都很满意。¦（张三 李四 王小五）¦新的广场开放了。¦（一）加强领导。"),
    ("zh", "本报讯（记者张三）昨天，本市下了大雨。¦交通没有中断。"),
    ("zh", "寒假来了，\n孩子们都很高兴，\n一起出去玩。\n¦下雪了。"),
]


@pytest.mark.parametrize(("language", "marked"), GLUED)
def test_what_is_glued_to_a_sentence_is_parted_from_it(language: Language, marked: str) -> None:
    check(marked, language)


@pytest.mark.parametrize(
    "stamps",
    [
        ("[12/03/2025, 09:02:11]", "[12/03/2025, 09:03:40]", "[12/03/2025, 09:05:01]"),
        ("12/03/2025, 09:02 -", "12/03/2025, 09:03 -", "12/03/2025, 09:05 -"),
        ("3/12/25, 9:02 PM -", "3/12/25, 9:03 PM -", "3/12/25, 9:05 PM -"),
        ("10:32", "10:33", "10:34"),
    ],
)
def test_the_time_of_a_message_is_no_part_of_what_is_said(stamps: tuple[str, str, str]) -> None:
    first, second, third = stamps
    text = f"{first} Anna Lee: See you at six.\n{second} Bob: Fine. I bring cake.\n{third} Anna Lee: Good."
    document = Document.from_text(text)
    assert document.texts == ("See you at six.", "Fine.", "I bring cake.", "Good.")
    assert document.kinds == ("turn",) * 4
    assert document.speakers == ("Anna Lee", "Bob", "Bob", "Anna Lee")
    assert document.times == tuple(stamp.strip("[] -") for stamp in (first, second, second, third))


def test_few_capitals_are_none() -> None:
    text = "the nerve is thick. it was seen in all eyes. " * 20 + "the DNA was not read."
    assert len(Document.from_text(text, "en")) == 41


@pytest.mark.parametrize(
    "piece", ["(\n", "AB ", "endThe ", "2017This ", "a . b ", "` ", "[a] ", "No.\n", "（张三 ", "- A "]
)
@pytest.mark.soak
def test_cuts_are_found_in_linear_time(piece: str) -> None:
    assert_linear(lambda text: Document.from_text(text, "en"), lambda size: piece * size, 2000)
