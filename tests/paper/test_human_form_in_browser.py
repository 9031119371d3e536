"""The form in Chromium, opened from a file as a rater opens it, and used by the keyboard alone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tersely.paper.human_analyze import analyze
from tersely.paper.human_answers import read_answers, read_key
from tersely.paper.human_form import FormItem, prepare

SPITE = "</script><img src=x onerror='document.title=1'><b>&amp; Plain.</b>"
ITEMS = [
    FormItem(
        f"d{at}",
        f"Source {at}. It rains. {SPITE}",
        {name: f"{name[-1]} of {at}. {SPITE}" for name in ("sys-1", "sys-2")},
    )
    for at in range(3)
]
QUESTIONS = ("relevance", "coherence", "consistency")


@pytest.fixture
def form(tmp_path: Path) -> dict[str, Any]:
    html, key = prepare(ITEMS, seed=42, title=f"Rain {SPITE}")
    (tmp_path / "form.html").write_text(html, encoding="utf-8")
    (tmp_path / "form.key.json").write_text(json.dumps(key))
    return {"address": (tmp_path / "form.html").as_uri(), "key": key, "folder": tmp_path}


def start(page: Page, form: dict[str, Any], rater: int) -> None:
    page.goto(form["address"])
    tab_to(page, "#rater")
    page.keyboard.type(str(rater))
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#heading")).to_be_focused()


def tab_to(page: Page, selector: str) -> None:
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab never reaches {selector}")


def rate_document(page: Page, points: Callable[[str, str], int]) -> None:
    """Rate with digits until the focus is on the button for the next document."""
    tab_to(page, "fieldset input")
    while name := page.evaluate("document.activeElement.name"):
        page.keyboard.press(str(points(*name.split("-"))))
    expect(page.locator("#next")).to_be_focused()


def export(page: Page, folder: Path) -> Path:
    with page.expect_download() as download:
        tab_to(page, "#download")
        page.keyboard.press("Enter")
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    return file


def test_three_raters_answers_come_out_as_their_means(page: Page, form: dict[str, Any]) -> None:
    def points(rater: int) -> Callable[[str, str], int]:
        def of(opaque: str, question: str) -> int:
            system = form["key"]["summaries"][opaque]["systems"][0]
            return {"sys-1": 1, "sys-2": 3}[system] + QUESTIONS.index(question) * (rater == 3)

        return of

    files = []
    for rater in (1, 2, 3):
        if rater == 1:
            start(page, form, rater)
        else:
            tab_to(page, "#change")
            page.keyboard.press("Enter")
            tab_to(page, "#rater")
            page.keyboard.type(str(rater))
            page.keyboard.press("Tab")
            page.keyboard.press("Enter")
        for number in range(3):
            expect(page.locator("#heading")).to_have_text(f"Document {number + 1} of 3")
            rate_document(page, points(rater))
            page.keyboard.press("Enter")
        expect(page.locator("#end h1")).to_have_text("All done, thank you")
        files.append(export(page, form["folder"]))
    key = read_key(form["folder"] / "form.key.json")
    report = analyze(key, read_answers(key, files))
    assert report.ratings == report.ratings_expected == 3 * 6 * 3
    means = {(s.system, s.question): s.mean for s in report.scores}
    assert means == {
        (system, question): pytest.approx(base + at / 3)
        for system, base in (("sys-1", 1), ("sys-2", 3))
        for at, question in enumerate(QUESTIONS)
    }
    assert report.agreement[0].ordinal == 1


def test_a_reload_loses_nothing(page: Page, form: dict[str, Any]) -> None:
    start(page, form, 2)
    rate_document(page, lambda *_: 4)
    page.keyboard.press("Enter")
    tab_to(page, "fieldset input")
    page.keyboard.press("5")
    page.keyboard.press("ArrowRight")
    page.reload()
    expect(page.locator("#heading")).to_have_text("Document 2 of 3")
    expect(page.locator("#status")).to_have_text("8 of 18 ratings given, all saved.")
    assert page.locator("fieldset input:checked").evaluate_all("all => all.map(input => input.value)") == [
        "5",
        "2",
    ]
    tab_to(page, "#previous")
    page.keyboard.press("Enter")
    expect(page.locator("fieldset input:checked")).to_have_count(6)
    expect(page.locator("article.done")).to_have_count(2)


def test_an_unfinished_form_says_what_is_open_and_exports_what_there_is(page: Page, form: dict[str, Any]) -> None:
    start(page, form, 1)
    tab_to(page, "fieldset input")
    page.keyboard.press("3")
    for _ in range(3):
        page.locator("#next").press("Enter")
    expect(page.locator("#end h1")).to_have_text("Not quite finished")
    expect(page.locator("#places button")).to_have_text(["Document 1", "Document 2", "Document 3"])
    exported = json.loads(export(page, form["folder"]).read_text())
    assert exported.keys() == {"form", "rater", "answers"}
    assert (exported["form"], exported["rater"]) == (form["key"]["form"], 1)
    assert list(exported["answers"].values()) == [{"relevance": 3}]
    page.locator("#places button").nth(1).press("Enter")
    expect(page.locator("#heading")).to_have_text("Document 2 of 3")


def test_texts_are_shown_as_they_are(page: Page, form: dict[str, Any]) -> None:
    start(page, form, 1)
    expect(page.locator("#text")).to_contain_text(SPITE)
    expect(page.locator("article .text").first).to_contain_text(SPITE)
    assert page.title() == f"Rain {SPITE}"
    assert page.locator("img, b, mark").count() == 0


def test_labels_do_not_give_the_systems_away(page: Page, form: dict[str, Any]) -> None:
    start(page, form, 1)
    expect(page.locator("article h2")).to_have_text(["Summary A", "Summary B"])
    assert "sys-" not in page.content()
    first = set()
    for rater in "123":
        page.locator("#change").click()
        page.locator("#rater").select_option(rater)
        page.get_by_role("button", name="Start").click()
        for _ in range(3):
            owner = form["key"]["summaries"][page.locator("article").first.get_attribute("id")]
            first.add((owner["document"], owner["systems"][0]))
            page.locator("#next").click()
    assert len(first) == 6


def test_a_screen_reader_hears_summary_question_and_scale(page: Page, form: dict[str, Any]) -> None:
    start(page, form, 1)
    group = page.get_by_role("group", name="Summary A, relevance: Does the summary capture the key points")
    expect(group.get_by_role("radio")).to_have_count(5)
    expect(group.get_by_role("radio", name="1, not at all")).to_have_count(1)
    group.get_by_role("radio", name="4").check(force=True)
    expect(page.get_by_role("status")).to_have_text("1 of 18 ratings given, all saved.")


def test_without_storage_the_rater_is_warned(page: Page, form: dict[str, Any]) -> None:
    page.add_init_script("Storage.prototype.setItem = () => { throw new Error('full') }")
    start(page, form, 1)
    expect(page.get_by_role("alert")).to_contain_text("download them before you close")
    expect(page.locator("#status")).to_have_text("0 of 18 ratings given.")


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_is_wider_than_the_screen_and_buttons_fit_a_finger(
    page: Page, form: dict[str, Any], width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 700})
    start(page, form, 1)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.locator(".scale label").first.bounding_box()
    assert box
    assert box["height"] >= 44
    assert box["width"] >= 44
