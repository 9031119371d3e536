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
