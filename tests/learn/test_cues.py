"""Cues of wording are learned by contrast, without labels."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tersely.cli import cli
from tersely.score._cues import load_cues


def corpus(folder: Path, kinds: int, documents: int = 120) -> Path:
    """Texts in which sentences with "officially" repeat the text's own words, and those with "incidentally" do not."""
    rng = np.random.default_rng(3)
    file = folder / "texts.jsonl"
    with file.open("w") as lines:
        for number in range(documents * kinds):
            topics = [f"topic{number}x{k}" for k in range(4)]
            text = []
            for _ in range(8):
                if rng.random() < 0.5:
                    text.append(f"The mayor officially named {' and '.join(rng.permutation(topics))}.")
                else:
                    others = [f"word{rng.integers(10**6)}" for _ in range(4)]
                    text.append(f"The mayor incidentally named {' and '.join(others)}.")
            lines.write(json.dumps({"text": " ".join(text), "source": f"kind{number % kinds}"}) + "\n")
    return file


def test_wording_of_sentences_that_cover_their_text_gets_weight(tmp_path: Path) -> None:
    out = tmp_path / "cues.json"
    run = CliRunner().invoke(
        cli, ["train", "cues", str(corpus(tmp_path, 3)), "--out", str(out)], catch_exceptions=False
    )
    assert run.exit_code == 0, run.output
    weights = json.loads(out.read_text())["cues"]["en"]
    assert weights["officially"] > 5
    assert weights["incidentally"] < -5
    assert not any("topic" in name for name in weights)


def test_too_few_kinds_are_one_clear_error(tmp_path: Path) -> None:
    from tersely.errors import InputError
    from tersely.learn.cues import CuesConfig, learn_cues

    with pytest.raises(InputError, match="of 3 kinds"):
        learn_cues([corpus(tmp_path, 2)], "source", CuesConfig(), "", tmp_path / "cues.json", lambda _: None)
    assert not (tmp_path / "cues.json").exists()


def test_the_shipped_weights_are_small_whole_numbers() -> None:
    cues = load_cues()
    assert {"en", "zh"} <= cues.keys()
    assert all(isinstance(weight, int) and 0 < abs(weight) < 50 for own in cues.values() for weight in own.values())
