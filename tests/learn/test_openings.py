"""Openings are learned from where sentences stand, without labels."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tersely.cli.train import command
from tersely.errors import InputError
from tersely.learn.openings import area_under_curve, calibrate, paragraph_starts
from tersely.read._openings import Openings
from tersely.text import Document

TOWNS = ["Ghent", "Turin", "Leeds", "Porto", "Graz", "Lyon", "Cork"]


def article(number: int) -> str:
    """Make a text whose paragraphs begin with a name, and whose other sentences begin with a pronoun."""
    rng = np.random.default_rng(number)
    parts = []
    for _ in range(3):
        town, year = rng.choice(TOWNS), rng.integers(1900, 2000)
        parts.append(f"{town} built a harbor in {year} for its ships. It was the {rng.integers(99)}th of the country. "
                     f"He said that they had paid for it in {rng.integers(99)} years.")  # fmt: skip
    return "\n\n".join(parts)


def chinese(number: int) -> str:
    return "\n".join(
        f"上海市在{number + part}年建设了第{part}个港口。他说这是很大的成就。他们还要继续努力{number}年。"
        for part in range(3)
    )


def german(number: int) -> str:
    return "\n\n".join(
        f"Köln baute im Jahr {1900 + number + part} einen großen Hafen für Überseeschiffe. Er war groß und schön. "
        f"Das war über {number} Jahre lang für alle gut."
        for part in range(3)
    )


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("texts") / "texts.jsonl"
    rows = [{"text": make(number)} for number in range(60) for make in (article, chinese, german)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def train(texts: Path, out: Path, *options: str) -> dict[str, dict[str, object]]:
    arguments = ["openings", str(texts), "--out", str(out), *options]
    CliRunner().invoke(command, arguments, catch_exceptions=False)
    stored: dict[str, dict[str, object]] = json.loads(out.read_text(encoding="utf-8"))
    return stored


def test_sentences_like_those_inside_get_a_higher_probability(texts: Path, tmp_path: Path) -> None:
    languages = train(texts, tmp_path / "openings.json")["languages"]
    for language, make in (("en", article), ("zh", chinese), ("other", german)):
        document = Document.from_text(make(99))
        assert document.language == ("de" if language == "other" else language)
        found = np.array(Openings.of(languages[language]).probabilities(document))  # type: ignore[arg-type]
        starts = sorted(paragraph_starts(document) or ())
        assert len(starts) == 3
        assert found[starts].max() < np.delete(found, starts).min()


def test_training_repeats_exactly_and_says_how(texts: Path, tmp_path: Path) -> None:
    one, other = train(texts, tmp_path / "a.json", "--seed", "7"), train(texts, tmp_path / "a.json", "--seed", "7")
    assert one == other
    assert one["made"] == f"tersely train openings {texts} --seed 7 --out a.json"


def test_a_corpus_without_chinese_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "english.jsonl"
    file.write_text("".join(json.dumps({"text": article(n)}) + "\n" for n in range(40)), encoding="utf-8")
    with pytest.raises(InputError, match="documents to learn 'zh' from"):
        train(file, tmp_path / "openings.json")
    assert not (tmp_path / "openings.json").exists()


@pytest.mark.parametrize("share", [0.3, 0.6])
def test_the_mean_probability_is_the_assumed_share(share: float) -> None:
    rng = np.random.default_rng(0)
    needy = rng.random(20_000) < share
    first, inside = rng.normal(0, 1, 20_000), np.where(needy, rng.normal(3, 1, 20_000), rng.normal(0, 1, 20_000))
    slope, intercept = calibrate(first, inside, share)
    found = 1 / (1 + np.exp(-(slope * inside + intercept)))
    assert found.mean() == pytest.approx(share, abs=0.001)
    assert area_under_curve(found[~needy], found[needy]) > 0.95
