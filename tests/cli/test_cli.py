"""The command, run as a user runs it."""

import json
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from commands import tersely
from tersely import __version__, summarize

PAGE = """<!doctype html><html><head><title>t</title></head><body><nav><a href="/">Home</a></nav><article>
<h1>The river rises</h1><p>The river rose by two meters on Monday, and the lower town was flooded before dawn.</p>
<p>Firemen brought ninety people out of their houses by boat, the mayor of the town said in the evening.</p>
<p>More rain is expected by the weather service, and the river is not going to fall until Thursday.</p>
</article></body></html>"""


@pytest.fixture
def article(tmp_path: Path, english: str) -> str:
    file = tmp_path / "article.txt"
    file.write_text(english, encoding="utf-8")
    return str(file)


def test_a_file_and_standard_input_give_the_librarys_summary(article: str, english: str) -> None:
    expected = summarize(english, max_chars=300).text + "\n"
    for run in (
        tersely("summarize", article, "--max-chars", "300"),
        tersely("summarize", "-", "--max-chars", "300", stdin=english),
        tersely("summarize", "--max-chars", "300", stdin=english),
    ):
        assert (run.returncode, run.stdout, run.stderr) == (0, expected, "")


def test_json_is_the_librarys_json(article: str, english: str) -> None:
    run = tersely("summarize", article, "--max-words", "40", "--format", "json")
    assert run.stdout == summarize(english, max_words=40).to_json(indent=2) + "\n"


@pytest.mark.parametrize("form", ["text", "json", "html", "markdown"])
def test_an_output_file_holds_what_would_have_been_printed(article: str, tmp_path: Path, form: str) -> None:
    args = ("summarize", article, "--ratio", "0.2", "--format", form)
    output = tmp_path / "out"
    assert tersely(*args, "--output", str(output)).stdout == ""
    assert output.read_text(encoding="utf-8") == tersely(*args).stdout
    assert sorted(p.name for p in tmp_path.iterdir()) == ["article.txt", "out"]


def test_every_option_reaches_the_summary(article: str, english: str) -> None:
    run = tersely(
        *("summarize", article, "--max-bytes", "500", "--scorer", "textrank", "--encoder", "tfidf", "--select"),
        *("density:power=0.9", "--lang", "en", "--order", "rank", "--include", "3", "--include", "4"),
        *("--exclude", "0", "--separator", " | ", "--redundancy", "trigrams", "--format", "json"),
    )
    data = json.loads(run.stdout)
    chosen = [s["index"] for s in data["sentences"]]
    assert {3, 4} <= set(chosen)
    assert 0 not in chosen
    assert data["text"] == " | ".join(english[s["start"] : s["end"]] for s in data["sentences"])


@pytest.mark.parametrize(
    ("args", "stdin", "code", "message"),
    [
        (["--max-chars", "9"], b"", 1, "the text has no sentence"),
        (["--max-chars", "9"], b" \n ", 1, "the text has no sentence"),
        (["--max-chars", "3"], b"A long sentence.", 1, "the shortest needs 16"),
        (["--max-chars", "9"], b"abc \x00\xff def", 3, "standard input is not text"),
        (["--max-chars", "9"], b"%PDF-1.7\n", 3, "standard input is no readable PDF"),
        (["--max-chars", "9"], b"PK\x03\x04\n", 3, "is a broken archive or document"),
        (["--max-chars", "9"], b"\x1f\x8b\x08\x00", 3, "compressed: unpack it first"),
        (["--max-chars", "0"], b"A.", 2, "at least 1"),
        (["--max-chars", "-5"], b"A.", 2, "at least 1"),
        (["--max-chars", "x"], b"A.", 2, "'x' is not a whole number: write 300, 1,000 or 1k"),
        (["--ratio", "x"], b"A.", 2, "'x' is not a share: write 0.2 or 20%"),
        (["--max-chars", "9", "--include", "3-1"], b"A.", 2, "'3-1' is not a number of a sentence"),
        (["--max-chars", "9", "--include", "0-9999999999"], b"A.", 2, "is not a number of a sentence"),
        (["--max-chars", "9", "--lang", "klingon"], b"A.", 2, "'klingon' is not one of 'en'"),
        (["-", "300"], b"A.", 2, "there is no file '300': for a budget, write --max-words 300 or --max-chars 300"),
        (["-", "20%"], b"A.", 2, "there is no file '20%': for a budget, write --ratio 20%"),
        (["--max-chars", "9", "--show", "--format", "json"], b"A.", 2, "--show prints text"),
        (["--max-chars", "9", "--each", "--format", "html"], b"A.", 2, "--each does not go with --format html"),
        (["--max-chars", "9", "--ratio", "0.5"], b"A.", 2, "two budgets at once"),
        (["--ratio", "nan"], b"A.", 2, "ratio must be"),
        (["--max-tokens", "9"], b"A.", 2, "needs a tokenizer"),
        (["--max-tokens", "9", "--tokenizer", "nowhere.json"], b"A.", 3, "no tokenizer at nowhere.json"),
        (["--max-chars", "9", "--scorer", "textrnak"], b"A.", 2, "did you mean 'textrank'"),
        (["--max-chars", "9", "--select", "nope"], b"A.", 2, "choose from"),
        (["--max-chars", "9", "--model", "no/such/folder"], b"A.", 3, "there is no folder"),
        (["--max-chars", "9", "--encoder", "onnx:no/such", "--scorer", "textrank"], b"A.", 3, "no/such"),
        (["--max-chars", "9", "--include", "7"], b"A. B.", 2, "7"),
        (["--max-charz", "9"], b"A.", 2, "--max-chars"),
        (["missing.txt", "--max-chars", "9"], b"", 3, "missing.txt does not exist"),
        ([".", "--max-chars", "9"], b"", 3, "is a directory"),
        (["--max-chars", "9", "--output", "no/such/dir/x"], b"A.", 3, "cannot be written"),
        (["http://127.0.0.1:9/x", "--max-chars", "9"], b"", 3, "cannot be fetched"),
        (["http://[::1", "--max-chars", "9"], b"", 3, "cannot be fetched: Invalid IPv6 URL"),
        (["http://no host/", "--max-chars", "9"], b"", 3, "cannot be fetched"),
        (["--max-chars", "9"], b"<html><body></body></html>", 3, "no article"),
    ],
)
def test_bad_input_is_one_clear_line(args: list[str], stdin: bytes, code: int, message: str) -> None:
    run = tersely("summarize", *args, stdin=stdin)
    assert run.returncode == code
    assert message in run.stderr
    assert run.stderr.count("\n") == 1
    assert run.stderr.startswith("tersely: ")


def test_nothing_fits_still_prints_the_json() -> None:
    run = tersely("summarize", "--max-chars", "3", "--format", "json", stdin="A long sentence.")
    assert run.returncode == 1
    assert json.loads(run.stdout)["needed"] == 16


def test_a_byte_order_mark_is_not_text() -> None:
    assert tersely("summarize", "--max-chars", "5", stdin=b"\xef\xbb\xbfAbc.").stdout == "Abc.\n"


def test_an_html_file_is_read_as_its_article(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(PAGE)
    run = tersely("summarize", str(file), "--max-sentences", "1")
    assert run.returncode == 0
    assert run.stdout.strip() in PAGE
    # On standard input, it is known by how it begins; a byte order mark is no part of that.
    assert tersely("summarize", "--max-sentences", "1", stdin=PAGE.encode("utf-8-sig")).stdout == run.stdout


@pytest.fixture
def address() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path == "/page"
            self.send_response(200 if found else 404)
            self.end_headers()
            self.wfile.write(PAGE.encode() if found else b"")

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_page_is_fetched(address: str) -> None:
    run = tersely("summarize", f"{address}/page", "--max-sentences", "1")
    assert run.stdout.strip() in PAGE
    gone = tersely("summarize", f"{address}/gone", "--max-sentences", "1")
    assert gone.returncode == 3
    assert "Not Found" in gone.stderr


def test_tokens_are_counted_by_the_given_tokenizer(tmp_path: Path, article: str) -> None:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    tokenizer = Tokenizer(WordLevel({"?": 0}, unk_token="?"))
    tokenizer.pre_tokenizer = Whitespace()
    file = tmp_path / "tokenizer.json"
    tokenizer.save(str(file))
    run = tersely("summarize", article, "--max-tokens", "60", "--tokenizer", str(file), "--format", "json")
    data = json.loads(run.stdout)
    assert len(tokenizer.encode(data["text"]).ids) == data["length"] <= 60
    file.write_text("{}")
    broken = tersely("summarize", article, "--max-tokens", "60", "--tokenizer", str(file))
    assert (broken.returncode, "not a tokenizer.json" in broken.stderr) == (3, True)


@pytest.mark.parametrize("how", [[], ["--coherence", "off"], ["--scorer", "textrank"]])
def test_a_choice_is_explained_beside_the_summary(article: str, how: list[str]) -> None:
    plain = tersely("summarize", article, "--max-chars", "400", *how)
    run = tersely("summarize", article, "--max-chars", "400", "--explain", *how)
    assert run.stdout == plain.stdout
    lines = run.stderr.splitlines()
    assert lines[0] == "In the summary:"
    assert "Left out, the best first:" in lines
    assert lines[-3].startswith("and ")
    assert lines[-1].startswith("tersely: ")
    assert max(map(len, lines[:-2])) <= 100


def test_the_frontier_is_a_table_or_json(article: str) -> None:
    table = tersely("frontier", article, "--limit", "500", "--points", "5").stdout.splitlines()
    assert table[0].split()[:3] == ["budget", "length", "value"]
    assert len(table) >= 5
    source = " ".join(Path(article).read_text(encoding="utf-8").split())
    changes = [line.split(None, 1) for line in table if line.strip().startswith(("+ ", "- "))]
    assert len(changes) >= 3
    assert all(text.rstrip("…") in source for sign, text in changes if not text.endswith(" more"))
    assert max(map(len, table)) <= 100
    data = json.loads(tersely("frontier", article, "--limit", "300", "--all", "--format", "json").stdout)
    budgets = [step["budget"] for step in data["steps"]]
    assert budgets == sorted(set(budgets))
    assert all(step["length"] <= step["budget"] for step in data["steps"])


def test_positions_are_those_of_the_json(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("# Rain\n\nIt rains\nhard. The old harbor is under water.\n")
    lines = tersely("summarize", str(file), "--max-sentences", "1", "--positions").stdout
    assert lines == "[2, 21-51, Rain] The old harbor is under water.\n"
    wrong = tersely("summarize", str(file), "--positions", "--format", "json")
    assert (wrong.returncode, "--positions is for text" in wrong.stderr) == (2, True)


def test_a_page_has_the_title_of_the_document_or_the_name_of_its_file(tmp_path: Path) -> None:
    for name, text, title in (
        ("a.md", "# The old & new harbor\n\nIt rains.", "The old &amp; new harbor"),
        ("b & c.txt", "It rains. It snows.", "b &amp; c.txt"),
    ):
        (tmp_path / name).write_text(text)
        page = tersely("summarize", str(tmp_path / name), "--max-chars", "20", "--format", "html").stdout
        assert f"<title>{title}</title>" in page
        assert "<footer>" in page
    assert "<title>It rains.</title>" in summarize("It rains.\nIt snows.", max_chars=9).to_html()


def test_the_frontier_of_a_log_names_its_lines() -> None:
    log = "\n".join(
        [*(f"2025-01-01 10:00:0{i} INFO step {i} done" for i in range(9)), "2025-01-01 10:01:00 ERROR disk full"]
    )
    run = tersely("frontier", stdin=log)
    assert (run.returncode, run.stderr) == (0, "")
    assert "+ 2025-01-01 10:01:00 ERROR disk full" in run.stdout


def test_the_frontier_is_drawn(article: str, tmp_path: Path) -> None:
    picture = tmp_path / "frontier.png"
    assert tersely("frontier", article, "--plot", str(picture)).returncode == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    wrong = tersely("frontier", article, "--plot", "frontier.gif")
    assert (wrong.returncode, wrong.stdout, ".png" in wrong.stderr) == (2, "", True)


def test_models_lists_every_part_and_shows_a_card() -> None:
    listed = tersely("models").stdout
    for name in ("coverage", "textrank", "use", "tfidf", "hub", "onnx", "knapsack", "greedy"):
        assert name in listed
    assert "ROUGE" in tersely("models", "news").stdout


@pytest.mark.parametrize("args", [(), ("train",), ("human",)])
def test_a_command_alone_shows_its_help_as_it_is_laid_out(args: tuple[str, ...]) -> None:
    run = tersely(*args)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == tersely(*args, "--help").stdout


@pytest.mark.parametrize(
    "args",
    [
        ("train", "scorer", "FILE", "--config", "news", "--out", "FILE"),
        ("train", "scorer", "FILE", "--config", "news", "--out", "model", "--cache", "FILE"),
        ("train", "knapsack", "FILE", "--out", "FILE"),
        ("train", "editor", "FILE", "--data", ".", "--out", "FILE"),
        ("train", "editor", "FILE", "--data", "nowhere", "--out", "model"),
        ("encode", "FILE", "--cache", "FILE"),
        ("evaluate", "FILE", "--out", "FILE"),
        ("reproduce", "table2", "--data", "FILE"),
        ("reproduce", "table2", "--data", "nowhere"),
        ("reproduce", "table2", "--models", "nowhere"),
    ],
)
def test_a_folder_that_is_none_is_said_before_any_work(article: str, args: tuple[str, ...]) -> None:
    run = tersely(*(article if arg == "FILE" else arg for arg in args))
    assert run.returncode == 2
    assert ("is a file" in run.stderr) or ("does not exist" in run.stderr)
    assert run.stderr.count("\n") == 1


@pytest.mark.parametrize(("file", "said"), [("config.toml", "holds a model already"), ("thesis.tex", "other files")])
def test_a_model_is_not_written_among_other_files(article: str, tmp_path: Path, file: str, said: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / file).touch()
    run = tersely("train", "scorer", article, "--config", "news", "--out", str(folder))
    assert (run.returncode, run.stderr.count("\n")) == (2, 1)
    assert said in run.stderr
    assert [path.name for path in folder.iterdir()] == [file]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--max-chars", "0"), "--max-chars must be a whole number of at least 1, not 0"),
        (("--max-words", "9", "--ratio", "0.5"), "--max-words and --ratio"),
    ],
)
def test_budgets_are_called_as_on_the_command_line(article: str, options: tuple[str, ...], said: str) -> None:
    run = tersely("summarize", article, *options)
    assert (run.returncode, run.stderr.count("\n")) == (2, 1)
    assert said in run.stderr


def test_a_folder_that_cannot_be_made_is_one_line(article: str, tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text(json.dumps({"text": "One fish. Two fish.", "summary": "Two fish."}))
    run = tersely("evaluate", str(data), "--systems", "lead", "--out", f"{article}/out")
    assert (run.returncode, run.stderr.splitlines()[-1]) == (3, f"tersely: {article}/out: Not a directory")


@pytest.mark.parametrize(
    ("module", "extra", "args"),
    [
        ("rouge_score", "eval", ("evaluate", "DATA", "--systems", "lead", "--workers", "2")),
        ("sumy", "eval", ("evaluate", "DATA", "--systems", "sumy-textrank", "--workers", "2")),
        ("torch", "train", ("reproduce", "table1")),
        ("numba", "train", ("reproduce", "table1")),
        ("tensorboard", "train", ("train", "scorer", "DATA", "--config", "cpu-siamese-en", "--out", "OUT")),
    ],
)
def test_a_missing_extra_is_named(tmp_path: Path, module: str, extra: str, args: tuple[str, ...]) -> None:
    data, hidden = tmp_path / "data.jsonl", tmp_path / "hidden"
    data.write_text((json.dumps({"text": "One fish. Two fish.", "summary": "Two fish."}) + "\n") * 40)
    (hidden / module).mkdir(parents=True)
    (hidden / module / "__init__.py").write_text(f"raise ModuleNotFoundError('hidden', name='{module}')")
    paths = {"DATA": str(data), "OUT": str(tmp_path / "out")}
    path = os.pathsep.join(filter(None, [str(hidden), os.environ.get("PYTHONPATH")]))
    run = tersely(*(paths.get(arg, arg) for arg in args), PYTHONPATH=path)
    assert (run.returncode, run.stderr.count("\n")) == (3, 1)
    assert f"pip install 'tersely[{extra}]'" in run.stderr


def test_an_unknown_command_is_named_with_the_nearest() -> None:
    run = tersely("summarise", "article.txt")
    assert (run.returncode, run.stderr) == (2, "tersely: unknown command 'summarise': did you mean 'summarize'?\n")


def test_version_help_and_completion() -> None:
    assert __version__ in tersely("--version").stdout
    assert "summarize" in tersely("--help").stdout
    for shell in ("bash", "zsh", "fish"):
        assert "_TERSELY_COMPLETE" in tersely("completion", shell).stdout
    typed = tersely(_TERSELY_COMPLETE="bash_complete", COMP_WORDS="tersely sum", COMP_CWORD="1")
    assert "summarize" in typed.stdout


def test_a_summary_is_verified_and_its_places_are_printed(article: str, tmp_path: Path) -> None:
    summary = tmp_path / "summary.txt"
    summary.write_text(tersely("summarize", article, "--max-chars", "300").stdout, encoding="utf-8")
    run = tersely("verify", summary, article)
    assert (run.returncode, run.stderr) == (0, "")
    assert all(line.startswith(f"verbatim {article}:") for line in run.stdout.splitlines())
    run = tersely("verify", "-", article, "--format", "json", stdin="Nobody said so.")
    assert (run.returncode, run.stderr) == (1, "tersely: 0 of 1 in the sources, 1 missing\n")
    assert json.loads(run.stdout)["claims"][0]["verdict"] == "missing"
    run = tersely("verify", "-", article, "--quotations", stdin='He says "it is a bird".')
    assert (run.returncode, run.stdout) == (1, "missing   it is a bird\n")


def test_what_cannot_be_verified_is_one_clear_line(article: str) -> None:
    run = tersely("verify", "-", article, "--quotations", stdin="No quotation.")
    assert (run.returncode, run.stdout, run.stderr) == (2, "", "tersely: - has no quotation to check\n")
    run = tersely("verify", "-", "-", stdin="Rain.")
    assert (run.returncode, run.stderr.count("\n")) == (2, 1)
    assert "standard input can be read once" in run.stderr


def test_pins_stay_and_say_what_they_need(tmp_path: Path) -> None:
    text = "It rained all day long. The wall costs $5. The ticket is HB-118. Nobody spoke."
    run = tersely("summarize", "--max-chars", "50", "--keep", "amounts", "--keep", r"HB-\d+", stdin=text)
    assert run.stdout == "The wall costs $5. The ticket is HB-118.\n"
    run = tersely("summarize", "--max-chars", "20", "--keep", "amounts", "--keep", "ids", stdin=text)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == "tersely: the pins need 40 of 20 chars: give more room, or fewer patterns to keep\n"
    (tmp_path / "in.jsonl").write_text(json.dumps({"id": "a", "text": text}) + "\n", encoding="utf-8")
    run = tersely("batch", tmp_path / "in.jsonl", tmp_path / "out.jsonl", "--max-chars", "30", "--keep", "ids")
    assert run.returncode == 0, run.stderr
    assert "HB-118" in (tmp_path / "out.jsonl").read_text(encoding="utf-8")
