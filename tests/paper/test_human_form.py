"""The form is blinded, balanced, repeatable, and safe for any text."""

import csv
import json
import re
from collections import Counter
from html.parser import HTMLParser
from io import StringIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import texts
from tersely.errors import InputError, UsageError
from tersely.paper.human_form import FormItem, prepare, sample, tasks

SYSTEMS = ["zebra-system", "quagga-system", "okapi-system"]
items = st.lists(
    st.tuples(texts, st.dictionaries(st.sampled_from(SYSTEMS), texts, min_size=1)), min_size=1, max_size=4
).map(lambda drawn: [FormItem(f"d{at}", source, summaries) for at, (source, summaries) in enumerate(drawn)])


class _Elements(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.counts[tag] += 1


def data_of(page: str) -> Any:
    block = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert block
    return json.loads(block[1])


def form(**summaries: str) -> list[FormItem]:
    return [FormItem(f"d{at}", f"Source {at}.", summaries) for at in range(4)]


@given(items, st.integers(0, 2**32), st.integers(1, 5))
def test_every_text_arrives_unchanged_and_every_rater_sees_every_summary(
    items: list[FormItem], seed: int, raters: int
) -> None:
    page, key = prepare(items, seed, "t", raters)
    data = data_of(page)
    assert [document["source"] for document in data["documents"]] == [item.source for item in items]
    for item in items:
        shown = {
            system: data["summaries"][opaque]
            for opaque, owner in key["summaries"].items()
            if owner["document"] == item.document
            for system in owner["systems"]
        }
        assert shown == item.summaries
    assert len(data["orders"]) == raters
    for order in data["orders"]:
        assert sorted(document for document, _ in order) == list(range(len(items)))
        assert sorted(opaque for _, ids in order for opaque in ids) == sorted(data["summaries"])
        for document, ids in order:
            assert {key["summaries"][opaque]["document"] for opaque in ids} == {items[document].document}


@given(items, st.integers(0, 99))
def test_the_page_names_no_system(items: list[FormItem], seed: int) -> None:
    page, key = prepare(items, seed, "t")
    assert not any(system in page for system in SYSTEMS)
    assert {system for owner in key["summaries"].values() for system in owner["systems"]} <= set(SYSTEMS)


@given(items, st.integers(0, 99))
def test_the_same_seed_gives_the_same_bytes(items: list[FormItem], seed: int) -> None:
    page, key = prepare(items, seed, "t")
    assert prepare(items, seed, "t") == (page, key)
    assert page.encode()
    assert prepare(items, seed + 1, "t")[1]["form"] != key["form"]


@given(texts, texts, texts)
def test_no_text_adds_an_element(source: str, summary: str, title: str) -> None:
    plain = _Elements(prepare([FormItem("d", "s", {"a": "t"})], 1, "t")[0]).counts
    assert _Elements(prepare([FormItem("d", source, {"a": summary})], 1, title)[0]).counts == plain


@pytest.mark.parametrize("text", ["</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!--<script>"])
def test_markup_in_a_text_stays_text(text: str) -> None:
    page, _ = prepare([FormItem("d", text, {"a": text})], 1, text)
    assert text not in page
    assert _Elements(page).counts == _Elements(prepare([FormItem("d", "s", {"a": "t"})], 1, "t")[0]).counts


def test_a_text_that_looks_like_a_slot_stays_text() -> None:
    page, _ = prepare([FormItem("d", "{{script}}", {"a": "{{data}}"})], 1, "{{style}}")
    assert data_of(page)["documents"][0]["source"] == "{{script}}"
    assert "<title>{{style}}</title>" in page


def test_with_as_many_raters_as_systems_each_system_has_every_place_once() -> None:
    page, key = prepare(form(a="A", b="B", c="C"), 7, "t", raters=3)
    places = Counter(
        (document, key["summaries"][opaque]["systems"][0], place)
        for order in data_of(page)["orders"]
        for document, ids in order
        for place, opaque in enumerate(ids)
    )
    assert len(places) == 4 * 3 * 3
    assert set(places.values()) == {1}


def test_order_differs_between_documents_and_raters() -> None:
    items = [FormItem(f"d{at}", f"Source {at}.", {"a": "A", "b": "B", "c": "C"}) for at in range(30)]
    page, key = prepare(items, 7, "t", raters=2)
    orders = data_of(page)["orders"]
    assert [document for document, _ in orders[0]] != [document for document, _ in orders[1]]
    seen = {tuple(key["summaries"][opaque]["systems"][0] for opaque in ids) for _, ids in orders[0]}
    assert len(seen) == 6


def test_systems_with_the_same_summary_share_one() -> None:
    page, key = prepare(form(a="Same.", b="Other.", c="Same."), 7, "t")
    assert len(data_of(page)["summaries"]) == 8
    assert sorted(owner["systems"] for owner in key["summaries"].values()) == [["a", "c"]] * 4 + [["b"]] * 4


def test_the_policy_allows_nothing_from_outside() -> None:
    page, _ = prepare(form(a="A"), 7, "t")
    assert "default-src 'none'" in page
    assert "unsafe" not in page
    assert not re.search(r"https?:|//\w+\.", page)


@pytest.mark.parametrize(
    ("items", "raters", "error", "message"),
    [
        ([], 3, InputError, "at least one document"),
        ([FormItem("d", "s", {})], 3, InputError, "'d' has no summary"),
        ([FormItem("d", "s", {"a": "t"})] * 2, 3, InputError, "two documents have the id 'd'"),
        ([FormItem("d", "s", {"a": "t"})], 0, UsageError, "at least one rater"),
    ],
)
def test_an_impossible_form_is_refused(
    items: list[FormItem], raters: int, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        prepare(items, 1, "t", raters)


def test_a_sample_depends_on_the_seed_and_has_no_repetition() -> None:
    drawn = sample(iter(range(100)), 20, seed=3)
    assert drawn == sample(range(100), 20, seed=3) != sample(range(100), 20, seed=4)
    assert len(set(drawn)) == 20


@pytest.mark.parametrize(("count", "message"), [(0, "at least one"), (3, "needs 3 documents.* has only 2")])
def test_a_sample_must_be_possible(count: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sample([1, 2], count, seed=1)


@given(st.integers(1, 12), st.integers(1, 6), st.data())
def test_documents_are_split_evenly_and_each_is_rated_by_as_many_as_asked(count: int, raters: int, data: Any) -> None:
    each = data.draw(st.integers(1, raters))
    items = [FormItem(f"d{n}", f"Source {n}.", {"a": f"A {n}.", "b": f"B {n}."}) for n in range(count)]
    page, key = prepare(items, 7, "t", raters, each)
    orders = data_of(page)["orders"]
    times = Counter(document for order in orders for document, _ in order)
    assert times == dict.fromkeys(range(count), each)
    shares = [len(order) for order in orders]
    assert max(shares) - min(shares) <= 1
    assert key["ratings"] == each


def test_the_table_of_tasks_has_every_summary_under_its_id_and_names_no_system() -> None:
    items = form(lead="One < two.", learned="Three.\nFour.", other="Three.\nFour.")[:1]
    _, key = prepare(items, 7, "t")
    table = tasks(items, key)
    [row] = csv.DictReader(StringIO(table, newline=""))
    texts = {row[f"id_{n}"]: row[f"summary_{n}"] for n in (1, 2, 3) if row[f"id_{n}"]}
    assert {tuple(key["summaries"][each]["systems"]): text for each, text in texts.items()} == {
        ("lead",): "One &lt; two.",
        ("learned", "other"): "Three.<br>Four.",
    }
    assert row["form"] == key["form"]
    assert not any(system in table for system in ("lead", "learned", "other"))
