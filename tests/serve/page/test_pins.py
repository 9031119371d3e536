"""Sentences that the user keeps or leaves out."""

from playwright.sync_api import expect

from serve.page.app import App


def test_a_click_keeps_the_next_leaves_out_and_clear_pins_releases(app: App, news: str) -> None:
    app.give(news)
    free = app.summary
    texts = app.sentences.all_text_contents()
    number = next(i for i, text in enumerate(texts) if i and text not in free)
    sentence, text = app.sentences.nth(number), texts[number]

    sentence.click()
    expect(app["summary"]).to_contain_text(text)
    expect(sentence).to_have_attribute("aria-description", "kept")
    assert len(app.summary) <= 280

    app.sentences.nth(0).click()
    app.sentences.nth(0).click()
    expect(app["summary"]).not_to_contain_text(app.sentences.nth(0).text_content())
    expect(app.sentences.nth(0)).to_have_attribute("aria-selected", "false")

    app["unpin"].click()
    expect(app["summary"]).to_have_text(free)
    expect(app["unpin"]).to_be_hidden()
    expect(app["edit"]).to_be_focused()
    expect(app.page.locator("[data-pin]")).to_have_count(0)


def test_a_third_click_releases_a_sentence(app: App) -> None:
    app.give("One fish. Two fish. Red fish.")
    for pin in ("in", "out", None):
        app.sentences.nth(1).click()
        if pin:
            expect(app.sentences.nth(1)).to_have_attribute("data-pin", pin)
        else:
            expect(app.page.locator("[data-pin]")).to_have_count(0)
    expect(app["summary"]).to_have_text("One fish. Two fish. Red fish.")


def test_kept_sentences_may_be_too_long(app: App) -> None:
    app.give("A short one. A sentence of exactly this length.")
    app.sentences.nth(1).click()
    app.answered()
    app.allow(20)
    expect(app["reason"]).to_have_text("The sentences you keep need 34 characters.")
    assert app.summary == ""


def test_in_a_long_text_it_says_how_much_kept_sentences_need(app: App, english: str) -> None:
    app.give(english)
    text = app.sentences.nth(7).text_content()
    app.sentences.nth(7).click()
    expect(app.sentences.nth(7)).to_have_attribute("aria-selected", "true")
    app.answered()
    app.allow(len(text) - 1)
    expect(app["reason"]).to_have_text(f"The sentences you keep need {len(text)} characters.")
    app.allow(len(text))
    assert app.summary == text


def test_nothing_is_refined_before_the_answer_to_a_pin_arrives(app: App, english: str) -> None:
    app.give(english)  # long enough that the page refines when the slider rests
    app.rest()
    app.page.route("**/v1/frontier", lambda _: None)
    with app.page.expect_request("**/v1/frontier"):
        app.sentences.nth(3).click()
    before = app.asked.count("summarize")
    app.allow(20)
    app.rest()
    assert app.asked.count("summarize") == before
    expect(app["notice"]).to_be_hidden()


def test_everything_may_be_left_out(app: App) -> None:
    app.give("One fish. Two fish.")
    for index in (0, 0, 1, 1):
        app.sentences.nth(index).click()
    expect(app["used"]).to_have_text("0 of 280 characters.")
    expect(app["reason"]).to_contain_text("left out")


def test_pins_stay_when_the_unit_changes_and_go_with_the_text(app: App) -> None:
    app.give("One fish. Two fish. Red fish.")
    app.sentences.nth(2).click()
    app.choose_unit("sentences")
    app.allow(1)
    assert app.summary == "Red fish."
    app.give("Blue fish. Old fish. New fish.")
    expect(app.page.locator("[data-pin]")).to_have_count(0)


def test_selecting_text_pins_nothing(app: App) -> None:
    app.give("One fish swims in the sea. Two fish swim there as well.")
    app.sentences.nth(0).dblclick()  # selects a word
    app.answered()
    assert app.page.evaluate("getSelection().toString().trim()") != ""
    assert app.sentences.nth(0).get_attribute("data-pin") in (None, "in")  # the first of the two clicks may count
    before = app.asked.count("frontier")
    box = app.sentences.nth(1).bounding_box()
    for start in (1, 5, 30):  # also from within the first letter
        app.page.mouse.move(box["x"] + start, box["y"] + 10)
        app.page.mouse.down()
        app.page.mouse.move(box["x"] + 80, box["y"] + 10)
        app.page.mouse.up()
        app.rest()
        assert app.page.evaluate("getSelection().toString().trim()") != ""
        assert app.asked.count("frontier") == before
        expect(app.sentences.nth(1)).not_to_have_attribute("data-pin", "in")


def test_pins_survive_edits_of_other_sentences(app: App) -> None:
    app.give("One fish swims. Two fish swim. Red fish swim.")
    app.sentences.nth(2).click()
    app.answered()
    app["edit"].click()
    app["input"].fill("A new beginning. One fish swims here. Two fish swim. Red fish swim.")
    app["read"].click()
    expect(app.page.locator("[data-pin=in]")).to_have_text(["Red fish swim."])
    app.answered()
    app.choose_unit("sentences")
    app.allow(1)
    assert app.summary == "Red fish swim."
