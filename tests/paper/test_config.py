"""Configurations are found by name, and a wrong one says what is wrong with it."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from tersely.cli.train import command
from tersely.errors import UsageError
from tersely.learn.editor_run import read_editor_config
from tersely.paper.baselines import KINDS, read_baseline
from tersely.paper.config import read_config, read_network_config
from tersely.paper.published import published
from tersely.settings import read_toml

CONFIGS = Path(__file__).parents[2] / "configs"


def test_an_unknown_configuration_suggests_the_nearest_name(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One.")
    with pytest.raises(UsageError, match="did you mean 'news'"):
        CliRunner().invoke(command, ["scorer", str(tmp_path), "--config", "new", "--out", "x"], catch_exceptions=False)


@pytest.mark.parametrize("file", sorted(CONFIGS.glob("*.toml")), ids=lambda file: file.stem)
def test_every_shipped_configuration_of_a_scorer_can_be_read(file: Path) -> None:
    if "knapsack" in file.stem:
        return
    kind = read_toml(file).get("kind")
    read = read_editor_config if kind == "editor" else read_baseline if kind in KINDS else read_config
    assert read(str(file)).name == file.stem


def test_the_papers_settings() -> None:
    cnndm, nyt, cnewsum = (read_network_config(f"paper-{name}") for name in ("cnndm", "nyt", "cnewsum"))
    assert (cnndm.training.rate, nyt.training.rate, cnewsum.training.rate) == (3e-6, 3e-6, 1e-6)
    assert (cnndm.objective.rest_ext, cnndm.objective.ext_doc, cnewsum.objective.ext_doc) == (1.0, 0.3, 1.0)
    assert {c.training.batch for c in (cnndm, nyt, cnewsum)} == {64}
    assert {c.training.seed for c in (cnndm, nyt, cnewsum)} == {42}
    assert {c.training.validate_every for c in (cnndm, nyt, cnewsum)} == {1000}
    assert {c.data.tokens for c in (cnndm, nyt, cnewsum)} == {512}


@pytest.mark.parametrize("dataset", ["cnndm", "nyt", "cnewsum"])
def test_a_scorer_is_trained_with_as_many_sentences_as_it_is_measured_with(dataset: str) -> None:
    for table in ("table2", "table3"):
        assert read_network_config(f"paper-{dataset}").selection.count == published(table).sentences[dataset]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('kind = "news"\nshare = 1.5', "'share' must be more than 0 and at most 1"),
        ('kind = "news"\nsentences = 0', "'sentences' must be positive"),
        ('kind = "news"\nselect = "coverag"', "did you mean 'coverage'"),
        ('kind = "newz"', "unknown kind of configuration 'newz': did you mean 'news'"),
        ('kind = "knapsack"', "use 'tersely train knapsack'"),
        ('kind = "editor"', "use 'tersely train editor'"),
        ('kind = "news"\nrate = 0.1', "unknown key 'rate'"),
    ],
)
def test_a_wrong_configuration_is_an_error_that_says_why(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f'name = "x"\n{text}\n', encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        read_config(str(file))


def test_the_default_configuration_has_no_network_to_compute_vectors_for() -> None:
    with pytest.raises(UsageError, match="configuration 'news' has no network"):
        read_network_config("news")
