"""Records and systems become what a form shows."""

from collections.abc import Iterable, Sequence

from tersely.budget import Budget
from tersely.evaluate.human.prepare import Item
from tersely.evaluate.record import Record
from tersely.evaluate.room import Room
from tersely.evaluate.systems import load_system


def summarize(records: Iterable[Record], systems: Sequence[str], budget: Budget) -> list[Item]:
    """Return each record's source and its summary by every system."""
    loaded = {name: load_system(name) for name in systems}
    return [
        Item(
            record.id,
            record.document.text,
            {
                name: Room(record.document, budget).join(system.choose(record, budget))
                for name, system in loaded.items()
            },
        )
        for record in records
    ]
