"""What is left out of conversations."""

from tersely import summarize
from tersely.read import read
from tersely.text import Document

TALK = """Anna: Okay, yeah.
Ben: Hello, everybody, the harbor council wants the bridge report by Friday morning.
Anna: {laugh} Uh, right.
Ben: The bridge needs new bearings, and the old steel costs too much to repair.
Anna: Sure.
Ben: So the council asks us for two offers from builders in the region."""


def test_sounds_and_scraps_of_a_conversation_are_noise() -> None:
    assert read(Document.from_text(TALK)).noise == ("filler", "", "filler", "", "filler", "")


def test_a_summary_of_a_conversation_says_something() -> None:
    summary = summarize(TALK, max_chars=200)
    assert "Okay" not in summary.text
    assert "council" in summary.text


def test_the_same_words_in_prose_are_no_fillers() -> None:
    document = Document.from_text("The bridge closed. The council met on Friday. It rained. Nobody came to the harbor.")
    assert "filler" not in read(document).noise


TURNS = """Ann: The old bridge over the harbor has to close in the spring. The council wants two offers from builders.
Ben: I see. My cousin repaired the bridge in Kelsby for half of that price. Builders from Kelsby work in winter, too.
Ann: Then the council should ask the builders from Kelsby for an offer."""


def test_what_goes_on_with_a_turn_needs_the_sentence_that_says_who_speaks() -> None:
    reading = read(Document.from_text(TURNS))
    assert (reading.needs[1], reading.why[1]) == (0, "turn")
    assert (reading.needs[3], reading.why[3]) == (2, "turn")
    assert (reading.needs[2], reading.noise[2]) == (1, "filler")  # "that price" is from before the turn


def test_nobody_seems_to_say_what_another_one_said() -> None:
    document = Document.from_text(TURNS)
    for room in range(70, len(TURNS), 7):
        chosen = {sentence.start for sentence in summarize(TURNS, max_chars=room).sentences}
        taken = [i for i, (start, _) in enumerate(document.sentences) if start in chosen]
        for before, i in zip([-1, *taken], taken, strict=False):
            goes_on = i > 0 and document.speakers[i] == document.speakers[i - 1]
            assert not goes_on or (before >= 0 and document.speakers[before] == document.speakers[i])


def test_a_filler_is_chosen_only_for_what_follows_it() -> None:
    for room in range(70, len(TURNS), 7):
        text = summarize(TURNS, max_chars=room).text
        assert "I see." not in text or "I see. My cousin" in text or "I see. Builders" in text


def test_a_sentence_that_needs_a_filler_is_not_said_to_need_noise() -> None:
    summary = summarize(TURNS.replace("for half of that price", "last year"), max_chars=len(TURNS) - 40)
    assert not [entry for entry in summary.ranking if entry.rejected == "needs"]


def test_greetings_and_thanks_of_a_conversation_are_noise() -> None:
    text = "Ann: Hi, Ben.\nBen: Hi, Ann. That sounds good!\nAnn: The council wants a report today.\nBen: Thanks a lot."
    noise = read(Document.from_text(text)).noise
    assert [bool(kind) for kind in noise] == [True, True, True, False, True]
