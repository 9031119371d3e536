"""What comes out of each form of file: the text, what its blocks are, and where they stand."""

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest
from click.testing import CliRunner

from extract.making import archive, article, blocks, docx, epub, labels, pdf
from tersely.cli import cli
from tersely.errors import InputError, MissingExtraError
from tersely.extract import FORMS, extract
from tersely.text import Document, language
from tersely.text.blocks import join_parts
from tersely.text.split import find_blocks, split_blocks

GERMAN = "Die Stadt kündigte an, dass der Kern der Altstadt gesperrt wird. Die Händler fürchten größere Umwege."
CHINESE = "市政府宣布，古城核心区将从明年起全面禁止私家车通行。商户担心客流减少，专家认为空气会改善。"
TAIWANESE = "市政府宣布，古城核心區將從明年起全面禁止私家車通行。商戶擔心客流減少，專家認為空氣會改善。"
JAPANESE = "市は来年から旧市街の中心部で自家用車の通行を禁止すると発表した。住民は電気バスを無料で利用できる。"


@pytest.mark.parametrize(
    ("text", "codec", "said"),
    [
        (GERMAN, "utf-8-sig", ()),
        (GERMAN, "utf-16", ()),
        (GERMAN, "utf-16le", ("read as UTF-16",)),
        (GERMAN, "latin-1", ("read as Windows-1252",)),
        ("Le cœur de la ville sera fermé dès l’année prochaine. Déjà ?", "cp1252", ("read as Windows-1252",)),
        (CHINESE, "gb18030", ("read as GB18030",)),
        (CHINESE + " 2026 \n", "utf-16be", ("read as UTF-16",)),
        (JAPANESE + " 2026 \n", "utf-16le", ("read as UTF-16",)),
        (10 * CHINESE + "一\n", "utf-16be", ("read as UTF-16",)),
        (10 * CHINESE + "一\n", "utf-16le", ("read as UTF-16",)),
        (TAIWANESE, "big5", ("read as Big5",)),
        (JAPANESE, "shift_jis", ("read as Shift_JIS",)),
        ("A plain line.\n" * 9000 + CHINESE, "gb18030", ("read as GB18030",)),
    ],
)
def test_text_in_any_common_encoding_is_read_and_the_encoding_is_said(text: str, codec: str, said: tuple[str]) -> None:
    found = extract(text.encode(codec), name="a.txt")
    assert (found.text, found.notes) == (text, said)


def test_the_charset_of_the_media_type_counts() -> None:
    assert extract("Žluť.".encode("cp1250"), media_type="text/plain; charset=windows-1250").text == "Žluť."


def test_a_page_keeps_its_article_with_headings_lists_and_tables() -> None:
    page = (
        "<!doctype html><html><body><nav><a href=x>Menu</a></nav><article><h1>The harbor plan</h1><p>The council "
        "of the town has decided that the harbor needs deeper water for its ferries.<h2>Costs</h2><ul><li>Piers cost "
        "more than expected.</ul><table><tr><td>Year<td>Cost</table><script>x()</script></article></body></html>"
    )
    found = extract(page.encode(), name="whatever.pdf", media_type="application/pdf")
    assert [block[0] for block in blocks(found)] == ["heading", "prose", "heading", "item", "row"]
    assert found.place(found.text.index("Piers")) == {"section": "Costs"}


def test_a_word_document_is_read_as_if_its_changes_were_accepted() -> None:
    found = extract(docx())
    assert blocks(found) == [
        ("heading", "Harbor report"),
        ("heading", "2 Methods"),
        ("prose", "We asked all swimmers."),
        ("item", "Towels were dry."),
        ("row", "Year | Fish"),
        ("row", "1990 | 12"),
        ("caption", "Figure 1: A fish"),
    ]
    assert found.place(found.text.index("Towels")) == {"section": "2 Methods"}


def test_the_chapters_of_a_book_are_read_in_order() -> None:
    found = extract(
        epub(["<h1>One</h1><p>It was dark.</p>", "<h1>Two</h1><p>Day\ncame.</p><blockquote>So.</blockquote>"])
    )
    assert blocks(found)[3:] == [("prose", "Day\ncame."), ("quote", "So.")]
    assert labels(found) == [{"chapter": 1, "section": "One"}, {"chapter": 2, "section": "Two"}]


def test_a_table_of_rtf_has_rows() -> None:
    table = rb"{\rtf1\ansi It rains.\par\trowd Year\cell Ships\cell\row\trowd 1990\cell 7\cell\row It stops.\par}"
    assert blocks(extract(table)) == [
        ("prose", "It rains."), ("row", "Year | Ships"), ("row", "1990 | 7"), ("prose", "It stops."),
    ]  # fmt: skip


def test_an_opendocument_text_is_read_without_notes() -> None:
    names = {"office": "office", "text": "text", "table": "table"}
    spaces = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in names)
    content = (
        f'<office:document-content {spaces}><office:body><office:text><text:h text:outline-level="2">Costs</text:h>'
        "<text:p>We asked<text:s/>all <text:span>swimmers</text:span><text:note>a note</text:note>.</text:p>"
        "<text:list><text:list-item><text:p>Towels were dry.</text:p></text:list-item></text:list>"
        "<table:table><table:table-row><table:table-cell><text:p>Year</text:p></table:table-cell>"
        "<table:table-cell><text:p>Fish</text:p></table:table-cell></table:table-row></table:table>"
        "</office:text></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.text"
    found = extract(archive({"mimetype": kind, "content.xml": content}), name="a.odt")
    assert blocks(found) == [
        ("heading", "Costs"),
        ("prose", "We asked all swimmers."),
        ("item", "Towels were dry."),
        ("row", "Year | Fish"),
    ]
    with pytest.raises(InputError, match="is an OpenDocument file, but no text"):
        extract(archive({"mimetype": kind.replace("text", "spreadsheet"), "content.xml": content}))


def test_slides_are_read_in_the_order_of_the_presentation() -> None:
    main = "http://schemas.openxmlformats.org"
    spaces = f'xmlns:a="{main}/drawingml/2006/main" xmlns:p="{main}/presentationml/2006/main"'
    spaces += f' xmlns:r="{main}/officeDocument/2006/relationships"'

    def shape(role: str, text: str) -> str:
        holder = f'<p:nvSpPr><p:nvPr><p:ph type="{role}"/></p:nvPr></p:nvSpPr>'
        return f"<p:sp>{holder}<p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"

    slides = {
        f"ppt/slides/slide{i}.xml": f"<p:sld {spaces}>{shape('title', title)}{shape('body', text)}"
        f"{shape('sldNum', str(i))}</p:sld>"
        for i, title, text in ((1, "Second", "It rained."), (2, "First", "The river rose."))
    }
    relations = "".join(f'<Relationship Id="r{i}" Target="slides/slide{i}.xml"/>' for i in (1, 2))
    order = "".join(f'<p:sldId r:id="r{i}"/>' for i in (2, 1))
    found = extract(
        archive(
            {
                "ppt/presentation.xml": f"<p:presentation {spaces}><p:sldIdLst>{order}</p:sldIdLst></p:presentation>",
                "ppt/_rels/presentation.xml.rels": f"<Relationships>{relations}</Relationships>",
                **slides,
            }
        ),
        name="a.pptx",
    )
    assert blocks(found) == [
        ("heading", "First"),
        ("item", "The river rose."),
        ("heading", "Second"),
        ("item", "It rained."),
    ]
    assert labels(found) == [{"slide": 1, "section": "First"}, {"slide": 2, "section": "Second"}]


def test_each_message_of_a_mailbox_is_read_under_its_subject() -> None:
    mails = "".join(
        f"From a@b.c Mon Jan  5 10:00:00 2026\nSubject: {subject}\nMIME-Version: 1.0\n\n{text}\n\n"
        for subject, text in (("=?utf-8?q?Caf=C3=A9?=", "It rained all night."), ("Harbor", "The river rose."))
    )
    found = extract(mails.encode(), name="inbox")
    assert found.form == "mbox"
    assert blocks(found) == [
        ("heading", "Café"),
        ("prose", "It rained all night."),
        ("heading", "Harbor"),
        ("prose", "The river rose."),
    ]
    assert labels(found)[1] == {"message": 2, "section": "Harbor"}


def test_the_markdown_of_a_notebook_is_read() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Fish\n", "\n", "One *red* fish."]},
        {"cell_type": "code", "source": "x = 1"},
        {"cell_type": "markdown", "source": "It swims."},
    ]
    found = extract(json.dumps({"cells": cells}).encode(), name="a.ipynb")
    assert blocks(found) == [("heading", "Fish"), ("prose", "One red fish."), ("prose", "It swims.")]
    with pytest.raises(InputError, match="has no cells of a notebook"):
        extract(b"[1]", name="a.ipynb")


def test_rtf_is_read_in_its_own_encoding() -> None:
    found = extract(
        rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}\f0 Sch\'f6n ist es.\par Zwei \u8364? reichen.\par}"
    )
    assert [text for _, text in blocks(found)] == ["Schön ist es.", "Zwei € reichen."]


def test_subtitles_keep_their_times() -> None:
    srt = "1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>The council met</i>\r\n\r\n2\r\n00:00:02,600 --> 00:00:04,000\r\n"
    found = extract(
        f"{srt}on Monday.\r\n\r\n3\r\n01:01:02,600 --> 01:01:04,000\r\n- Who?\r\n- Me.\r\n".encode("utf-16"),
        name="a.srt",
    )
    assert found.document().texts == ("The council met\non Monday.", "Who?", "Me.")
    assert found.place(found.text.index("Monday")) == {"time": "00:00:02"}
    assert found.place(found.text.index("Me")) == {"time": "01:01:02"}
    vtt = extract(
        b"WEBVTT\n\nNOTE no\n\n00:01.000 --> 00:02.000 align:start\n<v Ann Lee>Fish &amp; chips."
        b"\n\n00:03.000 --> 00:04.000\n<v Bob>Yes.\n"
    )
    assert [(block.kind, block.speaker) for block in vtt.blocks] == [("turn", "Ann Lee"), ("turn", "Bob")]
    assert vtt.text == "Fish & chips.\nYes."


def test_names_before_what_is_said_in_subtitles_are_speakers() -> None:
    turns = ("Ann Lee: Good morning.", "Bob: Hello.", "It is cold.", "Ann Lee: It is.")
    cues = (f"{i}\n00:00:0{i}.000 --> 00:00:0{i}.900\n{turn}\n" for i, turn in enumerate(turns))
    meeting = extract(("WEBVTT\n\n" + "\n".join(cues)).encode(), name="meeting.vtt")
    assert [(block.speaker, block.time) for block in meeting.blocks] == [
        ("Ann Lee", "00:00:00"),
        ("Bob", "00:00:01"),
        ("Ann Lee", "00:00:03"),
    ]
    assert meeting.document().texts == ("Good morning.", "Hello.", "It is cold.", "It is.")
    lesson = extract(
        b"1\n00:00:01,000 --> 00:00:02,000\nNote: it rains.\n\n2\n00:00:03,000 --> 00:00:04,000\nGo on.\n", name="a.srt"
    )
    assert {block.speaker for block in lesson.blocks} == {""}


MAIL = b"Return-Path: <a@b.c>\nFrom: Ann <a@b.c>\nSubject: Harbor\nMIME-Version: 1.0\n"
REPLY = b"\n\n-- \nAnn Lee\nHarbor Office\n\nOn Mon, 4 May 2026 at 10:00, Bob <b@c.d> wrote:\n> When does it close?\n"


def test_the_message_of_a_mail_is_read_without_headers_and_replies() -> None:
    found = extract(
        MAIL + b"Content-Type: text/plain; charset=utf-8\n\nThe harbor closes in May. Tell the ferries." + REPLY
    )
    assert blocks(found)[0] == ("prose", "The harbor closes in May. Tell the ferries.")
    assert {kind for kind, _ in blocks(found)[1:]} == {"signature"}
    assert "When" not in found.text
    html = b"Content-Type: text/html\n\n<table><tr><td><p>It closes.</table><blockquote type=cite>When?</blockquote>"
    assert blocks(extract(MAIL + html)) == [("prose", "It closes.")]
    older = b"<div><b>From:</b> Bo<br><b>Sent:</b> Monday<br><b>To:</b> Di</div><p>When does it close?</p>"
    html = b"Content-Type: text/html\n\n<ul><li>It closes in May.</ul><p>Best,<br>Di</p><hr>" + older
    assert blocks(extract(MAIL + html)) == [("item", "It closes in May."), ("signature", "Best,\nDi")]


def test_a_column_or_a_field_is_read_by_its_name() -> None:
    table = 'id;body\r\n1;"Rain; more\r\nrain."\r\n2;Sun.\r\n'
    found = extract(table.encode(), name="a.csv", field="body")
    assert (found.text, labels(found)) == ("Rain; more\nrain.\n\nSun.", [{"row": 1}, {"row": 2}])
    assert extract(b"id\ttext\n1\tRain, rain.\n", name="a.tsv").text == "Rain, rain."
    pages = json.dumps({"pages": [{"body": "One."}, {"body": "Two."}]}).encode()
    assert extract(pages, name="a.json", field="pages.body").text == "One.\n\nTwo."
    with pytest.raises(InputError, match=r"^a\.json has no field 'x', but pages$"):
        extract(pages, name="a.json", field="x")


def test_without_a_name_the_longest_column_or_field_is_read_if_there_is_one() -> None:
    found = extract(b"id,body\n1,Rain falls all day.\n2,Sun.\n", name="a.csv")
    assert (found.text, found.notes) == ("Rain falls all day.\n\nSun.", ("read its column 'body'",))
    found = extract(b'{"id": 7, "article": {"title": "Rain", "body": ["It rains.", "It pours."]}}', name="a.json")
    assert (found.text, found.notes) == ("It rains.\n\nIt pours.", ("read its field 'article.body'",))
    with pytest.raises(InputError, match=r"^a\.csv has no column 'text', but fish, bird: name .* --text-column$"):
        extract(b"fish,bird\nA cod swims.,A tern flies.\n", name="a.csv")
    with pytest.raises(InputError, match=r"^a\.json has no field 'text', but a, b: name the one .* with --field$"):
        extract(b'[{"a": "It rains.", "b": "It pours."}]', name="a.json")


def test_a_missing_library_is_named_with_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    given = pdf([article(1)]), docx(), CHINESE.encode("gb18030")
    for module in ("pypdfium2", "docx", "charset_normalizer", "markdown_it"):
        monkeypatch.setitem(sys.modules, module, None)
    for data in given:
        with pytest.raises(MissingExtraError, match=r"pip install 'tersely\[files\]'"):
            extract(data)
    found = extract(b"# Fish\n\nOne swims.", name="a.md")  # whose lines say most of it
    assert [kind for kind, _ in blocks(found)] == ["heading", "prose"]
    assert "pip install" in found.notes[0]


@pytest.mark.parametrize("language", [None, "en"])
def test_a_text_is_detected_and_cut_into_blocks_once(language: str | None) -> None:
    text = (Path(__file__).parents[2] / "examples" / "harbor.txt").read_bytes()
    calls = count_calls(lambda: extract(text, name="a.txt").document(language))
    assert calls == {"detect_language": 1, "find_blocks": 1, "split_blocks": 1}


def test_the_blocks_of_any_other_file_are_joined_once() -> None:
    for data in (pdf([article(1)]), docx(), epub(["<h1>One</h1><p>It was dark.</p>"])):
        calls = count_calls(lambda data=data: extract(data).document())
        assert calls == {"detect_language": 1, "join_parts": 1, "split_blocks": 1}


def count_calls(work: Callable[[], object]) -> Counter[str]:
    """Count the calls of the functions that detect, cut, join and split, each by its name."""
    counted = (language.detect_language, find_blocks, join_parts, split_blocks)
    names = {function.__code__: function.__name__ for function in counted}
    calls: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code in names:
            calls[names[frame.f_code]] += 1

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def test_a_plain_text_in_a_given_language_has_the_blocks_of_that_language() -> None:
    text = "第一章 港口\n\n市政府宣布，古城核心区将全面禁止私家车通行。"
    for chosen in ("zh", "en"):
        assert extract(text.encode()).document(chosen) == Document.from_text(text, chosen)


def test_the_json_of_a_summary_says_where_each_sentence_stands(tmp_path: Path) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(pdf([article(1), article(2)]))
    notes = tmp_path / "b.txt"
    notes.write_bytes("Die Fähre fährt.".encode("latin-1"))
    run = CliRunner().invoke(cli, ["summarize", str(file), "--max-sentences", "3", "--format", "json"])
    data = json.loads(run.stdout)
    text = data["extracted"][0]["text"]
    assert all(sentence["page"] in (1, 2) for sentence in data["sentences"])
    assert all(text[sentence["start"] : sentence["end"]] == sentence["text"] for sentence in data["ranking"])
    both = ["summarize", str(file), str(notes), "--max-sentences", "9", "--format", "json"]
    run = CliRunner().invoke(cli, both)
    data = json.loads(run.stdout)
    assert {sentence.get("page") for sentence in data["sentences"] if sentence["source"] == str(file)} <= {1, 2}
    assert run.stderr == f"tersely: {notes}: read as Windows-1252\n"


def test_every_form_is_told_by_its_ending_and_its_media_type() -> None:
    assert len({ending for form in FORMS.values() for ending in form.endings.split()}) >= len(FORMS)
    assert all(form.media for form in FORMS.values())
