"""The scorer: trained on unlabelled documents by a siamese network, or through the exact knapsack."""

from tersely.learn.scorer.config import Config, read_config
from tersely.learn.scorer.corpus import Corpus
from tersely.learn.scorer.export import export
from tersely.learn.scorer.train import Progress, train
from tersely.learn.scorer.validate import Dev

__all__ = ["Config", "Corpus", "Dev", "Progress", "export", "read_config", "train"]
