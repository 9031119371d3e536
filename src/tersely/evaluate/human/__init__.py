"""People rate summaries: a form that hides which system wrote what, their answers, and what the answers say.

These are the paper's three questions, each answered with 1 to 5 points.
"""

from typing import NamedTuple


class Question(NamedTuple):
    """A short name, and the full question."""

    name: str
    words: str


QUESTIONS = (
    Question("relevance", "Does the summary capture the key points of the source document?"),
    Question("coherence", "Do the sentences of the summary fit together and read well one after the other?"),
    Question("consistency", "Are the facts in the summary consistent with the source document?"),
)
NAMES = tuple(question.name for question in QUESTIONS)
POINTS = range(1, 6)
# What the lowest and the highest number of points mean.
ENDS = ("not at all", "completely")
