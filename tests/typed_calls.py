"""Calls that a type checker accepts or must reject: `make lint` reports an `ignore` where there is no error."""

from tersely import Summarizer, summarize


def accepted(text: str) -> None:
    summarize(text, max_chars=3)
    summarize(text, ratio=0.5, include=0, order="rank")
    Summarizer.load().summarize(text, max_words=3, exclude=[1])


def rejected(text: str) -> None:
    summarize(text)  # type: ignore
    summarize(text, max_char=3)  # type: ignore
    summarize(text, max_chars="3")  # type: ignore
    summarize(text, max_chars=3, order="best")  # type: ignore
    Summarizer.load().summarize(text)  # type: ignore
    Summarizer.load().summarize(text, max_chars=None)  # type: ignore
