"""The grid of benchmarks/siamese.py: what each row changes in the configuration, and what it is called."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tersely.paper.config import (
    Objective,
    ScorerConfig,
    ScorerData,
    ScorerNetwork,
    ScorerTraining,
    SiameseNetworks,
    TrainingSelection,
)

# The paper reads the first 512 tokens of an article: 17.4 sentences of CNN/DailyMail, on average.
SENTENCES = 16
SEEDS = [42, 1, 2, 3, 4]
Changes = Mapping[str, Any]


@dataclass(frozen=True)
class GridRow:
    """One setting: its changes, and whether it is within what the paper says."""

    name: str
    title: str
    paper: bool
    changes: Changes


NO_POSITIONS: Changes = {"siamese.encoder_positions": "none", "siamese.predictor_positions": "none"}
SCALED: Changes = {"network.scaled": True, "siamese.scaled": True}
FROZEN: Changes = {"objective.target": "frozen", **NO_POSITIONS, **SCALED}
EXACT: Changes = {"objective.gradient": "exact"}
CONTRAST: Changes = {**EXACT, **FROZEN, "objective.contrast": 0.1}
FEATURES: Changes = {
    "network.positions": "none",
    "network.features": "position length words",
    "network.value": "exp",
    "training.rate": 1e-3,
}
WORDS: Changes = {**FEATURES, "objective.words": 1.0}
LONG: Changes = {"training.steps": 600}
ALONE: Changes = {"objective.rest_ext": 0.0, "objective.ext_doc": 0.0}
BOTH: Changes = {**CONTRAST, **WORDS, "objective.words": 5.0}
PERTURBED: Changes = {**BOTH, "selection.kind": "perturbed"}
# Share, sentences and the weight of words were chosen on every other document of dev_cnndm. Texts are in random order.
MIXED: Changes = {
    **BOTH,
    "objective.words": 10.0,
    "data.shuffled": 0.25,
    "data.sentences": 40,
    "data.documents": 3000,
    "training.decay": True,
}
MIXED_PERTURBED: Changes = {**MIXED, "selection.kind": "perturbed"}


def network(labels: str) -> Changes:
    """Select by a shipped knapsack network, here that of English; see `configurations`."""
    return {"selection.kind": "network", "selection.folder": f"knapsack-cnndm-{labels}"}


ROWS = (
    GridRow("printed", "as printed", True, {}),
    GridRow(
        *("literal", "as printed, relaxations to the letter", True),
        {"selection.relaxation": "softmax", "objective.negative_relaxation": "selected"},
    ),
    GridRow("scaled", "`scaled`", True, SCALED),
    GridRow(
        *("learned", "learned positions, `scaled`", True),
        {
            "network.positions": "learned",
            "network.scaled": True,
            "siamese.scaled": True,
            "siamese.encoder_positions": "learned",
            "siamese.predictor_positions": "learned",
        },
    ),
    GridRow("scorer-none", "no positions in the scorer", True, {**SCALED, "network.positions": "none"}),
    GridRow("siamese-none", "no positions in encoder and predictor", True, {**NO_POSITIONS, **SCALED}),
    GridRow("none", "no positions at all", True, {**NO_POSITIONS, "network.positions": "none"}),
    GridRow(
        *("none-scaled", "no positions at all, `scaled`", True),
        {**NO_POSITIONS, **SCALED, "network.positions": "none"},
    ),
    GridRow("long-printed", "as printed, 600 steps", True, LONG),
    GridRow(
        *("long-none-scaled", "no positions at all, `scaled`, 600 steps", True),
        {**LONG, **NO_POSITIONS, **SCALED, "network.positions": "none"},
    ),
    GridRow(
        *("long-siamese-none", "no positions in encoder and predictor, 600 steps", True),
        {**LONG, **NO_POSITIONS, **SCALED},
    ),
    GridRow(
        *("long-features", "the same, the scorer sees features instead of positions", False),
        {**LONG, **NO_POSITIONS, **SCALED, **FEATURES},
    ),
    GridRow("exact", "exact gradient, `scaled`", False, {**EXACT, **SCALED}),
    GridRow(
        "exact-none",
        "exact gradient, no positions in encoder and predictor",
        False,
        {**EXACT, **NO_POSITIONS, **SCALED},
    ),
    GridRow("frozen", "frozen targets", False, FROZEN),
    GridRow("frozen-exact", "frozen targets, exact gradient", False, {**EXACT, **FROZEN}),
    GridRow("contrast", "frozen targets, exact gradient, contrast", False, CONTRAST),
    GridRow(
        *("contrast-rest", "the same, Rest-Ext alone", False),
        {**CONTRAST, "objective.ext_doc": 0.0},
    ),
    GridRow("contrast-doc", "the same, Ext-Doc alone", False, {**CONTRAST, **ALONE, "objective.ext_doc": 1.0}),
    GridRow("imitation-printed", "as printed + imitation of coverage", False, {"objective.imitation": 1.0}),
    GridRow("features", "contrast, the scorer sees features", False, {**CONTRAST, **FEATURES}),
    GridRow("words", "words alone", False, {**WORDS, **ALONE}),
    GridRow("words-printed", "as printed + words", False, WORDS),
    GridRow("words-contrast", "contrast + 5 words", False, BOTH),
    GridRow("words-contrast-ktdp", "the same, KTDP", False, {**BOTH, **network("dp")}),
    GridRow("words-contrast-ktden", "the same, KTDEN", False, {**BOTH, **network("density")}),
    GridRow("words-contrast-perturbed", "the same, perturbed", False, PERTURBED),
    GridRow("words-contrast-perturbed-24", "the same, 24 sentences", False, {**PERTURBED, "data.sentences": 24}),
    GridRow("words-contrast-perturbed-32", "the same, 32 sentences", False, {**PERTURBED, "data.sentences": 32}),
    GridRow("mixed", "contrast + 10 words, some shuffled", False, MIXED),
    GridRow("mixed-ktdp", "the same, KTDP", False, {**MIXED, **network("dp")}),
    GridRow("mixed-ktden", "the same, KTDEN", False, {**MIXED, **network("density")}),
    GridRow(
        *("mixed-ktden-epsilon", "the same, KTDEN, Adam's epsilon 1e-14", False),
        {**MIXED, **network("density"), "training.epsilon": 1e-14},
    ),
    GridRow("mixed-perturbed", "the same, perturbed", False, MIXED_PERTURBED),
    GridRow(
        *("mixed-perturbed-300", "the same, perturbed, 300 steps", False),
        {**MIXED_PERTURBED, "training.steps": 300},
    ),
    GridRow(
        "mixed-perturbed-5",
        "contrast + 5 words, some shuffled, perturbed",
        False,
        {**MIXED_PERTURBED, "objective.words": 5.0},
    ),
    GridRow("mixed-perturbed-words", "words alone, some shuffled, perturbed", False, {**MIXED_PERTURBED, **ALONE}),
)

# The rows with length control in training, and what each of them is compared with.
CONTROLLED = {f"{row}-{way}": row for row in ("words-contrast", "mixed") for way in ("ktdp", "ktden", "perturbed")}
CONTROLLED["mixed-ktden-epsilon"] = "mixed"
# The rows that are measured with the selector `coverage` on whole documents.
NEAREST = [row.name for row in ROWS if "-perturbed" in row.name]


def base(language: str, seed: int) -> ScorerConfig:
    """Return the paper's objectives at the size of the grid."""
    chinese = language == "zh"
    shortest, longest = (80, 220) if chinese else (250, 550)
    return ScorerConfig(
        name="grid",
        training=ScorerTraining(steps=150, batch=16, rate=3e-4, siamese_rate=3e-4, clip=1.0, seed=seed),
        data=ScorerData(sentences=SENTENCES),
        network=ScorerNetwork(width=64, layers=2, heads=4, inner=256),
        siamese=SiameseNetworks(width=32, layers=1, heads=4, inner=64),
        objective=Objective(ext_doc=1.0 if chinese else 0.3),
        selection=TrainingSelection(
            relaxation="k_hot", count=2 if chinese else 3, shortest=shortest, longest=longest, samples=6
        ),
    )


def changed(config: ScorerConfig, changes: Changes) -> ScorerConfig:
    """Apply changes of the form {"table.key": value}."""
    tables: dict[str, dict[str, Any]] = {}
    for key, value in changes.items():
        table, _, name = key.partition(".")
        tables.setdefault(table, {})[name] = value
    return replace(config, **{table: replace(getattr(config, table), **keys) for table, keys in tables.items()})


def configurations(
    language: str, seeds: list[int], only: list[str] | None
) -> Iterator[tuple[GridRow, int, ScorerConfig]]:
    """Yield every row with every seed, one seed after the other."""
    for seed in seeds:
        for row in ROWS:
            if only is None or row.name in only:
                config = changed(base(language, seed), row.changes)
                if language == "zh":
                    own = config.selection.folder.replace("cnndm", "cnewsum")
                    config = changed(config, {"selection.folder": own})
                yield row, seed, config
