"""What English sentences need, and which are noise."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from growth import assert_linear
from strategies import texts
from tersely.read import ALONE, LOST, Reading
from tersely.read import read as read_document
from tersely.read._english import english
from tersely.read._english_forms import lowered
from tersely.read._english_text import _names
from tersely.read._quotes import quoted
from tersely.text import Document

MAYOR = "Mayor Anna Berg opened the new bridge over the Tarn on Monday."


def read(*sentences: str) -> Reading:
    """Read sentences of one paragraph."""
    return english(paragraph(*sentences))


def paragraph(*sentences: str) -> Document:
    """Return sentences as one paragraph."""
    text, spans, start = " ".join(sentences), [], 0
    for sentence in sentences:
        spans.append((start, start + len(sentence)))
        start += len(sentence) + 1
    document = Document.from_sentences(sentences, "en")
    return Document(text, "en", tuple(type(document.sentences[0])(*span) for span in spans))


def lines(*sentences: str) -> Reading:
    """Read sentences, one per line."""
    return english(Document.from_sentences(sentences, "en"))


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("But the toll will stay until May.", "connective"),
        ("As a result, traffic fell by half.", "connective"),
        ("The old ferry, however, will go on running.", "connective"),
        ("Yes, the toll is high.", "connective"),
        ("Second, the toll will rise.", "list"),
        ("Another crosses the river at Millau.", "list"),
        ("(b) The toll will rise in May.", "list"),
        ("A third span was added in May.", "list"),
        ("Six months later the toll was dropped.", "time"),
        ("The next day the road was closed.", "time"),
        ("She said the work took four years.", "pronoun"),
        ("It carries 4,000 cars a day.", "pronoun"),
        ("In May they raised the toll.", "pronoun"),
        ("On 8 October he was arrested in Lyon.", "pronoun"),
        ("The council thanked her for the work.", "pronoun"),
        ("This surprised the drivers.", "demonstrative"),
        ("Drivers welcomed these changes in the rules.", "demonstrative"),
        ("At that price nobody will cross.", "demonstrative"),
        ("Critics doubt such claims.", "demonstrative"),
        ("Inside that small booth sits a guard.", "demonstrative"),
        ("Living there was never cheap.", "demonstrative"),
        ("With the completion of this 40 million euro span, traffic will double.", "demonstrative"),
        ("Drivers are starting to like them.", "pronoun"),
        ("I'll take it.", "pronoun"),
        ("In the other, work goes on.", "list"),
        ("Some wait for the ferry.", "list"),
        ("Paul Fowler described a similar wait.", "connective"),
        ("Paul Fowler was fined the following year.", "connective"),
        ("We waited at the ferry for years.", "speaker"),
        ("April 27.", "fragment"),
        ("What next?", "fragment"),
        ("The 33-year-old studied in Lyon.", "definite"),
        ("After the ceremony, drivers paid no toll.", "definite"),
        ("Monday's ceremony ended early.", "definite"),
        ("The project cost 40 million euros.", "definite"),
        ("The bridge was designed in Lyon.", "definite"),
        ('"We waited for years."', "speaker"),
        ('"We waited for years," she said.', "pronoun"),
        ('"Traffic was a plague," the mayor added.', "speaker"),
    ],
)
def test_leans_on_the_sentence_before(sentence: str, why: str) -> None:
    reading = read(MAYOR, sentence)
    assert (reading.needs, reading.why) == ((ALONE, 0), ("", why))


@pytest.mark.parametrize(
    "sentence",
    [
        "This year the town will mend six roads.",
        "It is clear that the town needs more roads.",
        "It is hard to build roads in the valley.",
        "In his column, Paul Fowler praised the town.",
        "A man was fined after he jumped from a tower.",
        "Towns in the valley must help themselves.",
        "Drivers said they had waited too long.",
        "Critics say that towns should build less.",
        '"We waited for years," said Paul Fowler, a farmer.',
        "Paul Fowler, a farmer, said: 'I like these old roads.'",
        "So far 300 towns have asked for money.",
        "Those who live in the valley pay less.",
        "The former mining town has 300 people.",
        "The first span of steel was built in 1890.",
        "The view that roads bring traffic is old.",
        "Some towns in the valley pay less.",
        "Drivers wait until 6 p.m.",
        "World War I ended at the river.",
    ],
)
def test_stands_alone(sentence: str) -> None:
    reading = read(MAYOR, sentence)
    assert reading.needs == (ALONE, ALONE), reading.why


def test_first_sentence_stands_alone_unless_it_goes_on() -> None:
    assert read("The project cost 40 million euros.").needs == (ALONE,)
    assert read("But the project cost 40 million euros.").needs == (LOST,)
    assert read("She opened the bridge.").needs == (LOST,)


def test_person_is_found_where_the_name_stands() -> None:
    reading = read(MAYOR, "Rain fell on the valley for days.", "She had to wait for the sun.")
    assert reading.needs == (ALONE, ALONE, 0)


def test_a_surname_needs_the_full_name() -> None:
    reading = read(
        MAYOR,
        "Rain fell on the valley for days.",
        "A farmer, Paul Fowler, lost six cows.",
        "Roads were closed in many towns.",
        "Fowler wants help from the state.",
        "Berg wants help from the state.",
        "Nobody in town has heard from Fowler.",
        "Nobody in town has heard from Paul Fowler.",
    )
    assert reading.needs[4:] == (2, 0, 2, ALONE)
    assert reading.why[4] == "name"


def test_later_parts_of_a_quotation_need_its_first() -> None:
    reading = read(
        MAYOR,
        'Paul Fowler, a farmer, said: "We waited for years.',
        "Ferries were always late.",
        'Buses did not run at all."',
        "Traffic in the valley has doubled since 1990.",
    )
    assert reading.needs == (ALONE, ALONE, 1, 1, ALONE)


def test_quotation_needs_who_spoke_before() -> None:
    reading = read(MAYOR, '"We like roads," said Paul Fowler, a farmer.', '"Ferries are late."', '"Buses are full."')
    assert reading.needs == (ALONE, ALONE, 1, 1)


def test_quotation_may_name_its_speaker_at_the_end_because_it_goes_in_whole() -> None:
    reading = read(MAYOR, '"We waited for years.', 'Ferries were late," said Paul Fowler.')
    assert reading.needs == (ALONE, ALONE, 1)


def test_speech_whose_speaker_is_named_at_its_end_is_lost() -> None:
    reading = read_document(
        paragraph(MAYOR, '"We waited for years.', *["Ferries were late."] * 6, 'So we built," said Paul Fowler.')
    )
    assert reading.needs[:3] == (ALONE, LOST, 1)
    assert reading.why[2:] == ("speech",) * 7


def test_what_needs_a_part_of_a_quotation_needs_all_of_it() -> None:
    reading = read_document(
        paragraph(MAYOR, 'Paul Fowler said: "We waited.', "Ferries were late.", 'Now we walk."', "He gave no date.")
    )
    assert reading.needs == (ALONE, ALONE, 1, 2, 3)
    assert reading.continued == (2, 3)


@pytest.mark.parametrize(
    ("sentences", "firsts"),
    [
        (['"One.', 'Two."', "Three."], [-1, 0, -1]),
        (["“One.", "Two.”", "Three."], [-1, 0, -1]),
        (["'One.", "Two.'", "Three."], [-1, 0, -1]),
        (["`` One .", "Two . ''", "Three ."], [-1, 0, -1]),
        (['"One.', '"Two."', "Three."], [-1, 0, -1]),
        (['(CNN)"One.', 'Two."', "Three."], [-1, 0, -1]),
        (["The boys' room is 'too small' now.", "Three."], [-1, -1]),
        (["Rock 'n' roll of the '90s.", "Three."], [-1, -1]),
        (["He said 'em all and don't care.", "Three."], [-1, -1]),
    ],
)
def test_quotations_are_followed(sentences: list[str], firsts: list[int]) -> None:
    assert [quote.first for quote in quoted(sentences, [False] * len(sentences))] == firsts


def test_quotations_end_with_the_paragraph() -> None:
    assert [quote.first for quote in quoted(['"One.', "Two."], [True, True])] == [-1, -1]


def test_quotations_go_on_in_a_paragraph_that_opens_them_again() -> None:
    assert [quote.first for quote in quoted(['"One.', '"Two.', '"Three."'], [True] * 3)] == [-1, 0, 0]


def test_turns_of_a_story_answer_each_other() -> None:
    reading = lines(
        '"Where are you going?" said Tom.', '"To the lake," said Ann.', '"Why the lake?" said Tom.', "Ann ran."
    )
    assert reading.needs[:3] == (ALONE, 0, 1)
    assert not any(reading.noise)


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("Anna Berg (left) and Paul Fowler at the bridge on Monday.", "caption"),
        ("Paul Fowler, pictured with his cows, lost six of them.", "caption"),
        ("Day out: Mike and Diane with some of the children at the lake.", "caption"),
        ("Outspoken : mike had taken part in a march on the town hall three years ago .", "caption"),
        ("Drivers waited for hours at the old ferry on the first day of the holidays .", "caption"),
        ("Scroll down for video.", "call"),
        ("Click here for more pictures of the bridge.", "call"),
        ("See more at https://example.org/bridge today.", "call"),
        ("Paul Fowler contributed to this report.", "credit"),
        ("All rights reserved.", "credit"),
        ("Best regards,", "greeting"),
        ("Please contact the town hall if you have any questions.", "greeting"),
        ("These remarks contain forward-looking statements about the bridge.", "procedure"),
        ("With that, let me turn the call over to Paul.", "procedure"),
        ("CNN's Paul Fowler and Mary Holt reported from the valley.", "credit"),
        ("I'm pleased to discuss our results with you on this call.", "procedure"),
        ("In my remarks on this call, I compare our results with last year's.", "procedure"),
        ("A Berg, P Fowler, M Holt, D Parks, C Smith, T Jones.", "list"),
        ("President Paul Fowler greets the drivers during a visit on Saturday.", "caption"),
        ("For more information about the bridge, go to the town hall.", "call"),
        ("If you are not the intended recipient, please delete this message.", "disclaimer"),
        ("Civil Appeal No. 3435 of 1984.", "docket"),
        ("M. N. Phadke and Naunit Lal, for the appellant.", "docket"),
        ("2.2 Design of the Bridge.", "heading"),
        ("Figure 2 shows the bridge in May.", "caption"),
        ("12 14 15 2001 2002 18", "list"),
        ("THE HISTORY OF THE BRIDGE", "list"),
    ],
)
def test_noise(sentence: str, kind: str) -> None:
    reading = read(MAYOR, sentence, "Traffic in the valley has doubled since 1990.")
    assert reading.noise == ("", kind, "")


def test_line_without_a_closing_mark_is_a_heading() -> None:
    assert lines(MAYOR, "Grounds of appeal", MAYOR, MAYOR).noise == ("", "heading", "", "")
    assert not any(lines("a text", "without any", "closing marks", "at all").noise)


def test_sentence_that_was_cut_in_two_is_noise_on_both_sides() -> None:
    assert read(MAYOR, "The toll was set at Rs.", "400 a day in the first year.").noise == ("", "fragment", "fragment")
    assert read(MAYOR, "Building took long (ca.", "6 years) and cost a lot.").noise == ("", "fragment", "fragment")


def test_head_of_a_list_is_lost_and_its_first_item_with_it() -> None:
    reading = lines(MAYOR, "Three tolls were set, including:", "• one for cars of the town.", "Traffic has doubled.")
    assert reading.needs == (ALONE, LOST, 1, ALONE)


def test_sentence_in_lowercase_goes_on_unless_all_are() -> None:
    assert read(MAYOR, MAYOR, MAYOR, "drivers in the valley pay no toll.").why[3] == "fragment"
    assert not any(read("towns pay a toll.", "drivers in the valley pay none.").why)


def test_first_person_needs_nothing_where_the_author_says_i() -> None:
    reading = read("I crossed the bridge on Monday.", "We had waited for years.", "I met the mayor of the town there.")
    assert reading.needs == (ALONE, ALONE, ALONE)


def test_what_a_clause_takes_as_known_needs_who_told_it_unless_the_lead_did() -> None:
    told = "A report on the flood counted research on six rivers."
    after = "Drivers in the valley did not trust the research."
    assert read(MAYOR, MAYOR, told, after).needs[3] == 2
    assert read(told, MAYOR, MAYOR, after).needs[3] == ALONE


def test_captions_have_labels_that_differ_however_many() -> None:
    captions = ("Fear: Drivers wait at the old ferry.", "Relief: The mayor cuts a ribbon.", "Old: The ferry of 1890.")
    assert lines(MAYOR, *captions, MAYOR, MAYOR, MAYOR, MAYOR).noise[1:4] == ("caption",) * 3


def test_road_map_is_noise_in_papers_only() -> None:
    road = "Section 3 describes the model."
    assert lines("In this paper we present a model.", road).noise == ("", "road map")
    assert lines("The Act protects tenants.", "Section 3 defines a tenant.").noise == ("", "")


def test_labels_of_speakers_are_no_captions() -> None:
    turns = ("Ann: Where is Tom going today?", "Tom: Nowhere, as far as we know.", "Ann: Come to the lake with us.")
    assert not any(lines(*turns, "Tom: Gladly, if the rain stops.").noise)


def test_what_noise_says_supplies_nothing() -> None:
    reading = read("Anna Berg (left) opened the bridge.", "She thanked the builders.")
    assert reading.needs == (ALONE, LOST)


def test_and_opens_sentences_of_a_speech() -> None:
    plain = "Revenue in the second quarter grew by six percent."
    reading = lines(plain, "And revenue grew.", plain, "And margins grew.", plain, "And orders grew.")
    assert set(reading.needs) == {ALONE}


@given(texts)
def test_any_text_gives_a_reading_that_points_back(text: str) -> None:
    document = Document.from_text(text, "en")
    reading = english(document)
    assert len(reading.needs) == len(reading.why) == len(reading.noise) == len(document)
    for i, (need, why) in enumerate(zip(reading.needs, reading.why, strict=True)):
        assert need in (ALONE, LOST) or 0 <= need < i
        assert bool(why) == (need != ALONE)


@given(st.lists(st.text(max_size=30), max_size=8))
def test_any_sentences_give_a_reading(sentences: list[str]) -> None:
    assert len(english(Document.from_sentences(sentences, "en")).needs) == len(sentences)


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        " ",
        "A",
        "Aa ",
        "'",
        '"',
        "“",
        "`",
        "the ",
        "The the ",
        "it is ",
        "he, ",
        "this ",
        "(left ",
        "[",
        "said ",
        "x: ",
        "9",
        "\n",
        "A. ",
    ],
)
def test_time_is_linear(piece: str) -> None:
    def make(unit: str, size: int) -> Document:
        text = unit * (size // len(unit))
        return Document.from_sentences([text[at : at + 50_000] for at in range(0, len(text), 50_000)], "en")

    for unit in (piece, piece * 20 + ". "):
        assert_linear(english, partial(make, unit), 50_000)


def test_who_is_introduced_is_found_in_linear_time_however_many_there_are() -> None:
    people = [f"Anna B{''.join(chr(97 + int(digit)) for digit in str(i))} resigned." for i in range(20_000)]
    assert _names([*people[:3], "Mr Bb wept with Bd."], [""] * 4)[1] == {3: [("Bb", 1)]}
    assert_linear(lambda texts: _names(texts, [""] * len(texts)), lambda size: people[:size], 5_000)


def test_a_letter_whose_lowercase_is_longer_moves_no_other() -> None:
    assert lowered("İzmir And I") == "İzmir and i"
    assert lowered("ÄÖ'S") == "äö's"
