"""Lets a network learn from others: what several of them say on average is steadier than what any of them says."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as f

from tersely.learn.editor_labels import UNKNOWN, Lesson, Taught
from tersely.read import Network


def taught_by(lesson: Lesson, teachers: Sequence[Network]) -> Lesson:
    """Return a lesson with what teachers say of it on average; if it has no labels, there is nothing else to learn."""
    outputs = [teacher(lesson.tokens, lesson.terms, lesson.features) for teacher in teachers]
    shares = [np.exp(output.worth - output.worth.max()) for output in outputs]
    taught = Taught(
        np.mean([output.roles for output in outputs], axis=0),
        np.mean([share / share.sum() for share in shares], axis=0),
        np.mean([output.need for output in outputs], axis=0),
    )
    is_labeled = bool((lesson.roles != UNKNOWN).any())
    return replace(lesson, taught=taught, worth=lesson.worth if is_labeled else np.zeros_like(lesson.worth))


def taught_loss(roles: Tensor, worth: Tensor, need: Tensor, lessons: Sequence[Lesson]) -> Tensor:
    """Return how far roles, worth and needs, as logits, are from what teachers say; all lessons must be taught."""
    said = [lesson.taught for lesson in lessons if lesson.taught is not None]
    wanted_roles, _, wanted_need = (torch.tensor(np.concatenate(part)) for part in zip(*said, strict=True))
    by_document = zip(worth.split([len(part.worth) for part in said]), said, strict=True)
    of_worth = [-(part.log_softmax(0) * torch.tensor(taught.worth)).sum() for part, taught in by_document]
    return (
        f.cross_entropy(roles, wanted_roles)
        + f.binary_cross_entropy_with_logits(need, wanted_need)
        + torch.stack(of_worth).mean()
    )
