"""The summary and its text belong together: light, click, minimap, reasons, and what was left out."""

from playwright.sync_api import Route, expect

from serve.page.app import App


def test_a_sentence_lights_up_in_both_panes(app: App, news: str) -> None:
    app.give(news)
    first = app["summary"].locator("[data-index]").first
    index = first.get_attribute("data-index")
    first.hover()
    lit = app.page.locator("#source .lit")
    expect(lit).to_have_attribute("data-index", index)
    assert app["minimap"].locator(".lit").get_attribute("d") != ""
    app["budget"].hover()
    expect(lit).to_have_count(0)
    app.sentences.nth(int(index)).hover()
    expect(first).to_have_class("lit")


def test_a_click_on_the_summary_scrolls_to_the_sentence_and_says_why(app: App, english: str) -> None:
    app.page.emulate_media(reduced_motion="reduce")
    app.resize(1000, 500)
    app.give(english)
    app.slide(900)
    last = app["summary"].locator("[data-index]").last
    index = int(last.get_attribute("data-index"))
    expect(app.sentences.nth(index)).not_to_be_in_viewport()
    last.evaluate("e => e.click()")
    expect(app.sentences.nth(index)).to_be_in_viewport()
    expect(app["why-heading"]).to_have_text("Why this one?")
    reasons = app["why-lines"].text_content()
    assert f"of {app.sentences.count()} in importance." in reasons
    assert "It is in " in reasons
    budget = int(app["budget"].input_value())
    app.allow(1)
    expect(app["why-heading"]).to_have_text("Why not this one?")
    expect(app["why-lines"]).to_contain_text("It comes in at ")
    app.allow(budget)
    expect(app["why-heading"]).to_have_text("Why this one?")


def test_the_keyboard_moves_through_the_summary(app: App, news: str) -> None:
    app.give(news)
    app.allow(400)
    links = app["summary"].get_by_role("link")
    assert links.count() > 1
    expect(app["summary"].locator("[tabindex]")).to_have_count(1)
    links.first.focus()
    app.page.keyboard.press("ArrowRight")
    expect(links.nth(1)).to_be_focused()
    app.page.keyboard.press("Enter")
    expect(app["why-quote"]).to_contain_text(links.nth(1).text_content()[:30])


def test_it_says_from_which_budget_on_and_what_a_sentence_displaced(app: App) -> None:
    app.give("Rain fell all day. The river rose. Rain made the river rise.")
    entered = app.ask_server({"text": app["input"].input_value(), "max_chars": 26})["text"]
    app.allow(26)
    assert app.summary == entered
    app["summary"].locator("[data-index]").first.click()
    why = app["why-lines"]
    expect(why).to_contain_text("It is in ")
    expect(why).to_contain_text("It has words that the text keeps coming back to: ")


CAUSED = "The mayor of Kelsby resigned on Monday. But she gave no reason for it. The town elects another mayor in May."


def with_needs(app: App, needs: dict[int, tuple[int | None, str]], role: str) -> None:
    """Let the server say what sentences need, whatever its model would say."""

    def answer(route: Route) -> None:
        reply = route.fetch()
        data = reply.json()
        for sentence in data["sentences"]:
            need, cause = needs.get(sentence["index"], (None, ""))
            sentence |= {"needs": need, "cause": cause, "role": role}
        route.fulfill(response=reply, json=data)

    app.page.route("**/v1/frontier", answer)


def test_it_says_the_role_and_what_is_needed_before_and_after(app: App) -> None:
    with_needs(app, {0: (2, "time"), 1: (0, "pronoun"), 2: (None, "definite")}, "support")
    app.give(CAUSED)
    app.allow(len(CAUSED))
    said = []
    for index in range(3):
        app["summary"].locator("[data-index]").nth(index).click()
        said.append(app["why-lines"].text_content())
    assert all("It supports a main point." in lines for lines in said)
    assert "without “The town elects another mayor in May” (a time such as “then”), which is in the summary." in said[0]
    assert "“But she gave no reason for it” cannot be understood without it." in said[0]
    assert "without “The mayor of Kelsby resigned on Monday” (a pronoun), which is in the summary." in said[1]
    assert "It is hard to understand by itself (it speaks of something known)." in said[2]
    app["language"].click()
    app["summary"].locator("[data-index]").nth(1).click()
    expect(app["why-lines"]).to_contain_text("它支持要点。")
    expect(app["why-lines"]).to_contain_text("（代词），那句也在摘要中。")


def test_it_says_that_what_is_needed_is_not_in(app: App) -> None:
    with_needs(app, {0: (1, "scope"), 1: (0, "pronoun"), 2: (0, "name")}, "main")
    app.give(CAUSED)
    app.choose_unit("sentences")
    app.allow(1)
    app["summary"].locator("[data-index]").first.click()
    expect(app["why-lines"]).to_contain_text("which is not in the summary.")


def test_what_was_left_out_is_a_click_away(app: App, news: str) -> None:
    app.give(news)
    left = app.sentences.count() - len(app.marked)
    expect(app["rest-title"]).to_have_text(f"Left out: {left} sentences")
    app["rest-title"].click()
    expect(app["rest-list"].locator("li")).to_have_count(left)
    first = app["rest-list"].locator("button").first
    first.click()
    expect(app["why-heading"]).to_have_text("Why not this one?")
    quoted = first.text_content().rstrip("…")
    assert quoted in " ".join(app.sentences.all_text_contents())


def test_the_minimap_shows_chosen_kept_and_left_out(app: App, news: str) -> None:
    app.give(news)
    paths = {kind: app["minimap"].locator(f".{kind}") for kind in ("chosen", "in", "out")}
    assert paths["chosen"].get_attribute("d").count("M") == len(app.marked)
    for index in (4, 5, 5):
        app.sentences.nth(index).click()
    app.answered()
    assert paths["in"].get_attribute("d").count("M") == 1
    assert paths["out"].get_attribute("d").count("M") == 1


def test_two_budgets_stand_side_by_side(app: App, news: str) -> None:
    app.give(news)
    app.allow(200)
    app["compare"].click()
    app.frames()
    expect(app["budget2"]).to_have_value("400")
    expect(app["summary2"]).to_have_text(app.ask_server({"text": news, "max_chars": 400})["text"])
    only = app.page.locator("#summaries .only").all_text_contents()
    both = {*app["summary"].locator("[data-index]").all_text_contents()} ^ {
        *app["summary2"].locator("[data-index]").all_text_contents()
    }
    assert {*only} == both
    assert both
    app["compare"].click()
    app.frames()
    expect(app["beside"]).to_be_hidden()
    expect(app.page.locator("#summaries .only")).to_have_count(0)
