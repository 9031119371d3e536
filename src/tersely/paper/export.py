"""The model folder of a trained scorer: ONNX graph, weights, configuration and card."""

from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Any

import onnx
import torch
from safetensors.torch import save
from torch import Tensor, nn

from tersely.learn.artifacts import onnx_graph, to_toml, today, write_folder
from tersely.learn.corpus import Corpus
from tersely.learn.training import BestWeights, Ranking, TrainingState, averaged
from tersely.paper.config import ScorerConfig
from tersely.paper.networks import ScorerModel, ScoringNetwork
from tersely.score.learned import COLUMNS

_CARD = Template("""# $name

A scorer of sentences for `tersely`, trained $how labels: `tersely summarize --model FOLDER`.

* Data: $documents documents of 4 or more sentences, $held_out of them held out for validation; $short shorter and
  $repeated repeated documents were left out. $references
* Vectors: encoder `$encoder`, frozen (`$fingerprint`). Features beside them: $features.
* Network: $layers layers, $heads heads, width $width, $parameters parameters; value: $value.
* Objective: $objective.
* Selection in training: $selection. At inference: `$select`.
* Weights: $weights, by validation loss $losses at step $steps.
* Made by `tersely train $kind CORPUS --config training.toml --out FOLDER`, seed $seed, in $minutes minutes; $date.

At the last validation:

| figure | value |
|---|---|
$rows

`first_three` is the share of selected sentences that are among the first three. `rouge1` and `rouge1_shuffled`, if
listed, were measured on a labeled dev file that played no part in training. `log.jsonl` has the whole curve.

Inputs of `model.onnx`: `vectors` [1, n, $columns]$inputs; float32.
Output: `values` [1, n], positive.
Summaries are sentences of the input, verbatim. The model can misjudge what matters, above all in texts unlike its data.
""")


class Inference(nn.Module):
    """The scorer on one whole document: from vectors, features and lengths to values."""

    def __init__(self, scorer: ScoringNetwork) -> None:
        super().__init__()
        self.scorer = scorer

    def forward(self, vectors: Tensor, features: Tensor, lengths: Tensor) -> Tensor:
        """Return values [1, n] for vectors [1, n, d], features [1, n, f] and lengths in characters [1, n]."""
        mask = torch.ones_like(lengths, dtype=torch.bool)
        values: Tensor = self.scorer.values(self.scorer(vectors, features, mask), lengths)
        return values


def export(config: ScorerConfig, state: TrainingState[ScorerModel], corpus: Corpus, out: Path) -> None:
    """Write the best weights of `state`, or the mean of the best, to `out`, and the next best to `out/best-2`, ...

    The card names `config` and the `corpus`. The paper reports the mean result of the best three checkpoints: evaluate
    each folder for that.
    """
    ranking = state.notes["best"]
    several = BestWeights(out / "training", config.training.keep).load(ranking)
    for place in range(1, len(several)):
        _write(config, state, corpus, out, several[place], [ranking[place]], f"best-{place + 1}")
    if config.training.average:
        _write(config, state, corpus, out, averaged(several), ranking)
    else:
        _write(config, state, corpus, out, several[0], ranking[:1])


def _write(
    config: ScorerConfig,
    state: TrainingState[ScorerModel],
    corpus: Corpus,
    out: Path,
    weights: dict[str, Tensor],
    ranked: Ranking,
    best: str = "",
) -> None:
    folder = out / best
    labeling = "with" if config.objective.supervised else "without"
    scorer = ScoringNetwork(config, state.notes["columns"])
    scorer.load_state_dict(weights)
    files = {"model.onnx": onnx_bytes(scorer, config, state.notes), "model.safetensors": save(weights)}
    model = {
        # Named by its folder: two models of one configuration are not the same model.
        "name": f"{out.resolve().name}/{best}".rstrip("/"),
        "description": f"Trained {labeling} labels on {len(corpus.documents):,} documents.",
        "scorer": "learned:folder={folder}",
        "encoder": config.data.encoder,
        "select": config.select,
        "files": {name: sha256(data).hexdigest() for name, data in files.items()},
    }
    texts = {
        "training.toml": to_toml(config),
        "README.md": card(config, state, corpus, scorer, ranked).encode(),
        "config.toml": to_toml(model),
    }
    write_folder(folder, files | texts)


def onnx_bytes(scorer: ScoringNetwork, config: ScorerConfig, notes: dict[str, Any]) -> bytes:
    """Return the scorer as ONNX, for one document of any number of sentences."""
    extra, columns = sum(COLUMNS[name] for name in config.features), notes["columns"]
    example = torch.rand(1, 5, columns), torch.rand(1, 5, extra), torch.full((1, 5), 50.0)
    graph = onnx_graph(Inference(scorer), example, {1: "sentences"}, "values")
    onnx.helper.set_model_props(graph, {"columns": str(columns), "features": config.network.features})
    data: bytes = graph.SerializeToString()
    return data


def card(
    config: ScorerConfig, state: TrainingState[ScorerModel], corpus: Corpus, scorer: ScoringNetwork, ranked: Ranking
) -> str:
    """Fill in the card of the weights that `ranked` names: their losses and steps."""
    notes, objective, selection = state.notes, config.objective, config.selection
    terms = {name: getattr(objective, name) for name in ("rest_ext", "ext_doc", "words", "imitation", "supervised")}
    point: dict[str, Any] = notes["curve"][-1]
    left_out = [name for name in ("encoder", "predictor") if not getattr(config.siamese, name)]
    left_out += [] if objective.negatives else ["negatives"]
    budget = f"{selection.shortest} to {selection.longest} characters"
    way = f"{selection.count} sentences" if selection.kind == "gumbel" else budget
    return _CARD.substitute(
        name=config.name,
        kind="supervised" if objective.supervised else "scorer",
        how="with" if objective.supervised else "without",
        references="Labels: the sentences that a greedy oracle chooses when it sees the reference summary."
        if objective.supervised
        else "No reference summary was used in training.",
        documents=f"{len(corpus.documents):,}",
        held_out=f"{len(corpus.split(config.data.held_out)[1]):,}",
        short=f"{corpus.short:,}",
        repeated=f"{corpus.repeated:,}",
        encoder=config.data.encoder,
        fingerprint=notes["encoder"],
        features=", ".join(config.features) or "none",
        layers=config.network.layers,
        heads=config.network.heads,
        width=config.network.width,
        value=config.network.value,
        parameters=f"{sum(weight.numel() for weight in scorer.parameters()):,}",
        objective=" + ".join(f"{weight:g} {name}" for name, weight in terms.items() if weight)
        + (f", without {', '.join(left_out)}" if left_out and objective.siamese else "")
        + (f"; teacher: `{'`, `'.join(notes['teacher'])}`" if notes["teacher"] else ""),
        selection=f"{selection.kind}, {way}",
        select=config.select,
        weights="the best checkpoint" if len(ranked) == 1 else f"the mean of {len(ranked)} checkpoints",
        losses=", ".join(f"{loss:.4f}" for loss, _ in ranked),
        steps=", ".join(f"{step:g}" for _, step in ranked),
        seed=config.training.seed,
        minutes=round(notes["seconds"] / 60, 1),
        date=today(),
        rows="\n".join(f"| {name} | {value:.4g} |" for name, value in point.items() if name not in ("step", "seconds")),
        columns=notes["columns"],
        inputs=", `features` [1, n, f]" * bool(config.features)
        + ", `lengths` [1, n] in characters, if the graph takes them",
    )
