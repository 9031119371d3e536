"""What tests of training share: one thread, which always adds up in the same order, and lessons."""

from collections.abc import Iterator

import pytest
import torch

from learn.editors import row
from tersely.learn.editor_labels import Lesson, lesson_of


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def lessons() -> list[Lesson]:
    """Twelve labeled documents."""
    return [lesson for number in range(12) if (lesson := lesson_of(row(number))) is not None]
