"""For everyone: by keyboard, with a screen reader, on a phone, in the dark."""

from itertools import pairwise

import pytest
from playwright.sync_api import Browser, Page, expect

from serve.page.app import App, tab_to

CONTROLS = {"button", "link", "textbox", "spinbutton", "slider", "combobox", "option", "listbox", "img"}

# The lowest contrast of any text on the screen with its background.
CONTRAST = """() => {
    const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
    const light = (color) => numbers(color).slice(0, 3).map((v) => v / 255)
        .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = (element) => {
        for (let e = element; e; e = e.parentElement) {
            const color = getComputedStyle(e).backgroundColor;
            if (numbers(color)[3] !== 0) return color;
        }
    };
    const worst = [Infinity, ""];
    for (const element of document.body.querySelectorAll("*")) {
        const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        if (!own || !element.checkVisibility() || element.disabled || element.closest(".unseen, svg")) continue;
        const [a, b] = [light(getComputedStyle(element).color), light(behind(element))].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        if (ratio < worst[0]) worst.splice(0, 2, ratio, element.outerHTML.slice(0, 200));
    }
    return worst;
}"""


def test_the_keyboard_is_enough(app: App) -> None:
    page = app.page
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    tab_to(page, "[data-example^=mine]")
    page.keyboard.press("Enter")
    app.answered()
    expect(app["slider"]).to_be_focused()

    before = app.summary
    page.keyboard.press("ArrowRight")
    app.frames()
    assert app.summary != before
    page.keyboard.press("ArrowLeft")
    app.frames()
    assert app.summary == before
    page.keyboard.press("Home")
    app.frames()
    assert app.reason == "nothing-fits"
    page.keyboard.press("End")
    app.frames()
    assert app.reason == "whole-text-fits"

    tab_to(page, "#budget", "Shift+Tab")
    page.keyboard.type("200")
    app.frames()
    assert 0 < len(app.summary) <= 200
    tab_to(page, "[role=option]", "Shift+Tab")
    for _ in range(6):
        page.keyboard.press("ArrowDown")
    expect(app.sentences.nth(6)).to_be_focused()
    page.keyboard.press("Enter")
    expect(app.sentences.nth(6)).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Space")
    expect(app.sentences.nth(6)).to_have_attribute("data-pin", "out")
    page.keyboard.press("End")
    expect(app.sentences.last).to_be_focused()
    expect(page.locator("[role=option][tabindex='0']")).to_have_count(1)
    tab_to(page, "#copy")
    page.keyboard.press("Enter")
    expect(app["copy"]).to_have_text("Copied")


def test_every_arrow_key_gives_another_summary(app: App, news: str) -> None:
    app.give(news)
    app.slide(900)
    app["slider"].focus()
    seen = []
    for _ in range(6):
        app.page.keyboard.press("ArrowLeft")
        app.frames()
        seen.append(app.summary)
    assert all(a != b for a, b in pairwise(seen))


def test_the_focus_is_visible(app: App) -> None:
    app.give("One fish. Two fish. Red fish.")
    for selector in ("#budget", "#unit", "#copy", "[role=option]", "#edit"):
        tab_to(app.page, selector)
        assert app.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_a_click_draws_no_ring_and_the_next_key_does(app: App) -> None:
    app.give("One fish. Two fish. Red fish.")
    app.sentences.nth(1).click()
    expect(app.sentences.nth(1)).to_be_focused()
    assert app.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "none"
    app.page.keyboard.press("ArrowDown")
    assert app.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_every_control_has_a_name(app: App, news: str) -> None:
    def nameless() -> list[str]:
        nodes = app.page.context.new_cdp_session(app.page).send("Accessibility.getFullAXTree")["nodes"]
        shown = [node for node in nodes if not node["ignored"] and node["role"]["value"] in CONTROLS]
        assert len(shown) > 5
        return [node["role"]["value"] for node in shown if not node.get("name", {}).get("value", "").strip()]

    assert nameless() == []
    app.give(news)
    app.sentences.nth(3).click()
    assert nameless() == []


def test_landmarks_and_headings(app: App, news: str) -> None:
    app.give(news)
    page = app.page
    for landmark in ("banner", "navigation", "main", "complementary", "contentinfo"):
        expect(page.get_by_role(landmark)).to_have_count(1)
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    assert page.get_by_role("heading", level=2).all_text_contents() == ["Text", "Length", "Summary"]
    expect(page.get_by_role("listbox", name="Text")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "en"


def test_the_live_region_speaks_only_after_the_slider_rests(app: App, news: str) -> None:
    app.give(news)
    app.rest()
    expect(app["status"]).not_to_be_empty()
    app.page.evaluate("""() => {
        window.said = [];
        new MutationObserver(() => window.said.push(document.getElementById("status").textContent))
            .observe(document.getElementById("status"), {childList: true});
    }""")
    for position in (300, 400, 500, 600):
        app.slide(position)
    assert app.page.evaluate("window.said") == []
    app.rest()
    [said] = app.page.evaluate("window.said")
    assert app["used"].text_content() in said
    expect(app["status"]).to_have_attribute("aria-live", "polite")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(app: App, news: str, scheme: str) -> None:
    app.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    ratio, where = app.page.evaluate(CONTRAST)
    assert ratio >= 4.5, where
    app.give(news)
    for index in (5, 8, 8):
        app.sentences.nth(index).click()
    app.answered()
    ratio, where = app.page.evaluate(CONTRAST)
    assert ratio >= 4.5, where
    app.page.route("**/v1/frontier", lambda _: None)  # while it waits, the summary is paler
    with app.page.expect_request("**/v1/frontier"):
        app.sentences.nth(2).click()
    ratio, where = app.page.evaluate(CONTRAST)
    assert ratio >= 4.5, where
    background = app.page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (max(background) < 60) == (scheme == "dark")


def test_nothing_is_cut_off_sideways(app: App, news: str) -> None:
    def widths() -> list[int]:
        cut = []
        for width in (320, 360, 820, 1440):
            app.resize(width, 740)
            cut.append(app.page.evaluate("document.documentElement.scrollWidth - innerWidth"))
        return cut

    assert max(widths()) <= 0
    app.give(news + "\n\n" + "x" * 400)
    app.allow(100000)
    assert max(widths()) <= 0


def test_the_slider_does_not_jump_while_it_is_moved(app: App, news: str) -> None:
    app.give(news + "\n\n" + "A long sentence of many words. " * 15)
    for width in (320, 768, 1440):
        app.resize(width, 740)
        places = set()
        for position in range(0, 1001, 50):
            app.slide(position)
            place = "e => [e.offsetTop - e.parentElement.offsetTop, e.parentElement.offsetHeight].join()"
            places.add(app["slider"].evaluate(place))
        assert len(places) == 1, width


SHIFTS = """window.shifts = 0;
new PerformanceObserver((list) => { for (const { value } of list.getEntries()) window.shifts += value; })
    .observe({type: "layout-shift", buffered: true});"""


@pytest.mark.parametrize("size", [(390, 844), (820, 1180), (1440, 900)])
def test_nothing_moves_while_the_page_opens(page: Page, server: str, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.add_init_script(SHIFTS)
    app = App(page, server, empty=False).open()
    app.answered()
    app.rest()
    assert page.evaluate("window.shifts") < 0.01


def test_a_low_window_has_room_for_the_text(app: App, news: str) -> None:
    app.give(news)
    for width, height in ((844, 390), (320, 256)):
        app.resize(width, height)
        assert app["length"].bounding_box()["height"] < height / 2
        app["result"].evaluate("e => e.scrollIntoView()")
        expect(app["summary"]).to_be_in_viewport()


def test_print_has_the_summary_and_the_text_only(app: App, english: str) -> None:
    app.give(english)
    app.slide(1000)
    app.page.emulate_media(media="print")
    for control in ("slider", "plot", "settings", "tools", "copy", "hint"):
        expect(app[control]).to_be_hidden()
    shown, whole = app["result"].evaluate("e => [e.clientHeight, e.scrollHeight]")
    assert shown == whole > 740
    assert app["summary"].bounding_box()["y"] < app["source"].bounding_box()["y"]
    decoration = app.sentences.nth(0).evaluate("e => getComputedStyle(e).textDecorationLine")
    assert decoration == "underline"  # printers leave backgrounds out


def test_chosen_kept_and_left_out_differ_in_forced_colors(app: App, news: str) -> None:
    app.page.emulate_media(forced_colors="active")
    app.give(news)
    app.allow(600)
    marked = app.marked
    free = [index for index, text in enumerate(app.sentences.all_text_contents()) if text not in marked]
    for index in (free[0], free[1], free[1]):
        app.sentences.nth(index).click()
    app.answered()
    chosen = next(text for text in app.marked if text != app.sentences.nth(free[0]).text_content())
    shown = [app.sentences.filter(has_text=chosen), app.sentences.nth(free[0]), app.sentences.nth(free[1])]
    look = "e => ['Line', 'Style'].map((part) => getComputedStyle(e)[`textDecoration${part}`]).join(' ')"
    looks = [sentence.evaluate(look) for sentence in shown]
    assert looks == ["underline solid", "underline double", "line-through solid"]
    canvas = app.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert app["minimap"].locator(".chosen").evaluate("e => getComputedStyle(e).fill") != canvas


def test_the_slider_is_within_reach_on_a_phone(browser: Browser, server: str) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    app = App(context.new_page(), server).open()
    app.page.locator("[data-example^=mine]").tap()
    app.answered()
    expect(app["summary"]).to_be_in_viewport()
    for scroll in (0, 600):
        app.page.evaluate("y => scrollTo(0, y)", scroll)
        box = app["slider"].bounding_box()
        assert box["y"] > 740 / 2
        assert box["y"] + box["height"] <= 740
        assert box["height"] >= 44
    before = app.summary
    app.page.touchscreen.tap(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2)
    app.frames()
    assert len(app.summary) > len(before)
    context.close()


def test_motion_is_off_if_unwanted(app: App) -> None:
    app.page.emulate_media(reduced_motion="reduce")
    assert app["summary"].evaluate("e => getComputedStyle(e).transitionDuration") in ("0s", "0s, 0s")


def test_the_policy_lets_nothing_else_in(app: App) -> None:
    policy = app.page.request.get(f"{app.address}/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for name in ("app.js", "app.css"):
        source = app.page.request.get(f"{app.address}/static/{name}").text()
        assert "http://" not in source.replace("http://www.w3.org/2000/svg", "")
        assert "https://" not in source


def test_right_to_left_text_runs_right_to_left(app: App, page: Page) -> None:
    app.give("هذه جملة أولى. وهذه جملة ثانية أطول قليلا من الأولى.")
    assert page.evaluate("getComputedStyle(document.getElementById('summary')).direction") == "rtl"
    assert page.evaluate("getComputedStyle(document.getElementById('input')).direction") == "rtl"
    app.give("A sentence.\n\nهذه جملة أولى. وهذه جملة ثانية.")
    directions = "e => [...e.children].map((block) => getComputedStyle(block).direction)"
    assert app["source"].evaluate(directions) == ["ltr", "rtl"]
