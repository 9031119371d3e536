"""The key of a form and the answers of its raters, checked line by line as they are read."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tersely.errors import InputError
from tersely.evaluate.human.questions import NAMES, POINTS


class Summary(NamedTuple):
    """What an opaque id stands for: a document, and the systems that gave it this summary."""

    document: str
    systems: tuple[str, ...]


@dataclass(frozen=True)
class Key:
    """What the investigator keeps: the form's id, how many raters it is for, and whose summary each id is."""

    form: str
    raters: int
    systems: tuple[str, ...]
    summaries: Mapping[str, Summary]


class Rating(NamedTuple):
    """One number that one rater gave to one summary."""

    rater: int
    summary: str
    question: str
    value: int


def read_key(path: Path) -> Key:
    """Read the key that was written beside the form."""
    data = _object(path)
    try:
        summaries = {
            opaque: Summary(str(summary["document"]), tuple(map(str, summary["systems"])))
            for opaque, summary in data["summaries"].items()
        }
        return Key(str(data["form"]), int(data["raters"]), tuple(map(str, data["systems"])), summaries)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(f"{path} is not the key of a rating form (form.key.json)") from None


def read_answers(key: Key, paths: Iterable[Path]) -> list[Rating]:
    """Read each rater's exported answers; a file that is not of this form, or not sound, is refused."""
    ratings: list[Rating] = []
    file_of: dict[int, Path] = {}
    for path in paths:
        data = _object(path)
        rater = _rater(key, data, path)
        if rater in file_of:
            raise InputError(f"{path}: rater {rater} has already answered, in {file_of[rater]}")
        file_of[rater] = path
        ratings.extend(_ratings(key, data["answers"], rater, path))
    return ratings


def _object(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path} is not JSON") from None
    if not isinstance(data, dict):
        raise InputError(f"{path} is not a JSON object")
    return data


def _rater(key: Key, data: Mapping[str, Any], path: Path) -> int:
    if not isinstance(data.get("answers"), dict):
        raise InputError(f"{path} holds no answers to a rating form")
    if data.get("form") != key.form:
        raise InputError(f"{path} answers the form {data.get('form')!r}, but the key is of the form {key.form!r}")
    rater = data.get("rater")
    if type(rater) is not int or not 1 <= rater <= key.raters:
        raise InputError(f"{path}: the rater is {rater!r}, but the form is for raters 1 to {key.raters}")
    return rater


def _ratings(key: Key, answers: Mapping[str, Any], rater: int, path: Path) -> Iterator[Rating]:
    for opaque, points in answers.items():
        if opaque not in key.summaries:
            raise InputError(f"{path}: the form has no summary {opaque!r}")
        if not isinstance(points, dict):
            raise InputError(f"{path}: the answers on summary {opaque!r} are not one number a question")
        for question, value in points.items():
            if question not in NAMES:
                raise InputError(f"{path}: the form has no question {question!r}")
            # In Python True is an int, and in JSON 3.0 is a number; neither is a button of the form.
            if type(value) is not int or value not in POINTS:
                raise InputError(
                    f"{path}: {question} of summary {opaque!r} is {value!r}, not {POINTS[0]} to {POINTS[-1]}"
                )
            yield Rating(rater, opaque, question, value)
