"""The public face: what help, editors, type checkers and other processes see."""

import inspect
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

import tersely
from tersely import Summarizer, UsageError, summarize
from tersely.score import SCORERS
from tersely.select import SELECTORS

TEXT = "Rain fell all day. The river rose. Rain made the river rise. The town was flooded."


def test_help_shows_the_parameters_of_summarize() -> None:
    parameters = inspect.signature(tersely.summarize).parameters
    assert list(parameters)[:2] == ["text", "max_chars"]
    assert {"max_tokens", "ratio", "include", "tokenizer"} <= set(parameters)
    assert list(parameters) == list(inspect.signature(Summarizer.summarize).parameters)[1:]


def test_dir_lists_what_there_is() -> None:
    assert dir(tersely) == sorted(tersely.__all__)
    for name in tersely.__all__:
        assert getattr(tersely, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'summarise'"):
        _ = tersely.summarise  # type: ignore[attr-defined]


def test_every_error_can_be_caught_by_its_public_name() -> None:
    with pytest.raises(tersely.UsageError):
        summarize(TEXT, max_chars=0)
    with pytest.raises(tersely.ModelError):
        Summarizer.load("no/such/folder")
    assert issubclass(tersely.InputError, tersely.TerselyError)
    assert issubclass(tersely.MissingExtraError, tersely.TerselyError)


def test_the_repr_of_a_summary_is_one_short_line() -> None:
    shown = repr(summarize("A first line\nand a second one that goes on for quite a while. Two.", max_chars=70))
    assert shown == r"Summary('A first line\nand a second one that goes…', 66 of 70 chars, 2 of 2 sentences)"


def test_one_index_is_as_good_as_a_list_of_one() -> None:
    assert summarize(TEXT, max_chars=40, include=3) == summarize(TEXT, max_chars=40, include=[3])
    assert summarize(TEXT, max_chars=40, include=0).sentences[0].index == 0
    assert 0 not in {s.index for s in summarize(TEXT, max_chars=40, exclude=0).sentences}


@pytest.mark.parametrize("wrong", ["0", [1.5], None, ["a"], 2.0])
def test_what_is_no_index_is_one_clear_line(wrong: Any) -> None:
    with pytest.raises(UsageError, match="include must be sentence indices, whole numbers counted from 0, not "):
        summarize(TEXT, max_chars=40, include=wrong)


def test_a_separator_that_is_no_string_and_an_unknown_unit_are_one_clear_line() -> None:
    with pytest.raises(UsageError, match="separator must be a string, not 3"):
        summarize(TEXT, max_chars=40, separator=3)  # type: ignore[call-overload]
    with pytest.raises(UsageError, match="unit must be one of chars, words, tokens, bytes, sentences, not 'lines'"):
        Summarizer.load().frontier(TEXT, unit="lines")  # type: ignore[arg-type]


PARTS = [{"scorer": name} for name in SCORERS.names() if name not in ("bertsum", "learned", "stas")]
PARTS += [{"scorer": "coverage", "select": name} for name in SELECTORS.names()]
PARTS += [
    {"scorer": "textrank:damping=0.9", "encoder": "tfidf:idf=pacsum"},
    {"scorer": "textrank", "encoder": "use:threads=1"},
]


@pytest.mark.parametrize("parts", PARTS, ids=str)
def test_a_pickled_summarizer_gives_the_same_summaries(parts: dict[str, str]) -> None:
    summarizer = Summarizer.load(**parts)
    data = pickle.dumps(summarizer)
    assert len(data) < 5_000  # weights stay behind
    again = pickle.loads(data)
    assert again.fingerprint == summarizer.fingerprint
    assert again.summarize(TEXT, max_chars=40) == summarizer.summarize(TEXT, max_chars=40)


def test_a_summarizer_works_in_a_process_pool() -> None:
    summarizer = Summarizer.load(scorer="textrank")
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        [there] = pool.map(summarizer.fit, [tersely.Document.from_text(TEXT)], [tersely.Budget(40, "chars")])
    assert there == summarizer.summarize(TEXT, max_chars=40)
