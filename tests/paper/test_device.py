"""Devices and precisions, on a machine without a GPU."""

import json
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

from tersely.cli.train import command
from tersely.errors import UsageError
from tersely.learn.artifacts import to_toml
from tersely.paper.batches import DocumentBatch
from tersely.paper.config import ScorerConfig
from tersely.paper.distributed import lower_precision, to_device
from tersely.paper.networks import ScorerModel
from tersely.paper.objectives import bidirectional, score, total_loss
from tersely.paper.selection import gumbel_top_k

from .conftest import COLUMNS, make_text

no_gpu = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")


def loss_of(model: ScorerModel, batch: DocumentBatch, config: ScorerConfig) -> Tensor:
    noise = torch.Generator().manual_seed(1)
    given = score(model.scorer, batch._replace(features=batch.features[..., :0]))
    choice = gumbel_top_k(given, 2, 1.0, "softmax", noise)
    assert model.siamese is not None
    scores = given.scores.detach()
    assert scores.dtype == torch.float32
    return total_loss(
        bidirectional(model.siamese, batch.vectors, batch.mask, choice, scores, config.objective, noise),
        config.objective,
    )


def test_a_step_stays_on_its_device(config: ScorerConfig, batch: DocumentBatch) -> None:
    """A tensor on the device `meta` has only a shape, but cannot be mixed with tensors on another device."""
    device = torch.device("meta")
    model = ScorerModel(config, COLUMNS).to(device)
    loss = loss_of(model, to_device(batch, device), config)
    loss.backward()
    assert loss.device == device
    assert {weight.grad.device for weight in model.parameters() if weight.grad is not None} == {device}


def test_networks_compute_in_a_lower_precision_and_losses_do_not(config: ScorerConfig, batch: DocumentBatch) -> None:
    """Fake tensors have types but no numbers, so the processor need not support bfloat16."""
    types: set[torch.dtype] = set()
    with FakeTensorMode() as mode:
        model = ScorerModel(config, COLUMNS)
        lower_precision(model, "bfloat16", torch.device("cpu"))
        for module in model.modules():
            if isinstance(module, torch.nn.Linear):
                module.register_forward_hook(lambda _, __, y: types.add(y.dtype))
        fakes = {name: mode.from_tensor(t) for name, t in batch._asdict().items() if isinstance(t, Tensor)}
        loss = loss_of(model, batch._replace(**fakes), config)
        loss.backward()
    assert types == {torch.bfloat16}
    assert loss.dtype == torch.float32
    assert {weight.grad.dtype for weight in model.parameters() if weight.grad is not None} == {torch.float32}


@no_gpu
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--device", "cuda"], "PyTorch finds no GPU that it can use: choose --device cpu"),
        (["--device", "mps"], "PyTorch finds no GPU of Apple's that it can use: choose --device cpu"),
        (["--precision", "float16"], "float16 needs a GPU: choose --precision bfloat16 or float32"),
    ],
)
def test_devices_and_precisions_that_are_missing_are_refused(
    options: list[str], said: str, config: ScorerConfig, tmp_path: Path
) -> None:
    file, texts, out = tmp_path / "tiny.toml", tmp_path / "texts.jsonl", tmp_path / "model"
    file.write_bytes(to_toml(config))
    texts.write_text("".join(json.dumps({"text": make_text(number)}) + "\n" for number in range(24)))
    arguments = ["scorer", str(texts), "--config", str(file), "--out", str(out), *options]
    with pytest.raises(UsageError, match=said):
        CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert not out.exists()
