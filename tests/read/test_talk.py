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


def test_a_summary_of_a_conversation_says_something() -> None:
    assert "council" in summarize(TALK, max_chars=200).text


def test_what_says_something_is_worth_more_than_scraps() -> None:
    worth = read(Document.from_text(TALK)).worth
    assert min(worth[1], worth[3], worth[5]) > max(worth[0], worth[2], worth[4])
