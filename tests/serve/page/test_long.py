"""Two thousand sentences: each move changes little on the page, and the summary is exact."""

import random

from playwright.sync_api import Browser, expect

from serve.page.app import App

# Counts what a move changes in the page, and what it had to change.
WATCH = """() => {
    const source = document.getElementById("source");
    const marked = () => new Set([...source.querySelectorAll("[aria-selected=true]")].map((e) => e.dataset.index));
    window.touched = 0;
    window.rebuilt = 0;
    window.before = marked();
    new MutationObserver((records) => {
        for (const { type } of records) type === "attributes" ? window.touched++ : window.rebuilt++;
    }).observe(source, {attributes: true, childList: true, characterData: true, subtree: true});
    window.look = () => {
        const now = marked();
        const changed = [...now].filter((i) => !window.before.has(i)).length
            + [...window.before].filter((i) => !now.has(i)).length;
        const seen = {touched: window.touched, rebuilt: window.rebuilt, changed};
        window.touched = 0;
        window.before = now;
        return seen;
    };
}"""


def long_text(sentences: int) -> str:
    chance = random.Random(0)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(4000)]

    def sentence() -> str:
        return (
            " ".join(words[int(4000 * chance.random() ** 3)] for _ in range(chance.randint(5, 25))).capitalize() + "."
        )

    return "\n\n".join(" ".join(sentence() for _ in range(10)) for _ in range(sentences // 10))


def test_a_text_too_long_to_only_add_says_so(browser: Browser, server: str) -> None:
    # Not the usual page: Chromium writes into its console that a server refuses something.
    context = browser.new_context()
    app = App(context.new_page(), server).open()
    app.give(long_text(1100))
    app["steady"].click()
    expect(app["toast"]).to_contain_text("up to 1,000 sentences")
    expect(app["steady"]).not_to_be_checked()
    app.answered()
    context.close()


def test_two_thousand_sentences(app: App) -> None:
    text = long_text(2000)
    app.give(text)
    assert app.sentences.count() > 1900
    app.rest()
    answer = app.ask_server({"text": text, "max_chars": 280})
    expect(app["reason"]).to_have_attribute("data-reason", answer["reason"])
    expect(app["summary"]).to_have_text(answer["text"])

    app.page.evaluate(WATCH)
    changes = []
    for position in range(950, 50, -100):
        app.slide(position)
        seen = app.page.evaluate("window.look()")
        assert seen["touched"] == seen["changed"]
        assert seen["rebuilt"] == 0
        changes.append(seen["changed"])
    assert sum(change > 0 for change in changes) >= 7
    assert app["source"].locator("> *").first.evaluate("e => getComputedStyle(e).contentVisibility") == "auto"

    budget = int(app["budget"].input_value())
    answer = app.ask_server({"text": text, "max_chars": budget})
    app.rest()
    expect(app["summary"]).to_have_text(answer["text"])
    expect(app["reason"]).to_have_attribute("data-reason", answer["reason"])
