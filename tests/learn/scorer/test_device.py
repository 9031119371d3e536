"""Devices and precisions, on a machine without a GPU."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

from tersely.cli.train import command
from tersely.errors import UsageError
from tersely.learn.scorer.config import Config
from tersely.learn.scorer.data import Batch
from tersely.learn.scorer.device import lower_precision
from tersely.learn.scorer.distributed import on_device
from tersely.learn.scorer.network import Model
from tersely.learn.scorer.objectives import bidirectional, siamese_sum
from tersely.learn.scorer.selection import gumbel_top_k
from tersely.learn.scorer.step import score
from tersely.learn.settings import toml

from .conftest import COLUMNS, make_text

no_gpu = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")


def loss_of(model: Model, batch: Batch, config: Config) -> Tensor:
    noise = torch.Generator().manual_seed(1)
    given = score(model.scorer, batch._replace(features=batch.features[..., :0]))
    choice = gumbel_top_k(given, 2, 1.0, "softmax", noise)
    assert model.siamese is not None
    scores = given.scores.detach()
    assert scores.dtype == torch.float32
    return siamese_sum(
        bidirectional(model.siamese, batch.vectors, batch.mask, choice, scores, config.objective, noise),
        config.objective,
    )


def test_a_step_stays_on_its_device(config: Config, batch: Batch) -> None:
    """Of a tensor on the device `meta` there is only a shape, but it cannot be mixed with one on another device."""
    device = torch.device("meta")
    model = Model(config, COLUMNS).to(device)
    loss = loss_of(model, on_device(batch, device), config)
    loss.backward()
    assert loss.device == device
    assert {weight.grad.device for weight in model.parameters() if weight.grad is not None} == {device}


def test_networks_compute_in_a_lower_precision_and_losses_do_not(config: Config, batch: Batch) -> None:
    """No processor is asked to compute with bfloat16: fake tensors have types, but no numbers."""
    types: set[torch.dtype] = set()
    with FakeTensorMode() as mode:
        model = Model(config, COLUMNS)
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
        (["--device", "cuda"], "there is no GPU that PyTorch can use here: choose --device cpu"),
        (["--precision", "float16"], "float16 needs a GPU: choose --precision bfloat16 or float32"),
    ],
)
def test_what_the_machine_cannot_do_is_refused(options: list[str], said: str, config: Config, tmp_path: Path) -> None:
    file, texts, out = tmp_path / "tiny.toml", tmp_path / "texts.jsonl", tmp_path / "model"
    file.write_text(toml(asdict(config)), encoding="utf-8")
    texts.write_text("".join(json.dumps({"text": make_text(number)}) + "\n" for number in range(24)))
    arguments = ["scorer", str(texts), "--config", str(file), "--out", str(out), *options]
    with pytest.raises(UsageError, match=said):
        CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert not out.exists()
