"""What the paper's tables compare: one training run per row, and fixed rules beside them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tersely.options import Budget
from tersely.paper.config import ScorerConfig, read_network_config

CONFIGS = Path(__file__).parents[1] / "configs"


@dataclass(frozen=True)
class Row:
    """One training run: its table, its title there, and the paper's method in its place."""

    name: str
    title: str
    table: str  # objectives, ablations, readings or length
    config: ScorerConfig
    method: str = ""


@dataclass(frozen=True)
class Plan:
    """What one kind of text needs: texts to train on, sets to measure on, budgets, and names."""

    name: str
    language: str
    texts: str  # the file of the texts to train on
    sources: tuple[str, ...]
    per_source: int
    devs: tuple[str, ...]
    sentences: int
    budgets: tuple[int, ...]
    dataset: str  # the paper's dataset, whose figures are shown beside ours
    knapsack: str  # the first part of the names of the shipped knapsack networks
    length_table: str
    trained: tuple[int, int]  # the shortest and the longest budget of imitation
    # The texts are those of the dev set: every second one is trained on, without its summary, the others are measured.
    halved: bool = False

    @property
    def all_budgets(self) -> tuple[Budget, ...]:
        """The sentences of Tables 2 and 3, then the characters of Tables 4 and 5."""
        return Budget(self.sentences, "sentences"), *(Budget(limit, "chars") for limit in self.budgets)


PLANS = {
    "en": Plan(
        name="en",
        language="en",
        texts="en/train.jsonl.gz",
        sources=("cnndm",),
        per_source=2000,
        devs=("dev_cnndm", "dev_cnn"),
        sentences=3,
        budgets=(300, 400, 450, 500),
        dataset="cnndm",
        knapsack="knapsack-cnndm",
        length_table="table4",
        trained=(250, 550),
    ),
    "zh": Plan(
        name="zh",
        language="zh",
        texts="zh/train.jsonl.gz",
        sources=("pku", "xinwenlianbo"),
        per_source=600,
        devs=("dev_pku", "dev_xinwenlianbo"),
        sentences=2,
        budgets=(100, 150, 200),
        dataset="cnewsum",
        knapsack="knapsack-cnewsum",
        length_table="table5",
        trained=(80, 220),
    ),
}
# Chinese court rulings. Their references are summaries of about 270 characters; those of the news are headlines.
PLANS["law"] = replace(
    PLANS["zh"],
    name="law",
    texts="zh/dev_cail.jsonl.gz",
    sources=("cail",),
    devs=("dev_cail",),
    sentences=3,
    dataset="",
    halved=True,
)

# For each system the paper's methods, if any: for a number of sentences and within a length.
BASELINES = {
    "oracle": ("Oracle", ""),
    "lead": ("Lead-3", ""),
    "random": ("", ""),
    "textrank@tfidf": ("TextRank (tf-idf)", "TextRank (tf-idf) + DP"),
    "textrank@use": ("TextRank (SimCSE)", "TextRank (SimCSE) + DP"),
    "lexrank": ("", ""),
    "pacsum": ("PACSUM", ""),
    "far": ("FAR", ""),
    "coverage": ("", ""),
    "coverage:bias=0": ("", ""),
    "coverage:bias=0+knapsack": ("", ""),
    "news": ("", ""),
}

# What is untrained and knows no positions, and so is measured on shuffled documents, too.
CONTROLS = ("random", "textrank@tfidf", "textrank@use", "coverage:bias=0", "coverage:bias=0+knapsack")

# What length control in training is compared with: the same network, trained without it.
PAIRS = (
    ("both", ("ktdp", "ktden", "perturbed")),
    ("words", ("words-ktdp", "words-ktden", "words-perturbed")),
    ("imitation", ("imitation-ktdp", "imitation-ktden", "imitation-perturbed")),
    ("imitation-sigmoid", ("imitation-ktdp", "imitation-ktden", "imitation-perturbed")),
)

# The ablations of Table 3: each is one change of one table of the configuration. Then the paper's name for it.
ABLATIONS: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "rest-ext": ("without Ext-Doc", "objective", {"ext_doc": 0.0}, "w/o Ext-Doc"),
    "ext-doc": ("without Rest-Ext", "objective", {"rest_ext": 0.0}, "w/o Rest-Ext"),
    "no-predictor": ("without predictor", "siamese", {"predictor": False}, "w/o Predictor"),
    "no-encoder": ("without sentence encoder", "siamese", {"encoder": False}, "w/o Sent. Enc."),
    "no-negatives": ("without negatives", "objective", {"negatives": False}, "w/o Neg. Sam."),
}

_WAYS = ("-ktdp", "-ktden", "-perturbed")

# The rows that are close enough for the seed to matter, and their seeds; all others are trained with the first alone.
SEVERAL = tuple(f"{learned}{way}" for learned in ("words", "imitation") for way in ("", *_WAYS))
SEEDS = {"en": (42, 1, 2), "zh": (42,), "law": (42, 1, 2, 3, 4)}


def seeds(plan: Plan, row: Row) -> tuple[int, ...]:
    """Return the seeds of a row, unless others are asked for."""
    return SEEDS[plan.name] if row.name in SEVERAL else SEEDS[plan.name][:1]


def rows(plan: Plan, seed: int) -> Iterator[Row]:
    """Yield every training run of a plan."""
    yield from _siamese(plan, seed)
    yield from _words(plan, seed)
    yield from _imitation(plan, seed)
    if plan.language == "en":
        yield Row("supervised", "supervised (BertSum-style)", "objectives", supervised(seed))


def _siamese(plan: Plan, seed: int) -> Iterator[Row]:
    full = read_network_config(str(CONFIGS / f"cpu-siamese-{plan.language}.toml"))
    base = replace(
        full,
        network=replace(full.network, width=64, inner=256),
        siamese=replace(full.siamese, width=64, layers=1, heads=4, inner=256),
        training=replace(
            full.training, steps=200, batch=16, rate=2e-4, siamese_rate=2e-4, validate_every=50, keep=1, seed=seed
        ),
    )

    def row(name: str, title: str, table: str, config: ScorerConfig, method: str = "") -> Row:
        return Row(name, title, table, replace(config, name=name), method)

    objective, network, part = base.objective, base.siamese, base.selection
    # The gradients of the masks to the letter: a softmax, which sums to 1, and s for the negatives as well.
    literal = replace(
        base,
        objective=replace(objective, negative_relaxation="selected"),
        selection=replace(part, relaxation="softmax"),
    )
    for reading, before, about in ((base, "", "our reading"), (literal, "literal-", "as printed, to the letter")):
        both = replace(reading, training=replace(reading.training, keep=3))
        name, method = ("literal", "") if before else ("both", "Ours (both)")
        yield row(name, f"siamese: Rest-Ext and Ext-Doc, {about}", "objectives", both, method)
        for name, (title, table, changes, method) in ABLATIONS.items():
            ablation = replace(reading, **{table: replace(getattr(reading, table), **changes)})
            yield row(f"{before}{name}", f"{title}, {about}", "ablations", ablation, "" if before else method)
    readings = {
        "own": ("`negative_target = own`", replace(base, objective=replace(objective, negative_target="own"))),
        "attached": ("`detach_target = false`", replace(base, objective=replace(objective, detach_target=False))),
        "softmax": ("`relaxation = softmax`", replace(base, selection=replace(part, relaxation="softmax"))),
        "no-positions": (
            "no positions in any network",
            replace(
                base,
                siamese=replace(network, encoder_positions="none", predictor_positions="none"),
                network=replace(base.network, positions="none"),
            ),
        ),
    }
    for name, (title, config) in readings.items():
        yield row(name, title, "readings", config)
    for name, title, config in _controlled(plan, base, "siamese"):
        yield row(
            name, title, "length", config, {"ktdp": "Ours + KTDP + DP", "ktden": "Ours + KTDEN + DP"}.get(name, "")
        )


def _words(plan: Plan, seed: int) -> Iterator[Row]:
    base = _small(plan, f"cpu-words-{plan.language}", seed)
    yield Row("words", "Ext-Doc in words", "objectives", replace(base, name="words"))
    for name, title, config in _controlled(plan, base, "Ext-Doc in words"):
        yield Row(f"words-{name}", title, "length", replace(config, name=f"words-{name}"))


def _imitation(plan: Plan, seed: int) -> Iterator[Row]:
    base = _small(plan, f"cpu-imitation-{plan.language}", seed)
    by_sigmoid = replace(base, network=replace(base.network, value="sigmoid"))
    yield Row("imitation", "imitation", "objectives", replace(base, name="imitation"))
    yield Row(
        "imitation-sigmoid", "imitation, values of `sigmoid`", "length", replace(by_sigmoid, name="imitation-sigmoid")
    )
    for name, title, config in _controlled(plan, base, "imitation"):
        yield Row(f"imitation-{name}", title, "length", replace(config, name=f"imitation-{name}"))


def _small(plan: Plan, name: str, seed: int) -> ScorerConfig:
    """Return a configuration made smaller and shorter, without length control."""
    full = read_network_config(str(CONFIGS / f"{name}.toml"))
    shortest, longest = plan.trained
    return replace(
        full,
        network=replace(full.network, width=64, inner=256, value="exp"),
        selection=replace(full.selection, kind="gumbel", count=plan.sentences, shortest=shortest, longest=longest),
        training=replace(full.training, steps=300, batch=32, rate=1e-3, validate_every=100, keep=1, seed=seed),
    )


def _controlled(plan: Plan, base: ScorerConfig, title: str) -> Iterator[tuple[str, str, ScorerConfig]]:
    """Yield the ways to control length in training: only the selection differs from the configuration."""
    for name, kind in (("ktdp", "dp"), ("ktden", "density")):
        selection = replace(base.selection, kind="network", folder=f"{plan.knapsack}-{kind}")
        yield name, f"{title} + {name.upper()}", replace(base, selection=selection)
    yield "perturbed", f"{title} + perturbed", replace(base, selection=replace(base.selection, kind="perturbed"))


def supervised(seed: int) -> ScorerConfig:
    """Return the configuration that learns from labels."""
    full = read_network_config(str(CONFIGS / "cpu-supervised-en.toml"))
    return replace(
        full,
        name="supervised",
        network=replace(full.network, width=64, inner=256, positions="none", features="position length words"),
        training=replace(full.training, steps=300, batch=32, rate=1e-3, validate_every=50, keep=1, seed=seed),
    )
