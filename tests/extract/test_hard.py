"""Files that are broken, locked, or made to burst: one clear line, in little time."""

import os
import re
import signal
import sys
import zlib
from email import message_from_string, policy
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import tersely.extract
from extract.making import archive, docx, epub, pdf, set_lines
from growth import assert_linear
from tersely.cli import cli
from tersely.errors import InputError, TerselyError
from tersely.extract import FORMS, Extracted, _markup, _office, _pages, _pdf, extract, extract_apart, extracted

LOCKED = "/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<" + "41" * 32 + ">/U<" + "42" * 32 + ">>>/ID[<41><41>]"
LINES = set_lines(["A line of text that somebody wrote."])
SAMPLES = {
    "pdf": pdf([LINES]),
    "docx": docx(),
    "epub": epub(["<p>It was dark.</p>"]),
    "rtf": rb"{\rtf1\ansi{\fonttbl{\f0 Arial;}}\f0 Sch\'f6n.\par}",
    "eml": b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n\n<p>Hi.",
    "srt": b"1\n00:00:01,000 --> 00:00:02,500\nHi.\n",
    "html": b"<html><p>The council has met.<table><tr><td>x",
    "tex": rb"\section{a}\begin{itemize}\item b\end{itemize}$c_{d}$\footnote{e}",
    "rst": b"a\n===\n\n- b\n\n.. note:: c\n\nd::\n\n  e\n",
    "adoc": b"= a\n\n* b\n\n----\nc\n----\n|===\n|d\n",
    "md": b"# a\n- b\n> c\n```\nd\n|e|f|\n|-|-|\n",
    "json": b'[{"text": "a"}]',
    "csv": b'text\n"a\nb"\n',
}


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (SAMPLES["pdf"][:300], "a.pdf", "a.pdf is no readable PDF: it is broken or cut off"),
        (pdf([LINES], LOCKED), "a.pdf", "a.pdf is encrypted: save it without a password first"),
        (pdf([[], []]), "a.pdf", "a.pdf has no text layer, as a scan has none"),
        (pdf([[]] * 10_000), "a.pdf", "a.pdf has 10,000 pages, more than 3,000"),
        (SAMPLES["docx"][:-500], "a.docx", "a.docx is a broken archive or document: it may be cut off"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16le"), "a.docx", "is encrypted"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.doc", "a.doc is an old Office file: save it as DOCX first"),
        (archive({"xl/workbook.xml": ""}), "a.xlsx", "a.xlsx is a spreadsheet: save it as CSV"),
        (archive({"a.txt": "x"}), "a.zip", "a.zip is an archive: unpack it"),
        (archive({"META-INF/container.xml": "<x/>"}), "a.epub", "it does not say where its chapters are"),
        (archive({"META-INF/container.xml": "<x"}), "a.epub", "a.epub is no readable EPUB"),
        (archive({"word/document.xml": "<x/>"}), "a.docx", "a.docx is no readable Word document"),
        (epub([""]), "a.epub", "a.epub has no text"),
        (b"\x89PNG\r\n", "a.png", "a.png is a picture"),
        (b"", "a.pdf", "a.pdf is empty"),
        (b"", "a.srt", "a.srt has no text"),
        (b"text\n \n", "a.csv", "a.csv has no text"),
        (b"\x00\x01\x02\x03\x04", "a.txt", "a.txt is not text"),
        (b"abc \x00\xff def", "a.txt", "a.txt is not text"),
        (b"A line with a zero\x00 in it.\n" * 20, "a.txt", "a.txt is not text"),
        (bytes(range(256)) * 4, "a.txt", "a.txt is not text"),
        (b'{"text": ', "a.json", "a.json is broken JSON at line 1, column 10"),
        (b"[]", "a.json", "a.json has no field 'text', but none: name the one that holds the text with --field"),
        (b"[" * 100_000, "a.json", "a.json is no readable JSON file"),
        (b"text,text\na,b\n", "a.csv", "a.csv is a table with two columns 'text'"),
    ],
)
def test_a_bad_file_is_one_clear_line(data: bytes, name: str, said: str) -> None:
    with pytest.raises(InputError) as raised:
        extract(data, name=name)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_pdf_in_which_some_pages_are_pictures_says_so() -> None:
    assert extract(pdf([LINES, [], LINES])).notes == ("1 of 3 pages have no text, page 2 first",)


def test_a_text_with_a_wrong_ending_is_read_and_said_to_be_text() -> None:
    found = extract(b"It rains. The river rises.", name="a.pdf")
    assert (found.form, found.notes) == ("text", ("named like a PDF, but read as plain text",))
    assert extract(SAMPLES["docx"], name="a.txt", media_type="text/plain").form == "docx"


def test_what_unpacks_to_far_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_office, "MAX_MARKUP", 1_000_000)
    monkeypatch.setattr(_pdf, "MAX_UNPACKED", 1_000_000)
    bomb = bytes(2_000_000)
    for data in (
        pdf([[]], packed=zlib.compress(bomb)),
        archive({"word/document.xml": bomb}),
        epub(["<p>a</p>"], {"b.xhtml": bomb}),
    ):
        with pytest.raises(InputError, match="unpacks to more than 1 MB"):
            extract(data)
    twice = pdf([[]], packed=zlib.compress(zlib.compress(bomb))).replace(b"/FlateDecode", b"[/FlateDecode/FlateDecode]")
    with pytest.raises(InputError, match="packed twice"):
        extract(twice)


def test_rtf_that_is_made_to_be_slow_is_not() -> None:
    for part in (rb"{\f1 ", rb"\f1 ", rb"{\field{\*\fldinst{HYPERLINK "):
        with pytest.raises(InputError, match="has no text"):
            extract(rb"{\rtf1{\fonttbl" + part * 10_000)
    picture = rb"{\rtf1{\fonttbl{\f0 Arial;}}{\pict\bin4 }}{{}It {\field{\*\fldinst{x}}{\fldrslt rains}}.\par}"
    assert extract(picture).text == "It rains."


@pytest.mark.parametrize("pattern", [_pages._PARTED, _pages._HYPHENATED])
def test_a_word_is_searched_for_a_hyphen_only_from_its_first_letter(pattern: re.Pattern[str]) -> None:
    # A search that could begin at every letter would look at the rest of a long word once for each of them.
    for text in ("harbor-\nmaster-", "harbor-master"):
        attempts = [pattern.match(text, start) is not None for start in range(len("harbor"))]
        assert attempts in ([True, *[False] * 5], [False] * 6)
    long = "a" * 300_000
    assert _pages._joined_words(f"{long} {long}-\nb", set()) == f"{long} {long}b"
    assert _pages._HYPHENATED.findall(f"{long} {long}-b") == [f"{long}-b"]


@given(st.text(alphabet="abB1_é-\ufffe\n ."), st.sampled_from([set(), {"a-b", "ab-a", "b-b"}]))
def test_words_are_joined_as_by_the_plain_patterns(text: str, hyphenated: set[str]) -> None:
    fast = _pages._joined_words(text, hyphenated)
    assert _pages._HYPHENATED.findall(text) == re.findall(r"\w+-\w+", text)
    plain = re.compile(r"(\w*)(?:\ufffe|(?<=[^\W\d_])-)\n(\w+)([^\s\ufffe]*) ?")
    assert [match.span() for match in _pages._PARTED.finditer(text)] == [match.span() for match in plain.finditer(text)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_pages, "_PARTED", plain)
        assert _pages._joined_words(text, hyphenated) == fast


@pytest.mark.parametrize("part", [b"[", b"[a](", b"![", b"*a **b ", b"<a ", b"a <!-- b "])
def test_markdown_that_is_made_to_be_slow_is_not(part: bytes) -> None:
    found = extract(part * 100_000 + b"\n\nIt *rains*.", name="a.md")
    assert found.text.endswith("\n\nIt rains.")


@pytest.mark.parametrize(
    ("ending", "part", "end"),
    [
        ("tex", "{", "}"),
        ("tex", "\\", ""),
        ("tex", r"\begin{a}", ""),
        ("tex", r"\begin{verbatim}", ""),
        ("tex", r"\begin{itemize}\begin{figure}", r"\end{itemize}"),
        ("tex", r"$\frac{", "}{b}"),
        ("tex", r"\footnote{", "}"),
        ("tex", r"\cite{a}", ""),
        ("rst", "`a ", ""),
        ("rst", ":a:", ""),
        ("rst", ".. a::\n", ""),
        ("rst", "+-+\n|", "a|"),
        ("adoc", "link:[", ""),
        ("adoc", "====\n", "-"),
        ("adoc", "|===\n|", "a|"),
    ],
)
def test_typeset_text_that_is_made_to_be_slow_is_not(ending: str, part: str, end: str) -> None:
    # A reader that looks at anything again for each part would take minutes.
    data = f"{'a' * 200_000}\n{part * 20_000}{end * 20_000}"
    assert extract(data.encode(), name=f"a.{ending}").text.startswith("a" * 200_000)


def test_markdown_that_is_far_too_long_is_read_as_text() -> None:
    assert "more than 2 MB of Markdown" in extract(b"A line of it.\n\n" * 140_000, name="a.md").notes[0]


def test_mail_that_is_made_to_be_slow_is_refused() -> None:
    start = b"MIME-Version: 1.0\nContent-Type: "
    with pytest.raises(InputError, match="has a header that is far too long"):
        extract(start + b"text/plain; " + b"a=b; " * 100_000 + b"\n\nHi.")
    parts = b"".join(b"multipart/mixed; boundary=b%d\n\n--b%d\nContent-Type: " % (i, i) for i in range(1_000))
    with pytest.raises(InputError, match="parts within parts"):
        extract(start + parts + b"text/plain\n\nHi.")


def test_mail_with_many_replies_or_flowed_lines_is_not_slow() -> None:
    start = b"MIME-Version: 1.0\nContent-Type: text/"
    reply = b"<div id=appendonsend></div><div id=divRplyFwdMsg>From: a</div>It snows. "
    assert extract(start + b"html\n\n<p>It rains.</p>" + reply * 5_000).text.startswith("It rains.")
    flowed = extract(start + b"plain; format=flowed\n\n" + b"rain \n" * 100_000)
    assert flowed.text == ("rain " * 100_000).strip()


def joined_one_by_one(text: str) -> str:
    """Join flowed lines as plainly as possible."""
    lines: list[str] = []
    for line in text.split("\n"):
        goes_on = lines and lines[-1].endswith(" ") and lines[-1] != "-- " and not line.startswith(">")
        if goes_on and not lines[-1].startswith(">"):
            lines[-1] += line
        else:
            lines.append(line)
    return "\n".join(lines)


@given(st.text(alphabet="a >-\n"))
def test_flowed_lines_are_joined_as_one_by_one(text: str) -> None:
    body = message_from_string("Content-Type: text/plain; format=flowed\n\n", policy=policy.default)
    assert _markup._flowed(body, text) == joined_one_by_one(text)


def test_a_table_with_far_too_many_columns_is_refused() -> None:
    with pytest.raises(InputError, match=r"^a\.csv is a table with more than 10,000 columns$"):
        extract(b"," * 100_000, name="a.csv")


def test_entities_that_grow_are_not_followed() -> None:
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10 if i else "ha"}">' for i in range(10))
    data = archive({"META-INF/container.xml": f"<!DOCTYPE x [{laughs}]><x>&l9;</x>"})
    with pytest.raises(InputError, match="EPUB"):
        extract(data)


@pytest.mark.parametrize("ending", sorted(SAMPLES))
def test_a_file_is_read_apart_as_it_is_read_here(ending: str) -> None:
    assert extract_apart(SAMPLES[ending], name=f"a.{ending}", seconds=600) == extract(
        SAMPLES[ending], name=f"a.{ending}"
    )


def test_a_plain_text_needs_no_child(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(tersely.extract, "apart", refuse)
    assert extract_apart("Schön. Gut.".encode(), name="a.txt").text == "Schön. Gut."
    for data, name in (("Schön.".encode("latin-1"), "a.txt"), (b"PK\x03\x04", "a.txt"), (b"a,b\n1,2", "a.csv")):
        with pytest.raises(AssertionError):
            extract_apart(data, name=name)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory of a child")
def test_a_file_that_would_fill_the_memory_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tersely.extract, "_MEMORY", 150_000_000)
    letters = zlib.compress(b"BT /F 9 Tf 72 700 Td " + b"(a)Tj " * 600_000 + b"ET", 9)  # needs 400 MB
    elements = "<b/>" * 2_000_000
    for name, data in (
        ("a.pdf", pdf([[]], packed=letters)),
        ("a.epub", epub([elements])),
    ):
        with pytest.raises(InputError) as raised:
            extract_apart(data, name=name)
        assert str(raised.value).startswith(f"{name} ")
        assert "\n" not in str(raised.value)
        # The parser of XML does not say that it has no memory left.
        assert "of memory, or is broken (" in str(raised.value) or name == "a.epub"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a child does not know what this test has changed")
def test_a_reader_that_hangs_or_crashes_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(SAMPLES["pdf"])
    for command in (["summarize", "--max-chars", "9"], ["frontier"]):
        for reader, said in (
            (signal.pause, "a.pdf takes more than 0.2 seconds to read: give it more time (--timeout)"),
            (os.abort, "a.pdf needs more than 2.0 GB of memory, or is broken (signal 6)"),
        ):
            monkeypatch.setattr(_pdf, "read_pdf", lambda _, reader=reader: reader())
            seconds = "0.2" if reader is signal.pause else "600"
            run = CliRunner().invoke(cli, [*command, str(file), "--timeout", seconds])
            assert isinstance(run.exception, InputError)
            assert said in str(run.exception)
            assert run.output == ""


def test_a_timeout_is_above_zero() -> None:
    run = CliRunner().invoke(cli, ["summarize", "--max-chars", "9", "--timeout", "0", "a.txt"])
    assert (run.exit_code, "--timeout" in run.output) == (2, True)


def test_a_document_with_far_too_many_paragraphs_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extracted, "MAX_BLOCKS", 4)
    for data, name in (
        (docx(), "a.docx"),
        (epub(["<p>One.</p>" * 3] * 2), "a.epub"),
        (rb"{\rtf1 " + rb"It rains.\par " * 5 + b"}", "a.rtf"),
        (b"It rains.\n\n" * 5, "a.md"),
        (b"<html>" + b"<p>The council has met in the harbor, as it does each year.</p>" * 9, "a.html"),
    ):
        with pytest.raises(InputError, match=f"^{name} has more than 4 paragraphs: split it into documents first$"):
            extract(data, name=name)


def test_a_chapter_that_a_book_names_many_times_is_read_once() -> None:
    items = "".join(f'<item id="c{i}" href="a.xhtml" media-type="text/html"/>' for i in range(500))
    order = "".join(f'<itemref idref="c{i}"/>' for i in range(500))
    package = f"<package><manifest>{items}</manifest><spine>{order}</spine></package>"
    book = epub([], {"OPS/book.opf": package, "OPS/a.xhtml": "<p>It was dark.</p>"})
    assert extract(book).text == "It was dark."


class Height(int):
    """A height that counts how often it is compared."""

    compared = 0

    def __lt__(self, other: int) -> bool:
        Height.compared += 1
        return super().__lt__(other)

    def __gt__(self, other: int) -> bool:
        Height.compared += 1
        return super().__gt__(other)

    __hash__ = int.__hash__


class Base(float):
    """Where a line stands, which is rounded to a height."""

    def __round__(self, _: object = None) -> Height:  # type: ignore[override]
        return Height(int(self))


def test_the_lines_of_a_page_are_not_all_compared_with_each_other() -> None:
    lines = [_pages.PageLine(1, (f"line {i}",), ((0.0, 9.0),), Base(i), 9.0) for i in range(1_000)]
    assert len(_pages.readable_lines([lines])) == 1_000
    assert 0 < Height.compared < 20_000


@pytest.mark.soak
def test_reading_a_page_takes_time_in_proportion_to_its_lines() -> None:
    def read(size: int) -> Extracted:
        return extract(pdf([set_lines([f"line {i}" for i in range(size)], top=14 * size)]))

    assert_linear(read, lambda size: size, 4_000)


ENDINGS = sorted({ending for form in FORMS.values() for ending in form.endings.split()})


def read_or_refused(data: bytes, name: str) -> None:
    """Check that a file gives a text whose blocks and places are in order, or else one line."""
    said, found = "", None
    try:
        found = extract(data, name=name)
    except TerselyError as error:
        said = str(error)
    assert "\n" not in said
    if found is not None:
        assert all(0 <= block.start < block.end <= len(found.text) for block in found.blocks)
        assert all(first.end <= second.start for first, second in pairwise(found.places))
        assert found.document().text == found.text


@given(st.binary(max_size=300), st.sampled_from(ENDINGS))
def test_any_bytes_with_any_ending_are_read_or_refused(data: bytes, ending: str) -> None:
    read_or_refused(data, f"a.{ending}")


@given(st.sampled_from(sorted(SAMPLES)), st.floats(0, 1), st.integers(0, 40), st.binary(max_size=20))
def test_a_damaged_file_is_read_or_refused(ending: str, where: float, lost: int, more: bytes) -> None:
    whole = SAMPLES[ending]
    at = int(where * len(whole))
    read_or_refused(whole[:at] + more + whole[at + lost :], f"a.{ending}")
