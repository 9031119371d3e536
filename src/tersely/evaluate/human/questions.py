"""What a reader is asked about each summary: the paper's three questions, from 1 to 5 points."""

from typing import NamedTuple


class Question(NamedTuple):
    """A short name, and the question in words."""

    name: str
    words: str


QUESTIONS = (
    Question("relevance", "Does the summary capture the key points of the source document?"),
    Question("coherence", "Do the sentences of the summary fit together and read well one after the other?"),
    Question("consistency", "Are the facts in the summary consistent with the source document?"),
)
NAMES = tuple(question.name for question in QUESTIONS)
POINTS = range(1, 6)
# What the two ends of the scale mean.
ENDS = ("not at all", "completely")
