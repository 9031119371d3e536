"""Several sources, a query, headers and marks: the promises, on generated cases."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from strategies import texts
from tersely import Document, Source, Summarizer, UsageError, summarize
from tersely.cli import cli
from tersely.errors import InputError, ModelError
from tersely.extract.source import read_sources
from tersely.read.reader import Network, Outputs
from tersely.text.length import load_token_counter, measure

DEFAULT = Summarizer.load()
FACTS = [
    {
        "id": "harbor",
        "title": "The harbor",
        "text": "The harbor closes in May. Boats must go. The mayor is Ann Bell.",
    },
    {"id": "mayor", "title": "Ann Bell", "text": "She was born in Oslo. She likes tea. The sea is cold."},
    {"id": "weather", "text": "It will rain on Sunday. It may snow on Monday. Wind comes from the west."},
]


def count_tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


@given(
    st.lists(texts, max_size=5),
    st.integers(1, 150),
    st.sampled_from(["chars", "words", "bytes", "sentences", "tokens"]),
    st.sampled_from([None, "river", "天气 rain?", "!"]),
    st.sampled_from([None, "{id}:\n", "[{number}] {title}: "]),
    st.sampled_from([None, "[...]", "…"]),
    st.sampled_from(["document", "rank"]),
    st.sampled_from(["off", "strict"]),
)
def test_no_budget_is_exceeded_and_every_sentence_stands_in_its_source(
    given_texts: list[str],
    limit: int,
    unit: Any,
    query: str | None,
    header: str | None,
    omission: str | None,
    order: Any,
    coherence: Any,
) -> None:
    how: dict[str, Any] = {"header": header, "omission": omission, "order": order, "coherence": coherence}
    summary = DEFAULT.summarize(given_texts, **{f"max_{unit}": limit}, query=query, tokenizer=count_tokens, **how)
    by_id = {str(number): text for number, text in enumerate(given_texts, 1)}
    for sentence in (*summary.sentences, *summary.ranking):
        assert sentence.source is not None
        assert by_id[sentence.source][sentence.start : sentence.end] == sentence.text
    actual = len(summary.sentences) if unit == "sentences" else measure(summary.text, unit, count_tokens)
    assert actual == summary.length <= limit
    sources = [sentence.source for sentence in summary.sentences]
    assert len(set(sources)) == sum(a != b for a, b in zip([None, *sources], sources, strict=False))
    for source in set(sources):
        assert header is None or header.replace("{id}", str(source)).partition("{")[0] in summary.text


@given(st.lists(texts, min_size=1, max_size=3), st.sampled_from([None, "river"]))
@settings(max_examples=30)
def test_the_frontier_gives_what_each_budget_gives(given_texts: list[str], query: str | None) -> None:
    how: dict[str, Any] = {"query": query, "header": "{id}: ", "omission": "…"}
    frontier = DEFAULT.frontier(given_texts, **how)
    for budget in range(1, frontier.capacity + 1, 7):
        assert frontier.at(budget) == DEFAULT.summarize(given_texts, max_chars=budget, **how)


@given(st.lists(texts, min_size=1, max_size=3), st.sampled_from(["strict", "soft", "off"]))
@settings(max_examples=30)
def test_the_steps_of_the_frontier_are_those_of_each_budget(given_texts: list[str], coherence: Any) -> None:
    frontier = DEFAULT.frontier(given_texts, query="the river rose", coherence=coherence)
    steps = frontier.steps()
    for budget in range(1, frontier.capacity + 1):
        step = next(step for step in reversed(steps) if step.budget <= budget)
        assert step.chosen == frontier.fitting.choice(budget).chosen


def test_a_query_chooses_what_answers_it() -> None:
    assert summarize(FACTS, query="When does the harbor close?", max_chars=30).text == "The harbor closes in May."
    assert summarize(FACTS, query="Will there be snow?", max_chars=30).sentences[0].source == "weather"


def test_what_the_first_sentences_name_is_found_in_the_second_step() -> None:
    chosen = summarize(FACTS, query="Where was the mayor of the harbor born?", max_chars=50)
    assert "She was born in Oslo." in chosen.text


def test_a_sentence_that_answers_is_kept_alone_if_what_it_needs_has_no_room() -> None:
    text = "The bridge cost 12 million euros. It opened in 2014. Nobody came to see it."
    assert summarize(text, query="Did it open in 2014?", max_chars=60).text == text[:52]
    assert summarize(text, query="Did it open in 2014?", max_chars=40).text == "It opened in 2014."
    # Without a question, what can be read on its own is better.
    assert summarize(text, max_chars=40).text == "The bridge cost 12 million euros."


def test_a_heading_beside_what_answers_is_no_answer() -> None:
    text = "# Plan\n\nThe harbor closes at six in the evening.\n\n# Fees\n\nNobody knows the fees of next year."
    summary = summarize([text], query="When does the harbor close?", max_chars=20)
    assert (summary.text, summary.reason, summary.needed) == ("", "nothing-fits", 40)


def test_a_long_sentence_makes_room_for_short_ones_about_the_same() -> None:
    long = "Of the harbor much was said and written by travelers who came by sea, by land or not at all, for years."
    sources = [long, "The harbor is deep.", "The harbor is old.", "A harbor needs a pilot."]
    assert summarize(sources, query="harbor", max_chars=103).text == " ".join(sources[1:])


def test_a_year_is_no_answer_to_how_many() -> None:
    sources = ["The school took some students in 1834.", "The school took 640 students, and some more."]
    assert summarize(sources, query="How many students did the school take?", max_sentences=1).text == sources[1]
    undated = "The school took some students."
    assert summarize([undated, sources[0]], query="When did it take students?", max_sentences=1).text == sources[0]


def test_sources_that_have_nothing_to_do_with_the_question_are_not_read() -> None:
    sources = ["The harbor closes. It is old.", "The mayor resigned. He gave no reason."]
    needs = {each.text: each.needs for each in summarize(sources, query="harbor", max_chars=20).ranking}
    assert (needs["It is old."], needs["He gave no reason."]) == (0, None)
    pinned = summarize(sources, query="harbor", max_chars=60, include=2)
    assert {each.text: each.needs for each in pinned.ranking}["He gave no reason."] == 2


def test_headers_and_marks_are_where_they_belong() -> None:
    summary = summarize(FACTS, max_chars=200, include=[0, 2, 6], header="{number}. {title}\n", omission="[...]")
    assert summary.text.startswith("1. The harbor\nThe harbor closes in May. ")
    only = summarize(FACTS, max_sentences=3, include=[0, 2, 6], header="{number}. {title}\n", omission="[...]")
    assert only.text == (
        "1. The harbor\nThe harbor closes in May. [...] The mayor is Ann Bell.\n\n3. weather\nIt will rain on Sunday."
    )


def test_every_kind_of_source_is_as_good() -> None:
    text = "One fish. Two fish."
    for each in (text, {"text": text}, {"id": 1, "text": text}, Source("1", text), Document.from_text(text)):
        [sentence] = summarize([each], max_chars=9).sentences
        assert (sentence.source, sentence.start, sentence.end) == ("1", 0, 9)


def test_repetition_across_sources_is_seen() -> None:
    same = "The river flooded the old town on Sunday night."
    assert summarize([same, same, "Rain fell."], max_sentences=2).text.count("river") == 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"query": " "}, "the query is empty"),
        ({"query": 5}, "query must be a string"),
        ({"encoder": "use"}, "`encoder` only applies to a query"),
    ],
)
def test_a_wrong_query_is_one_clear_line(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        summarize(FACTS, max_chars=50, **wrong)


def test_wrong_sources_are_one_clear_line() -> None:
    with pytest.raises(UsageError, match="two sources have the id 'a'"):
        summarize([Source("a", "x"), Source("a", "y")], max_chars=5)
    with pytest.raises(UsageError, match="source 2 has no 'text'"):
        summarize(["x", {"id": "b"}], max_chars=5)
    with pytest.raises(UsageError, match="source 1: text must be a string, not int"):
        summarize([{"text": 5}], max_chars=5)
    with pytest.raises(UsageError, match="source 1: id must be a string, not bool"):
        summarize([{"id": True, "text": "x"}], max_chars=5)
    with pytest.raises(UsageError, match="`header` needs a list of texts"):
        summarize("One fish. Two fish.", max_chars=10, header="{id}")
    assert summarize([], max_chars=5).reason == "empty-input"


def test_a_name_that_is_no_file_is_an_encoding_of_tiktoken(monkeypatch: pytest.MonkeyPatch) -> None:
    # A real encoding, but our own: those that tiktoken knows by name have to be downloaded.
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([byte]): byte for byte in range(256)} | {pair: 256 + i for i, pair in enumerate([b"fi", b"sh"])}
    encoding = tiktoken.Encoding(
        "pairs", pat_str=r"\w+|\W+", mergeable_ranks=ranks | {b"fish": 258}, special_tokens={"<|end|>": 259}
    )
    monkeypatch.setitem(tiktoken.registry.ENCODINGS, "pairs", encoding)
    text = "One fish. Two fish. Red fish. A <|end|> is no end. \udcff"
    for limit in range(1, 40):
        summary = summarize(text, max_tokens=limit, tokenizer="pairs", coherence="off")
        counted = len(encoding.encode_ordinary(summary.text.encode("utf-8", "replace").decode()))
        assert summary.length == counted <= limit
    assert summarize(text, max_tokens=6, tokenizer="pairs", include=0).text == "One fish."
    # The name of a model stands for its encoding, even with a dot in it.
    monkeypatch.setitem(tiktoken.model.MODEL_TO_ENCODING, "gpt-0.1", "pairs")
    assert load_token_counter("gpt-0.1")(text) == load_token_counter("pairs")(text)
    with pytest.raises(ModelError, match=r"that tiktoken knows \(.*o200k_base.*\): .*tokenizer.json .* huggingface.co"):
        load_token_counter("words")


def test_an_encoding_that_cannot_be_downloaded_is_one_short_line(monkeypatch: pytest.MonkeyPatch) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    monkeypatch.setattr(tiktoken, "get_encoding", lambda _: Path("/nonexistent/encoding").read_text())
    with pytest.raises(ModelError, match=r"download it once, and that failed \(FileNotFoundError\)$"):
        load_token_counter("o200k_base")


def test_a_model_of_openai_has_the_encoding_that_tiktoken_says(monkeypatch: pytest.MonkeyPatch) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    loaded: list[str] = []

    def load(name: str) -> None:
        loaded.append(name)
        raise OSError("offline")

    monkeypatch.setattr(tiktoken, "get_encoding", load)
    for model in ("gpt-4o", "gpt-3.5-turbo"):
        with pytest.raises(ModelError, match="download it once"):
            load_token_counter(model)
    assert loaded == ["o200k_base", "cl100k_base"]


def test_room_that_nothing_relevant_fills_stays_free() -> None:
    text = (
        "The town opened a new park on Monday. It has a lake and a hundred trees. Dogs must stay on a leash. "
        "The council paid three million for the park. Not everybody is pleased. The next election is in May."
    )
    for given_text in (text, [text, "Rain is likely. The wind comes from the west."]):
        summary = summarize(given_text, query="What did the council pay?", max_chars=170)
        assert "The council paid three million for the park." in summary.text
        assert "lake" not in summary.text
        assert "election" not in summary.text
        assert "Rain" not in summary.text
        assert summary.reason == "no-gain"
    # "Rain is likely." would fit.
    sources = [text, "Rain is likely. The wind comes from the west."]
    short = summarize(sources, query="What did the council pay?", max_chars=20, header="{id}:\n")
    assert (short.text, short.reason, short.needed) == ("", "nothing-fits", len("1:\nNot everybody is pleased."))
    assert "no sentence that has to do with the question is short enough" in short.explain()
    # If others are asked to fill the room, the beginning comes first.
    filled = summarize(text, query="Who is the king of France?", max_chars=150, fill=True)
    assert filled.text.startswith("The town opened a new park on Monday.")
    assert filled.reason == "nothing-answers"


def test_a_question_in_another_language_is_answered_by_vectors() -> None:
    german = (
        "Der Bürgermeister eröffnete am Montag den Park. Der Fluss trat nach dem Regen über die Ufer. "
        "Viele Kinder lernen in der Schule ein Instrument. Die Katze schläft gern auf dem warmen Dach."
    )
    for query, answer in (("Where does the cat sleep?", "Katze"), ("孩子们在学校学什么？", "Kinder")):
        assert answer in summarize(german, query=query, encoder="use", max_sentences=1).text


def test_files_and_json_lines_on_the_command_line_are_the_librarys_sources(tmp_path: Path) -> None:
    lines = tmp_path / "facts.jsonl"
    lines.write_text("".join(json.dumps(fact) + "\n" for fact in FACTS), encoding="utf-8")
    names = []
    for fact in FACTS:
        names.append(str(tmp_path / f"{fact['id']}.txt"))
        Path(names[-1]).write_text(fact["text"], encoding="utf-8")
    how = ("--query", "When does the harbor close?", "--max-chars", "90", "--header", "{id}: ")
    asked: dict[str, Any] = {"query": how[1], "max_chars": 90, "header": how[5]}
    runner = CliRunner()
    assert runner.invoke(cli, ["summarize", str(lines), *how]).output == summarize(FACTS, **asked).text + "\n"
    files = [{"id": name, "text": fact["text"]} for name, fact in zip(names, FACTS, strict=True)]
    run = runner.invoke(cli, ["summarize", *names, *how[:2], "--max-chars", "60"])
    assert run.output == summarize(files, query=how[1], max_chars=60).text + "\n"
    given = lines.read_text(encoding="utf-8")
    run = runner.invoke(cli, ["summarize", *how], input=given)
    assert run.output == summarize(FACTS, **asked).text + "\n"
    run = runner.invoke(cli, ["summarize", "-", *how], input=given + "{\n")
    assert isinstance(run.exception, InputError)
    assert str(run.exception).startswith("standard input:4: broken JSON")
    run = runner.invoke(cli, ["summarize", str(lines), names[0], "--max-chars", "60", "--query", "harbor"])
    assert run.output == summarize([*FACTS, files[0]], query="harbor", max_chars=60).text + "\n"
    marks = ("--header", r"# {id}\n", "--omission", r"\t…")
    run = runner.invoke(cli, ["summarize", str(lines), *how[:4], *marks])
    assert run.output == summarize(FACTS, **{**asked, "header": "# {id}\n"}, omission="\t…").text + "\n"
    lines.write_text('{"id": 5}\n', encoding="utf-8")
    assert runner.invoke(cli, ["summarize", "--max-chars", "60"], input="{Braces} open.\n").output == "{Braces} open.\n"
    with pytest.raises(InputError, match=r"facts\.jsonl:1: no text"):
        read_sources([str(lines)])


def test_a_page_marks_the_chosen_sentences_of_every_source() -> None:
    page = summarize(FACTS, max_sentences=2, include=[0, 6]).to_html()
    assert ">The harbor closes in May.</mark>" in page
    assert ">It will rain on Sunday.</mark>" in page


def test_what_is_kept_of_answers_and_facts_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "questions.jsonl"
    question = {"query": "When does the harbor close?", "documents": FACTS, "answers": ["may"]}
    file.write_text(json.dumps({**question, "facts": [["harbor", 0, 25]], "summary": ["It closes in May."]}) + "\n")
    call = ["evaluate", "--queries", str(file), "--systems", "query,bm25", "--budgets", "30", "--coherence", "strict"]
    run = CliRunner().invoke(cli, call)
    kept = [["query", "1", "100.0", "100.0"], ["bm25", "1", "100.0", "100.0"]]
    assert [line.split()[2:6] for line in run.output.splitlines() if line.startswith("30 chars")] == kept
    monkeypatch.setattr("tersely.text.length.load_token_counter", lambda _: count_tokens)
    run = CliRunner().invoke(cli, [*call[:-3], "9", "--unit", "tokens", "--tokenizer", "thirds"])
    assert [line.split()[2:6] for line in run.output.splitlines() if line.startswith("9 tokens")] == kept
    wrong = CliRunner().invoke(cli, ["evaluate", str(file), "--unit", "tokens", "--budgets", "9"])
    assert "--unit tokens is only for --queries" in str(wrong.exception)


def test_the_oracle_of_questions_keeps_what_whole_sentences_can(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    long, short = "The harbor, which is old and small and full of mud, closes in May.", "It closes in May."
    sources = [{"id": "harbor", "text": f"{long} {short} Nobody swims there."}]
    question = {"query": "Who swims?", "documents": sources, "answers": ["in May"], "facts": [["harbor", 0, 85]]}
    file.write_text(json.dumps(question) + "\n")
    for room, kept in ((len(short), ["1", "100.0", "100.0"]), (len(short) - 1, ["1", "0.0", "0.0"])):
        call = ["evaluate", "--queries", str(file), "--systems", "oracle", "--budgets", str(room)]
        lines = CliRunner().invoke(cli, call).output.splitlines()
        assert [line.split()[3:6] for line in lines if line.split()[2:3] == ["oracle"]] == [kept]


def test_sources_about_different_things_are_each_said_what_they_are_about() -> None:
    harbor = (
        "The port of Ostend will close its old lock in March. Divers had seen cracks in the western gate. "
        "Barges must sail around the breakwater for two years. A new lock costs forty million euros."
    )
    bees = (
        "A virus that cripples bees has reached New Zealand, biologists reported on Friday. Hives near Nelson lost "
        "half "
        "of their workers. Keepers may not move colonies for now. Honey prices are rising."
    )
    chess = (
        "Amina Vogel won the national chess title at the age of fourteen. She beat the defending champion in the last "
        "round. Her coach had expected a draw. The final lasted six hours."
    )
    summary = summarize([harbor, bees, chess], max_chars=260)
    assert {sentence.source for sentence in summary.sentences} == {"1", "2", "3"}
    assert [text for text in (harbor, bees, chess) if text.split(". ")[0] in summary.text] == [harbor, bees, chess]


def test_small_sources_are_read_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """One by one, many reviews would take several times as long."""
    calls, read_one = [], Network.__call__

    def count(network: Network, *inputs: Any) -> Outputs:
        calls.append(len(inputs[-1]))
        return read_one(network, *inputs)

    monkeypatch.setattr(Network, "__call__", count)
    DEFAULT.summarize([f"Room {number} was clean. The view was fine." for number in range(40)], max_chars=90)
    assert calls == [80]


@given(st.lists(texts, min_size=2, max_size=5), st.none() | st.just("Why does the harbor close?"))
def test_what_was_done_with_a_source_before_changes_no_digit(several: list[str], query: str | None) -> None:
    fresh, used = ([Document.from_text(text) for text in several] for _ in range(2))
    for document in used:
        DEFAULT.summarize(document, max_chars=50)
    expected, again = (DEFAULT.summarize(documents, max_chars=80, query=query) for documents in (fresh, used))
    assert again.to_dict() == expected.to_dict()
