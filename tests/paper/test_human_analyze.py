"""Answers are checked, unblinded and summed up."""

import csv
import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tersely.errors import InputError
from tersely.paper.human_analyze import RatingReport, analyze, table
from tersely.paper.human_answers import NAMES, BlindSummary, FormKey, Rating, read_answers, read_key

KEY = FormKey(
    "f0",
    3,
    ("lead", "learned"),
    {
        "s1": BlindSummary("d1", ("lead",)),
        "s2": BlindSummary("d1", ("learned",)),
        "s3": BlindSummary("d2", ("lead", "learned")),
    },
)
SUMMARIES = {opaque: {"document": s.document, "systems": list(s.systems)} for opaque, s in KEY.summaries.items()}


def ratings(*rows: tuple[int, str, int]) -> list[Rating]:
    return [Rating(rater, summary, "relevance", value) for rater, summary, value in rows]


def scores(report: RatingReport, question: str = "relevance") -> dict[str, tuple[int, float | None, float | None]]:
    return {s.system: (s.ratings, s.mean, s.deviation) for s in report.scores if s.question == question}


@pytest.fixture
def answer_file(tmp_path: Path) -> Any:
    def write(name: str = "a.json", form: Any = "f0", rater: Any = 1, answers: Any = None) -> Path:
        file = tmp_path / name
        file.write_text(json.dumps({"form": form, "rater": rater, "answers": {} if answers is None else answers}))
        return file

    return write


def test_means_deviations_and_counts_are_per_system() -> None:
    report = analyze(KEY, ratings((1, "s1", 2), (2, "s1", 4), (1, "s2", 5)))
    assert scores(report) == {"lead": (2, 3.0, pytest.approx(2**0.5)), "learned": (1, 5.0, None)}
    assert scores(report, "coherence") == {"lead": (0, None, None), "learned": (0, None, None)}
    assert (report.raters, report.ratings, report.ratings_expected) == ((1, 2), 3, 3 * 3 * 3)


def test_a_shared_summary_counts_for_each_of_its_systems_but_once_for_agreement() -> None:
    report = analyze(KEY, ratings((1, "s3", 2), (2, "s3", 4)))
    assert {system: mean for system, (_, mean, _) in scores(report).items()} == {"lead": 3, "learned": 3}
    assert report.agreement[0].summaries == 1


@given(
    st.dictionaries(
        st.tuples(st.integers(1, 3), st.sampled_from(sorted(KEY.summaries)), st.sampled_from(NAMES)),
        st.integers(1, 5),
    )
)
def test_any_part_of_the_answers_can_be_analyzed_and_printed(given: dict[tuple[int, str, str], int]) -> None:
    report = analyze(KEY, [Rating(*rated, value) for rated, value in given.items()])
    assert json.loads(json.dumps(report.to_dict(), allow_nan=False))["ratings"] == len(given)
    assert all(s.mean is None or 1 <= s.mean <= 5 for s in report.scores)
    assert f"{len(given)} of 27 ratings" in table(report)


def test_the_table_shows_means_agreement_and_differences() -> None:
    rows = [(r, s, v) for r in (1, 2) for s, v in (("s1", 2), ("s2", 4), ("s3", 3))]
    shown = table(analyze(KEY, ratings(*rows)))
    assert "lead     2.500 ± 0.58 (4)" in shown
    assert "ordinal                     1.000" in shown
    assert "lead − learned  relevance    -1.000" in shown


def test_a_single_system_is_compared_with_nothing() -> None:
    key = FormKey("f0", 1, ("lead",), {"s1": BlindSummary("d1", ("lead",))})
    assert "Differences" not in table(analyze(key, ratings((1, "s1", 2))))


def test_unfinished_answers_of_several_raters_are_read(answer_file: Any) -> None:
    one = answer_file("1.json", rater=1, answers={"s1": {"relevance": 4}, "s2": {}})
    two = answer_file("2.json", rater=2, answers={})
    assert read_answers(KEY, [one, two]) == [Rating(1, "s1", "relevance", 4)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"form": "f1"}, "answers the form 'f1', but the key belongs to the form 'f0'"),
        ({"rater": 4}, "the rater is 4, but the form is for raters 1 to 3"),
        ({"rater": "1"}, "the rater is '1'"),
        ({"rater": True}, "the rater is True"),
        ({"answers": []}, "holds no answers"),
        ({"answers": {"s9": {}}}, "has no summary 's9'"),
        ({"answers": {"s1": 4}}, "not one number per question"),
        ({"answers": {"s1": {"beauty": 4}}}, "has no question 'beauty'"),
        *(
            ({"answers": {"s1": {"relevance": value}}}, f"relevance of summary 's1' is {value!r}, not 1 to 5")
            for value in (0, 6, 3.5, True, "4", None)
        ),
    ],
)
def test_impossible_answers_are_refused_in_one_line(answer_file: Any, content: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        read_answers(KEY, [answer_file(**content)])
    assert "\n" not in str(refused.value)
    assert "a.json" in str(refused.value)


def test_a_rater_answers_only_once(answer_file: Any) -> None:
    with pytest.raises(InputError, match=r"b.json: rater 1 has already answered, in .*a.json"):
        read_answers(KEY, [answer_file("a.json"), answer_file("b.json")])


@pytest.mark.parametrize("content", [b"", b"\xff", b"[" * 100_000, b"[]", b"{}", b'{"summaries": {"a": 1}}'])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "x.json"
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"x\.json"):
        read_key(file)
    with pytest.raises(InputError, match=r"x\.json"):
        read_answers(KEY, [file])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.json: cannot be read: No such file"):
        read_key(tmp_path / "none.json")


def test_a_written_key_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "form.key.json"
    file.write_text(json.dumps({"form": "f0", "raters": 3, "systems": ["lead", "learned"], "summaries": SUMMARIES}))
    assert read_key(file) == KEY


def test_results_of_a_platform_are_ratings_of_its_workers(tmp_path: Path) -> None:
    head = (
        "WorkerId,AssignmentStatus,Input.form,Input.source,Input.id_1,Input.id_2,Answer.relevance_1,Answer.relevance_2"
    )
    rows = [
        "A,Approved,f0,x,s1,s2,4,2",
        "B,Submitted,f0,x,s1,s2,5,",
        "A,Approved,f0,y,s3,,3,",
        "C,Rejected,f0,x,s1,s2,1,1",
    ]
    file = tmp_path / "results.csv"
    file.write_text("\n".join([head, *rows]))
    found = read_answers(KEY, [file])
    assert found == ratings((4, "s1", 4), (4, "s2", 2), (5, "s1", 5), (4, "s3", 3))
    assert "2 of 3 raters, 4 of 27 ratings" in table(analyze(KEY, found))
    for broken, said in (
        ("D,,f1,x,s1,s2,4,2", "'f1'"),
        ("D,,f0,x,s1,s2,9,2", "9, not 1 to 5"),
        ("D,,f0,x,s9,,4,", "s9"),
    ):
        file.write_text(f"{head}\n{broken}\n")
        with pytest.raises(InputError, match=f"csv:2: .*{said}"):
            read_answers(KEY, [file])
    file.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="not a table of results"):
        read_answers(KEY, [file])


def _crowd_table(*rows: tuple[str, str, str, str]) -> str:
    out = StringIO()
    table = csv.writer(out)
    table.writerow(["WorkerId", "Input.form", "Input.id_1", "Input.id_2", "Answer.taskAnswers"])
    table.writerows((worker, "f0", first, second, answers) for worker, first, second, answers in rows)
    return out.getvalue()


@pytest.mark.parametrize(
    "points",
    [
        lambda number: str(number),
        lambda number: number,
        lambda number: {str(button): button == number for button in range(1, 6)},
    ],
)
def test_results_of_a_crowd_form_are_read_from_their_one_column(tmp_path: Path, points: Callable[[int], Any]) -> None:
    answers = [{"relevance_1": points(4), "relevance_2": points(2), "comment": "fine"}]
    file = tmp_path / "results.csv"
    file.write_text(_crowd_table(("A", "s1", "s2", json.dumps(answers)), ("B", "s3", "", '[{"relevance_1": "5"}]')))
    assert read_answers(KEY, [file]) == ratings((4, "s1", 4), (4, "s2", 2), (5, "s3", 5))


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ("[[", "not a JSON list"),
        ("[1]", "not a JSON list"),
        ('[{"relevance_1": "9"}]', "9, not 1 to 5"),
        ('[{"relevance_1": {"1": true, "2": true}}]', "not 1 to 5"),
        ("[]", "hold no rating"),
        ('[{"relevanz_1": "3"}]', "hold no rating"),
    ],
)
def test_a_crowd_form_without_a_rating_is_an_error(tmp_path: Path, answers: str, reason: str) -> None:
    file = tmp_path / "results.csv"
    file.write_text(_crowd_table(("A", "s1", "s2", answers)))
    with pytest.raises(InputError, match=reason):
        read_answers(KEY, [file])
