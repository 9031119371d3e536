"""The quality gate: minimum ROUGE of the default system on a fixed part of each dev set.

python tests/quality/gate.py            measure, and compare with the floors
python tests/quality/gate.py --update   raise the floors to the measured figures; with --allow-lower, lower them, too
"""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from tersely.evaluate.readers import SUITE, DevSet
from tersely.evaluate.report import describe
from tersely.evaluate.run import evaluate
from tersely.io.files import sha256

DATA = Path(os.environ.get("TERSELY_DATA", Path(__file__).parents[3] / "shared" / "data"))
FLOORS = Path(__file__).parent / "floors.json"
DOCUMENTS = 150
# Another BLAS or Python may break a tie differently; a real change is larger than this.
TOLERANCE = 0.05

Figures = dict[str, dict[str, float]]


def measure(dev: DevSet, system: str = "news", documents: int = DOCUMENTS) -> Figures:
    """Return ROUGE-1, ROUGE-2 and the number of violations at each budget."""
    results = evaluate(dev.records(DATA, documents), [system], dev.budgets)
    return {
        describe(result.budget): {
            "rouge1": round(result.mean("rouge1"), 3),
            "rouge2": round(result.mean("rouge2"), 3),
            "violations": result.violations,
        }
        for result in results
    }


def failures(figures: Figures, floors: Figures) -> list[str]:
    """Return one line for everything that is below its floor or over budget."""
    found = []
    for budget, floor in floors.items():
        measured = figures[budget]
        if measured["violations"]:
            found.append(f"{budget}: {measured['violations']} summaries are over budget")
        found += [
            f"{budget}: {name} is {measured[name]:.2f}, below its floor of {floor[name]:.2f}"
            for name in ("rouge1", "rouge2")
            if measured[name] < floor[name] - TOLERANCE
        ]
    return found


def raised(old: dict[str, Any], new: dict[str, Any], allow_lower: bool) -> dict[str, Any]:
    """Return the new floors; a lower one is refused unless that is allowed."""
    for name, entry in old.items():
        lower = failures(new[name]["figures"], entry["figures"]) if name in new else [f"{name} is gone"]
        if lower and not allow_lower:
            raise SystemExit(f"{name} would be lower: {'; '.join(lower)} (use --allow-lower if that is intended)")
    return {name: _higher(entry, old.get(name), allow_lower) for name, entry in new.items()}


def _higher(new: dict[str, Any], old: dict[str, Any] | None, allow_lower: bool) -> dict[str, Any]:
    if old is None or allow_lower:
        return new
    figures = {
        budget: {name: max(value, old["figures"].get(budget, {}).get(name, value)) for name, value in row.items()}
        for budget, row in new["figures"].items()
    }
    return {**new, "figures": figures}


def main() -> None:
    """Compare, or update the floors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--allow-lower", action="store_true")
    args = parser.parse_args()
    old = json.loads(FLOORS.read_text()) if FLOORS.exists() else {}
    new = {
        dev.name: {"sha256": sha256(dev.path(DATA)), "documents": DOCUMENTS, "figures": measure(dev)} for dev in SUITE
    }
    if args.update:
        FLOORS.write_text(json.dumps(raised(old, new, args.allow_lower), indent=1) + "\n")
        return
    found = [f"{name}: {f}" for name, entry in old.items() for f in failures(new[name]["figures"], entry["figures"])]
    sys.exit("\n".join(found) or None)


if __name__ == "__main__":
    main()
