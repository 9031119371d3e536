"""Texts that many tests share, and strategies that make others."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

# A page in Chromium, for whatever has one; and no doctests of adapters whose package is missing.
pytest_plugins = ["browser", "installed"]

# A run must not depend on the speed of the machine or on chance.
settings.register_profile(
    "repeatable", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow], max_examples=30
)
settings.load_profile("repeatable")
# For `make soak`: many more examples, and others each time. One that fails belongs into the test as an `@example`.
settings.register_profile(
    "soak", settings.get_profile("repeatable"), derandomize=False, max_examples=400, print_blob=True
)
# For mutants: that a test fails is enough, a small example is not needed.
settings.register_profile("unshrunk", settings.get_profile("repeatable"), phases=[Phase.explicit, Phase.generate])

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TERSELY_CONFIG"] = ""  # the settings of whoever runs the tests are not for them
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="session")
def english() -> str:
    return (ROOT / "examples" / "harbor.txt").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def chinese() -> str:
    return (ROOT / "examples" / "古城.txt").read_text(encoding="utf-8")
