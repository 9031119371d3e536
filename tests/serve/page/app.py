"""The page as a user sees it."""

from typing import Any

from playwright.sync_api import Locator, Page, Request, expect

# Milliseconds, for however busy a machine.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)

# Seconds. The clock runs until it is stopped, and it cannot be stopped at a time that has passed.
_NOON = 12 * 60 * 60

_INPUT = """(field, value) => {
    field.value = value;
    field.dispatchEvent(new Event("input", {bubbles: true}));
}"""


# The page opens with an example; with an empty draft it opens with an empty editor.
_EMPTY = """if (!sessionStorage.length) {
    sessionStorage.setItem("tersely.draft", JSON.stringify({documents: [{id: "0", name: "", text: "", places: []}]}));
}"""


class App:
    """The page and all its requests; its clock stands still except in `frames` and `rest`."""

    def __init__(self, page: Page, address: str, empty: bool = True) -> None:
        self.page, self.address = page, address
        if empty:
            page.add_init_script(_EMPTY)
        self.asked: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("request", self._note)
        page.clock.install(time=0)
        page.clock.pause_at(_NOON)

    def _note(self, request: Request) -> None:
        if request.method == "POST":
            self.asked.append(request.url.rpartition("/")[2])

    def open(self, settings: str = "") -> "App":
        self.page.goto(f"{self.address}/{settings}")
        return self

    def __getitem__(self, name: str) -> Locator:
        return self.page.locator(f"#{name}")

    def frames(self) -> None:
        """Let two frames pass: enough to show the effect of an event, too short for anything that waits for rest."""
        self.page.clock.run_for(40)

    def rest(self) -> None:
        """Let enough time pass for everything that waits for rest."""
        self.page.clock.run_for(1000)

    def give(self, text: str) -> None:
        """Drop a text onto the page and wait for the answer."""
        drop(self.page, text)
        self.answered()

    def answered(self) -> None:
        """Wait until the page has read what it was given, and has the answer about it."""
        expect(
            self.page.locator("body:not(.asking):not(:has(#source[aria-busy=true])):has(#used:not(:empty))")
        ).to_be_attached()

    def resize(self, width: int, height: int) -> None:
        """Change the window, and wait until the page knows."""
        self.page.set_viewport_size({"width": width, "height": height})
        while self.page.evaluate("[innerWidth, innerHeight]") != [width, height]:
            pass

    def paste(self, text: str) -> None:
        """Paste with the keyboard at the focus."""
        self.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
        self.page.keyboard.press("Control+v")

    def slide(self, position: int) -> None:
        """Move the slider there."""
        self["slider"].evaluate(_INPUT, position)
        self.frames()

    def allow(self, budget: int) -> None:
        """Write a budget into its field."""
        self["budget"].evaluate(_INPUT, budget)
        self.frames()

    def choose_unit(self, unit: str) -> None:
        self["unit"].select_option(unit)
        expect(self["used"]).to_contain_text({"chars": "character"}.get(unit, unit.rstrip("s")))
        self.answered()

    def ask_server(self, question: dict[str, Any]) -> dict[str, Any]:
        """Ask the server for one summary, bypassing the page."""
        answer: dict[str, Any] = self.page.request.post(f"{self.address}/v1/summarize", data=question).json()
        return answer

    @property
    def summary(self) -> str:
        return self["summary"].text_content() or ""

    @property
    def reason(self) -> str | None:
        return self["reason"].get_attribute("data-reason")

    @property
    def sentences(self) -> Locator:
        return self["source"].get_by_role("option")

    @property
    def marked(self) -> list[str]:
        return self.page.locator("[role=option][aria-selected=true]").all_text_contents()


def drop(page: Page, content: Any, name: str = "news.txt") -> None:
    """Drop a file onto the page; its content is a text or a list of bytes."""
    make = """([content, name]) => {
        const data = new DataTransfer();
        data.items.add(new File([typeof content === "string" ? content : new Uint8Array(content)], name));
        return data;
    }"""
    page.dispatch_event("body", "drop", {"dataTransfer": page.evaluate_handle(make, [content, name])})


def tab_to(page: Page, selector: str, key: str = "Tab") -> None:
    """Move the focus with the keyboard."""
    for _ in range(25):
        page.keyboard.press(key)
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{key} never reaches {selector}")
