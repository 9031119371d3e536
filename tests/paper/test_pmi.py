"""PMI: its greedy rule, the word model, and a causal language model small enough to build here."""

import json
import pickle
from collections import Counter
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tersely.errors import ModelError, UsageError
from tersely.paper.scorers.pmi import CausalModel, Pmi, WordModel
from tersely.score import SCORERS
from tersely.text import Document

NOTHING = np.empty((3, 0), np.float32)


def test_the_next_sentence_is_the_most_relevant_one_less_what_was_chosen() -> None:
    # Sentence 0 tells most about the others; 1 tells nearly as much, but the same as 0 does; 2 tells something else.
    information = np.array([[0, 5, 2, 0], [5, 0, 1, 0], [0, 0, 0, 4], [0, 0, 1, 0]], dtype=float)
    assert Pmi()._order(information.copy()) == [0, 2, 1, 3]
    assert Pmi(redundancy=0)._order(information.copy()) == [0, 1, 2, 3]


def test_negative_information_is_neither_relevance_nor_a_reason_to_choose() -> None:
    # Sentence 1 makes 0 less likely. If the penalty were not clipped, that alone would put it before 2.
    information = np.array([[0, 0, 9], [-9, 0, 1], [0, 2, 0]], dtype=float)
    assert Pmi()._order(information.copy()) == [0, 2, 1]


def test_information_is_the_gain_in_likelihood_by_the_words_of_the_other_sentence() -> None:
    model = WordModel(Counter("the storm hit the harbor".split()), weights=(0.0, 0.9, 0.1), cache=0.2)
    found = model.informations(["the storm", "storm"], "en")
    plain = 0.9 * 1 / 5 + 0.1 / 5
    assert found[0, 1] == pytest.approx(log((0.8 * plain + 0.2 * 0.5) / plain))
    assert found[1, 1] == pytest.approx(log((0.8 * plain + 0.2 * 1.0) / plain))


def test_a_sentence_that_shares_rare_words_with_many_comes_first(tmp_path: Path) -> None:
    words = {f"word{k}": 1 for k in range(1000)}
    file = tmp_path / "words.json"
    file.write_text(json.dumps({"words": words, "bigrams": {}, "weights": [0, 0.9, 0.1], "cache": 0.1}))
    text = Document.from_sentences(
        ["It rains.", "Storm over harbor town.", "Harbor closed.", "Town evacuated.", "Storm passed."]
    )
    values = SCORERS.create(f"pmi:{file}").score(text, NOTHING)
    assert values.argmax() == 1
    assert sorted(values) == [1, 2, 3, 4, 5]
    late = SCORERS.create("pmi:sentences=1").score(text, NOTHING)
    assert late.tolist() == [5, 4, 3, 2, 1]
    assert SCORERS.create(f"pmi:{file}").score(Document.from_sentences(["...", "It rains."]), NOTHING).size == 2


def test_a_broken_file_of_words_is_a_clear_error(tmp_path: Path) -> None:
    file = tmp_path / "words.json"
    for content in ("{", "[]", json.dumps({"words": {}, "bigrams": {}, "weights": [1, 2], "cache": 0.1})):
        file.write_text(content)
        with pytest.raises(ModelError, match="is no file of word counts"):
            WordModel.read(file)
    file.write_text(json.dumps({"words": {"a": 1}, "bigrams": {}, "weights": [0, 1, 0], "cache": 0.1}))
    with pytest.raises(ModelError, match="no probabilities"):
        WordModel.read(file)


@pytest.fixture(scope="module")
def small_gpt2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
    from transformers.utils import logging

    logging.disable_progress_bar()
    words = "the storm hit a harbor town and it was cold .".split()
    vocabulary = {word: k for k, word in enumerate(["<end>", "<unk>", *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    folder = tmp_path_factory.mktemp("gpt2")
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<end>", unk_token="<unk>").save_pretrained(folder)
    torch.manual_seed(5)
    config = GPT2Config(vocab_size=len(vocabulary), n_positions=300, n_embd=16, n_layer=1, n_head=2)
    GPT2LMHeadModel(config).save_pretrained(folder)
    return folder


def test_a_causal_model_gives_the_likelihood_that_transformers_gives(small_gpt2: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    first, second = "the storm hit a town", "it was cold"
    found = CausalModel(str(small_gpt2)).informations([first, second, "harbor"], "en")

    model: Any = AutoModelForCausalLM.from_pretrained(small_gpt2).eval()
    tokenizer = AutoTokenizer.from_pretrained(small_gpt2)

    def likelihood(before: str, after: str) -> float:
        ids = [0, *tokenizer(before)["input_ids"], *tokenizer(after)["input_ids"]]
        with torch.no_grad():
            logs = torch.log_softmax(model(torch.tensor([ids])).logits[0].double(), dim=-1)
        count = len(tokenizer(after)["input_ids"])
        return float(sum(logs[at - 1, ids[at]] for at in range(len(ids) - count, len(ids))))

    assert found[0, 1] == pytest.approx(likelihood(first, second) - likelihood("", second), abs=1e-5)
    assert found[1, 0] == pytest.approx(likelihood(second, first) - likelihood("", first), abs=1e-5)


def test_a_causal_model_ranks_a_document_and_can_be_pickled(small_gpt2: Path) -> None:
    text = Document.from_sentences(["the storm hit a town", "it was cold", "a harbor"])
    scorer = SCORERS.create(f"pmi:{small_gpt2}")
    values = scorer.score(text, NOTHING)
    assert sorted(values) == [1, 2, 3]
    again = pickle.loads(pickle.dumps(scorer))
    assert repr(again) == repr(scorer)
    np.testing.assert_array_equal(again.score(text, NOTHING), values)


def test_what_is_no_language_model_is_a_one_line_error(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="has no weights"):
        SCORERS.create(f"pmi:{tmp_path}")
    (tmp_path / "model.safetensors").touch()
    with pytest.raises(ModelError, match="cannot be loaded as a causal language model") as caught:
        SCORERS.create(f"pmi:{tmp_path}")
    assert "\n" not in str(caught.value)


def test_a_device_is_handed_to_the_language_model(small_gpt2: Path) -> None:
    text = Document.from_sentences(["the storm hit a town", "it was cold", "a harbor"])
    on_cpu, anywhere = (SCORERS.create(f"pmi:{small_gpt2},device={device}") for device in ("cpu", "auto"))
    np.testing.assert_array_equal(on_cpu.score(text, NOTHING), anywhere.score(text, NOTHING))
    with pytest.raises(UsageError, match="device"):
        SCORERS.create(f"pmi:{small_gpt2},device=abacus")
