"""The quality gate: least ROUGE of the default on a part of each dev set, and how its summaries read on labeled sets.

python tests/quality/gate.py            measure, and compare with the floors
python tests/quality/gate.py --update   raise the floors to the measured figures; with --allow-lower, lower them, too
"""

import argparse
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tersely.datasets import SUITE, DevSet, read
from tersely.evaluate import describe
from tersely.evaluate.annotation import LabeledRecord, labeled, labeled_lines
from tersely.evaluate.readability import evaluate_reading
from tersely.evaluate.run import evaluate
from tersely.io.files import sha256
from tersely.models import DEFAULT

DATA = Path(os.environ.get("TERSELY_DATA", Path(__file__).parents[3] / "shared" / "data"))
FLOORS = Path(__file__).parent / "floors.json"
HELD_OUT = Path(__file__).parents[2] / "labels" / "held-out.jsonl.gz"  # its texts are in the repository
DOCUMENTS = 150
# Another BLAS rounds the network's output differently, and may so break a near tie in a document or two; a real change
# is larger than this. Flawed, main and dangling are whole documents: two of them may change.
TOLERANCES = {
    "rouge1": 0.3,
    "rouge2": 0.3,
    "flawed": 3.4,
    "main": 2.3,
    "choice": 1.0,
    "dangling": 1.0,
    "salience": 0.5,
}
# These figures are better if they are lower.
CEILINGS = {"flawed", "dangling", "violations"}

Figures = dict[str, dict[str, float]]


def measure(dev: DevSet, system: str = DEFAULT, documents: int = DOCUMENTS) -> Figures:
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


@dataclass(frozen=True)
class LabeledSet:
    """Documents with labels: the `name` of the set, its files in the data folder, and the `figures` that are held.

    `form` is the format of a file with labels in it; "reader" is two files, documents and labels.
    """

    name: str
    form: Literal["reader", "editor", "gum"]
    places: tuple[str, ...]
    figures: tuple[str, ...]

    @property
    def files(self) -> list[Path]:
        """The files of the set."""
        return [DATA / place for place in self.places]

    @property
    def sha256(self) -> str:
        """The hashes of the files."""
        return " ".join(map(sha256, self.files))

    def items(self) -> list[LabeledRecord]:
        """Read the documents and their labels."""
        records = read(self.files[0], strict=True)
        if self.form == "reader":
            return labeled(records, self.files[1])[0]
        return labeled_lines(records, self.form, self.places[0])[0]

    def measure(self, system: str = DEFAULT) -> Figures:
        """Return the figures of a system that are held, and the number of violations, at each budget."""
        return {
            str(result.budget): {
                **{name: round(result.percent(name), 3) for name in self.figures},
                "violations": int((result.values("fill") > 1).sum()),
            }
            for result in evaluate_reading(self.items(), [system])
        }

    def entry(self) -> dict[str, Any]:
        """Return what the floors hold about the set."""
        return {"sha256": self.sha256, "documents": len(self.items()), "figures": self.measure()}


LABELED = (
    LabeledSet("reader_dev", "reader", ("reader/dev.jsonl.gz", "reader/dev_labels.jsonl.gz"), ("flawed", "choice")),
    LabeledSet("editor_dev", "editor", ("editor/dev.jsonl.gz",), ("flawed", "main", "choice")),
    LabeledSet("held_out", "editor", (str(HELD_OUT),), ("flawed", "main", "choice")),
    LabeledSet("gum", "gum", ("gum/gum.jsonl.gz",), ("dangling", "salience")),
)


def failures(figures: Figures, floors: Figures) -> list[str]:
    """Return one line for everything that is worse than its floor, or over budget."""
    lines = []
    for budget, floor in floors.items():
        measured = figures[budget]
        if measured["violations"]:
            lines.append(f"{budget}: {measured['violations']} summaries are over budget")
        for name, tolerance in TOLERANCES.items():
            if name in floor and (measured[name] - floor[name]) * _better(name) < -tolerance:
                side = "above its ceiling" if name in CEILINGS else "below its floor"
                lines.append(f"{budget}: {name} is {measured[name]:.2f}, {side} of {floor[name]:.2f}")
    return lines


def _better(name: str) -> int:
    return -1 if name in CEILINGS else 1


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
        budget: {
            name: max(value, old["figures"].get(budget, {}).get(name, value), key=lambda v, n=name: v * _better(n))
            for name, value in row.items()
        }
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
    new |= {labels.name: labels.entry() for labels in LABELED}
    if args.update:
        FLOORS.write_text(json.dumps(raised(old, new, args.allow_lower), indent=1) + "\n")
        return
    worse = [f"{name}: {f}" for name, entry in old.items() for f in failures(new[name]["figures"], entry["figures"])]
    sys.exit("\n".join(worse) or None)


if __name__ == "__main__":
    main()
