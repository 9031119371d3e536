"""Quality cannot drop unnoticed."""

import json

import pytest

from quality.gate import DATA, FLOORS, LABELED, LabeledSet, failures, measure, raised
from tersely.datasets import SUITE
from tersely.io.files import sha256

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="no evaluation data: set TERSELY_DATA")


@pytest.fixture(params=LABELED, ids=lambda labels: labels.name)
def labels(request: pytest.FixtureRequest) -> LabeledSet:
    """Return each labeled set that is there."""
    if not all(file.is_file() for file in request.param.files):
        pytest.skip(f"no {' and '.join(request.param.places)} in TERSELY_DATA")
    return request.param


@needs_data
@pytest.mark.parametrize("dev", SUITE, ids=lambda dev: dev.name)
def test_the_default_reaches_its_floors(dev) -> None:
    floors = json.loads(FLOORS.read_text())[dev.name]
    assert sha256(dev.path(DATA)) == floors["sha256"], "the evaluation data is not what the floors were measured on"
    assert not failures(measure(dev, documents=floors["documents"]), floors["figures"])


@needs_data
def test_the_gate_stops_a_worse_system() -> None:
    floors = json.loads(FLOORS.read_text())["dev_pku"]
    found = failures(measure(SUITE[5], "random", floors["documents"]), floors["figures"])
    assert len(found) == 2 * len(floors["figures"])


def test_summaries_of_the_default_read_as_well_as_before(labels: LabeledSet) -> None:
    floors = json.loads(FLOORS.read_text())[labels.name]
    assert labels.sha256 == floors["sha256"], "the labeled documents are not the measured ones"
    assert not failures(labels.measure(), floors["figures"])


def test_the_gate_stops_a_system_that_reads_worse(labels: LabeledSet) -> None:
    floors = json.loads(FLOORS.read_text())[labels.name]
    lines = failures(labels.measure("random"), floors["figures"])
    assert len(lines) == len(labels.figures) * len(floors["figures"])


def entry(score: float, violations: int = 0) -> dict[str, object]:
    return {"sha256": "x", "documents": 1, "figures": {"b": {"rouge1": score, "rouge2": 1.0, "violations": violations}}}


def test_a_violation_fails_even_with_high_scores() -> None:
    assert failures(entry(99, 1)["figures"], entry(1)["figures"]) == ["b: 1 summaries are over budget"]


def test_floors_rise_and_fall_only_on_request() -> None:
    old = {"dev": entry(30)}
    assert raised(old, {"dev": entry(31)}, allow_lower=False) == {"dev": entry(31)}
    assert raised(old, {"dev": entry(29.99)}, allow_lower=False) == old
    with pytest.raises(SystemExit, match="rouge1 is 29"):
        raised(old, {"dev": entry(29)}, allow_lower=False)
    assert raised(old, {"dev": entry(29)}, allow_lower=True) == {"dev": entry(29)}
    with pytest.raises(SystemExit, match="gone"):
        raised(old, {}, allow_lower=False)


def test_flaws_have_a_ceiling_that_only_falls() -> None:
    def flaws(share: float) -> dict[str, object]:
        return {"sha256": "x", "documents": 1, "figures": {"b": {"flawed": share, "choice": 50.0, "violations": 0}}}

    found = failures(flaws(40)["figures"], flaws(30)["figures"])
    assert found == ["b: flawed is 40.00, above its ceiling of 30.00"]
    assert raised({"reader": flaws(40)}, {"reader": flaws(30)}, allow_lower=False) == {"reader": flaws(30)}
    assert raised({"reader": flaws(30)}, {"reader": flaws(31)}, allow_lower=False) == {"reader": flaws(30)}
    with pytest.raises(SystemExit, match="above its ceiling"):
        raised({"reader": flaws(30)}, {"reader": flaws(40)}, allow_lower=False)
