"""The configuration of a scorer with a network, and how configurations are read by name."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf
from typing import Any

from tersely.encode import DEFAULT_ENCODER
from tersely.errors import UsageError, unknown_name
from tersely.learn.artifacts import find_config
from tersely.learn.bias import BiasConfig
from tersely.score.learned import FEATURES
from tersely.select import SELECTORS
from tersely.settings import changed, parse_settings, read_toml

POSITIONS = ("sinusoidal", "learned", "none")


@dataclass(frozen=True)
class ScorerData:
    """The frozen encoder, how much of the corpus is read, and the share of documents to validate on."""

    encoder: str = DEFAULT_ENCODER
    precision: str = "float16"  # of the cached vectors
    sentences: int = 40  # read at most this many of each document
    documents: int = 0  # read at most this many; 0 means all
    tokens: int = 0  # read at most this many word pieces (words, if the encoder has none) of each; 0 means all
    held_out: float = 0.1
    shuffled: float = 0.0  # the sentences of this share of the documents to train on are in random order


@dataclass(frozen=True)
class ScorerNetwork:
    """The network. `features` names its inputs beside the vectors; `value` says how a score s becomes a value.

    `sigmoid` and `exp` depend on s alone. `length_exp`, length x exp(s), grows with content.
    """

    width: int = 128
    layers: int = 2
    heads: int = 4
    inner: int = 512
    positions: str = "sinusoidal"  # or learned, or none
    scaled: bool = False  # the embedded vectors, by the root of the width
    features: str = ""
    value: str = "sigmoid"


@dataclass(frozen=True)
class SiameseNetworks:
    """The second-level encoder and the predictor, both of the same size; either can be left out."""

    width: int = 128
    layers: int = 2
    heads: int = 8
    inner: int = 512
    encoder_positions: str = "sinusoidal"
    predictor_positions: str = "sinusoidal"
    scaled: bool = False
    encoder: bool = True
    predictor: bool = True


@dataclass(frozen=True)
class Objective:
    """The weights of the terms (0 leaves a term out) and the readings of the paper.

    `rest_ext` and `ext_doc` are the paper's objectives. `negative_target` says what the prediction of a negative
    sentence is compared with: the selected sentence's vector, as the formula is printed, or its own.
    `negative_relaxation` says whose gradient the mask of the negatives has: that of 1 - s (`unselected`), or of s
    (`selected`), as the formula is printed.

    What follows is ours. `target` `frozen` predicts the first-level vectors, which cannot collapse. `gradient` `exact`
    gives the scorer the expectation over the sampled sentence, and the effect of putting in or taking out each single
    sentence, computed and not relaxed. A positive `contrast` is a temperature: a prediction must then tell its target
    from those of the other documents of the batch.

    `words` is Ext-Doc in the space of words: how much the selected sentences say of what the document keeps coming back
    to, as the teacher's coverage counts it. `imitation` is the distance of the selection from the choice of a teacher,
    a scorer on words and a selector. `supervised` is the cross-entropy of labels: the BertSum-style baseline, the only
    term that needs labels.
    """

    rest_ext: float = 1.0
    ext_doc: float = 0.3
    words: float = 0.0
    imitation: float = 0.0
    supervised: float = 0.0
    negatives: bool = True
    negative_target: str = "selected"
    negative_relaxation: str = "unselected"
    detach_target: bool = True
    target: str = "encoder"
    gradient: str = "straight_through"
    contrast: float = 0.0
    teacher_scorer: str = "coverage"
    teacher_select: str = "coverage"
    teacher_tuned: bool = True  # to the position bias of the corpus; see `tersely.learn.bias.bias_of`

    @property
    def siamese(self) -> bool:
        """Whether the siamese networks are needed."""
        return self.rest_ext > 0 or self.ext_doc > 0


@dataclass(frozen=True)
class TrainingSelection:
    """How sentences are selected in training: the best `count`, or within a budget drawn for each document."""

    kind: str = "gumbel"  # gumbel, network (a frozen knapsack network) or perturbed (the exact knapsack under noise)
    count: int = 3
    relaxation: str = "softmax"  # for gumbel: softmax sums to 1, k_hot to `count`
    temperature: float = 1.0
    shortest: int = 400
    longest: int = 400
    folder: str = ""  # of a knapsack network, or the name of a shipped one
    samples: int = 16
    sigma: float = 0.02


@dataclass(frozen=True)
class ScorerTraining:
    """Adam. The paper has two: one for randomly initialized weights, one for weights that were loaded.

    It updates neither the encoder nor the knapsack network, which are all that is loaded, so the second has nothing to
    do, and `rate` is that of the first: of the scorer and of the siamese networks. `siamese_rate` is ours.
    """

    steps: int
    batch: int = 64
    rate: float = 3e-6
    siamese_rate: float = 0.0  # another rate for the siamese networks; 0 means the same
    decay: bool = False  # the rates fall linearly, to 0 at the end
    clip: float = 0.0  # the largest norm of the gradients; 0 means no limit
    epsilon: float = 1e-8  # of Adam; gradients through KTDEN are as small as that
    seed: int = 42
    threads: int = 1
    validate_every: int = 1000
    keep: int = 3
    average: bool = False  # export the mean of the kept weights, not the best weights

    @property
    def rates(self) -> tuple[float, float]:
        """The rates of the scorer and of the siamese networks."""
        return self.rate, self.siamese_rate or self.rate


@dataclass(frozen=True)
class ScorerConfig:
    """A scorer with a network, and how it is trained."""

    name: str
    training: ScorerTraining = field(default_factory=lambda: ScorerTraining(steps=1000))
    kind: str = "scorer"
    select: str = "knapsack"  # the selector at inference
    data: ScorerData = field(default_factory=ScorerData)
    network: ScorerNetwork = field(default_factory=ScorerNetwork)
    siamese: SiameseNetworks = field(default_factory=SiameseNetworks)
    objective: Objective = field(default_factory=Objective)
    selection: TrainingSelection = field(default_factory=TrainingSelection)

    def __post_init__(self) -> None:
        choices: list[tuple[str, str, Any]] = [
            ("kind of configuration", self.kind, ("scorer",)),
            ("selector", self.select.partition(":")[0], SELECTORS.names()),
            ("precision", self.data.precision, ("float16", "float32")),
            ("value", self.network.value, ("sigmoid", "exp", "length_exp")),
            *(("positions", name, POSITIONS) for name in self._positions),
            ("negative_target", self.objective.negative_target, ("selected", "own")),
            ("negative_relaxation", self.objective.negative_relaxation, ("unselected", "selected")),
            ("target", self.objective.target, ("encoder", "frozen")),
            ("gradient", self.objective.gradient, ("straight_through", "exact")),
            ("kind of selection", self.selection.kind, ("gumbel", "network", "perturbed")),
            ("relaxation", self.selection.relaxation, ("softmax", "k_hot")),
            *(("feature", name, FEATURES) for name in self.features),
        ]
        for kind, name, names in choices:
            if name not in names:
                raise unknown_name(kind, name, names)
        self._check_numbers()

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features."""
        return tuple(self.network.features.split())

    @property
    def _positions(self) -> tuple[str, str, str]:
        return self.network.positions, self.siamese.encoder_positions, self.siamese.predictor_positions

    def _check_numbers(self) -> None:
        may_be_zero = {"documents", "tokens", "clip", "rest_ext", "ext_doc", "words", "imitation", "supervised", "seed"}
        may_be_zero |= {"contrast", "shuffled", "siamese_rate"}
        for table in (self.data, self.network, self.siamese, self.objective, self.selection, self.training):
            for key, value in vars(table).items():
                if type(value) in (int, float) and not (0 < value < inf or (value == 0 and key in may_be_zero)):
                    raise UsageError(
                        f"'{key}' must be {'0 or more' if key in may_be_zero else 'positive'}, not {value}"
                    )
        for network in (self.network, self.siamese):
            if network.width % network.heads or network.width % 2:
                raise UsageError(f"the width {network.width} is not even or not a multiple of {network.heads} heads")
        settings = self.objective
        if not (settings.siamese or max(settings.words, settings.imitation, settings.supervised) > 0):
            raise UsageError("no objective is left: give rest_ext, ext_doc, words, imitation or supervised a weight")
        if settings.imitation and settings.supervised:
            raise UsageError("use labels or a teacher, not both: set imitation or supervised to 0")
        if not (self.siamese.encoder or self.siamese.predictor) and self.objective.siamese:
            raise UsageError("without encoder and predictor nothing is left to predict with: keep one of them")
        if self.selection.shortest > self.selection.longest:
            raise UsageError(f"shortest ({self.selection.shortest}) must not exceed longest ({self.selection.longest})")
        if self.data.shuffled > 1:
            raise UsageError(f"shuffled is a share of the documents, at most 1, not {self.data.shuffled:g}")
        if self.data.held_out > 0.5:
            raise UsageError(f"held_out must be at most 0.5, not {self.data.held_out:g}")
        if (self.selection.kind == "network") != bool(self.selection.folder):
            raise UsageError("selection by a knapsack network needs its 'folder', and no other kind takes one")


_KINDS: dict[str, type[BiasConfig] | type[ScorerConfig]] = {
    "news": BiasConfig,
    "scorer": ScorerConfig,
}


def read_config(name: str, changes: Iterable[str] = ()) -> BiasConfig | ScorerConfig:
    """Read the configuration of a scorer, with or without a network, by its name or file, and change it."""
    path = find_config(name)
    try:
        return _parse(changed(read_toml(path), changes))
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from None


def _parse(table: dict[str, Any]) -> BiasConfig | ScorerConfig:
    kind = table.get("kind", "scorer")
    if kind == "knapsack":
        raise UsageError("it describes a knapsack network: use 'tersely train knapsack'")
    if kind == "editor":
        raise UsageError("it describes the network of an editor, which learns from labels: use 'tersely train editor'")
    if kind not in _KINDS:
        raise unknown_name("kind of configuration", str(kind), _KINDS)
    return parse_settings(table, _KINDS[kind])


def read_network_config(name: str, changes: Iterable[str] = ()) -> ScorerConfig:
    """Read the configuration of a scorer with a network, and change it."""
    config = read_config(name, changes)
    if isinstance(config, BiasConfig):
        raise UsageError(f"configuration '{name}' has no network: choose another one, such as cpu-siamese-en")
    return config
