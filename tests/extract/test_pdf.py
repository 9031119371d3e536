"""PDF: pages, columns, headings, and sentences that go on across pages."""

from extract.making import article, blocks, labels, pdf, set_lines
from tersely.extract import extract


def test_a_pdf_has_pages_headings_and_whole_words_but_no_running_headers() -> None:
    found = extract(pdf([article(1), article(2), article(3)]), name="a")
    assert blocks(found)[:3] == [
        ("heading", "Part one"),
        (
            "prose",
            "The council met to discuss the international\n"
            "harbor. A well-known man and a well-known\nwoman of one agreed.",
        ),
        ("prose", "Nobody voted against it,\nnot even the mayor."),
    ]
    assert labels(found)[1] == {"page": 2, "section": "Part two"}
    assert "Journal" not in found.text
    assert "Page" not in found.text


def test_a_sentence_of_a_pdf_goes_on_on_the_next_page() -> None:
    found = extract(
        pdf([set_lines(["It began on page one and was inter-"]), set_lines(["rupted there. Then it ended."])])
    )
    assert found.document().texts == ("It began on page one and was interrupted there.", "Then it ended.")
    assert (found.place(0), found.place(found.text.index("Then"))) == ({"page": 1}, {"page": 2})


def test_what_stands_between_two_pages_does_not_part_a_sentence() -> None:
    def page(number: int, section: str, *lines: str) -> list[tuple[float, float, float, str]]:
        return [*set_lines(lines), (72, 90, 8, f"{number} Note {section}."), (72, 40, 10, f"{section} {number + 4}")]

    found = extract(
        pdf(
            [
                page(1, "Ferries", "It began in the harbor and was inter-"),
                page(2, "Fishermen", "rupted there. Then it went on with pre-"),
                page(3, "Costs", "and postwar ships, of which", "nothing is left."),
            ]
        )
    )
    text = "It began in the harbor and was interrupted there. Then it went on with pre- and postwar ships, of which"
    notes = [("caption", f"{number} Note {name}.") for number, name in ((1, "Ferries"), (2, "Fishermen"), (3, "Costs"))]
    assert blocks(found) == [("prose", f"{text}\nnothing is left."), *notes]
    assert [found.place(found.text.index(word))["page"] for word in ("began", "Then", "postwar")] == [1, 2, 3]


def test_a_line_that_is_spread_to_its_column_is_no_row() -> None:
    end = (200.0, 10.0, "of the old harbor")
    lines = [
        (72.0, 700.0, 10.0, "The council has closed all"), (end[0], 700.0, *end[1:]),
        (72.0, 686.0, 10.0, "and it was so in the year"), (end[0], 686.0, *end[1:]),
        (72.0, 672.0, 10.0, "which nobody now remembers."),
    ]  # fmt: skip
    kinds = [kind for kind, _ in blocks(extract(pdf([lines])))]
    assert kinds == ["prose"]


def test_columns_are_read_one_after_the_other_even_if_they_are_written_across() -> None:
    left = [
        "The left column speaks of ferries and",
        "of the water that they need, which is",
        "deep enough in no harbor on the coast",
        "of this cold and windy province, or",
        "anywhere else.",
    ]
    right = [
        "The right column speaks of the costs,",
        "which nobody had expected when the",
        "works began in the spring of that year",
        "in which nobody thought of money or",
        "of time.",
    ]
    across = [line for pair in zip(set_lines(left), set_lines(right, x=310), strict=True) for line in pair]
    assert [text.replace("\n", " ") for _, text in blocks(extract(pdf([across])))] == [" ".join(left), " ".join(right)]


def test_rows_items_and_captions_of_a_pdf_are_no_prose() -> None:
    rows = [
        (72.0, 700.0, 10.0, "Year"),
        (200.0, 700.0, 10.0, "Ships"),
        (72.0, 686.0, 10.0, "1990"),
        (200.0, 686.0, 10.0, "7"),
    ]
    more = set_lines(["Figure 1: Ships", "1. The first thing", "to do is this."], top=650)
    found = extract(pdf([[*set_lines(["The ships are counted here."]), *rows, *more]]))
    assert [kind for kind, _ in blocks(found)] == ["prose", "row", "row", "caption", "item"]
    assert blocks(found)[1][1] == "Year | Ships"


def test_chinese_in_a_pdf_is_read_without_spaces_between_lines() -> None:
    found = extract(pdf([set_lines(["市政府宣布古城核心区将全面禁止", "私家车通行。"])]))
    assert found.document().display_texts == ("市政府宣布古城核心区将全面禁止私家车通行。",)
