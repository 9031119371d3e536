"""Nothing is lost: undo, drafts, links, and what can be taken away."""

import json
from contextlib import redirect_stdout
from io import StringIO

from playwright.sync_api import Browser, expect

from serve.page.app import App, drop


def test_the_page_opens_with_an_example_in_the_language_of_the_reader(browser: Browser, server: str) -> None:
    for locale, language, heading, summary in (("en-GB", "en", "Summary", " "), ("zh-CN", "zh-Hans", "摘要", "湿地")):
        context = browser.new_context(locale=locale)
        app = App(context.new_page(), server, empty=False).open()
        app.answered()
        assert app.page.evaluate("document.documentElement.lang") == language
        expect(app["summary-heading"]).to_have_text(heading)
        expect(app["summary"]).to_contain_text(summary)
        before = app.summary
        app.slide(800)
        assert len(app.summary) > len(before)
        app["language"].click()
        expect(app["summary-heading"]).not_to_have_text(heading)  # the example changes with the language
        expect(app["summary"]).not_to_contain_text(before[:5])
        context.close()


def test_one_undo_for_text_pins_and_budget(app: App) -> None:
    app.give("One fish. Two fish. Red fish.")
    app.rest()
    app.allow(10)
    app.rest()
    app.sentences.nth(2).click()
    expect(app["summary"]).to_have_text("Red fish.")
    app.answered()
    app.rest()
    drop(app.page, "Another text. It came by mistake.")
    expect(app["toast"]).to_contain_text("The text was replaced.")
    app.answered()
    app["toast-undo"].click()
    expect(app["summary"]).to_have_text("Red fish.")
    expect(app.page.locator("[data-pin=in]")).to_have_text(["Red fish."])
    app["slider"].focus()
    app.page.keyboard.press("Control+z")
    expect(app.page.locator("[data-pin]")).to_have_count(0)
    expect(app["budget"]).to_have_value("10")
    app.page.keyboard.press("Control+z")
    app.frames()
    expect(app["budget"]).to_have_value("280")
    expect(app["summary"]).to_have_text("One fish. Two fish. Red fish.")
    for _ in range(3):
        app.page.keyboard.press("Control+Shift+z")
    app.frames()
    expect(app.sentences).to_have_text(["Another text.", "It came by mistake."])
    expect(app["redo"]).to_be_disabled()


def test_a_draft_stays_in_the_tab(app: App) -> None:
    app.give("One fish. Two fish. Red fish.")
    app.sentences.nth(1).click()
    app.answered()
    app.allow(12)
    app["question"].fill("Which fish?")
    app["question"].press("Enter")
    app.answered()
    app.rest()
    app.page.reload()
    app.answered()
    expect(app["summary"]).to_have_text("Two fish.")
    expect(app["question"]).to_have_value("Which fish?")
    expect(app["budget"]).to_have_value("12")
    expect(app.page.locator("[data-pin=in]")).to_have_text(["Two fish."])


def test_a_question_and_several_texts(app: App) -> None:
    for name, text in (
        ("first.txt", "The mill is red. It is old."),
        ("second.txt", "The ferry costs two coins. It is slow."),
    ):
        if name == "second.txt":
            app["add"].click()
        drop(app.page, text, name)
        app.answered()
    expect(app["documents"].locator("li")).to_have_count(2)
    app["question"].fill("What does the ferry cost?")
    with app.page.expect_request("**/v1/frontier") as asked:
        app["question"].press("Enter")
    app.answered()
    body = asked.value.post_data_json
    assert body["query"] == "What does the ferry cost?"
    assert [source["id"] for source in body["text"]] == ["first.txt", "second.txt"]
    app.choose_unit("sentences")
    app.allow(1)
    assert app.summary == "The ferry costs two coins."
    expect(app["summary"].locator(".line")).to_have_attribute("data-from", "second.txt")
    app["documents"].get_by_role("button", name="Remove first.txt").click()
    expect(app.sentences).to_have_count(2)
    app["undo"].click()
    expect(app.sentences).to_have_count(4)


def taken(app: App, kind: str) -> str:
    app["take"].locator("summary").click()
    app.page.locator(f"[data-take={kind}]").click()
    expect(app["copy"]).to_have_text("Copied")
    text: str = app.page.evaluate("navigator.clipboard.readText()")
    app.rest()
    app.rest()
    expect(app["copy"]).to_have_text("Copy")
    return text


def printed(program: str) -> str:
    with redirect_stdout(StringIO()) as out:
        exec(program, {})
    return out.getvalue().rstrip("\n")


def test_the_menu_is_in_sight_beside_a_short_summary(app: App) -> None:
    app.give("One fish. Two fish.")
    app["take"].locator("summary").click()
    for button in app["take"].get_by_role("button").all():
        assert button.evaluate("""(button) => {
            const { x, y, width, height } = button.getBoundingClientRect();
            return button === document.elementFromPoint(x + width / 2, y + height - 1);
        }""")


def test_everything_can_be_taken_away(app: App, news: str) -> None:
    app.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    app.give(news)
    app.sentences.nth(4).click()
    app.answered()
    app.rest()
    summary, marked = app.summary, app.marked
    assert taken(app, "markdown") == "".join(f"- {sentence}\n" for sentence in marked)
    for sentence, line in zip(marked, taken(app, "quotations").strip().split("\n\n"), strict=True):
        start, end = map(int, line.rpartition("(")[2].rstrip(")").rpartition(", ")[2].split("–"))
        assert news[start:end] == sentence
        assert line.startswith(f"“{sentence}” (")
    assert printed(taken(app, "python")) == summary
    body = taken(app, "curl").partition(" -d '")[2].rstrip("\n'").replace("'\\''", "'")
    assert app.ask_server(json.loads(body))["text"] == summary
    app["take"].locator("summary").click()
    with app.page.expect_download() as file:
        app.page.locator("[data-take=json]").click()
    data = json.loads(file.value.path().read_text())
    assert (data["text"], data["length"]) == (summary, len(summary))
    assert [news[one["start"] : one["end"]] for one in data["sentences"]] == marked
    app["steady"].check()
    app.allow(500)
    app.answered()
    assert printed(taken(app, "python")) == app.summary
    path, _, body = taken(app, "curl").removeprefix(f"curl -s {app.address}").partition(" ")
    assert path == "/v1/frontier"
    assert json.loads(body.partition(" -d '")[2].rstrip("\n'").replace("'\\''", "'"))["nested"] is True


def test_a_link_carries_the_text_in_its_fragment(app: App, browser: Browser, news: str) -> None:
    app.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    app.give(news)
    app.allow(200)
    app.sentences.nth(4).click()
    app.answered()
    link = taken(app, "link")
    address, _, fragment = link.partition("#")
    assert address == f"{app.address}/"
    assert len(fragment) < len(news)
    context = browser.new_context()
    other = App(context.new_page(), app.address, empty=False).open("#" + fragment)
    other.answered()
    assert (other.summary, other.marked) == (app.summary, app.marked)
    expect(other.page.locator("[data-pin=in]")).to_have_count(1)
    other.rest()
    assert "text=" not in other.page.url  # it is in the draft now
    context.close()


def test_a_damaged_link_opens_an_example(browser: Browser, server: str) -> None:
    context = browser.new_context(locale="en")
    app = App(context.new_page(), server, empty=False).open("#text=abc!")
    app.answered()
    expect(app["toast"]).to_contain_text("cannot be read")
    context.close()
