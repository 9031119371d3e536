import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tersely.select.table import Table


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), min_size=1, max_size=8), st.integers(0, 40))
def test_a_common_divisor_of_the_costs_changes_nothing(items: list[tuple[int, int]], capacity: int) -> None:
    values, costs = (np.array(column) for column in zip(*items, strict=True))
    small, large = (
        Table(values.astype(float), costs, capacity),
        Table(values.astype(float), costs * 7, capacity * 7 + 6),
    )
    for c in range(capacity + 1):
        assert small.items(c) == large.items(7 * c) == large.items(7 * c + 6)


def test_a_table_of_more_room_than_all_items_take_is_no_larger_than_needed() -> None:
    table = Table(np.ones(3), np.array([2, 3, 5]), 10**12)
    assert table.items(10**12) == [0, 1, 2]
    assert table.items(9) == [0, 1]
