"""The questions of the human evaluation (Table 6), the key of a form, and the answers of its raters.

People rate summaries without knowing which system wrote them. Answers are checked while they are read.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from tersely.errors import InputError
from tersely.io.lines import MAX_BYTES, Object, decode, open_unpacked, parse_object


class RatingQuestion(NamedTuple):
    """A short name, and the full question."""

    name: str
    words: str


QUESTIONS = (
    RatingQuestion("relevance", "Does the summary capture the key points of the source document?"),
    RatingQuestion("coherence", "Do the sentences of the summary fit together and read well one after the other?"),
    RatingQuestion("consistency", "Are the facts in the summary consistent with the source document?"),
)
NAMES = tuple(question.name for question in QUESTIONS)
POINTS = range(1, 6)
# The meaning of the lowest and of the highest number of points.
ENDS = ("not at all", "completely")


class BlindSummary(NamedTuple):
    """The meaning of an opaque id: a document, and the systems that wrote this summary of it."""

    document: str
    systems: tuple[str, ...]


@dataclass(frozen=True)
class FormKey:
    """The secret of the investigator: the id of the form, its raters, and the systems behind each summary."""

    form: str
    raters: int
    systems: tuple[str, ...]
    summaries: Mapping[str, BlindSummary]
    raters_each: int = 0  # by how many raters each document is rated; 0 means by all

    @property
    def expected(self) -> int:
        """The number of ratings that all raters give."""
        return (self.raters_each or self.raters) * len(self.summaries) * len(NAMES)


class Rating(NamedTuple):
    """The points that one rater gave to one summary on one question."""

    rater: int
    summary: str
    question: str
    value: int


def read_key(path: Path) -> FormKey:
    """Read the key that was written beside the form."""
    data = _object(path)
    try:
        summaries = {
            opaque: BlindSummary(str(summary["document"]), tuple(map(str, summary["systems"])))
            for opaque, summary in data["summaries"].items()
        }
        raters, raters_each = int(data["raters"]), int(data.get("ratings", 0))
        return FormKey(str(data["form"]), raters, tuple(map(str, data["systems"])), summaries, raters_each)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(f"{path} is not the key of a rating form (form.key.json)") from None


def read_answers(key: FormKey, paths: Iterable[Path]) -> list[Rating]:
    """Read the exported answers of each rater; a file of another form, or with impossible answers, is an error.

    A CSV file is the results of a platform such as Mechanical Turk, with the answers of many raters.
    """
    ratings: list[Rating] = []
    file_of: dict[int, Path] = {}
    workers: dict[str, int] = {}
    for path in paths:
        if path.suffix.lower() == ".csv":
            ratings.extend(_task_ratings(key, path, workers))
            continue
        data = _object(path)
        rater = _rater(key, data, path)
        if rater in file_of:
            raise InputError(f"{path}: rater {rater} has already answered, in {file_of[rater]}")
        file_of[rater] = path
        ratings.extend(_ratings(key, data["answers"], rater, path))
    if not ratings:
        raise InputError("the answers hold no rating: check that these are the files that the raters filled in")
    return ratings


def _task_ratings(key: FormKey, path: Path, workers: dict[str, int]) -> Iterator[Rating]:
    """Yield the ratings of a table of results: a row per assignment, cells of the task as Input.X, answers as Answer.X.

    A crowd form has all its answers in one column. Workers get the numbers after those of the form's own raters. A
    rejected assignment is left out.
    """
    try:
        text = decode(path.read_bytes())
    except (OSError, InputError) as error:
        raise InputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    rows = csv.DictReader(StringIO(text, newline=""))
    if not {"WorkerId", "Input.form", "Input.id_1"} <= set(rows.fieldnames or ()):
        raise InputError(f"{path} is not a table of results: it needs WorkerId, Input.form, Input.id_1 and answers")
    for number, row in enumerate(rows, 2):
        at = f"{path}:{number}"
        if row["Input.form"] != key.form:
            raise InputError(f"{at}: it answers the form {row['Input.form']!r}, but the key belongs to {key.form!r}")
        if (row.get("AssignmentStatus") or "").lower() == "rejected":
            continue
        worker = workers.setdefault(str(row["WorkerId"]), key.raters + len(workers) + 1)
        answers: dict[str, dict[str, Any]] = {}
        for name, value in _cells(row, at):
            question, _, place = name.rpartition("_")
            if question in NAMES and value not in (None, ""):
                opaque = row.get(f"Input.id_{place}") or ""
                answers.setdefault(opaque, {})[question] = _points(value)
        yield from _ratings(key, answers, worker, at)


def _cells(row: Mapping[str, str], at: str) -> Iterator[tuple[str, Any]]:
    """Yield the answers of an assignment by name: a column each or, from a crowd form, all as JSON in one column."""
    for name, value in row.items():
        if name == "Answer.taskAnswers":
            try:
                forms = json.loads(value or "[]")
                yield from ((str(field), answer) for form in forms for field, answer in form.items())
            except (ValueError, TypeError, AttributeError, RecursionError):
                raise InputError(f"{at}: Answer.taskAnswers is not a JSON list of answers") from None
        elif str(name).startswith("Answer."):
            yield name.removeprefix("Answer."), value


def _points(value: Any) -> Any:
    """Return the number of an answer: a digit, or radio buttons as {"1": false, "2": true, ...}."""
    if isinstance(value, dict) and sum(chosen is True for chosen in value.values()) == 1:
        value = next(points for points, chosen in value.items() if chosen is True)
    return int(value) if isinstance(value, str) and value.isdecimal() else value


def _object(path: Path) -> Object:
    try:
        with open_unpacked(path) as stream:
            return parse_object(stream.read(MAX_BYTES + 1))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _rater(key: FormKey, data: Object, path: Path) -> int:
    if not isinstance(data.get("answers"), dict):
        raise InputError(f"{path} holds no answers to a rating form")
    if data.get("form") != key.form:
        raise InputError(f"{path} answers the form {data.get('form')!r}, but the key belongs to the form {key.form!r}")
    rater = data.get("rater")
    if type(rater) is not int or not 1 <= rater <= key.raters:
        raise InputError(f"{path}: the rater is {rater!r}, but the form is for raters 1 to {key.raters}")
    return rater


def _ratings(key: FormKey, answers: Mapping[str, Any], rater: int, path: Path | str) -> Iterator[Rating]:
    for opaque, points in answers.items():
        if opaque not in key.summaries:
            raise InputError(f"{path}: the form has no summary {opaque!r}")
        if not isinstance(points, dict):
            raise InputError(f"{path}: the answers on summary {opaque!r} are not one number per question")
        for question, value in points.items():
            if question not in NAMES:
                raise InputError(f"{path}: the form has no question {question!r}")
            # True is an int in Python, and 3.0 is a number in JSON; neither is a button of the form.
            if type(value) is not int or value not in POINTS:
                raise InputError(
                    f"{path}: {question} of summary {opaque!r} is {value!r}, not {POINTS[0]} to {POINTS[-1]}"
                )
            yield Rating(rater, opaque, question, value)
