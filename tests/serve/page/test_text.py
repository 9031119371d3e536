"""How a text is entered, and that it stays text."""

import pytest
from playwright.sync_api import Page, expect

from serve.page.app import App, drop, tab_to

SPITE = "<script>document.title = 1</script> <img src=x onerror='document.title = 1'> is a text. So is &lt;b&gt;."
ASTRAL = "😀 The first sentence has a face. 𝒯𝒽𝑒 second is 𝓈𝓂𝒶𝓁𝓁. 👩‍👩‍👧 The third has a family. The fourth is plain."


def test_paste_shows_the_summary_and_marks_it_in_the_text(app: App, news: str) -> None:
    app["input"].focus()
    app.paste(news)
    app.answered()
    expect(app["input"]).to_be_hidden()
    assert 0 < len(app.summary) <= 280
    assert " ".join(app.marked) == app.summary
    assert app.asked == ["summarize", "frontier"]


def test_paste_anywhere_replaces_the_text(app: App) -> None:
    app.give("One fish. Two fish.")
    app["copy"].focus()
    app.paste("Red fish. Blue fish.")
    expect(app.sentences).to_have_text(["Red fish.", "Blue fish."])
    expect(app["input"]).to_have_value("Red fish. Blue fish.")


def test_typed_text_is_sent_after_a_pause_and_the_editor_keeps_the_focus(app: App) -> None:
    app["input"].fill(" \n\t ")
    app.rest()
    expect(app["how"]).to_be_visible()
    app["input"].fill("")
    app["input"].press_sequentially("One fish. Two fish.")
    app.frames()
    assert app.asked == []
    app.rest()
    app.answered()
    assert app.summary == "One fish. Two fish."
    assert app.asked == ["summarize", "frontier"]
    expect(app["input"]).to_be_focused()
    app["read"].click()
    expect(app.sentences).to_have_text(["One fish.", "Two fish."])
    app["edit"].click()
    expect(app["input"]).to_be_focused()
    app["new"].click()
    expect(app["input"]).to_have_value("")
    assert app.summary == ""


def test_new_text_can_be_undone(app: App) -> None:
    app.give("One fish. Two fish.")
    app["new"].click()
    expect(app["input"]).to_have_value("")
    expect(app["how"]).to_be_visible()
    app.page.keyboard.press("Control+z")
    expect(app["input"]).to_have_value("One fish. Two fish.")
    app.rest()
    app.answered()
    assert app.summary == "One fish. Two fish."


def test_a_late_answer_to_an_older_text_is_ignored(app: App) -> None:
    held = []
    app.page.route("**/v1/summarize", lambda route: held.append(route))
    for text in ("An old text.", "A new text."):
        with app.page.expect_request("**/v1/summarize"):
            drop(app.page, text)
    expect(app.sentences).to_have_count(0)
    held[1].continue_()
    expect(app.sentences).to_have_text(["A new text."])
    held[0].continue_()
    app.rest()
    assert app.summary == "A new text."


def test_nothing_about_an_older_text_shows_while_the_answer_is_slow(app: App, news: str) -> None:
    app.give(news)
    app.page.route("**/v1/summarize", lambda _: None)
    with app.page.expect_request("**/v1/summarize"):
        drop(app.page, "A new text. It has two sentences.")
    app.slide(900)
    app.allow(20)
    expect(app["facts"]).to_be_empty()
    expect(app["used"]).to_be_empty()
    assert app["plot"].locator(".line").get_attribute("d") == ""
    assert app.summary == ""


@pytest.mark.parametrize(("name", "language"), [("mine.en", "en"), ("wetland.zh", "zh")])
def test_examples(app: App, name: str, language: str) -> None:
    app.page.locator(f"[data-example='{name}']").click()
    app.answered()
    expect(app["source"]).to_have_attribute("lang", language)
    assert 12 <= app.sentences.count() <= 25
    assert len(app.summary) > 60
    separator = "" if language == "zh" else " "
    assert separator.join(app.marked) == app.summary
    assert app.reason in ("selected", "no-gain")


def test_the_editor_of_an_example_says_nothing_about_clicks(page: Page, server: str) -> None:
    app = App(page, server, empty=False).open()
    app.answered()
    expect(app["hint"]).to_be_visible()
    app["edit"].click()
    expect(app["hint"]).to_be_hidden()


def test_files_in_utf_8_and_utf_16_can_be_opened_by_keyboard_and_dropped(app: App) -> None:
    tab_to(app.page, "#open")
    with app.page.expect_file_chooser() as chooser:
        app.frames()  # so that the browser knows a file chooser is expected
        app.page.keyboard.press("Enter")
    chooser.value.set_files({"name": "a.txt", "mimeType": "text/plain", "buffer": "﻿从前有山。山上有庙。".encode()})
    expect(app.sentences).to_have_text(["从前有山。", "山上有庙。"])
    drop(app.page, list("Grüße. Schöne Grüße.".encode("utf-16")))
    expect(app.sentences).to_have_text(["Grüße.", "Schöne Grüße."])


def test_a_file_that_cannot_be_read_is_named(app: App) -> None:
    app.page.evaluate("() => { File.prototype.arrayBuffer = () => Promise.reject(new DOMException('not found')) }")
    drop(app.page, "", "folder")
    expect(app["notice"]).to_contain_text("“folder” cannot be read.")
    expect(app["retry"]).to_be_hidden()


def test_an_empty_file_changes_nothing(app: App) -> None:
    app.give("One fish. Two fish.")
    drop(app.page, " \n", "empty.txt")
    expect(app["notice"]).to_contain_text("“empty.txt” has no text.")
    expect(app.sentences).to_have_text(["One fish.", "Two fish."])
    app["dismiss"].click()
    expect(app["notice"]).to_be_hidden()


def test_text_dragged_within_the_page_is_not_a_new_text(app: App) -> None:
    app.give("One fish. Two fish.")
    app.page.evaluate("getSelection().selectAllChildren(document.querySelector('[role=option]'))")
    box = app.sentences.nth(0).bounding_box()
    app.page.mouse.move(box["x"] + 10, box["y"] + 10)
    app.page.mouse.down()
    app.page.mouse.move(box["x"] + 30, box["y"] + 60, steps=5)
    app.page.mouse.move(box["x"] + 30, box["y"] + 100, steps=5)
    app.page.mouse.up()
    app.rest()
    expect(app.sentences).to_have_count(2)
    app.give("Red fish.")  # from outside
    expect(app.sentences).to_have_text(["Red fish."])


def test_the_text_is_still_there_after_going_back(app: App) -> None:
    app.give("One fish. Two fish.")
    app.page.get_by_role("link", name="API").click()
    expect(app.page).to_have_title("tersely: reference")
    app.page.go_back()
    expect(app.sentences).to_have_text(["One fish.", "Two fish."])
    app.answered()


def test_markup_stays_text(app: App) -> None:
    app.give(SPITE)
    assert app.summary == SPITE
    assert "".join(app["source"].all_text_contents()) == SPITE
    assert app["source"].locator("script, img, b").count() == 0
    expect(app.page).to_have_title("tersely")


def test_characters_beyond_the_first_plane_are_counted_once(app: App) -> None:
    app.give(ASTRAL)
    assert "".join(app["source"].all_text_contents()) == ASTRAL
    app.choose_unit("sentences")
    app.allow(1)
    assert app.marked == [app.summary]
    assert app.summary in ASTRAL


def test_half_a_surrogate_pair_does_no_harm(app: App) -> None:
    app["input"].evaluate("box => { box.value = 'Broken \\ud83d here.'; box.dispatchEvent(new Event('input')) }")
    app.rest()
    app.answered()
    assert app.summary == "Broken � here."


def test_paragraphs_and_lines_stay_apart(app: App) -> None:
    app.give("One.\n\nTwo. Three.\nFour.")
    assert app["source"].locator("> *").all_text_contents() == ["One.", "Two. Three.", "Four."]


def test_lines_broken_by_hand_run_on_in_the_summary_and_its_copy_is_exact(app: App) -> None:
    text = (
        "The council of the town has decided that the harbor is to be closed\n"
        "to all cars from the first of May on, and that the market moves\n"
        "there in the summer."
    )
    app.give(text)
    expect(app.sentences).to_have_count(1)
    assert app["summary"].inner_text() == text.replace("\n", " ")
    assert app.summary == text


def test_every_kind_of_line_end_is_known(app: App) -> None:
    for number, end in enumerate(["\r\n", "\r", "\v", "\f", "\x85", "\u2028", "\u2029"]):
        app.give(f"One.{end}Two.{end}{end}Number {number}.")
        expect(app["source"].locator("> *")).to_have_text(["One.", "Two.", f"Number {number}."])
        expect(app["source"].locator("> .paragraph")).to_have_text(["Two."])


def test_a_copy_of_the_source_is_the_text(app: App, english: str) -> None:
    app.give(english.strip())
    app.page.evaluate("getSelection().selectAllChildren(document.getElementById('source'))")
    assert app.page.evaluate("getSelection().toString()") == english.strip()
