"""The text as a document, and what helps to get the length and the sentences that one wants."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from extract.making import pdf
from serve.page.app import App, drop
from serve.page.conftest import Start

GUIDE = """# A guide to the mill

The **mill** at *Kelsby* was built in 1782 and still
grinds flour. It stands on the [old dam](https://example.org/dam).

## Visiting

- Open from `10:00` to 16:00, except on Mondays.
- Children pay nothing, and adults pay 4 euros.

> The sea does the work,
> and we only open the gates.

<b>No</b> tag is <img src=x onerror="document.title=1"> a tag here.
"""
CUES = "\n\n".join(
    f"{number}\n00:00:{4 * number:02},000 --> 00:00:{4 * number + 3:02},500\n{line}"
    for number, line in enumerate(
        (
            "ANNA: The tide mill was built in 1782,",
            "and it ran for almost two centuries.",
            "BEN: When it closed, the gates rotted away.",
            "In 2019 a group of neighbors bought it for one euro.",
            "ANNA: The flour is sold to four bakeries in the town.",
        ),
        1,
    )
)
LINES = [
    (72.0, 760.0, 20.0, "The harbor of Kelsby"),
    (72.0, 720.0, 11.0, "The harbor closes to cars next spring, after the council"),
    (72.0, 706.0, 11.0, "voted for it on Tuesday. Work begins in March and takes a year."),
    (72.0, 670.0, 11.0, "The council puts the cost at eight million pounds. Half of it comes"),
    (72.0, 656.0, 11.0, "from a fund for coastal towns. Shopkeepers fear for their trade."),
]


def files() -> dict[str, bytes]:
    return {"README.md": GUIDE.encode(), "mill.srt": CUES.encode(), "harbor.pdf": pdf([LINES])}


@pytest.mark.parametrize("name", ["README.md", "mill.srt", "harbor.pdf"])
def test_the_page_and_the_command_give_the_same_for_a_file(app: App, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(files()[name])
    command = [sys.executable, "-m", "tersely", "summarize", name, "--max-chars", "150", "--format", "json"]
    written = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout
    drop(app.page, list(files()[name]), name)
    app.answered()
    app.allow(150)
    assert app.summary == json.loads(written)["text"] != ""


def test_markdown_looks_like_a_document_and_stays_text(app: App) -> None:
    drop(app.page, GUIDE, "guide.txt")
    app.answered()
    source = app["source"]
    assert source.locator(".heading").all_text_contents() == ["A guide to the mill", "Visiting"]
    assert source.locator(".item").all_text_contents()[0] == "Open from 10:00 to 16:00, except on Mondays."
    expect(source.locator("strong")).to_have_text("mill")
    expect(source.locator(".quote")).to_have_text("The sea does the work, and we only open the gates.")
    expect(source).to_contain_text("built in 1782 and still grinds flour. It stands on the old dam.")
    expect(source).to_contain_text('<img src=x onerror="document.title=1">')
    expect(source.locator("img, a, b:not(.label b)")).to_have_count(0)


def test_wrapped_lines_run_on_and_verses_do_not(app: App) -> None:
    app.give(
        "The harbor of Kelsby closes to cars\nnext spring, after a vote. The work\nbegins in March and takes a year."
    )
    expect(app["source"].locator("> *")).to_have_count(1)
    expect(app["source"]).to_contain_text("closes to cars next spring")
    app.give(
        "今天上午市政府宣布关闭港口，工程从明年三月开始\n，持续整整一年的时间。港口的居民可以向市政府申请\n通行证，每户两张。"
    )
    expect(app["source"]).to_contain_text(
        "工程从明年三月开始，持续整整一年的时间。港口的居民可以向市政府申请通行证，每户两张。"
    )
    app.give("A fish.\nTwo fish in the sea.\nRed fish, blue fish, old fish.")
    expect(app["source"].locator("> *")).to_have_count(3)


def test_who_speaks_stands_out_in_the_text_and_begins_a_line_of_the_summary(app: App) -> None:
    chat = "".join(
        f"12/03/2024, 18:0{minute} - {line}\n"
        for minute, line in enumerate(
            ["Anna: Did anybody book the hall?", "Ben: They want 400 euros for it.", "Anna: Then we take the gym."]
        )
    )
    app.give(chat)
    assert app["source"].locator(".label b").all_text_contents() == ["Anna", "Ben", "Anna"]
    app.allow(60)
    assert app["summary"].locator(".speaker").count() >= 1
    assert app.summary == app.ask_server({"text": chat, "max_chars": 60})["text"]


def test_the_first_mark_is_in_sight(app: App) -> None:
    app.resize(1200, 500)
    dull = "\n\n".join(f"- Item {number}" for number in range(80))
    app.give(f"{dull}\n\nThe council of Kelsby closes the harbor to cars. The work begins in March and takes a year.")
    app.allow(60)
    drop(app.page, f"{dull}\n\nThe council of Kelsby opens the harbor to cars. The work ends in May after a year.")
    app.answered()
    expect(app.sentences.last).to_have_text("The work ends in May after a year.")
    expect(app.page.locator("[role=option][aria-selected=true]").first).to_be_in_viewport()


def test_presets_set_length_and_unit_and_one_sentence_per_section(app: App) -> None:
    drop(app.page, GUIDE, "guide.md")
    app.answered()
    app["preset"].select_option("words:150")
    expect(app["unit"]).to_have_value("words")
    expect(app["budget"]).to_have_value("150")
    app.answered()
    app["preset"].select_option("sections")
    expect(app["unit"]).to_have_value("sentences")
    expect(app["budget"]).to_have_value("2")
    expect(app.page.locator("[data-pin=in][aria-selected=true]")).to_have_count(2)
    app["undo"].click()
    expect(app["unit"]).to_have_value("words")


def test_each_of_several_texts_gets_its_sentence_under_its_name(app: App) -> None:
    for name, text in (
        ("mill.txt", "The mill is red. It is old."),
        ("ferry.txt", "The ferry costs two coins. It is slow."),
    ):
        if name == "ferry.txt":
            app["add"].click()
        drop(app.page, text, name)
        app.answered()
    app["preset"].select_option("sections")
    expect(app["preset"].locator("[value=sections]")).to_have_text("One sentence per text · 2")
    lines = app["summary"].locator(".line")
    expect(lines).to_have_count(2)
    expect(lines.nth(0)).to_have_attribute("data-from", "mill.txt")
    expect(lines.nth(1)).to_have_attribute("data-from", "ferry.txt")


def test_tokens_are_a_unit_where_the_server_counts_them(page: Page, start: Start, tmp_path: Path) -> None:
    words = Tokenizer(WordLevel({"?": 0}, unk_token="?"))
    words.pre_tokenizer = Whitespace()
    words.save(str(tmp_path / "tokenizer.json"))
    app = App(page, start("--tokenizer", str(tmp_path / "tokenizer.json"))[1]).open()
    app.give("One fish swims. Two hundred fish swim in the sea.")
    app["unit"].select_option("tokens")
    app.answered()
    app.allow(9)
    answer = app.ask_server({"text": app["input"].input_value(), "max_tokens": 9})
    assert app.summary == answer["text"] != ""
    expect(app["used"]).to_have_text(f"{answer['length']} of 9 tokens.")


def test_a_list_is_a_view_and_a_copy(app: App) -> None:
    app.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    app.give("One fish swims. Two fish swim.")
    app["bullets"].check()
    first, second = app["summary"].locator(".line").evaluate_all("all => all.map(e => e.getBoundingClientRect().y)")
    assert first < second
    app["copy"].click()
    expect(app["toast"]).to_contain_text("34 characters")
    assert app.page.evaluate("navigator.clipboard.readText()") == "• One fish swims.\n• Two fish swim."


def test_a_pin_that_does_not_fit_offers_to_grow(app: App) -> None:
    app.give("One fish. Two hundred fish swim in the sea.")
    app.sentences.nth(1).click()
    app.answered()
    app.allow(10)
    expect(app["grow"]).to_have_text("Make it 33 characters")
    app["grow"].click()
    app.frames()
    assert app.summary == "Two hundred fish swim in the sea."
    expect(app["grow"]).to_be_hidden()


def test_a_sentence_that_lacks_another_gets_it_with_a_click(app: App) -> None:
    def answer(route: Route) -> None:
        reply = route.fetch()
        data = reply.json()
        for sentence in data["sentences"]:
            sentence |= {"needs": 1 - sentence["index"], "cause": "pronoun"}
        route.fulfill(response=reply, json=data)

    app.page.route("**/v1/frontier", answer)
    app.give("The mayor resigned. She gave no reason.")
    app.allow(20)
    button = app["lacks"].get_by_role("button", name="Add it")
    button.click()
    expect(app["budget"]).to_have_value("39")
    expect(app["toast"]).to_contain_text("39 characters")
    expect(app["summary"]).to_have_text("The mayor resigned. She gave no reason.")
    expect(app["lacks"]).to_be_hidden()
    app["toast-undo"].click()
    expect(app["budget"]).to_have_value("20")


def test_a_question_without_an_answer_is_told_so(app: App) -> None:
    def answer(route: Route) -> None:
        reply = route.fetch()
        route.fulfill(response=reply, json=reply.json() | {"reason": "nothing-answers", "confidence": 0.1})

    app.give("One fish swims. Two fish swim.")
    expect(app["honest"]).to_be_hidden()
    app.page.route("**/v1/summarize", answer)
    app["question"].fill("Who was king?")
    app["question"].press("Enter")
    expect(app["honest"]).to_have_text("Nothing here answers this. The nearest sentences:")
    app["language"].click()
    expect(app["honest"]).to_have_text("文中没有答案。最接近的句子：")


def test_main_words_have_their_own_case(app: App) -> None:
    app.give("Kelsby has a Harbor. The harbor of Kelsby is old. Nobody leaves the harbor of Kelsby.")
    assert set(app["main-words"].locator("> *").all_text_contents()) == {"Kelsby", "harbor"}


def test_the_bookmarklet_opens_the_selection_of_another_page(page: Page, app: App) -> None:
    code = app["bookmarklet"].get_attribute("href")
    assert code.startswith("javascript:")
    other = page.context.new_page()
    other.route(
        "**/elsewhere", lambda route: route.fulfill(body="<title>News</title><p>One fish. Two fish & more.</p>")
    )
    other.goto(f"{app.address}/elsewhere")
    with page.context.expect_page() as opened:
        other.evaluate(code.removeprefix("javascript:"))
    expect(opened.value.locator("#source [role=option]")).to_have_text(["One fish.", "Two fish & more."])


def test_the_page_to_print_has_marks_and_page_numbers_and_loads_nothing(app: App, browser: Browser) -> None:
    drop(app.page, list(pdf([LINES[:3], LINES[3:]])), "harbor.pdf")
    app.answered()
    app.allow(120)
    marked = app.marked
    app["take"].locator("summary").click()
    with app.page.expect_download() as file:
        app.page.locator("[data-take=html]").click()
    assert file.value.suggested_filename.endswith(".html")
    context = browser.new_context()
    printed = context.new_page()
    printed.set_content(file.value.path().read_text())
    assert printed.locator("mark").all_text_contents() == marked
    assert printed.locator("section .place").all_text_contents() == ["p. 1", "p. 2"]
    expect(printed.locator("h1")).to_have_text("harbor.pdf")
    expect(printed.locator("script")).to_have_count(0)
    context.close()
