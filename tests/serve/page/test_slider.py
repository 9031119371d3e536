"""The slider: every budget from one answer, the same as the server would give."""

import pytest
from playwright.sync_api import expect

from serve.page.app import App, drop

MIXED = "😀 Faces count as one. naïve words, 42 of them?\n\nThe end - at last! A short one. Nothing more to say here."


def test_sliding_sends_no_request(app: App, news: str) -> None:
    app.give(news)
    seen = set()
    for position in range(0, 1001, 50):
        app.slide(position)
        seen.add(app.summary)
        budget = int(app["budget"].input_value())
        assert len(app.summary) <= budget
        if app.reason != "whole-text-fits":
            assert " ".join(app.marked) == app.summary
        expect(app["slider"]).to_have_attribute("aria-valuetext", f"{budget:,} characters")
    assert len(seen) > 10
    expect(app["reason"]).to_have_text("The whole text fits.")
    app.rest()
    assert app.page.evaluate("location.hash") != ""
    assert app.asked == ["summarize", "frontier"]


@pytest.mark.parametrize("text", ["news", "chinese_news", MIXED])
def test_the_page_shows_what_the_server_gives(app: App, request: pytest.FixtureRequest, text: str) -> None:
    text = text if text is MIXED else request.getfixturevalue(text)
    app.give(text)
    for unit in ("words", "sentences", "bytes", "chars"):
        app.choose_unit(unit)
        for budget in [1, 2, 3, 7, 11] if unit == "sentences" else [1, 10, 25, 47, 100, 281, 600, 4000]:
            app.allow(budget)
            answer = app.ask_server({"text": text, f"max_{unit}": budget})
            assert app.summary == answer["text"]
            assert app["used"].text_content().startswith(f"{answer['length']:,} of {budget:,} ")
            assert app.reason == answer["reason"]


def test_in_a_longer_text_what_the_slider_shows_is_the_answer(app: App, english: str) -> None:
    app.give(english)
    app.rest()
    asked = len(app.asked)
    for position in range(50, 1000, 90):
        app.slide(position)
        shown, budget = app.summary, int(app["budget"].input_value())
        answer = app.ask_server({"text": english, "max_chars": budget})
        assert (shown, app.reason) == (answer["text"], answer["reason"])
        app.rest()
        assert app.summary == shown
    assert len(app.asked) == asked


def test_a_typed_budget_is_exact(app: App, english: str) -> None:
    app.give(english)
    for budget in (333, 777):
        answer = app.ask_server({"text": english, "max_chars": budget})
        app.allow(budget)
        app.rest()
        expect(app["summary"]).to_have_text(answer["text"])
        expect(app["reason"]).to_have_attribute("data-reason", answer["reason"])
        expect(app["budget"]).to_have_value(str(budget))


def test_the_first_summary_does_not_wait_for_the_frontier_and_stays(app: App, news: str) -> None:
    held = []
    app.page.route("**/v1/frontier", lambda route: held.append(route))
    with app.page.expect_request("**/v1/frontier"):
        drop(app.page, news)
    expect(app["summary"]).not_to_be_empty()
    first = app.summary
    expect(app["result"]).to_have_attribute("aria-busy", "true")
    app.page.evaluate("""() => {
        window.changes = 0;
        new MutationObserver(() => window.changes++).observe(document.getElementById("summary"), {childList: true});
    }""")
    held[0].continue_()
    app.answered()
    app.rest()
    assert (app.summary, app.page.evaluate("window.changes")) == (first, 0)


def test_steady_growth_only_adds(app: App, news: str) -> None:
    app.give(news)
    with app.page.expect_request("**/v1/frontier") as asked:
        app["steady"].check()
    app.answered()
    assert asked.value.post_data_json["nested"] is True
    before: set[str] = set()
    shares = []
    for position in range(0, 1001, 50):
        app.slide(position)
        now = set(app.marked)
        assert before <= now
        before = now
        shares.append(int(app["share"].text_content().split()[0]))
    assert shares == sorted(shares)
    app.rest()
    assert "steady=1" in app.page.evaluate("location.hash")


def test_it_says_why_the_summary_is_short(app: App) -> None:
    app.give("A rather long sentence about nothing. Another rather long sentence.")
    app.allow(5)
    expect(app["reason"]).to_have_text("No sentence is short enough: the shortest needs 29 characters.")
    assert app.summary == ""
    expect(app["copy"]).to_be_disabled()
    app.allow(40)
    expect(app["reason"]).to_contain_text("Nothing else fits")
    app.allow(4000)
    expect(app["reason"]).to_have_text("The whole text fits.")


def test_a_repeated_sentence_adds_nothing(app: App) -> None:
    app.give("The harbor closes to cars in spring. " * 3 + "Work begins soon, in March.")
    app.allow(110)
    expect(app["reason"]).to_have_text("More would fit, but would add too little.")


def test_the_plot_explains_itself(app: App, news: str) -> None:
    app.give(news)
    dots = set()
    for budget in (100, 500, 2000):
        app.allow(budget)
        dots.add(app["plot"].locator(".here").get_attribute("d"))
        percent = app["share"].text_content().split()[0]
        assert app["plot"].get_attribute("aria-label").startswith(f"{percent} % of the main words at ")
    assert len(dots) == 3
    assert percent == "100"
    expect(app["curve"].locator("figcaption")).to_have_text("Main words covered")
    ticks = [int(tick.replace(",", "")) for tick in app["ticks"].locator("span").all_text_contents()]
    assert len(ticks) >= 3
    assert ticks == sorted(ticks)
    app.allow(1)  # where the dot is lowest, the thumb is still below it
    assert (
        app["plot"].bounding_box()["y"] + app["plot"].bounding_box()["height"] < app["slider"].bounding_box()["y"] + 10
    )
    strong = app["main-words"].locator("strong")
    expect(strong).to_have_count(0)
    app.allow(500)
    assert strong.count() > 3
    assert all(word in app.summary.lower() for word in strong.all_text_contents()[:1])


def test_many_events_in_one_frame_are_one_change(app: App, news: str) -> None:
    app.give(news)
    app.page.evaluate("""() => {
        const slider = document.getElementById("slider");
        window.changes = 0;
        new MutationObserver(() => window.changes++)
            .observe(document.getElementById("summary"), {childList: true});
        for (let to = 300; to < 900; to += 10) {
            slider.value = to;
            slider.dispatchEvent(new Event("input"));
        }
    }""")
    app.frames()
    assert app.page.evaluate("window.changes") == 1


def test_units_keep_their_budgets(app: App, news: str) -> None:
    app.give(news)
    app.allow(300)
    app.choose_unit("sentences")
    assert len(app.marked) == 3
    app.choose_unit("words")
    expect(app["budget"]).to_have_value("50")
    app.choose_unit("chars")
    expect(app["budget"]).to_have_value("300")


def test_a_senseless_budget_is_ignored(app: App, news: str) -> None:
    app.give(news)
    before = app.summary
    for wrong in ("", "0", "-3", "2.5", "1e60"):
        app["budget"].fill(wrong)
        app.frames()
        assert app.summary == before
    app["slider"].focus()
    expect(app["budget"]).to_have_value("280")


def test_the_address_has_the_settings_but_not_the_text(app: App, news: str) -> None:
    app.open("#unit=miles&budget=-1").give("One fish. Two fish.")
    expect(app["unit"]).to_have_value("chars")
    expect(app["budget"]).to_have_value("280")
    app.page.evaluate("location.hash = '#unit=words&budget=40'")
    expect(app["unit"]).to_have_value("words")
    app.give(news)
    assert 0 < len(app.summary.split()) <= 40
    app.allow(25)
    app.rest()
    assert app.page.evaluate("location.hash") == "#unit=words&budget=25"
    assert app.page.evaluate("[localStorage.length, document.cookie]") == [0, ""]
    app.page.evaluate("location.hash = '#unit=sentences&budget=2'")
    expect(app["budget"]).to_have_value("2")
    expect(app["used"]).to_have_text("2 of 2 sentences.")


def test_copy_with_and_without_a_clipboard_api(app: App, news: str) -> None:
    app.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    app.give(news)
    app["copy"].click()
    expect(app["copy"]).to_have_text("Copied")
    assert app.page.evaluate("navigator.clipboard.readText()") == app.summary
    app.rest()
    app.rest()
    app.page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    expect(app["copy"]).to_have_text("Copy")
    app["copy"].click()
    expect(app["copy"]).to_have_text("Copied")
    expect(app["copy"]).to_be_focused()
