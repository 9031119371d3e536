"""Several texts share a budget and stay themselves: what every adapter promises, without any other package."""

import importlib
import logging
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import texts
from tersely import ModelError, UsageError
from tersely.adapters._passages import Passages
from tersely.errors import MissingExtraError

ELBE = "The Elbe is a river in Europe. It is 1,094 km long.\n\nIt flows through Hamburg. The city has a large port."
BREAD = "Bread is baked in an oven. The oven must be hot. Flour and water are all it takes."


def awkward(text: str) -> int:
    """Count tokens that do not add up: two texts in one may need more or fewer than each by itself."""
    return len(text) // 3 + text.count(" ") % 3


@given(
    st.lists(st.tuples(texts, st.one_of(st.none(), texts)), max_size=5),
    st.one_of(st.none(), texts),
    st.integers(1, 120),
    st.sampled_from([None, len, awkward, lambda text: len(text.split())]),
)
def test_what_is_kept_fits_and_is_verbatim(passages: Any, query: str | None, limit: int, tokenizer: Any) -> None:
    budget = {"max_chars": limit} if tokenizer is None else {"max_tokens": limit, "tokenizer": tokenizer}
    kept = Passages(**budget).fit(passages, query)
    measure = tokenizer or len
    assert sum(measure(each.text) for each in kept.values() if each) <= limit
    assert list(kept) == sorted(kept)
    for number, each in kept.items():
        text = passages[number][0]
        if each is None:
            assert not text.strip()
            continue
        assert each.spans == sorted(each.spans)
        assert each.spans
        # Nothing but white space stands between what is kept and its neighbors.
        rest = each.text
        for start, end in each.spans:
            assert rest.lstrip().startswith(text[start:end].lstrip())
            rest = rest[rest.index(text[start:end]) + end - start :]
        assert rest == ""
    assert {number for number, (text, _) in enumerate(passages) if not text.strip()} <= set(kept)


def test_the_query_decides_between_passages() -> None:
    fit = Passages(max_chars=60).fit
    about_rivers = fit([(BREAD, None), (ELBE, None)], "How long is the Elbe?")
    assert "1,094 km" in str(about_rivers[1])
    about_bread = fit([(BREAD, None), (ELBE, None)], "What goes into bread, flour?")
    assert "Flour and water" in str(about_bread[0])


def test_neighbors_keep_the_space_between_them() -> None:
    kept = Passages(max_chars=1000).fit([(ELBE, "Elbe")], None)
    assert kept[0] is not None
    assert kept[0].text == ELBE


def test_a_budget_in_tokens_holds_even_if_counting_by_pieces_gives_more() -> None:
    calls = []

    def grumpy(text: str) -> int:
        calls.append(text)
        return len(text.split()) + 3

    kept = Passages(max_tokens=30, tokenizer=grumpy).fit([(ELBE, None), (BREAD, None), (ELBE[:30], None)], None)
    assert 0 < sum(grumpy(each.text) for each in kept.values() if each) <= 30


def test_nothing_kept_is_said_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "tersely"):
        assert Passages(max_chars=3).fit([(ELBE, None)], "Elbe") == {}
    assert caplog.messages == [
        "nothing is kept: 0 of 3 chars: no sentence that has to do with the question is short enough for the budget; "
        "the shortest needs 20"
    ]


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({}, UsageError, "give exactly one budget, max_tokens or max_chars"),
        ({"max_tokens": 5, "max_chars": 5}, UsageError, "give exactly one budget, max_tokens or max_chars"),
        ({"max_chars": 0}, UsageError, "max_chars must be a whole number of at least 1, not 0"),
        ({"max_tokens": 5}, UsageError, "needs a tokenizer"),
        ({"max_tokens": 5, "tokenizer": 7}, UsageError, "needs a tokenizer"),
        ({"max_tokens": 5, "tokenizer": "no/such.json"}, Exception, "no/such.json"),
        ({"max_chars": 5, "model": "no/such/model"}, ModelError, "no/such/model"),
    ],
)
def test_a_wrong_setting_is_one_clear_line(settings: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said) as caught:
        Passages(**settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("langchain", "langchain_core", "langchain"),
        ("llama_index", "llama_index", "llama-index"),
        ("haystack", "haystack", "haystack"),
        ("spacy", "spacy", "spacy"),
        ("mcp", "mcp", "mcp"),
    ],
)
def test_a_missing_package_is_one_clear_line(
    name: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for loaded in [each for each in sys.modules if each.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"tersely.adapters.{name}", raising=False)
    with pytest.raises(MissingExtraError, match=rf"needs an optional dependency: pip install 'tersely\[{extra}\]'$"):
        importlib.import_module(f"tersely.adapters.{name}")
